/* boolean_narrowing.c: ttir-cpu-boolean-narrowing: the host stores conditions in one byte
 * where the device, which has no booleans, had them in floats of two bytes or four.
 *
 * Results of comparisons and logical operations become i1, and so do those of operations
 * that only move them; other users get the old type from a typecast. */
#include "ir/pass/pass.h"
#include "ttir/build.h"

#include <stdlib.h>

static bool is_one_of(const ir_op *op, const uint16_t *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (op->def == &ttir_ops[rows[i]])
            return true;
    return false;
}

static bool is_logical(const ir_op *op)
{
    static const uint16_t rows[] = {TTIR_logical_and, TTIR_logical_or, TTIR_logical_xor,
                                    TTIR_logical_not, TTIR_reduce_and, TTIR_reduce_or};
    return is_one_of(op, rows, TW_COUNT(rows));
}

static bool makes_conditions(const ir_op *op)
{
    static const uint16_t rows[] = {TTIR_eq, TTIR_ne, TTIR_ge, TTIR_gt, TTIR_le, TTIR_lt};
    return is_one_of(op, rows, TW_COUNT(rows)) || is_logical(op);
}

static bool moves_elements(const ir_op *op)
{
    static const uint16_t rows[] = {
        TTIR_slice_static, TTIR_reshape,           TTIR_permute, TTIR_broadcast,
        TTIR_repeat,       TTIR_repeat_interleave, TTIR_squeeze, TTIR_unsqueeze,
        TTIR_reverse,      TTIR_transpose,         TTIR_concat};
    return is_one_of(op, rows, TW_COUNT(rows));
}

static bool is_condition(const ir_value *v)
{
    return ir_type_is_tensor(v->type) && ir_type_is_signless(v->type->element, 1);
}

/* Whether the user keeps its meaning where the value is a boolean. A concatenation has one
 * element type for all of its operands. */
static bool takes_condition(const ir_op *user)
{
    if (is_logical(user))
        return true;
    if (!moves_elements(user))
        return false;
    for (uint32_t i = 0; user->def == TTIR_OP(concat) && i < user->n_operands; i++)
        if (!is_condition(user->operands[i].value))
            return false;
    return true;
}

static void narrow(ir_value *v)
{
    ir_type old = v->type;
    ir_type i1 = ir_integer_type(old->ctx, 1, IR_SIGNLESS);
    ir_value *cast = NULL;
    v->type = ir_type_with_element(old, i1);
    for (ir_operand *use = v->uses, *next; use; use = next) {
        ir_op *user = use->owner;
        next = use->next_use;
        if (takes_condition(user) || (cast && user == ir_value_def(cast)))
            continue;
        if (!cast) {
            ir_builder b = ir_builder_after(ir_value_def(v));
            cast = ir_build1(&b, TTIR_OP(typecast), old, IR_VALUES(v), NULL, 0);
        }
        ir_op_set_operand(user, ir_operand_number(use), cast);
    }
}

/* Operands come before their users, so that a result follows what its operands became. A
 * block's order decides: a user in another block has its own turn later. */
static ir_walk visit(ir_op *op, void *user)
{
    bool moved = moves_elements(op) && op->n_operands > 0;
    (void)user;
    for (uint32_t i = 0; moved && i < op->n_operands; i++)
        moved = is_condition(op->operands[i].value);
    if (!makes_conditions(op) && !moved)
        return IR_WALK_ON;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (ir_type_is_tensor(op->results[i].type) && !is_condition(&op->results[i]))
            narrow(&op->results[i]);
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, visit, NULL);
    return true;
}

const pass_def ttir_cpu_boolean_narrowing_pass = {
    .name = "ttir-cpu-boolean-narrowing",
    .summary = "Store conditions of functions on the host as booleans",
    .anchor = "builtin.module",
    .run = run,
};
