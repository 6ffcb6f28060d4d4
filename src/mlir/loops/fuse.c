/* fuse.c: fuses two loops with the same bounds. */
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

static bool same_operands(const ir_op *a, const ir_op *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ir_op_operand(a, i) != ir_op_operand(b, i))
            return false;
    return true;
}

/* True if the loops are of one kind and have the same iteration space. */
static bool same_iterations(const ir_op *a, const ir_op *b)
{
    static const char *const names[] = {"staticLowerBound", "staticUpperBound",
                                        "staticStep", "mapping"};
    size_t first_a, first_b;
    if (a->def != b->def)
        return false;
    if (a->def == SCF_OP(for))
        return same_operands(a, b, 3) &&
               ir_op_attr(a, "unsignedCmp") == ir_op_attr(b, "unsignedCmp");
    if (a->def != SCF_OP(forall))
        return false;
    for (size_t i = 0; i < TW_COUNT(names); i++)
        if (ir_op_attr(a, names[i]) != ir_op_attr(b, names[i]))
            return false;
    loop_inits(a, &first_a);
    loop_inits(b, &first_b);
    return first_a == first_b && same_operands(a, b, first_a);
}

/* Moves the operations of a body; its induction variables and carried values (from
 * `carried` on in the fused body) become the fused ones. */
static void move_into(ir_block *to, ir_op *before, ir_block *from, size_t counters,
                      size_t carried)
{
    for (size_t i = 0; i < from->n_args; i++)
        ir_value_replace_uses(from->args[i],
                              to->args[i < counters ? i : i - counters + carried]);
    if (from->last->prev)
        ir_block_splice(to, before, from, from->first, from->last->prev);
}

static void move_all(ir_block *to, ir_block *from)
{
    if (from && from->first)
        ir_block_splice(to, NULL, from, from->first, from->last);
}

/* The terminator of the fused body: yields or insertions of both. */
static void end_body(ir_op *made, ir_op *target, ir_op *source)
{
    ir_block *body = ir_op_body(made, 0);
    ir_op *a = ir_op_body(target, 0)->last, *b = ir_op_body(source, 0)->last;
    ir_builder at = ir_builder_at_end(made->ctx, body, source->loc);
    if (made->def == SCF_OP(forall)) {
        ir_op *end =
            ir_build_op(&at, SCF_OP(forall_in_parallel), NULL, 0, NULL, 0, NULL, 0, 1);
        ir_block *inserts = ir_block_create(made->ctx);
        ir_region_append(&end->regions[0], inserts);
        move_all(inserts, ir_op_body(a, 0));
        move_all(inserts, ir_op_body(b, 0));
        return;
    }
    size_t n = a->n_operands + b->n_operands;
    ir_value **values = tw_xmalloc((n + 1) * sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] =
            i < a->n_operands ? ir_op_operand(a, i) : ir_op_operand(b, i - a->n_operands);
    ir_build_op(&at, SCF_OP(yield), NULL, 0, values, n, NULL, 0, 0);
    free(values);
}

/* Creates the fused loop without a body, after the second one. */
static ir_op *make_joint(ir_op *target, ir_op *source)
{
    size_t first, first_target;
    size_t n = loop_inits(source, &first), m = loop_inits(target, &first_target);
    ir_value **operands = tw_xmalloc((first + n + m + 1) * sizeof *operands);
    ir_type *types = tw_xmalloc((n + m + 1) * sizeof *types);
    for (size_t i = 0; i < first; i++)
        operands[i] = ir_op_operand(source, i);
    for (size_t i = 0; i < m + n; i++) {
        operands[first + i] = i < m ? ir_op_operand(target, first_target + i)
                                    : ir_op_operand(source, first + i - m);
        types[i] = operands[first + i]->type;
    }
    ir_op *made = ir_op_create(source->ctx, &(ir_op_state){.def = source->def,
                                                           .loc = source->loc,
                                                           .operands = operands,
                                                           .n_operands = first + n,
                                                           .results = types,
                                                           .n_results = n + m,
                                                           .n_regions = 1,
                                                           .no_defaults = true});
    memcpy(made->props, source->props, ir_def_n_props(source->def) * sizeof *made->props);
    ir_op_insert_after(made, source);
    ir_op_set_operand_group(made, source->def->operands.count - 1, operands + first, n + m);
    free(operands);
    free(types);
    return made;
}

ir_op *loop_fuse(ir_op *target, ir_op *source)
{
    if (!same_iterations(target, source))
        return NULL;
    ir_op *made = make_joint(target, source);
    ir_block *body = ir_block_create(made->ctx), *a = ir_op_body(target, 0),
             *b = ir_op_body(source, 0);
    size_t counters = b->n_args - source->n_results;
    ir_region_append(&made->regions[0], body);
    for (size_t i = 0; i < a->n_args; i++)
        ir_block_add_arg(made->ctx, body, a->args[i]->type, a->args[i]->loc);
    for (size_t i = counters; i < b->n_args; i++)
        ir_block_add_arg(made->ctx, body, b->args[i]->type, b->args[i]->loc);
    move_into(body, NULL, a, counters, counters);
    move_into(body, NULL, b, counters, a->n_args);
    end_body(made, target, source);
    for (uint32_t i = 0; i < target->n_results; i++)
        ir_value_replace_uses(&target->results[i], &made->results[i]);
    for (uint32_t i = 0; i < source->n_results; i++)
        ir_value_replace_uses(&source->results[i], &made->results[target->n_results + i]);
    ir_op_erase(target);
    ir_op_erase(source);
    return made;
}
