/* top_k.c: lowers chlo.top_k to a sort of the last dimension with its indices and a slice
 * of the first k. */
#include "stablehlo/build.h"
#include "stablehlo/chlo/to_stablehlo/chlo_to_stablehlo.h"
#include "stablehlo/stablehlo.h"

enum { CAPACITY = 32 };

/* Concatenates sizes to a shape vector. */
static ir_value *shape_vector(ir_builder *b, ir_value *const *sizes, size_t rank)
{
    ir_type i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    return hlo_concatenate(b, hlo_vector_type(i64, (int64_t)rank), sizes, rank, 0);
}

/* Sorts in descending order; floats by total order, so that NaNs are ordered. */
static ir_op *sort_down(ir_builder *b, ir_value *x, ir_value *index, int64_t dim,
                        bool stable)
{
    ir_type types[] = {x->type, index->type};
    ir_op *sort = ir_build_op(b, STABLEHLO_OP(sort), types, 2, IR_VALUES(x, index),
                              IR_ATTRS({"dimension", ir_i64_attr(b->ctx, dim)},
                                       {"is_stable", ir_bool_attr(b->ctx, stable)}),
                              1);
    ir_type element = hlo_scalar_type(x->type->element);
    ir_type index_scalar = hlo_scalar_type(index->type->element);
    ir_type args[] = {element, element, index_scalar, index_scalar};
    ir_block *body = hlo_add_block(sort, 0, args, 4);
    ir_builder inner = ir_builder_at_end(b->ctx, body, b->loc);
    bool is_float = x->type->element->kind == IR_TYPE_FLOAT;
    ir_attr greater = ir_enum_attr(b->ctx, STABLEHLO_ATTR(comparison_direction),
                                   STABLEHLO_ComparisonDirection_GT);
    ir_attr total = ir_enum_attr(b->ctx, STABLEHLO_ATTR(comparison_type),
                                 STABLEHLO_ComparisonType_TOTALORDER);
    ir_value *before = ir_build1(&inner, STABLEHLO_OP(compare), ir_type_i1_like(element),
                                 IR_VALUES(body->args[0], body->args[1]),
                                 IR_ATTRS({"comparison_direction", greater},
                                          {"compare_type", is_float ? total : NULL}));
    hlo_return(&inner, &before, 1);
    return sort;
}

bool c2s_top_k(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value, *limits = NULL, *index;
    ir_type t = x->type, i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    ir_type i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    if (!ir_type_is_tensor(t) || t->count == 0 || t->count > CAPACITY)
        return false;
    size_t rank = t->count, last = rank - 1;
    int64_t k = ir_op_int(op, "k", 0);
    if (t->dims[last] != IR_DYNAMIC)
        k = TW_MIN(k, t->dims[last]);
    bool known = ir_type_has_static_shape(t);
    ir_type index_type = ir_tensor_type(i32, t->dims, rank, NULL);
    if (known) {
        index = hlo_iota(b, index_type, (int64_t)last);
    } else {
        ir_value *sizes[CAPACITY];
        for (size_t i = 0; i < rank; i++)
            sizes[i] = hlo_as_vector(b, hlo_size_of(b, x, (int64_t)i));
        ir_value *shape = shape_vector(b, sizes, rank);
        sizes[last] = hlo_as_vector(b, hlo_int(b, i64, k));
        limits = shape_vector(b, sizes, rank);
        index = ir_build1(b, STABLEHLO_OP(dynamic_iota), index_type, IR_VALUES(shape),
                          IR_ATTRS({"iota_dimension", ir_i64_attr(b->ctx, (int64_t)last)}));
    }
    bool stable = !ir_op_attr(op, "is_stable") || ir_op_bool(op, "is_stable");
    ir_op *sorted = sort_down(b, x, index, (int64_t)last, stable);
    int64_t zeros[CAPACITY] = {0}, ones[CAPACITY], ends[CAPACITY];
    for (size_t i = 0; i < rank; i++) {
        ones[i] = 1;
        ends[i] = i == last ? k : t->dims[i];
    }
    ir_value *first[2];
    ir_value *start = NULL, *stride = NULL;
    if (!known) {
        start = hlo_integer_constant(b, zeros, rank);
        stride = hlo_integer_constant(b, ones, rank);
    }
    for (uint32_t i = 0; i < 2; i++)
        first[i] =
            known
                ? hlo_slice(b, &sorted->results[i], zeros, ends, ones)
                : ir_build1(b, STABLEHLO_OP(real_dynamic_slice), op->results[i].type,
                            IR_VALUES(&sorted->results[i], start, limits, stride), NULL, 0);
    for (uint32_t i = 0; i < 2; i++)
        ir_value_replace_uses(&op->results[i], first[i]);
    ir_op_erase(op);
    return true;
}
