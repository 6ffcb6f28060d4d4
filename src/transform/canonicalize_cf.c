/* canonicalize_cf.c: canonical forms of branches. */
#include "dialect/cf/cf.h"
#include "transform/canonical.h"

#include <stdlib.h>

static size_t predecessors(const ir_block *block)
{
    size_t n = 0;
    for (ir_block *b = block->region->first; b; b = b->next)
        for (uint16_t i = 0; b->last && i < b->last->n_successors; i++)
            n += b->last->successors[i] == block;
    return n;
}

/* A block entered from one place continues that place. */
static bool join_blocks(ir_op *op, rw_rewriter *rw)
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

/* A condition that is known. */
static bool choose_branch(ir_op *op, rw_rewriter *rw)
{
    ir_attr condition = rw_constant(op->operands[0].value);
    if (!ir_attr_is(condition, IR_ATTR_INTEGER))
        return false;
    uint16_t side = condition->value != 0 ? 0 : 1;
    size_t start, count;
    if (!ir_op_operand_group(op, 1 + side, &start, &count))
        return false;
    ir_value **values = tw_xmalloc((count ? count : 1) * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = op->operands[start + i].value;
    ir_build(&rw->b, &(ir_op_state){.def = CF_OP(br),
                                    .loc = op->loc,
                                    .operands = values,
                                    .n_operands = count,
                                    .successors = &op->successors[side],
                                    .n_successors = 1});
    free(values);
    rw_erase(rw, op);
    return true;
}

static const rw_pattern patterns[] = {
    {CF_OP(br), join_blocks, "cf.JoinBlocks"},
    {CF_OP(cond_br), choose_branch, "cf.ChooseBranch"},
};

const rw_pattern_table canonicalize_cf = {patterns, TW_COUNT(patterns)};
