/* canonicalize.c: canonicalizes mpmd: chains of transfers, broadcasts and reductions, and
 * values that a fragment only passes through. */
#include "mlir/passes/canonical.h"
#include "sdy/mpmd/mpmd.h"

static ir_op *producer(const ir_op *op, const ir_op_def *def)
{
    ir_op *made = op->n_operands ? ir_value_def(op->operands[0].value) : NULL;
    return ir_op_is(made, def) ? made : NULL;
}

static bool same_mesh(ir_type a, ir_type b)
{
    return ir_type_param(a, "mesh_name") == ir_type_param(b, "mesh_name");
}

/* Erases a transfer to the same mesh and type; merges two within a mesh. */
static bool simplify_transfer(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = producer(op, op->def);
    ir_type to = op->results[0].type, from = op->operands[0].value->type;
    if (to == from) {
        rw_replace1(rw, op, op->operands[0].value);
        return true;
    }
    if (!inner || !same_mesh(inner->operands[0].value->type, from) || !same_mesh(from, to))
        return false;
    rw_replace1(
        rw, op,
        ir_build1(&rw->b, op->def, to, IR_VALUES(inner->operands[0].value), NULL, 0));
    return true;
}

static bool broadcast_of_broadcast(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = producer(op, op->def);
    if (!inner)
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, op->def, op->results[0].type,
                          IR_VALUES(inner->operands[0].value), NULL, 0));
    return true;
}

/* Replaces a reduction of the same or no kind by the reduction it is applied to. */
static bool reduce_of_reduce(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = producer(op, op->def);
    ir_attr kind = ir_op_attr(op, "reduction");
    const ir_enum_case *none = ir_enum_by_text(&mpmd_enum_ReductionType, TW_STR("none"));
    bool nothing = !kind || ir_attr_int(kind->params[0], -1) == none->value;
    if (!inner || (!nothing && ir_op_attr(inner, "reduction") != kind))
        return false;
    rw_replace1(rw, op, &inner->results[0]);
    return true;
}

static ir_operand *use_by(const ir_value *value, const ir_op *user)
{
    for (ir_operand *use = value->uses; use; use = use->next_use)
        if (use->owner == user)
            return use;
    return NULL;
}

/* Replaces a result that is an unchanged argument of the fragment by the operand. */
static bool bypass_fragment(ir_op *op, rw_rewriter *rw)
{
    ir_block *body = ir_op_body(op, 0);
    bool changed = false;
    for (uint32_t i = 0; body && i < body->n_args && i < op->n_operands; i++) {
        ir_operand *use = use_by(body->args[i], body->last);
        ir_value *result = use ? &op->results[ir_operand_number(use)] : NULL;
        if (!result || !result->uses || result->type != op->operands[i].value->type)
            continue;
        rw_replace_uses(rw, result, op->operands[i].value);
        changed = true;
    }
    return changed;
}

static const rw_pattern patterns[] = {
    {MPMD_OP(transfer), simplify_transfer, NULL},
    {MPMD_OP(broadcast), broadcast_of_broadcast, NULL},
    {MPMD_OP(reduce), reduce_of_reduce, NULL},
    {MPMD_OP(fragment), bypass_fragment, NULL},
};

const rw_pattern_table canonicalize_mpmd = {patterns, TW_COUNT(patterns)};
