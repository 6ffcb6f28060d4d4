/* ttir_hooks.h: the hooks of ttir's rows. */
#ifndef TILEWRIGHT_TTIR_TTIR_HOOKS_H
#define TILEWRIGHT_TTIR_TTIR_HOOKS_H

#include "ir/op.h"
#include "ir/rules/rules.h"

/* A zeros, ones, full or constant operation with the value. */
ir_op *ttir_materialize(void *builder, ir_attr value, ir_type type, ir_loc loc);

typedef bool ttir_fold_fn(ir_op *op, const ir_attr *operands, ir_fold_result *results);

/* ttir_fold_math.c: element-wise operations on constants */
ttir_fold_fn ttir_fold_elementwise;
ttir_fold_fn ttir_fold_clamp_scalar, ttir_fold_typecast, ttir_fold_sum, ttir_fold_where;

/* ttir_fold_shape.c: operations that move elements, and constants themselves */
ttir_fold_fn ttir_fold_constant, ttir_fold_full, ttir_fold_ones, ttir_fold_zeros;
ttir_fold_fn ttir_fold_broadcast, ttir_fold_concat, ttir_fold_cumulative, ttir_fold_permute,
    ttir_fold_repeat, ttir_fold_repeat_interleave, ttir_fold_reshape, ttir_fold_same_type,
    ttir_fold_scatter, ttir_fold_slice_static, ttir_fold_pool2d,
    ttir_fold_get_dimension_size, ttir_fold_collective_broadcast, ttir_fold_mesh_shard;

/* Constants with more elements are left alone unless they are splats. */
enum { TTIR_MAX_FOLDED_ELEMENTS = 1000000 };

/* Dense numbers with one element for all; the same for another type of that element. */
bool ttir_is_dense(ir_attr a);
bool ttir_is_splat(ir_attr a);
ir_attr ttir_splat_as(ir_attr splat, ir_type type);

/* Whether its elements are zeros and ones for certain. */
bool ttir_is_boolean(const ir_value *v);

/* ttir_rules.c, ttir_verify.c */
bool ttir_verify(ir_op *op);
chk_rules ttir_rules(const ir_op_def *def);
bool ttir_verify_rearrange(ir_op *op);

#endif
