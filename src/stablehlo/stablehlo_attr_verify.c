/* stablehlo_attr_verify.c: verifies attributes and types of stablehlo. */
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_hooks.h"

bool stablehlo_verify_future(ir_context *ctx, ir_loc loc, ir_type type)
{
    ir_attr list = type->params[0];
    for (uint32_t i = 0; list && i < list->count; i++)
        if (!ir_type_is_tensor(list->items[i]->type))
            return ir_error(ctx, loc,
                            "future element type must be a ranked tensor, but got '%s'",
                            ir_type_text(ctx, list->items[i]->type));
    return true;
}

/* Bounds are for dynamic sizes, one entry per dimension. */
bool stablehlo_verify_bounds(ir_context *ctx, ir_loc loc, ir_attr attr, ir_type tensor)
{
    ir_attr bounds = attr->params[0];
    ir_type plain = ir_tensor_type(tensor->element, tensor->dims, tensor->count, NULL);
    if (bounds->count != tensor->count)
        return ir_error(ctx, loc,
                        "Bounds length is %u, expected to be equal to rank(%u) of the "
                        "tensor '%s'",
                        bounds->count, tensor->count, ir_type_text(ctx, plain));
    for (uint32_t i = 0; i < tensor->count; i++)
        if (tensor->dims[i] != IR_DYNAMIC && bounds->items[i]->value != IR_DYNAMIC)
            return ir_error(ctx, loc,
                            "Static dimension %u cannot have a bound, use "
                            "ShapedType::kDynamic to indicate a missing bound in tensor "
                            "'%s'",
                            i, ir_type_text(ctx, plain));
    return true;
}

enum { ATOL, RTOL, ULPS, MODE };

bool stablehlo_verify_result_accuracy(ir_context *ctx, ir_loc loc, ir_attr attr)
{
    double atol = attr->params[ATOL]->real, rtol = attr->params[RTOL]->real;
    int64_t ulps = ir_attr_int(attr->params[ULPS], 0);
    int64_t mode = ir_enum_value(attr->params[MODE], 0);
    if (atol < 0 || rtol < 0 || ulps < 0)
        return ir_error(ctx, loc, "Negative tolerance");
    return mode == STABLEHLO_ResultAccuracyMode_TOLERANCE ||
           (atol == 0 && rtol == 0 && ulps == 0) ||
           ir_error(ctx, loc,
                    "Invalid tolerances for ResultAccuracyAttr with mode %s, must be all "
                    "zero.",
                    ir_enum_by_value(&stablehlo_enum_ResultAccuracyMode, mode)->text);
}

/* Combinations supported by some hardware: element types of both sides and of the
 * accumulator, and the number of primitive operations. */
static const struct {
    ir_float_kind operands, sum;
    int64_t products;
} algorithms[] = {
    {IR_F16, IR_F16, 1},  {IR_F16, IR_F32, 1},  {IR_BF16, IR_BF16, 1}, {IR_BF16, IR_F32, 1},
    {IR_BF16, IR_F32, 3}, {IR_BF16, IR_F32, 6}, {IR_BF16, IR_F32, 9},  {IR_TF32, IR_F32, 1},
    {IR_TF32, IR_F32, 3}, {IR_F32, IR_F32, 1},  {IR_F64, IR_F64, 1},
};

/* An 8-bit float format used in dot products. */
static bool is_f8(ir_type type)
{
    return type->kind == IR_TYPE_FLOAT && type->width == 8 &&
           !ir_type_is_float(type, IR_F8E8M0FNU);
}

enum { LHS, RHS, SUM, LHS_COUNT, RHS_COUNT, PRODUCTS, IMPRECISE };

static bool is_known(ir_type lhs, ir_type rhs, ir_type sum, int64_t products,
                     bool imprecise)
{
    if (is_f8(lhs) && is_f8(rhs) && ir_type_is_float(sum, IR_F32) && products == 1)
        return true;
    for (size_t i = 0; !imprecise && i < TW_COUNT(algorithms); i++)
        if (ir_type_is_float(lhs, algorithms[i].operands) &&
            ir_type_is_float(rhs, algorithms[i].operands) &&
            ir_type_is_float(sum, algorithms[i].sum) && products == algorithms[i].products)
            return true;
    return false;
}

bool stablehlo_verify_dot_algorithm(ir_context *ctx, ir_loc loc, ir_attr attr)
{
    ir_type lhs = attr->params[LHS]->type, rhs = attr->params[RHS]->type;
    ir_type sum = attr->params[SUM]->type;
    int64_t lhs_count = attr->params[LHS_COUNT]->value;
    int64_t rhs_count = attr->params[RHS_COUNT]->value;
    int64_t products = attr->params[PRODUCTS]->value;
    bool imprecise = attr->params[IMPRECISE]->value;
    if (lhs_count < 1)
        return ir_error(ctx, loc, "lhs component count must be positive");
    if (rhs_count < 1)
        return ir_error(ctx, loc, "rhs component count must be positive");
    if (products < 1)
        return ir_error(ctx, loc, "num primitive operations must be positive");
    /* no known combination decomposes either side */
    if (lhs_count == 1 && rhs_count == 1 && is_known(lhs, rhs, sum, products, imprecise))
        return true;
    return ir_error(ctx, loc,
                    "dot algorithm not known to be supported on any hardware: {lhs:'%s', "
                    "rhs:'%s', accum:'%s', lhs_components:%lld, rhs_components:%lld, "
                    "primitive_ops:%lld, imprecise:%d}",
                    ir_type_text(ctx, lhs), ir_type_text(ctx, rhs), ir_type_text(ctx, sum),
                    (long long)lhs_count, (long long)rhs_count, (long long)products,
                    imprecise);
}

enum { MESH, AXES };

static bool has_axis(ir_attr mesh, ir_attr name)
{
    ir_attr axes = ir_attr_param(mesh, "axes");
    for (uint32_t i = 0; ir_attr_is(axes, IR_ATTR_ARRAY) && i < axes->count; i++)
        if (ir_attr_param(axes->items[i], "name") == name)
            return true;
    return false;
}

/* Axes are looked up in an inline mesh; those of a mesh symbol are checked at the
 * operation. */
bool stablehlo_verify_mesh_axes(ir_context *ctx, ir_loc loc, ir_attr attr)
{
    ir_attr mesh = attr->params[MESH], axes = attr->params[AXES];
    bool flat = ir_attr_is(mesh, IR_ATTR_SYMBOL_REF) && mesh->count == 1;
    bool whole = ir_attr_is(mesh, IR_ATTR_DIALECT) && mesh->def == STABLEHLO_ATTR(mesh);
    if (!flat && !whole)
        return ir_error(ctx, loc, "mesh must be a FlatSymbolRefAttr or MeshAttr");
    for (uint32_t i = 0; whole && i < axes->count; i++) {
        ir_attr axis = axes->items[i];
        if (!ir_attr_is(axis, IR_ATTR_DIALECT) || axis->def != STABLEHLO_ATTR(axis_ref))
            return ir_error(ctx, loc, "expected AxisRefAttr in axes list");
        ir_attr name = ir_attr_param(axis, "name");
        if (!has_axis(mesh, name))
            return ir_error(ctx, loc, "axis '%s' not found in mesh definition",
                            name->ident->text);
    }
    return true;
}
