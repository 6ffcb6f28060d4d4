/* steps_handles.c: steps that match operations and navigate between handles. */
#include "mlir/transform/transform.h"
#include "schedule/interpreter.h"

#include <stdlib.h>

/* ---- structured.match ---------------------------------------------------------------- */

static bool is_named(const ir_op *op, ir_attr names)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (tw_str_is(ir_attr_str(names->items[i]), op->def->name))
            return true;
    return false;
}

static bool has_interface(const ir_op *op, int64_t which)
{
    static const char *const names[] = {
        [TRANSFORM_MatchInterfaceEnum_LinalgOp] = "LinalgOp",
        [TRANSFORM_MatchInterfaceEnum_TilingInterface] = "TilingInterface",
        [TRANSFORM_MatchInterfaceEnum_LoopLikeInterface] = "LoopLikeOpInterface",
    };
    return which >= 0 && which < (int64_t)TW_COUNT(names) && op->def->interfaces &&
           ir_def_has(op->def, names[which]);
}

static bool has_attributes(const ir_op *op, ir_attr wanted)
{
    for (uint32_t i = 0; i < wanted->count; i++)
        if (ir_op_attr_str(op, ir_ident_str(wanted->entries[i].name)) !=
            wanted->entries[i].value)
            return false;
    return true;
}

static bool is_match(const ir_op *step, const ir_op *op)
{
    ir_attr names = ir_op_attr(step, "ops"), attrs = ir_op_attr(step, "op_attrs");
    ir_attr result = ir_op_attr(step, "filter_result_type");
    ir_attr operands = ir_op_attr(step, "filter_operand_types");
    if ((names && !is_named(op, names)) || (attrs && !has_attributes(op, attrs)))
        return false;
    if (ir_op_attr(step, "interface") &&
        !has_interface(op, ir_op_int(step, "interface", -1)))
        return false;
    if (result && (op->n_results == 0 || op->results[0].type != result->type))
        return false;
    if (!operands)
        return true;
    if (operands->count != 1 && operands->count != op->n_operands)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (operands->items[operands->count == 1 ? 0 : i]->type !=
            ir_op_operand(op, i)->type)
            return false;
    return true;
}

static tf_outcome match(tf_interpreter *t, ir_op *step)
{
    const tf_handle *from = tf_ops(t, ir_op_operand(step, 0));
    if (from->count != 1)
        return tf_definite(t, step->loc, "requires exactly one target handle");
    ir_op_list all = ir_ops_in_post(from->ops[0], NULL);
    size_t n = 0;
    for (size_t i = 0; i < all.n; i++)
        if (is_match(step, all.at[i]))
            all.at[n++] = all.at[i];
    tf_outcome outcome = tf_set_result(t, step, 0, all.at, n);
    ir_op_list_free(&all);
    return outcome;
}

/* ---- from handle to handle ----------------------------------------------------------- */

static bool contains(ir_op *const *ops, size_t n, const ir_op *op)
{
    for (size_t i = 0; i < n; i++)
        if (ops[i] == op)
            return true;
    return false;
}

/* The nearest ancestor that satisfies the step's constraints. */
static ir_op *parent_of(const ir_op *step, ir_op *op)
{
    ir_attr name = ir_op_attr(step, "op_name");
    bool isolated = ir_op_attr(step, "isolated_from_above");
    for (op = ir_op_parent(op); op; op = ir_op_parent(op))
        if ((!isolated || (op->def->traits & IR_ISOLATED)) &&
            (!name || tw_str_is(ir_attr_str(name), op->def->name)))
            break;
    return op;
}

static tf_outcome get_parent(tf_interpreter *t, ir_op *step)
{
    const tf_handle *from = tf_ops(t, ir_op_operand(step, 0));
    int64_t levels = ir_op_int(step, "nth_parent", 1);
    bool once = ir_op_attr(step, "deduplicate");
    ir_op **found = tw_xmalloc((from->count + 1) * sizeof *found);
    size_t n = 0;
    tf_outcome outcome = TF_DONE;
    for (size_t i = 0; i < from->count && outcome == TF_DONE; i++) {
        ir_op *op = from->ops[i];
        for (int64_t k = 0; k < levels && op; k++)
            op = parent_of(step, op);
        if (!op && !ir_op_attr(step, "allow_empty_results")) {
            outcome = tf_silenceable(
                t, step->loc, "could not find a parent op that matches all requirements");
            tf_note(t, outcome, from->ops[i]->loc, "target op");
        } else if (op && !(once && contains(found, n, op))) {
            found[n++] = op;
        }
    }
    if (outcome == TF_DONE)
        outcome = tf_set_result(t, step, 0, found, n);
    free(found);
    return outcome;
}

static tf_outcome cast(tf_interpreter *t, ir_op *step)
{
    const tf_handle *from = tf_ops(t, ir_op_operand(step, 0));
    return tf_set_result(t, step, 0, from->ops, from->count);
}

static tf_outcome merge(tf_interpreter *t, ir_op *step)
{
    ir_op **all = NULL;
    size_t n = 0, capacity = 0;
    bool once = ir_op_attr(step, "deduplicate");
    for (uint32_t i = 0; i < step->n_operands; i++) {
        const tf_handle *from = tf_ops(t, ir_op_operand(step, i));
        for (size_t k = 0; k < from->count; k++)
            if (!once || !contains(all, n, from->ops[k]))
                TW_PUSH(all, n, capacity, from->ops[k]);
    }
    tf_outcome outcome = tf_set_result(t, step, 0, all, n);
    free(all);
    return outcome;
}

/* One operation per result; excess ones go to the overflow result. */
static tf_outcome split(tf_interpreter *t, ir_op *step)
{
    const tf_handle *from = tf_ops(t, ir_op_operand(step, 0));
    size_t n = from->count, wanted = step->n_results;
    ir_attr overflow = ir_op_attr(step, "overflow_result");
    bool small = n < wanted && ir_op_bool(step, "fail_on_payload_too_small") &&
                 (n > 0 || !ir_op_bool(step, "pass_through_empty_handle"));
    if (small || (n > wanted && !overflow)) {
        ir_op *producer = ir_value_def(ir_op_operand(step, 0));
        tw_strbuf text = {0};
        if (producer)
            ir_print_op_in_message(producer, &text);
        tf_outcome failed = tf_silenceable(
            t, step->loc,
            "%s expected to contain %zu payloads but it contains %zu payloads",
            producer ? tw_strbuf_text(&text) : "handle", wanted, n);
        tw_strbuf_free(&text);
        return failed;
    }
    size_t extra = n > wanted ? n - wanted : 0, next = 0;
    tf_outcome outcome = TF_DONE;
    for (uint32_t r = 0; r < step->n_results && outcome == TF_DONE; r++) {
        size_t take = overflow && overflow->value == r ? 1 + extra : 1;
        take = TW_MIN(take, n - next);
        outcome = tf_set_result(t, step, r, from->ops + next, take);
        next += take;
    }
    return outcome;
}

static tf_outcome select_named(tf_interpreter *t, ir_op *step)
{
    const tf_handle *from = tf_ops(t, ir_op_operand(step, 0));
    tw_str name = ir_attr_str(ir_op_attr(step, "op_name"));
    ir_op **found = tw_xmalloc((from->count + 1) * sizeof *found);
    size_t n = 0;
    for (size_t i = 0; i < from->count; i++)
        if (tw_str_is(name, from->ops[i]->def->name))
            found[n++] = from->ops[i];
    tf_outcome outcome = tf_set_result(t, step, 0, found, n);
    free(found);
    return outcome;
}

static tf_outcome annotate(tf_interpreter *t, ir_op *step)
{
    const tf_handle *to = tf_ops(t, ir_op_operand(step, 0));
    tw_str name = ir_attr_str(ir_op_attr(step, "name"));
    if (step->n_operands > 1)
        return tf_definite(t, step->loc,
                           "'transform.annotate' op takes no param in this interpreter");
    char *text =
        tw_arena_printf(ir_context_arena(step->ctx), "%.*s", (int)name.size, name.data);
    for (size_t i = 0; i < to->count; i++)
        ir_op_set_attr(to->ops[i], text, ir_unit_attr(step->ctx));
    return TF_DONE;
}

static const tf_step steps[] = {
    {TRANSFORM_OP(structured_match), match},
    {TRANSFORM_OP(get_parent_op), get_parent},
    {TRANSFORM_OP(cast), cast},
    {TRANSFORM_OP(merge_handles), merge},
    {TRANSFORM_OP(split_handle), split},
    {TRANSFORM_OP(select), select_named},
    {TRANSFORM_OP(annotate), annotate},
};
const tf_step_table tf_handle_steps = {steps, TW_COUNT(steps)};
