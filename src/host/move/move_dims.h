/* move_dims.h: the dimension numbers shared by gather and scatter. */
#ifndef TILEWRIGHT_HOST_MOVE_MOVE_DIMS_H
#define TILEWRIGHT_HOST_MOVE_MOVE_DIMS_H

#include "host/shape.h"
#include "support/status.h"

/* The tensors' roles are common to gather (operand to out) and scatter (updates to
 * operand): `windows` is gather's out and scatter's updates. */
typedef struct krn_index_dims {
    const char *op;
    int operand_rank, indices_rank, windows_rank;
    const int64_t *operand_shape, *indices_shape;
    int window_count, dropped_count, batching_count, map_count;
    const int64_t *window_dims; /* of windows: offset_dims, update_window_dims */
    const int64_t *dropped;     /* collapsed_slice_dims, inserted_window_dims */
    const int64_t *operand_batching, *indices_batching;
    const int64_t *map; /* index component to operand axis */
    int index_vector_dim;
    const int64_t *window_size; /* per operand axis */
} krn_index_dims;

/* Iteration space of both: batch axes of windows with their strides in each tensor
 * (elements), and window axes. */
typedef struct krn_index_walk {
    int batch_rank;
    int64_t batch_shape[KRN_MAX_RANK];
    int64_t batch_windows_stride[KRN_MAX_RANK];
    int64_t batch_index_stride[KRN_MAX_RANK];
    int64_t batch_operand_stride[KRN_MAX_RANK];
    int64_t component_stride; /* of indices */
    int window_rank;
    int64_t window_shape[KRN_MAX_RANK];
    int64_t window_operand_stride[KRN_MAX_RANK], window_windows_stride[KRN_MAX_RANK];
    int64_t windows_shape[KRN_MAX_RANK];
} krn_index_walk;

/* Checks the dimension numbers and derives the walk. */
TW_NODISCARD tw_status krn_index_walk_plan(const krn_index_dims *dims,
                                           krn_index_walk *out_walk);

#endif
