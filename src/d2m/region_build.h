/* region_build.h: builds what the region of a d2m.generic consists of: buffers of shards,
 * loads, linalg operations on tiles, stores. */
#ifndef TILEWRIGHT_D2M_REGION_BUILD_H
#define TILEWRIGHT_D2M_REGION_BUILD_H

#include "d2m/generic.h"

/* A tensor.empty of the operand's shard. */
ir_value *d2m_build_shard(ir_builder *b, const ir_value *operand);
/* Loads a shard of a tensor into a buffer.  `mcast`: grid dimensions along which one core
 * sends to the others. */
ir_value *d2m_build_load(ir_builder *b, ir_value *buffer, ir_value *from,
                         ir_value *const *indices, size_t n_indices, const int64_t *mcast,
                         size_t n_mcast);
/* Stores a shard; the result is the tensor stored to. */
ir_value *d2m_build_store(ir_builder *b, ir_value *to, ir_value *const *indices,
                          size_t n_indices, ir_value *shard);
ir_value *d2m_build_index_constant(ir_builder *b, int64_t value);

/* A linalg.generic: maps are one for each input, then for each output.  Its results are of
 * the outputs' types; its block has an argument for the element of each. */
ir_op *d2m_build_linalg(ir_builder *b, ir_value *const *ins, size_t n_ins,
                        ir_value *const *outs, size_t n_outs, const ir_affine_map *maps,
                        const bool *is_reduction, size_t n_loops);
ir_builder d2m_linalg_body(ir_op *linalg, ir_loc loc); /* at the end of its block */
void d2m_linalg_yield(ir_builder *b, ir_value *const *values, size_t n);

/* ---- a whole d2m.generic on tensors ------------------------------------------------- */

enum { D2M_MAX_FRAME = 8 };

/* A d2m.generic with one block in which inputs are loaded; what is computed goes into it
 * with `b`, until it ends. */
typedef struct d2m_frame {
    ir_op *op;
    ir_builder b;
    size_t n_ins, n_outs;
    /* The loaded shards of the inputs, then buffers for those of the outputs. */
    ir_value *shards[D2M_MAX_FRAME];
    ir_value *operands[D2M_MAX_FRAME];
    ir_affine_map maps[D2M_MAX_FRAME];
    const bool *is_reduction; /* of each loop; NULL: none is */
    uint32_t n_loops;
    bool multicast; /* loads along dimensions that reductions share are sent */
    int64_t thread; /* D2M_ThreadType_* */
} d2m_frame;

/* Builds the operation from counts, operands, maps and iterators in the frame, at `at`;
 * false, and nothing is built, if the operands' grids do not fit. */
bool d2m_frame_begin(d2m_frame *f, ir_builder *at);
/* The linalg.generic over all shards with the frame's own maps. */
ir_op *d2m_frame_linalg(d2m_frame *f);
/* Stores one result for each output and ends the block. */
void d2m_frame_end(d2m_frame *f, ir_value *const *results);

#endif
