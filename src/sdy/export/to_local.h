/* to_local.h: shared by the steps of sdy-convert-global-to-local.
 *
 * Types of values become the types of one device's shard, in place; the original
 * shardings are kept separately, for operations whose lowering depends on them. */
#ifndef TILEWRIGHT_SDY_EXPORT_TO_LOCAL_H
#define TILEWRIGHT_SDY_EXPORT_TO_LOCAL_H

#include "sdy/propagation/shardings.h"

typedef struct to_local {
    ir_mapping *shardings; /* original shardings of values */
    int64_t channel;       /* next free channel id */
    bool by_replica;       /* devices are replicas, not partitions */
    bool per_dim;          /* several dimensions: one gather each, in sequence */
    bool combine;          /* scatters of several dimensions become one */
    bool by_axes;          /* groups as axes of a mesh, not as lists */
} to_local;

/* Returns the original sharding of a value; NULL if it had none. */
ir_attr to_local_sharding(const to_local *t, const ir_value *v);
/* The local type; NULL (with an error at `op`) if shard sizes differ. */
ir_type to_local_type(ir_op *op, ir_type type, ir_attr sharding);
/* Replaces the only result with `value`, which takes its sharding, and erases the op. */
bool to_local_replace(to_local *t, ir_op *op, ir_value *value);

/* Slices `tensor` along the axes of each dimension by the device's index; `local` is the
 * shard type. */
ir_value *to_local_cut(const to_local *t, ir_builder *b, ir_value *tensor, ir_attr mesh,
                       const ir_attr *axes_of_dims, ir_type local);
/* Offset of a device's shard of `size` elements, as tensor<i64>. */
ir_value *to_local_offset(const to_local *t, ir_builder *b, ir_attr mesh, ir_attr axes,
                          int64_t size);

typedef bool to_local_fn(to_local *t, ir_op *op);
to_local_fn to_local_all_gather, to_local_all_reduce, to_local_all_slice,
    to_local_all_to_all, to_local_permute, to_local_reduce_scatter; /* local_exchanges.c */
to_local_fn to_local_concatenate, to_local_constant, to_local_convolution, to_local_gather,
    to_local_iota, to_local_pad, to_local_scatter, to_local_slice, to_local_windows,
    to_local_dynamic_slice; /* local_ops.c */
/* Converts an operation that needs no data of other devices: only types change. */
to_local_fn to_local_computable;

#endif
