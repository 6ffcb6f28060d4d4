/* unaligned_reads.h: reads of shards that the NoC cannot move element by element. */
#ifndef TILEWRIGHT_D2M_PASSES_UNALIGNED_READS_H
#define TILEWRIGHT_D2M_PASSES_UNALIGNED_READS_H

#include "d2m/passes/moves.h"

/* A d2m.dma_read of a shard, with the addresses of its elements. */
typedef struct d2m_shard_read {
    ir_op *op;
    ir_value *remote, *local, *const *grid;
    size_t n_grid;
    d2m_shape whole;          /* grid ++ shard */
    ir_affine_map remote_map; /* grid ++ shard to (device, row, column or bank, byte) */
    ir_affine_map local_map;  /* shard to byte */
} d2m_shard_read;

/* True if addresses differ modulo what the NoC aligns to, and the local buffer has whole
 * groups of that length.  `contiguous`: how many elements a transfer could move. */
bool d2m_is_unaligned_read(const d2m_shard_read *r, int64_t contiguous);
/* Builds loops that read the shard; nothing is in flight after them. */
void d2m_build_unaligned_read(ir_builder *b, const d2m_shard_read *r);

#endif
