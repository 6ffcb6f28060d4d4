/* topk.h: what the conversion of topk, its planning and its chain share. */
#ifndef TILEWRIGHT_D2M_TOPK_H
#define TILEWRIGHT_D2M_TOPK_H

#include "d2m/metal_layout.h"

#define D2M_TOPK_INDEX_TYPE "d2m.topk_index_type"
#define D2M_TOPK_PLAN "d2m.topk_plan"
#define D2M_TOPK_INPUT "d2m.topk_input"

/* Where a buffer of the chain is: #d2m.topk_placement read; without a type it is not
 * placed. */
typedef struct d2m_placement {
    ir_type type;
    ir_attr grid;
    d2m_virtual_grid maps;
} d2m_placement;

typedef struct d2m_leaf_buffers {
    d2m_placement transpose, scratch, values, indices;
} d2m_leaf_buffers;

/* Builds the topk of each shard of a device tensor; values and indices go to `out`.
 * `buffers` NULL: over the tensor's own grid. */
bool d2m_build_leaf_topk(ir_builder *b, ir_value *input, int64_t k, int64_t dim,
                         int64_t reduced_size, const d2m_leaf_buffers *buffers,
                         ir_value *out[2]);

/* An ir_op_test: the d2m.generic that holds a whole topk until its chain is built. */
bool d2m_is_topk_leaf(const ir_op *op);
ir_op *d2m_topk_block_of(ir_op *leaf); /* NULL if there is none */
/* The tensor of the user behind layouts, views, masks and transposes of the leaf's input;
 * NULL if there is none. */
ir_value *d2m_topk_input_of(const ir_op *leaf);
/* False if it is not a matrix of tiles on the device. */
bool d2m_read_placement(ir_attr attr, d2m_placement *out);

#endif
