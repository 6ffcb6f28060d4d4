/* canonical.h: the tables of canonicalization patterns. */
#ifndef TILEWRIGHT_MLIR_PASSES_CANONICAL_H
#define TILEWRIGHT_MLIR_PASSES_CANONICAL_H

#include "ir/rewrite/rewrite.h"

typedef struct rw_pattern_table {
    const rw_pattern *at;
    size_t count;
} rw_pattern_table;

extern const rw_pattern_table canonicalize_affine, canonicalize_affine_index,
    canonicalize_arith, canonicalize_bufferization, canonicalize_buffers, canonicalize_cf,
    canonicalize_func, canonicalize_scf_cast, canonicalize_shape, canonicalize_linalg,
    canonicalize_linalg_fill, canonicalize_memref, canonicalize_mpmd, canonicalize_reshape,
    canonicalize_scf, canonicalize_scf_if, canonicalize_scf_parallel,
    canonicalize_scf_while, canonicalize_sdy, canonicalize_sdy_reshard, canonicalize_tensor,
    canonicalize_ttir, canonicalize_ttir_nn, canonicalize_ttkernel, canonicalize_ttnn;

/* All patterns of all tables, with capacity for `extra` more at the end; the caller
 * frees. */
rw_pattern *transform_canonical_patterns(size_t extra, size_t *count);

/* Applies every table to the operations below `op`.  `enabled` and `disabled` are lists of
 * pattern names separated by commas; both may be empty. */
bool transform_canonicalize(ir_op *op, const rw_options *options, tw_str enabled,
                            tw_str disabled);

#endif
