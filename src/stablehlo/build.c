/* build.c: see build.h. */
#include "stablehlo/build.h"

#include "stablehlo/stablehlo.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 32 };

ir_type hlo_scalar_type(ir_type element)
{
    return ir_tensor_type(element, NULL, 0, NULL);
}

ir_type hlo_vector_type(ir_type element, int64_t size)
{
    return ir_tensor_type(element, &size, 1, NULL);
}

ir_type hlo_with_size(ir_type t, int64_t dim, int64_t size)
{
    int64_t *dims = tw_xmalloc(t->count * sizeof *dims);
    memcpy(dims, t->dims, t->count * sizeof *dims);
    dims[dim] = size;
    ir_type made = ir_type_with_shape(t, dims, t->count);
    free(dims);
    return made;
}

ir_attr hlo_channel(ir_context *ctx, int64_t handle)
{
    ir_attr params[] = {ir_raw_int(ctx, handle), ir_raw_int(ctx, 1)};
    return ir_dialect_attr(ctx, STABLEHLO_ATTR(channel_handle), params, 2);
}

ir_value *hlo_constant(ir_builder *b, ir_attr value)
{
    return ir_build1(b, STABLEHLO_OP(constant), value->type, NULL, 0,
                     IR_ATTRS({"value", value}));
}

ir_value *hlo_int(ir_builder *b, ir_type element, int64_t value)
{
    return hlo_constant(b, ir_dense_splat_int(hlo_scalar_type(element), value));
}

ir_value *hlo_zeros(ir_builder *b, ir_type type)
{
    return hlo_constant(b, ir_dense_splat(type, 0));
}

ir_value *hlo_reshape(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank)
{
    return ir_build1(b, STABLEHLO_OP(reshape),
                     ir_tensor_type(v->type->element, dims, rank, NULL), IR_VALUES(v), NULL,
                     0);
}

ir_value *hlo_broadcast(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank,
                        const int64_t *at, size_t n)
{
    ir_type t = ir_tensor_type(v->type->element, dims, rank, NULL);
    return ir_build1(b, STABLEHLO_OP(broadcast_in_dim), t, IR_VALUES(v),
                     IR_ATTRS({"broadcast_dimensions", ir_dense_i64_array(b->ctx, at, n)}));
}

ir_value *hlo_slice(ir_builder *b, ir_value *v, const int64_t *start, const int64_t *limit,
                    const int64_t *stride)
{
    int64_t dims[CAPACITY];
    size_t rank = v->type->count;
    for (size_t i = 0; i < rank; i++)
        dims[i] = (limit[i] - start[i] + stride[i] - 1) / stride[i];
    return ir_build1(b, STABLEHLO_OP(slice),
                     ir_tensor_type(v->type->element, dims, rank, NULL), IR_VALUES(v),
                     IR_ATTRS({"start_indices", ir_dense_i64_array(b->ctx, start, rank)},
                              {"limit_indices", ir_dense_i64_array(b->ctx, limit, rank)},
                              {"strides", ir_dense_i64_array(b->ctx, stride, rank)}));
}

ir_value *hlo_iota(ir_builder *b, ir_type type, int64_t dim)
{
    return ir_build1(b, STABLEHLO_OP(iota), type, NULL, 0,
                     IR_ATTRS({"iota_dimension", ir_i64_attr(b->ctx, dim)}));
}

ir_value *hlo_concatenate(ir_builder *b, ir_type type, ir_value *const *parts, size_t n,
                          int64_t dim)
{
    return ir_build1(b, STABLEHLO_OP(concatenate), type, parts, n,
                     IR_ATTRS({"dimension", ir_i64_attr(b->ctx, dim)}));
}

ir_value *hlo_queried_size(ir_builder *b, ir_value *v, int64_t dim)
{
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    ir_type i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    ir_value *size =
        ir_build1(b, STABLEHLO_OP(get_dimension_size), hlo_scalar_type(i32), IR_VALUES(v),
                  IR_ATTRS({"dimension", ir_i64_attr(b->ctx, dim)}));
    return ir_build1(b, STABLEHLO_OP(convert), hlo_scalar_type(i64), IR_VALUES(size), NULL,
                     0);
}

ir_value *hlo_size_of(ir_builder *b, ir_value *v, int64_t dim)
{
    if (v->type->dims[dim] == IR_DYNAMIC)
        return hlo_queried_size(b, v, dim);
    return hlo_int(b, ir_integer_type(b->ctx, 64, IR_SIGNLESS), v->type->dims[dim]);
}

ir_value *hlo_integer_constant(ir_builder *b, const int64_t *values, size_t n)
{
    ir_type i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    return hlo_constant(b, ir_dense_i64(hlo_vector_type(i64, (int64_t)n), values, n));
}

ir_value *hlo_as_vector(ir_builder *b, ir_value *scalar)
{
    int64_t one = 1;
    return hlo_reshape(b, scalar, &one, 1);
}

void hlo_return(ir_builder *b, ir_value *const *values, size_t n)
{
    ir_build_op(b, STABLEHLO_OP(return ), NULL, 0, values, n, NULL, 0, 0);
}

ir_block *hlo_add_block(ir_op *op, size_t region, const ir_type *types, size_t n)
{
    ir_block *block = ir_block_create(op->ctx);
    ir_region_append(&op->regions[region], block);
    for (size_t i = 0; i < n; i++)
        ir_block_add_arg(op->ctx, block, types[i], op->loc);
    return block;
}
