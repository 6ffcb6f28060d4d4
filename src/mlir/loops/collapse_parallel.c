/* collapse_parallel.c: collapse-parallel-loops: an scf.parallel of four dimensions or more
 * becomes one of three, the third and those behind it as one, in reverse order. */
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

enum { KEPT = 2 }; /* the dimensions in front, which stay as they are */

/* How often dimensions from KEPT on run, each; false if one does not count 0, 1, ... to a
 * constant. */
static bool read_counts(const ir_op *op, size_t n, int64_t *counts)
{
    int64_t from, step, all = 1;
    for (size_t d = KEPT; d < n; d++) {
        if (!loop_constant(ir_op_operand(op, d), &from) || from != 0 ||
            !loop_constant(ir_op_operand(op, n + d), &counts[d]) || counts[d] < 1 ||
            !loop_constant(ir_op_operand(op, 2 * n + d), &step) || step != 1 ||
            __builtin_mul_overflow(all, counts[d], &all))
            return false;
    }
    return true;
}

/* The positions in dimensions from KEPT on, from the position in all of them. */
static void take_positions(ir_block *body, size_t n, const int64_t *counts)
{
    ir_value *rest = body->args[0];
    ir_type index = rest->type;
    ir_builder b = ir_builder_before(body->first);
    b.loc = body->last->loc;
    for (size_t d = KEPT; d < n; d++) {
        int64_t inner = 1;
        for (size_t k = d + 1; k < n; k++)
            inner *= counts[k];
        if (d + 1 == n) {
            ir_value_replace_uses(body->args[d], rest);
            break;
        }
        ir_value *by = loop_build_constant(&b, index, inner);
        ir_value *at = loop_arith(&b, ARITH_OP(divui), rest, by);
        ir_value *skipped = loop_arith(&b, ARITH_OP(muli), at, by);
        rest = loop_arith(&b, ARITH_OP(subi), rest, skipped);
        ir_value_replace_uses(body->args[d], at);
    }
}

static void collapse(ir_op *op)
{
    size_t first, n;
    int64_t counts[LOOP_CAPACITY], all = 1;
    ir_block *body = ir_op_body(op, 0);
    if (!body || !ir_op_operand_group(op, 0, &first, &n) || n < KEPT + 2 ||
        n > LOOP_CAPACITY || !read_counts(op, n, counts))
        return;
    for (size_t d = KEPT; d < n; d++)
        all *= counts[d];
    ir_builder b = ir_builder_before(op);
    ir_type index = body->args[0]->type;
    ir_value *bounds[3][KEPT + 1] = {{loop_build_constant(&b, index, 0)},
                                     {loop_build_constant(&b, index, all)},
                                     {loop_build_constant(&b, index, 1)}};
    for (size_t group = 0; group < 3; group++) {
        bounds[group][1] = ir_op_operand(op, group * n + 1);
        bounds[group][2] = ir_op_operand(op, group * n);
    }
    /* The first position moves to the end, and its argument becomes the collapsed one. */
    ir_value *last = ir_block_add_arg(op->ctx, body, index, op->loc);
    ir_value_replace_uses(body->args[0], last);
    take_positions(body, n, counts);
    for (size_t d = n; d-- > KEPT;)
        ir_block_erase_arg(body, d);
    for (size_t group = 0; group < 3; group++)
        ir_op_set_operand_group(op, group, bounds[group], KEPT + 1);
}

static ir_walk visit(ir_op *op, void *user)
{
    (void)user;
    if (op->def == SCF_OP(parallel))
        collapse(op);
    return IR_WALK_ON;
}

static bool run(ir_op *func, pass_run *run)
{
    (void)run;
    ir_walk_pre(func, visit, NULL);
    return true;
}

const pass_def collapse_parallel_loops_pass = {
    .name = "collapse-parallel-loops",
    .title = "CollapseParallelLoops",
    .summary =
        "Collapse dimensions of scf.parallel until there are three, and reverse them",
    .anchor = "func.func",
    .run = run,
};
