/* flow.c: the values of operations with regions that share a sharding.
 *
 * An edge leads from its sources (operands, values returned by bodies) to its targets
 * (results, arguments of bodies); one of the targets owns it. */
#include "sdy/mpmd/mpmd.h"
#include "sdy/propagation/shardings.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

static bool is_computation(const ir_op *op)
{
    return op->def == SDY_OP(manual_computation) || op->def == SDY_OP(named_computation) ||
           op->def == MPMD_OP(fragment);
}

/* True if a value carried between iterations is one edge. */
static bool is_loop(const ir_op *op)
{
    return op->def == STABLEHLO_OP(while) || op->def == MPMD_OP(for);
}

bool sdy_is_flow_op(const ir_op *op)
{
    return is_loop(op) || op->def == STABLEHLO_OP(case) ||
           op->def == STABLEHLO_OP(optimization_barrier) || is_computation(op);
}

static ir_op *owner_of(ir_value *v)
{
    ir_block *block = ir_value_block(v);
    return !v->is_argument ? ir_value_def(v) : block->region ? block->region->owner : NULL;
}

size_t sdy_arg_owners(ir_op *op, ir_value ***out)
{
    ir_block *body = is_computation(op) ? ir_op_body(op, 0) : NULL;
    *out = body ? body->args : NULL;
    return body ? body->n_args : 0;
}

ir_value *sdy_edge_owner(ir_value *target)
{
    ir_op *op = owner_of(target);
    if (!op || !sdy_is_flow_op(op))
        return NULL;
    if (!target->is_argument || is_computation(op))
        return target;
    return is_loop(op) && target->index < op->n_results ? &op->results[target->index]
                                                        : NULL;
}

static ir_op *edge_after(ir_value *owner)
{
    ir_op *user = owner && ir_value_has_one_use(owner) ? owner->uses->owner : NULL;
    return ir_op_is(user, SDY_OP(data_flow_edge)) ? user : NULL;
}

ir_op *sdy_edge_to(ir_value *target)
{
    return edge_after(sdy_edge_owner(target));
}

ir_op *sdy_edge_from(const ir_operand *source)
{
    ir_op *op = source->owner;
    size_t i = ir_operand_number(source);
    bool ends = op->def->traits & IR_TERMINATOR;
    if (ends)
        op = ir_op_parent(op);
    if (!op || !sdy_is_flow_op(op))
        return NULL;
    if (is_computation(op) && !ends) {
        ir_block *body = ir_op_body(op, 0);
        return body && i < body->n_args ? edge_after(body->args[i]) : NULL;
    }
    return i < op->n_results ? edge_after(&op->results[i]) : NULL;
}

size_t sdy_edge_sources(ir_op *edge, ir_value **out, size_t max)
{
    ir_value *owner = edge->operands[0].value;
    ir_op *op = owner_of(owner);
    uint32_t i = owner->index;
    size_t n = 0;
    if (!op || !sdy_is_flow_op(op))
        return 0;
    bool from_operand =
        owner->is_argument || is_loop(op) || op->def == STABLEHLO_OP(optimization_barrier);
    if (from_operand && i < op->n_operands && n < max)
        out[n++] = op->operands[i].value;
    if (owner->is_argument)
        return n;
    for (uint16_t r = op->def == STABLEHLO_OP(while) ? 1 : 0; r < op->n_regions; r++) {
        ir_block *body = op->regions[r].first;
        ir_op *end = body ? body->last : NULL;
        if (end && (end->def->traits & IR_TERMINATOR) && i < end->n_operands && n < max)
            out[n++] = end->operands[i].value;
    }
    return n;
}

size_t sdy_edge_targets(ir_op *edge, ir_value *out[2])
{
    ir_value *owner = edge->operands[0].value;
    ir_op *op = owner_of(owner);
    size_t n = 0;
    for (uint16_t r = 0; op && is_loop(op) && r < op->n_regions && n < 2; r++) {
        ir_block *body = ir_op_body(op, r);
        if (body && owner->index < body->n_args)
            out[n++] = body->args[owner->index];
    }
    return n;
}

/* ---- manual computations: outer shardings start with the manual axes ----------------- */

static bool is_manual(ir_attr axis, ir_attr manual_axes)
{
    ir_attr names = manual_axes ? manual_axes->params[0] : NULL;
    for (uint32_t i = 0; i < sdy_length(names); i++)
        if (tw_str_equal(sdy_axis_name(axis), ir_attr_str(names->items[i])))
            return true;
    return false;
}

static ir_attr keep_axes(ir_attr list, ir_attr manual_axes, bool manual)
{
    sdy_axes kept = {.n = 0};
    for (uint32_t i = 0; i < sdy_length(list); i++)
        if (is_manual(list->items[i], manual_axes) == manual)
            sdy_axes_add(&kept, list->items[i]);
    return sdy_axes_array(manual_axes->ctx, &kept);
}

ir_attr sdy_without_manual(ir_attr sharding, ir_attr manual_axes)
{
    if (!sharding || !manual_axes || !sdy_length(manual_axes->params[0]))
        return sharding;
    ir_context *ctx = sharding->ctx;
    uint32_t rank = sdy_sharding_rank(sharding);
    ir_attr *dims = tw_xmalloc((rank + 1u) * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++) {
        ir_attr dim = sdy_dim_at(sharding, i);
        dims[i] = sdy_dim(ctx, keep_axes(dim->params[SDY_DIM_AXES], manual_axes, false),
                          sdy_is_closed(dim), dim->params[SDY_DIM_PRIORITY]);
    }
    ir_attr made = sdy_with(sharding, SDY_DIMS, ir_array_attr(ctx, dims, rank));
    free(dims);
    made = sdy_with(made, SDY_REPLICATED,
                    keep_axes(sharding->params[SDY_REPLICATED], manual_axes, false));
    return sdy_with(made, SDY_UNREDUCED,
                    keep_axes(sharding->params[SDY_UNREDUCED], manual_axes, false));
}

ir_attr sdy_with_free_axes(ir_attr outer, ir_attr inner, ir_attr manual_axes)
{
    ir_context *ctx = outer->ctx;
    uint32_t rank = sdy_sharding_rank(outer);
    if (!manual_axes || sdy_sharding_rank(inner) != rank)
        return inner;
    ir_attr *dims = tw_xmalloc((rank + 1u) * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++) {
        ir_attr dim = sdy_dim_at(inner, i);
        sdy_axes axes = {.n = 0};
        sdy_axes_add_all(&axes, keep_axes(sdy_dim_at(outer, i)->params[SDY_DIM_AXES],
                                          manual_axes, true));
        sdy_axes_add_all(&axes, dim->params[SDY_DIM_AXES]);
        dims[i] = sdy_dim(ctx, sdy_axes_array(ctx, &axes), sdy_is_closed(dim),
                          dim->params[SDY_DIM_PRIORITY]);
    }
    ir_attr made = sdy_with(outer, SDY_DIMS, ir_array_attr(ctx, dims, rank));
    free(dims);
    return sdy_with(made, SDY_MESH, inner->params[SDY_MESH]);
}

static ir_attr manual_axes_at(ir_op *edge, ir_attr *out_outer)
{
    ir_value *owner = edge->operands[0].value;
    ir_op *op = owner_of(owner);
    if (!ir_op_is(op, SDY_OP(manual_computation)))
        return NULL;
    const char *name = owner->is_argument ? "in_shardings" : "out_shardings";
    *out_outer = sdy_site_get(&(sdy_site){op, name, owner->index});
    return ir_op_attr(op, "manual_axes");
}

/* Arguments are inside and their sources outside; for results it is the opposite. */
ir_attr sdy_edge_outside(ir_op *edge, ir_attr sharding)
{
    ir_attr outer = NULL, manual = manual_axes_at(edge, &outer);
    if (!manual || !sharding || !outer)
        return sharding;
    return edge->operands[0].value->is_argument
               ? sdy_with_free_axes(outer, sharding, manual)
               : sdy_without_manual(sharding, manual);
}

ir_attr sdy_edge_inside(ir_op *edge, ir_attr sharding)
{
    ir_attr outer = NULL, manual = manual_axes_at(edge, &outer);
    if (!manual || !sharding || !outer)
        return sharding;
    return edge->operands[0].value->is_argument
               ? sdy_without_manual(sharding, manual)
               : sdy_with_free_axes(outer, sharding, manual);
}

/* ---- inserting edges ---------------------------------------------------------------- */

static void add_edge(ir_op *op, ir_value *owner)
{
    ir_builder b = owner->is_argument ? ir_builder_at_start(op->ctx, ir_value_block(owner),
                                                            ir_value_loc(owner))
                                      : ir_builder_after(op);
    if (!sdy_is_static(owner->type))
        return;
    b.loc = ir_value_loc(owner);
    ir_value *edge = ir_build1(&b, SDY_OP(data_flow_edge), owner->type, IR_VALUES(owner),
                               IR_ATTRS({"sharding", sdy_get(owner)}));
    ir_value_replace_uses(owner, edge);
    ir_op_set_operand(ir_value_def(edge), 0, owner);
}

/* In reverse order, since each is inserted at the front. */
void sdy_add_edges(ir_op *op)
{
    ir_value **args;
    for (size_t i = sdy_arg_owners(op, &args); i > 0; i--)
        add_edge(op, args[i - 1]);
    for (uint32_t i = op->n_results; i > 0; i--)
        add_edge(op, &op->results[i - 1]);
}
