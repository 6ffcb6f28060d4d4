/* build.h: making TTNN operations; results keep the layout of what they are made from.
 *
 * A suffix is appended to the names in the new operation's location (the builder's own);
 * NULL leaves the location alone. */
#ifndef TILEWRIGHT_TTNN_BUILD_H
#define TILEWRIGHT_TTNN_BUILD_H

#include "ttnn/layout.h"

/* A named location with the suffix behind its name; any other stays. */
ir_loc tnb_suffix(ir_context *ctx, ir_loc loc, const char *suffix);

/* The block's device, made at its start if it has none. */
ir_value *tnb_device(ir_builder *b, ir_op *at);
ir_attr tnb_shape(ir_context *ctx, const int64_t *dims, size_t rank);
/* The type of the number of a recorded trace. */
ir_type tnb_trace_id_type(ir_context *ctx);

/* Like ir_build1, with a suffix. */
ir_value *tnb_op(ir_builder *b, const char *suffix, const ir_op_def *def, ir_type result,
                 ir_value *const *operands, size_t n_operands, const ir_attr_by_name *attrs,
                 size_t n_attrs);
/* `op`: TTNN_add and the like. */
ir_value *tnb_binary(ir_builder *b, const char *suffix, uint16_t op, ir_type type,
                     ir_value *x, ir_value *y);
ir_value *tnb_reshape(ir_builder *b, const char *suffix, ir_value *v, const int64_t *dims,
                      size_t rank);
ir_value *tnb_permute(ir_builder *b, const char *suffix, ir_value *v, const int64_t *order);
/* Steps of 1. */
ir_value *tnb_slice(ir_builder *b, const char *suffix, ir_value *v, const int64_t *begins,
                    const int64_t *ends);
/* Pairs of (before, after) for each dimension. */
ir_value *tnb_pad(ir_builder *b, const char *suffix, ir_value *v, const int64_t *pairs,
                  double value, bool multicore);
ir_value *tnb_repeat(ir_builder *b, const char *suffix, ir_value *v, const int64_t *times);
ir_value *tnb_concat(ir_builder *b, const char *suffix, ir_value *const *parts, size_t n,
                     int64_t dim);
/* A tensor of one number, f32 or i32 as `fill` says. */
ir_value *tnb_full(ir_builder *b, const char *suffix, ir_type type, ir_attr fill,
                   ir_value *device);
/* ttnn.to_tensor_spec; the value itself if it has that layout. */
ir_value *tnb_to_spec(ir_builder *b, const char *suffix, ir_value *v, const ttnn_layout *l);

/* A copy of `op` with other operands (as many) and result types, at the builder. */
ir_op *tnb_clone(ir_builder *b, const char *suffix, ir_op *op, ir_value *const *operands,
                 const ir_type *results);

/* The numbers of an array attribute; returns how many, at most `max`. */
size_t tnb_ints(const ir_op *op, const char *name, int64_t *out, size_t max);

/* The dialect attribute with one parameter set; made with nothing else if `old` is NULL. */
ir_attr tnb_with(ir_context *ctx, const ir_attr_def *def, ir_attr old, const char *name,
                 ir_attr value);

static inline bool tnb_is_float(ir_type t)
{
    return ir_type_element(t)->kind == IR_TYPE_FLOAT;
}
static inline int64_t tnb_round_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}
/* Whether the operation's result carries the marks of a creation: full, zeros, ... */
static inline bool tnb_is_creation(const ir_op *op)
{
    return ir_def_has(op->def, "TTCore_CreationOpTrait");
}

#endif
