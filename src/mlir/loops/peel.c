/* peel.c: splits an scf.for in two: all iterations but a partial last one, or the first one
 * and the others. */
#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/bounded.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

/* The expression's value, of the bounds' type, before the loop: a constant if all `n`
 * bounds are. */
static ir_value *bound_before(ir_op *loop, ir_affine e, ir_value *const *bounds, uint32_t n)
{
    ir_builder b = ir_builder_before(loop);
    ir_type type = ir_op_operand(loop, 0)->type;
    int64_t constants[3], value;
    bool known = true;
    for (uint32_t i = 0; i < n; i++)
        known &= loop_constant(bounds[i], &constants[i]);
    if (known && ir_affine_eval(e, NULL, constants, &value))
        return loop_build_constant(&b, type, value);
    affine_mapping m = {.ctx = loop->ctx, .n_symbols = n, .n_results = 1, .results = {e}};
    for (uint32_t i = 0; i < n; i++)
        m.symbols[i] = bounds[i];
    return loop_affine_value(&b, &m);
}

/* True if no iterations remain after the last full step. */
static bool divides(ir_op *loop, ir_affine left)
{
    affine_mapping m = {
        .ctx = loop->ctx, .n_symbols = 3, .n_results = 1, .results = {left}};
    for (uint32_t i = 0; i < 3; i++)
        m.symbols[i] = ir_op_operand(loop, i);
    affine_mapping_compose(&m);
    return m.results[0]->kind == IR_AFFINE_CONSTANT && m.results[0]->value == 0;
}

static ir_affine symbol_sum(ir_context *ctx, int64_t x, int64_t times, int64_t y)
{
    ir_affine scaled = ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_symbol(ctx, y),
                                        ir_affine_constant(ctx, times));
    return ir_affine_binary(ctx, IR_AFFINE_ADD, ir_affine_symbol(ctx, x), scaled);
}

ir_op *loop_peel_last(ir_op *loop)
{
    ir_context *ctx = loop->ctx;
    ir_value *to = ir_op_operand(loop, 1);
    ir_value *bounds[] = {ir_op_operand(loop, 0), to, ir_op_operand(loop, 2)};
    int64_t step;
    /* maps require index values */
    if ((loop_constant(bounds[2], &step) && step <= 1) ||
        bounds[0]->type != ir_index_type(ctx) || ir_op_attr(loop, "unsignedCmp"))
        return NULL;
    ir_affine left = ir_affine_binary(ctx, IR_AFFINE_MOD, symbol_sum(ctx, 1, -1, 0),
                                      ir_affine_symbol(ctx, 2));
    if (divides(loop, left))
        return NULL;
    ir_affine less =
        ir_affine_binary(ctx, IR_AFFINE_MUL, left, ir_affine_constant(ctx, -1));
    ir_affine end = ir_affine_binary(ctx, IR_AFFINE_ADD, ir_affine_symbol(ctx, 1), less);
    ir_value *split = bound_before(loop, end, bounds, 3);
    ir_op *rest = ir_op_clone(loop, NULL);
    ir_op_insert_after(rest, loop);
    ir_op_set_operand(rest, 0, split);
    for (uint32_t i = 0; i < loop->n_results; i++) {
        ir_value_replace_uses(&loop->results[i], &rest->results[i]);
        ir_op_set_operand(rest, 3 + i, &loop->results[i]);
    }
    ir_op_set_operand(loop, 1, split);
    bounded_simplify_peeled(loop, to, true);
    bounded_simplify_peeled(rest, to, false);
    return rest;
}

ir_op *loop_peel_first(ir_op *loop)
{
    ir_context *ctx = loop->ctx;
    ir_value *bounds[] = {ir_op_operand(loop, 0), ir_op_operand(loop, 2)};
    int64_t trips = scf_for_trips(loop);
    if (trips == 0 || trips == 1 || bounds[0]->type != ir_index_type(ctx) ||
        ir_op_attr(loop, "unsignedCmp"))
        return NULL;
    ir_value *split = bound_before(loop, symbol_sum(ctx, 0, 1, 1), bounds, 2);
    ir_op *first = ir_op_clone(loop, NULL);
    ir_op_insert_before(first, loop);
    ir_op_set_operand(first, 1, split);
    ir_op_set_operand(loop, 0, split);
    for (uint32_t i = 0; i < loop->n_results; i++)
        ir_op_set_operand(loop, 3 + i, &first->results[i]);
    return first;
}
