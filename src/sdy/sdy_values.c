/* sdy_values.c: finds and compares the shardings of values. */
#include "mlir/func/func.h"
#include "sdy/mpmd/mpmd.h"
#include "sdy/sdy.h"
#include "sdy/sdy_verify.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

static ir_attr sharding_attr(ir_attr attr)
{
    return ir_attr_is(attr, IR_ATTR_DIALECT) && attr->def == SDY_ATTR(sharding) ? attr
                                                                                : NULL;
}

/* Entry `i` of a list of shardings. */
static ir_attr sharding_at(ir_attr per_value, size_t i)
{
    if (!ir_attr_is(per_value, IR_ATTR_DIALECT) ||
        per_value->def != SDY_ATTR(sharding_per_value))
        return NULL;
    ir_attr list = per_value->params[0];
    return i < sdy_length(list) ? list->items[i] : NULL;
}

static ir_attr without_names(ir_attr axes, ir_attr names)
{
    sdy_axes kept = {.n = 0};
    if (!axes)
        return NULL;
    for (uint32_t i = 0; i < axes->count; i++) {
        bool named = false;
        for (uint32_t k = 0; k < sdy_length(names); k++)
            named |=
                tw_str_equal(sdy_axis_name(axes->items[i]), ir_attr_str(names->items[k]));
        if (!named)
            sdy_axes_add(&kept, axes->items[i]);
    }
    return sdy_axes_array(axes->ctx, &kept);
}

/* The free part of a sharding inside a manual computation. */
static ir_attr without_manual_axes(ir_attr sharding, ir_attr manual)
{
    enum { MAX_RANK = 64 };
    ir_attr dims[MAX_RANK], params[5];
    ir_attr names = ir_attr_is(manual, IR_ATTR_DIALECT) ? manual->params[0] : NULL;
    uint32_t rank = sharding ? sdy_sharding_rank(sharding) : 0;
    if (!sharding || !sdy_length(names) || rank > MAX_RANK)
        return sharding;
    memcpy(params, sharding->params, sizeof params);
    for (uint32_t i = 0; i < rank; i++) {
        ir_attr dim = params[1]->items[i];
        ir_attr parts[] = {without_names(dim->params[0], names), dim->params[1],
                           dim->params[2]};
        dims[i] = ir_dialect_attr(sharding->ctx, SDY_ATTR(dimension_sharding), parts, 3);
    }
    params[1] = ir_array_attr(sharding->ctx, dims, rank);
    params[2] = without_names(params[2], names);
    return ir_dialect_attr(sharding->ctx, SDY_ATTR(sharding), params, TW_COUNT(params));
}

bool sdy_keeps_shardings(const ir_op *op)
{
    return op->def == SDY_OP(manual_computation) || op->def == SDY_OP(named_computation) ||
           op->def == MPMD_OP(fragment);
}

static ir_attr argument_sharding(ir_value *value)
{
    ir_block *block = ir_value_block(value);
    ir_op *op = block && block->region ? block->region->owner : NULL;
    if (!op)
        return NULL;
    if (op->def == STABLEHLO_OP(while) || op->def == MPMD_OP(for)) /* as those of the results */
        return sharding_at(ir_op_attr(op, "sdy.sharding"), value->index);
    if (block != op->regions[0].first)
        return NULL;
    if (op->def->traits & IR_FUNCTION_LIKE) {
        ir_attr list = ir_op_attr(op, "arg_attrs");
        return ir_attr_is(list, IR_ATTR_ARRAY) && value->index < list->count
                   ? sharding_attr(
                         ir_dict_get(list->items[value->index], TW_STR("sdy.sharding")))
                   : NULL;
    }
    ir_attr in = sharding_at(ir_op_attr(op, "in_shardings"), value->index);
    if (op->def == SDY_OP(manual_computation))
        return without_manual_axes(in, ir_op_attr(op, "manual_axes"));
    return sdy_keeps_shardings(op) ? in : NULL;
}

/* The edge that holds the sharding of a value of a region's owner. */
static ir_op *edge_of(ir_value *value)
{
    ir_op *user = ir_value_has_one_use(value) ? value->uses->owner : NULL;
    return ir_op_is(user, SDY_OP(data_flow_edge)) ? user : NULL;
}

ir_attr sdy_sharding_of(ir_value *value)
{
    ir_op *edge = edge_of(value);
    if (edge)
        return sharding_attr(ir_op_attr(edge, "sharding"));
    ir_op *op = ir_value_def(value);
    if (!op)
        return argument_sharding(value);
    if (ir_op_attr(op, "out_sharding") && ir_def_has(op->def, "CollectiveOpInterface"))
        return sharding_attr(ir_op_attr(op, "out_sharding"));
    if (op->def == SDY_OP(data_flow_edge) || op->def == SDY_OP(reshard) ||
        op->def == SDY_OP(sharding_constraint))
        return sharding_attr(ir_op_attr(op, "sharding"));
    return sharding_at(
        ir_op_attr(op, sdy_keeps_shardings(op) ? "out_shardings" : "sdy.sharding"),
        value->index);
}

ir_attr sdy_sharding_through_barriers(ir_value *value)
{
    ir_op *op;
    while ((op = ir_value_def(value)) && op->def == SDY_OP(propagation_barrier))
        value = op->operands[0].value;
    return sdy_sharding_of(value);
}

ir_attr sdy_replicated(ir_context *ctx, ir_attr mesh_or_ref, size_t rank, bool closed)
{
    ir_attr empty = ir_array_attr(ctx, NULL, 0);
    ir_attr parts[] = {empty, ir_raw_int(ctx, closed), NULL};
    ir_attr dim = ir_dialect_attr(ctx, SDY_ATTR(dimension_sharding), parts, 3);
    ir_attr *dims = tw_xmalloc((rank + 1) * sizeof *dims);
    const ir_enum_case *sum = ir_enum_by_text(&sdy_enum_ReductionOp, TW_STR("sum"));
    for (size_t i = 0; i < rank; i++)
        dims[i] = dim;
    ir_attr params[] = {mesh_or_ref, ir_array_attr(ctx, dims, rank), empty, empty,
                        ir_raw_int(ctx, sum->value)};
    free(dims);
    return ir_dialect_attr(ctx, SDY_ATTR(sharding), params, TW_COUNT(params));
}

static bool shards_nothing(ir_attr sharding, bool ignore_unreduced)
{
    if (!sharding)
        return true;
    if (!ignore_unreduced && sdy_length(sharding->params[3]))
        return false;
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++)
        if (sdy_length(sharding->params[1]->items[i]->params[0]))
            return false;
    return true;
}

static bool same_list(ir_attr a, ir_attr b)
{
    return a == b || (sdy_length(a) == 0 && sdy_length(b) == 0);
}

bool sdy_shardings_equal(ir_attr a, ir_attr b, bool ignore_unreduced)
{
    if (shards_nothing(a, ignore_unreduced))
        return shards_nothing(b, ignore_unreduced);
    if (!b || a->params[0] != b->params[0] ||
        sdy_sharding_rank(a) != sdy_sharding_rank(b) ||
        (!ignore_unreduced && !same_list(a->params[3], b->params[3])))
        return false;
    for (uint32_t i = 0; i < sdy_sharding_rank(a); i++)
        if (!same_list(a->params[1]->items[i]->params[0],
                       b->params[1]->items[i]->params[0]))
            return false;
    return true;
}
