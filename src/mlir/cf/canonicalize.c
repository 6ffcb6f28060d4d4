/* canonicalize.c: canonical forms of branches: follows blocks that only branch on, folds
 * known conditions, and merges blocks with a single predecessor. */
#include "ir/number.h"
#include "mlir/arith/arith.h"
#include "mlir/cf/cf.h"
#include "mlir/passes/canonical.h"

#include <stdlib.h>

static size_t predecessors(const ir_block *block)
{
    size_t n = 0;
    for (ir_block *b = block->region->first; b; b = b->next)
        for (uint16_t i = 0; b->last && i < b->last->n_successors; i++)
            n += b->last->successors[i] == block;
    return n;
}

/* A successor and its operands. */
typedef struct target {
    ir_block *block;
    ir_value **values;
    size_t n;

} target;

static target target_of(ir_op *op, size_t group, uint16_t successor)
{
    target t = {.block = op->successors[successor]};
    size_t first;
    if (!ir_op_operand_group(op, group, &first, &t.n))
        t.n = 0;
    t.values = tw_xmalloc((t.n + 1) * sizeof *t.values);
    for (size_t i = 0; i < t.n; i++)
        t.values[i] = ir_op_operand(op, first + i);
    return t;
}

/* Follows a target through a block that only branches on; false if it does anything
 * else. */
static bool follow(target *t)
{
    ir_block *through = t->block;
    ir_op *branch = through->first;
    if (!ir_op_is(branch, CF_OP(br)) || branch->next || branch->successors[0] == through)
        return false;
    for (uint32_t i = 0; i < through->n_args; i++)
        for (ir_operand *use = through->args[i]->uses; use; use = use->next_use)
            if (use->owner != branch)
                return false;
    ir_value **values = tw_xmalloc((branch->n_operands + 1) * sizeof *values);
    for (uint32_t i = 0; i < branch->n_operands; i++) {
        ir_value *v = ir_op_operand(branch, i);
        bool argument = v->is_argument && v->owner == through;
        values[i] = argument ? t->values[v->index] : v;
    }
    free(t->values);
    *t = (target){branch->successors[0], values, branch->n_operands};
    return true;
}

static void go(rw_rewriter *rw, ir_op *op, const target *to)
{
    ir_block *block = to->block;
    ir_build(&rw->b, &(ir_op_state){.def = CF_OP(br),
                                    .loc = op->loc,
                                    .operands = to->values,
                                    .n_operands = to->n,
                                    .successors = &block,
                                    .n_successors = 1});
    rw_erase(rw, op);
}

/* ---- cf.br -------------------------------------------------------------------------- */

/* Merges a block into its only predecessor. */
static bool merge_blocks(ir_op *op, rw_rewriter *rw)
{
    ir_block *from = op->block, *to = op->successors[0];
    if (to == from || to == to->region->first || predecessors(to) != 1)
        return false;
    for (uint32_t i = 0; i < to->n_args; i++)
        rw_replace_uses(rw, to->args[i], op->operands[i].value);
    rw_erase(rw, op);
    ir_block_splice(from, NULL, to, to->first, to->last);
    ir_block_erase(from->last->ctx, to);
    return true;
}

static bool pass_through(ir_op *op, rw_rewriter *rw)
{
    target to = target_of(op, 0, 0);
    bool moved = to.block != op->block && follow(&to);
    if (moved)
        go(rw, op, &to);
    free(to.values);
    return moved;
}

/* ---- cf.cond_br --------------------------------------------------------------------- */

/* Folds a constant condition. */
static bool choose_branch(ir_op *op, rw_rewriter *rw)
{
    ir_attr condition = rw_constant(op->operands[0].value);
    if (!ir_attr_is(condition, IR_ATTR_INTEGER))
        return false;
    uint16_t side = condition->value != 0 ? 0 : 1;
    target to = target_of(op, 1u + side, side);
    go(rw, op, &to);
    free(to.values);
    return true;
}

static void branch_on(rw_rewriter *rw, ir_op *op, target to[2])
{
    for (uint16_t side = 0; side < 2; side++) {
        ir_op_set_operand_group(op, 1u + side, to[side].values, to[side].n);
        op->successors[side] = to[side].block;
    }
    rw_modified(rw, op);
}

static bool pass_through_either(ir_op *op, rw_rewriter *rw)
{
    target to[] = {target_of(op, 1, 0), target_of(op, 2, 1)};
    bool moved = follow(&to[0]);
    moved |= follow(&to[1]);
    if (moved)
        branch_on(rw, op, to);
    free(to[0].values);
    free(to[1].values);
    return moved;
}

/* If both successors are one block, selects values instead of branching. */
static bool merge_successors(ir_op *op, rw_rewriter *rw)
{
    if (op->successors[0] != op->successors[1])
        return false;
    target a = target_of(op, 1, 0), b = target_of(op, 2, 1);
    bool same =
        a.n == b.n && (a.n == 0 || memcmp(a.values, b.values, a.n * sizeof *a.values) == 0);
    bool joins = same || (a.n == b.n && predecessors(a.block) == 2);
    for (size_t i = 0; joins && i < a.n; i++)
        if (a.values[i] != b.values[i])
            a.values[i] = ir_build1(
                &rw->b, ARITH_OP(select), a.values[i]->type,
                IR_VALUES(ir_op_operand(op, 0), a.values[i], b.values[i]), NULL, 0);
    if (joins)
        go(rw, op, &a);
    free(a.values);
    free(b.values);
    return joins;
}

/* The only predecessor branched on the same condition. */
static bool same_condition(ir_op *op, rw_rewriter *rw)
{
    ir_block *here = op->block, *from = NULL;
    if (here == here->region->first || predecessors(here) != 1)
        return false;
    for (ir_block *b = here->region->first; b && !from; b = b->next)
        for (uint16_t i = 0; b->last && i < b->last->n_successors; i++)
            if (b->last->successors[i] == here)
                from = b;
    if (!from || from == here || !ir_op_is(from->last, op->def) ||
        ir_op_operand(from->last, 0) != ir_op_operand(op, 0))
        return false;
    uint16_t side = from->last->successors[0] == here ? 0 : 1;
    target to = target_of(op, 1u + side, side);
    go(rw, op, &to);
    free(to.values);
    return true;
}

/* The condition is constant in a block that only one outcome reaches. */
static bool propagate_condition(ir_op *op, rw_rewriter *rw)
{
    ir_value *condition = ir_op_operand(op, 0);
    bool changed = false;
    for (uint16_t side = 0; side < 2; side++) {
        ir_value *known = NULL;
        if (predecessors(op->successors[side]) != 1)
            continue;
        for (ir_operand *use = condition->uses, *next; use; use = next) {
            next = use->next_use;
            if (use->owner->block != op->successors[side])
                continue;
            ir_attr boolean = ir_bool_attr(op->ctx, side == 0);
            known = known ? known
                          : ir_build1(&rw->b, ARITH_OP(constant), boolean->type, NULL, 0,
                                      IR_ATTRS({"value", boolean}));
            rw_modified(rw, use->owner);
            ir_op_set_operand(use->owner, ir_operand_number(use), known);
            changed = true;
        }
    }
    return changed;
}

/* ---- cf.switch ---------------------------------------------------------------------- */

/* Case i's target; the default's if i is -1. */
static target case_of(ir_op *op, int64_t i)
{
    if (i < 0)
        return target_of(op, 1, 0);
    target t = target_of(op, 2, (uint16_t)(i + 1));
    ir_attr segments = ir_op_attr(op, "case_operand_segments");
    size_t skip = 0;
    for (int64_t k = 0; k < i; k++)
        skip += (size_t)ir_dense_array_int(segments, (size_t)k);
    t.n = (size_t)ir_dense_array_int(segments, (size_t)i);
    memmove(t.values, t.values + skip, t.n * sizeof *t.values);
    return t;
}

static bool same_target(const target *a, const target *b)
{
    return a->block == b->block && a->n == b->n &&
           (a->n == 0 || memcmp(a->values, b->values, a->n * sizeof *a->values) == 0);
}

static bool choose_case(ir_op *op, rw_rewriter *rw)
{
    ir_attr flag = rw_constant(ir_op_operand(op, 0));
    ir_attr values = ir_op_attr(op, "case_values");
    int64_t chosen = -1;
    bool only_default = op->n_successors == 1;
    if (!only_default && !ir_attr_is(flag, IR_ATTR_INTEGER))
        return false;
    for (int64_t i = 0; !only_default && i < op->n_successors - 1; i++)
        if (ir_int_wrap(flag->type, ir_dense_int(values, (size_t)i)) ==
            ir_int_wrap(flag->type, flag->value)) {
            chosen = i;
            break;
        }
    target to = case_of(op, chosen);
    go(rw, op, &to);
    free(to.values);
    return true;
}

/* Rebuilds a switch with the targets that are `kept`; the default comes first. */
static void rebuild_switch(ir_op *op, rw_rewriter *rw, target *to, const bool *kept)
{
    uint32_t n = op->n_successors, k = 0, total = 0;
    ir_attr values = ir_op_attr(op, "case_values");
    ir_type flag = ir_op_operand(op, 0)->type;
    size_t size = ir_dense_element_size(flag);
    for (uint32_t i = 0; i < n; i++)
        total += (uint32_t)to[i].n;
    ir_value **operands = tw_xmalloc((total + 1) * sizeof *operands);
    ir_block **blocks = tw_xmalloc(n * sizeof *blocks);
    int64_t *segments = tw_xmalloc((n + 1) * sizeof *segments);
    char *bytes = tw_xmalloc((n + 1) * size);
    uint32_t at = 0, blocks_n = 0;
    operands[at++] = ir_op_operand(op, 0);
    for (uint32_t i = 0; i < n; i++) {
        if (!kept[i])
            continue;
        for (size_t j = 0; j < to[i].n; j++)
            operands[at++] = to[i].values[j];
        blocks[blocks_n++] = to[i].block;
        if (i == 0)
            continue;
        int64_t bits = ir_dense_int(values, i - 1);
        memcpy(bytes + k * size, &bits, size);
        segments[k++] = (int64_t)to[i].n;
    }
    int64_t cases = k;
    int64_t sizes[] = {1, (int64_t)to[0].n, at - 1 - (int64_t)to[0].n};
    ir_op *made = ir_build(&rw->b, &(ir_op_state){.def = op->def,
                                                  .loc = op->loc,
                                                  .operands = operands,
                                                  .n_operands = at,
                                                  .successors = blocks,
                                                  .n_successors = blocks_n});
    if (k)
        ir_op_set_attr(
            made, "case_values",
            ir_dense_attr(ir_vector_type(flag, &cases, 1, NULL), bytes, k * size));
    ir_op_set_attr(made, "case_operand_segments", ir_dense_i32_array(op->ctx, segments, k));
    ir_op_set_attr(made, "operandSegmentSizes", ir_dense_i32_array(op->ctx, sizes, 3));
    rw_erase(rw, op);
    free(operands);
    free(blocks);
    free(segments);
    free(bytes);
}

/* Drops cases equal to the default, and follows targets. */
static bool simplify_switch(ir_op *op, rw_rewriter *rw)
{
    uint32_t n = op->n_successors;
    target *to = tw_xmalloc(n * sizeof *to);
    bool *kept = tw_xmalloc(n), drops = false, moved = false;
    for (uint32_t i = 0; i < n; i++) {
        to[i] = case_of(op, (int64_t)i - 1);
        kept[i] = i == 0 || !same_target(&to[i], &to[0]);
        drops |= !kept[i];
    }
    for (uint32_t i = 0; !drops && i < n; i++)
        moved |= follow(&to[i]);
    if (drops || moved)
        rebuild_switch(op, rw, to, kept);
    for (uint32_t i = 0; i < n; i++)
        free(to[i].values);
    free(to);
    free(kept);
    return drops || moved;
}

/* ---- cf.assert ---------------------------------------------------------------------- */

static bool drop_true_assertion(ir_op *op, rw_rewriter *rw)
{
    ir_attr condition = rw_constant(ir_op_operand(op, 0));
    if (!ir_attr_is(condition, IR_ATTR_INTEGER) || !condition->value)
        return false;
    rw_erase(rw, op);
    return true;
}

static const rw_pattern patterns[] = {
    {CF_OP(assert), drop_true_assertion, "cf.EraseRedundantAssertions"},
    {CF_OP(br), merge_blocks, "cf.JoinBlocks"},
    {CF_OP(br), pass_through, "cf.PassThroughBr"},
    {CF_OP(cond_br), choose_branch, "cf.ChooseBranch"},
    {CF_OP(cond_br), pass_through_either, "cf.SimplifyPassThroughCondBranch"},
    {CF_OP(cond_br), merge_successors, "cf.SimplifyCondBranchIdenticalSuccessors"},
    {CF_OP(cond_br), same_condition, "cf.SimplifyCondBranchFromCondBranchOnSameCondition"},
    {CF_OP(cond_br), propagate_condition, "cf.CondBranchTruthPropagation"},
    {CF_OP(switch), choose_case, "cf.SimplifyConstSwitchValue"},
    {CF_OP(switch), simplify_switch, "cf.SimplifySwitch"},
};

const rw_pattern_table canonicalize_cf = {patterns, TW_COUNT(patterns)};
