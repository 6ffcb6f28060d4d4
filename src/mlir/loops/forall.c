/* forall.c: converts scf.forall and scf.parallel to nests of scf.for, and scf.forall to
 * scf.parallel. */
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

/* The values of one of the three lists of bounds, with static ones as constants. */
static size_t forall_bounds(ir_builder *b, const ir_op *op, size_t group, ir_value **out)
{
    static const char *const names[] = {"staticLowerBound", "staticUpperBound",
                                        "staticStep"};
    int64_t statics[LOOP_CAPACITY];
    size_t first, count;
    int64_t n = ir_attr_ints(ir_op_attr(op, names[group]), statics, LOOP_CAPACITY);
    ir_op_operand_group(op, group, &first, &count);
    for (int64_t i = 0; i < n; i++)
        out[i] = statics[i] == IR_DYNAMIC
                     ? ir_op_operand(op, first++)
                     : loop_build_constant(b, ir_index_type(b->ctx), statics[i]);
    return n < 0 ? 0 : (size_t)n;
}

/* Creates nested loops before `op`; the innermost one's body is empty. */
static void make_nest(ir_op *op, ir_value *const *from, ir_value *const *to,
                      ir_value *const *step, size_t n, ir_op **out)
{
    ir_builder b = ir_builder_before(op);
    for (size_t i = 0; i < n; i++) {
        out[i] = ir_build_op(&b, SCF_OP(for), NULL, 0, IR_VALUES(from[i], to[i], step[i]),
                             NULL, 0, 1);
        ir_block *body = ir_block_create(op->ctx);
        ir_region_append(&out[i]->regions[0], body);
        ir_block_add_arg(op->ctx, body, ir_index_type(op->ctx), op->loc);
        b = ir_builder_at_end(op->ctx, body, op->loc);
        ir_build_op(&b, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
        b = ir_builder_before(body->last);
        b.loc = op->loc;
    }
}

/* Moves the body of `op` into the nest that replaces it. */
static void fill_nest(ir_op *op, ir_op *const *nest, size_t n)
{
    ir_block *body = ir_op_body(op, 0);
    for (size_t i = 0; i < n; i++)
        ir_value_replace_uses(body->args[i], ir_op_body(nest[i], 0)->args[0]);
    if (body->last->prev) {
        ir_block *inner = ir_op_body(nest[n - 1], 0);
        ir_block_splice(inner, inner->last, body, body->first, body->last->prev);
    }
    ir_op_erase(op);
}

size_t loop_forall_to_for(ir_op *forall, ir_op **out)
{
    ir_value *from[LOOP_CAPACITY], *to[LOOP_CAPACITY], *step[LOOP_CAPACITY];
    ir_builder b = ir_builder_before(forall);
    size_t n = forall_bounds(&b, forall, 0, from);
    forall_bounds(&b, forall, 1, to);
    forall_bounds(&b, forall, 2, step);
    make_nest(forall, from, to, step, n, out);
    fill_nest(forall, out, n);
    return n;
}

ir_op *loop_forall_to_parallel(ir_op *forall)
{
    ir_value *bounds[3 * LOOP_CAPACITY];
    ir_context *ctx = forall->ctx;
    ir_builder b = ir_builder_before(forall);
    size_t n = forall_bounds(&b, forall, 0, bounds);
    forall_bounds(&b, forall, 1, bounds + n);
    forall_bounds(&b, forall, 2, bounds + 2 * n);
    int64_t segments[] = {(int64_t)n, (int64_t)n, (int64_t)n, 0};
    ir_op *made = ir_build(&b, &(ir_op_state){.def = SCF_OP(parallel),
                                              .loc = forall->loc,
                                              .operands = bounds,
                                              .n_operands = 3 * n,
                                              .n_regions = 1,
                                              .no_defaults = true});
    ir_op_set_attr(made, "operandSegmentSizes", ir_dense_i32_array(ctx, segments, 4));
    ir_op *end = ir_op_body(forall, 0)->last;
    ir_region_take(&made->regions[0], &forall->regions[0]);
    ir_builder at_end = ir_builder_before(end);
    ir_build_op(&at_end, SCF_OP(reduce), NULL, 0, NULL, 0, NULL, 0, 0);
    ir_op_erase(end);
    ir_op_erase(forall);
    return made;
}

ir_op *loop_parallel_to_for(ir_op *parallel)
{
    ir_value *bounds[3][LOOP_CAPACITY];
    ir_op *nest[LOOP_CAPACITY];
    size_t n = ir_op_body(parallel, 0)->n_args;
    if (parallel->n_results || n > LOOP_CAPACITY || n == 0)
        return NULL;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++)
            bounds[k][i] = ir_op_operand(parallel, k * n + i);
    make_nest(parallel, bounds[0], bounds[1], bounds[2], n, nest);
    fill_nest(parallel, nest, n);
    return nest[0];
}
