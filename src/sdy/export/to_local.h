/* to_local.h: sdy-convert-global-to-local: what its steps share.
 *
 * Types of values become those of one device's part, in place; what a value was sharded by
 * is kept aside, for operations whose form depends on it. */
#ifndef TILEWRIGHT_SDY_EXPORT_TO_LOCAL_H
#define TILEWRIGHT_SDY_EXPORT_TO_LOCAL_H

#include "sdy/propagation/shardings.h"

typedef struct to_local {
    ir_mapping *shardings; /* of values, as they were at first */
    int64_t channel;       /* the next that is free */
    bool by_replica;       /* devices are replicas, not partitions */
    bool per_dim;          /* gathers of several dimensions one after the other */
    bool combine;          /* scatters of several dimensions as one */
    bool by_axes;          /* groups as axes of a mesh, not as lists */
} to_local;

/* What a value was sharded by, NULL if by nothing. */
ir_attr to_local_sharding(const to_local *t, const ir_value *v);
/* The local type; NULL (and an error at `op`) where parts differ in size. */
ir_type to_local_type(ir_op *op, ir_type type, ir_attr sharding);
/* A new value stands for the only result, with its sharding; the operation is gone. */
bool to_local_replace(to_local *t, ir_op *op, ir_value *value);

/* `tensor` cut along axes of each dimension, by the place of the device; `local` is the
 * type of a part. */
ir_value *to_local_cut(const to_local *t, ir_builder *b, ir_value *tensor, ir_attr mesh,
                       const ir_attr *axes_of_dims, ir_type local);
/* Where a device's part of `size` elements begins, as tensor<i64>. */
ir_value *to_local_offset(const to_local *t, ir_builder *b, ir_attr mesh, ir_attr axes,
                          int64_t size);

typedef bool to_local_fn(to_local *t, ir_op *op);
to_local_fn to_local_all_gather, to_local_all_reduce, to_local_all_slice,
    to_local_all_to_all, to_local_permute, to_local_reduce_scatter; /* local_exchanges.c */
to_local_fn to_local_concatenate, to_local_constant, to_local_convolution, to_local_gather,
    to_local_iota, to_local_pad, to_local_scatter, to_local_slice, to_local_windows,
    to_local_dynamic_slice; /* local_ops.c */
/* Any operation that needs no other device's data: its types become the local ones. */
to_local_fn to_local_computable;

#endif
