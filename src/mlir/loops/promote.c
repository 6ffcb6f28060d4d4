/* promote.c: replaces loops that run once by their bodies. */
#include "mlir/affine/affine.h"
#include "mlir/func/func.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"
#include "mlir/tensor/tensor.h"

#include <stdlib.h>

/* Replaces the body's arguments and the loop's results by initial and yielded values; moves
 * the body before the loop and erases the loop. */
static void inline_body(ir_op *loop, size_t first_init, size_t n_inits, size_t first_arg)
{
    ir_block *body = ir_op_body(loop, 0);
    ir_op *yield = body->last;
    for (size_t i = 0; i < n_inits; i++)
        ir_value_replace_uses(body->args[first_arg + i],
                              ir_op_operand(loop, first_init + i));
    for (uint32_t i = 0; i < loop->n_results; i++)
        ir_value_replace_uses(&loop->results[i], ir_op_operand(yield, i));
    if (yield->prev)
        ir_block_splice(loop->block, loop, body, body->first, yield->prev);
    ir_op_erase(loop);
}

static bool promote_for(ir_op *loop)
{
    int64_t trips = scf_for_trips(loop);
    if (trips != 0 && trips != 1)
        return false;
    if (trips == 1) {
        ir_value_replace_uses(ir_op_body(loop, 0)->args[0], ir_op_operand(loop, 0));
        inline_body(loop, 3, loop->n_results, 1);
        return true;
    }
    for (uint32_t i = 0; i < loop->n_results; i++)
        ir_value_replace_uses(&loop->results[i], ir_op_operand(loop, 3 + i));
    ir_op_erase(loop);
    return true;
}

/* Moves insertions into a shared tensor to where the loop was; false if the loop's end
 * holds anything else. */
static bool ends_in_insertions(const ir_block *body)
{
    for (ir_op *op = ir_op_body(body->last, 0)->first; op; op = op->next)
        if (op->def != TENSOR_OP(parallel_insert_slice) ||
            ir_value_block(ir_op_operand(op, 1)) != body ||
            !ir_op_operand(op, 1)->is_argument)
            return false;
    return true;
}

static void insert_slices(ir_op *forall, size_t n_dims)
{
    ir_op *end = ir_op_body(forall, 0)->last;
    for (ir_op *op = ir_op_body(end, 0)->first, *next; op; op = next) {
        next = op->next;
        uint32_t shared = ir_op_operand(op, 1)->index - (uint32_t)n_dims;
        ir_value **values = tw_xmalloc(op->n_operands * sizeof *values);
        for (uint32_t i = 0; i < op->n_operands; i++)
            values[i] = ir_op_operand(op, i);
        ir_builder b = ir_builder_before(forall);
        b.loc = op->loc;
        ir_op *made = ir_build_op(
            &b, TENSOR_OP(insert_slice), &values[1]->type, 1, values, op->n_operands,
            IR_ATTRS({"static_offsets", ir_op_attr(op, "static_offsets")},
                     {"static_sizes", ir_op_attr(op, "static_sizes")},
                     {"static_strides", ir_op_attr(op, "static_strides")},
                     {"operandSegmentSizes", ir_op_attr(op, "operandSegmentSizes")}),
            0);
        free(values);
        ir_value_replace_uses(&forall->results[shared], &made->results[0]);
    }
}

static bool promote_forall(ir_op *loop)
{
    int64_t from[LOOP_CAPACITY], to[LOOP_CAPACITY], step[LOOP_CAPACITY];
    int64_t n = ir_attr_ints(ir_op_attr(loop, "staticLowerBound"), from, LOOP_CAPACITY);
    ir_block *body = ir_op_body(loop, 0);
    size_t first, n_inits = loop_inits(loop, &first);
    ir_attr_ints(ir_op_attr(loop, "staticUpperBound"), to, LOOP_CAPACITY);
    ir_attr_ints(ir_op_attr(loop, "staticStep"), step, LOOP_CAPACITY);
    for (int64_t i = 0; i < n; i++)
        if (from[i] == IR_DYNAMIC || to[i] == IR_DYNAMIC || step[i] == IR_DYNAMIC ||
            step[i] <= 0 || from[i] >= to[i] || to[i] - from[i] > step[i])
            return false;
    if (n < 0 || !ends_in_insertions(body))
        return false;
    ir_builder b = ir_builder_before(loop);
    for (int64_t i = 0; i < n; i++)
        ir_value_replace_uses(body->args[i],
                              loop_build_constant(&b, ir_index_type(loop->ctx), from[i]));
    ir_op *end = body->last;
    if (end->prev)
        ir_block_splice(loop->block, loop, body, body->first, end->prev);
    insert_slices(loop, (size_t)n);
    for (size_t i = 0; i < n_inits; i++)
        ir_value_replace_uses(body->args[(size_t)n + i], ir_op_operand(loop, first + i));
    for (uint32_t i = 0; i < loop->n_results; i++) /* nothing is inserted into it */
        ir_value_replace_uses(&loop->results[i], ir_op_operand(loop, first + i));
    ir_op_erase(loop);
    return true;
}

bool loop_promote(ir_op *loop)
{
    if (loop->def == SCF_OP(for))
        return promote_for(loop);
    return loop->def == SCF_OP(forall) && promote_forall(loop);
}

/* The start of the enclosing function, or the loop's own position. */
static ir_builder constants_position(ir_op *loop)
{
    ir_op *func = ir_op_parent(loop);
    while (func && func->def != FUNC_OP(func))
        func = ir_op_parent(func);
    return func ? ir_builder_at_start(loop->ctx, ir_op_body(func, 0), loop->loc)
                : ir_builder_before(loop);
}

bool affine_for_promote(ir_op *loop)
{
    affine_mapping from;
    size_t first, n = loop_inits(loop, &first);
    ir_value *counter = ir_op_body(loop, 0)->args[0];
    if (affine_for_trips(loop) != 1 || !affine_for_bound(loop, true, &from) ||
        from.n_results != 1)
        return false;
    if (counter->uses) {
        bool number = from.results[0]->kind == IR_AFFINE_CONSTANT;
        ir_builder b = number ? constants_position(loop) : ir_builder_before(loop);
        ir_value_replace_uses(counter, loop_affine_value(&b, &from));
    }
    inline_body(loop, first, n, 1);
    return true;
}
