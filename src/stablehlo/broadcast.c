/* broadcast.c: see broadcast.h. */
#include "stablehlo/broadcast.h"

#include "mlir/shape/shape.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_verify.h"

/* The bounds of a type; IR_DYNAMIC where there is none. */
static void bounds_of(ir_type t, int64_t *out)
{
    for (uint32_t i = 0; i < t->count; i++)
        out[i] = IR_DYNAMIC;
    stablehlo_bounds(t, out, HLO_MAX_DIMS);
}

bool hlo_is_bounded(ir_type t)
{
    int64_t bounds[HLO_MAX_DIMS];
    if (!ir_type_is_tensor(t) || t->count > HLO_MAX_DIMS)
        return false;
    bounds_of(t, bounds);
    for (uint32_t i = 0; i < t->count; i++)
        if (t->dims[i] == IR_DYNAMIC && bounds[i] == IR_DYNAMIC)
            return false;
    return true;
}

bool hlo_sizes_of(ir_value *v, hlo_size *out)
{
    int64_t bounds[HLO_MAX_DIMS];
    if (!hlo_is_bounded(v->type))
        return false;
    bounds_of(v->type, bounds);
    for (uint32_t i = 0; i < v->type->count; i++) {
        bool known = v->type->dims[i] != IR_DYNAMIC;
        out[i] = (hlo_size){known ? v->type->dims[i] : bounds[i], known ? NULL : v, i};
    }
    return true;
}

/* Sets the size of a dimension to that of another value's dimension. */
static ir_value *set_size(ir_builder *b, ir_value *v, uint32_t dim, const hlo_size *size)
{
    int64_t dims[HLO_MAX_DIMS], bounds[HLO_MAX_DIMS];
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS), t = v->type;
    ir_value *n = ir_build1(b, STABLEHLO_OP(get_dimension_size),
                            ir_tensor_type(i32, NULL, 0, NULL), IR_VALUES(size->of),
                            IR_ATTRS({"dimension", ir_i64_attr(b->ctx, size->dim)}));
    bounds_of(t, bounds);
    for (uint32_t i = 0; i < t->count; i++)
        dims[i] = t->dims[i];
    bounds[dim] = dims[dim];
    dims[dim] = IR_DYNAMIC;
    ir_type result =
        stablehlo_bounded(size->of->type, t->element, dims, t->count, bounds, t->count);
    return ir_build1(b, STABLEHLO_OP(set_dimension_size), result, IR_VALUES(v, n),
                     IR_ATTRS({"dimension", ir_i64_attr(b->ctx, dim)}));
}

ir_value *hlo_broadcast_sizes(ir_builder *b, ir_value *v, const hlo_size *sizes,
                              size_t rank)
{
    ir_type t = v->type;
    hlo_size own[HLO_MAX_DIMS];
    int64_t dims[HLO_MAX_DIMS], bounds[HLO_MAX_DIMS], at[HLO_MAX_DIMS];
    bool keeps[HLO_MAX_DIMS] = {false}; /* dimensions of unchanged size */
    size_t lead = rank - t->count;
    hlo_sizes_of(v, own);
    bool same = lead == 0;
    for (size_t i = 0; i < rank; i++) {
        const hlo_size *mine = i >= lead ? &own[i - lead] : NULL;
        same &= mine && mine->size == sizes[i].size && !mine->of == !sizes[i].of;
        keeps[i] = mine && mine->of;
        dims[i] = keeps[i] ? IR_DYNAMIC : sizes[i].size;
        bounds[i] = keeps[i] ? sizes[i].size : IR_DYNAMIC;
        if (mine)
            at[i - lead] = (int64_t)i;
    }
    if (same)
        return v;
    ir_type wide = stablehlo_bounded(t, t->element, dims, rank, bounds, rank);
    ir_value *out = ir_build1(
        b, STABLEHLO_OP(broadcast_in_dim), wide, IR_VALUES(v),
        IR_ATTRS({"broadcast_dimensions", ir_dense_i64_array(b->ctx, at, t->count)}));
    for (uint32_t i = 0; i < rank; i++)
        if (sizes[i].of && !keeps[i])
            out = set_size(b, out, i, &sizes[i]);
    return out;
}

ir_value *hlo_shape_of(ir_builder *b, ir_value *v)
{
    int64_t rank = v->type->count;
    ir_type t = ir_tensor_type(ir_index_type(b->ctx), &rank, 1, NULL);
    return ir_build1(b, SHAPE_OP(shape_of), t, IR_VALUES(v), NULL, 0);
}

ir_value *hlo_broadcast_like(ir_builder *b, ir_value *scalar, ir_value *like, ir_type type)
{
    hlo_size sizes[HLO_MAX_DIMS];
    if (hlo_sizes_of(like, sizes))
        return hlo_broadcast_sizes(b, scalar, sizes, like->type->count);
    return ir_build1(
        b, STABLEHLO_OP(dynamic_broadcast_in_dim), type,
        IR_VALUES(scalar, hlo_shape_of(b, like)),
        IR_ATTRS({"broadcast_dimensions", ir_dense_i64_array(b->ctx, NULL, 0)}));
}
