/* interpreter.c: runs the module's transform sequence on the module.
 *
 * It executes named_sequence @__transform_main or a top-level sequence, with the steps of
 * the tables below.  Any other operation is an error that names it. */
#include "schedule/interpreter.h"

#include "ir/pass/pass.h"
#include "mlir/transform/transform.h"
#include "mlir/transform/transform_effects.h"
#include "ttl/passes/kernels.h"

#include <stdlib.h>

/* ---- handles ------------------------------------------------------------------------ */

static tf_handle *handle_of(tf_interpreter *t, ir_value *value)
{
    tf_handle *h = ir_mapping_get(t->by_value, value);
    if (!h) {
        h = tw_xcalloc(1, sizeof *h);
        h->value = value;
        ir_mapping_set(t->by_value, value, h);
        TW_PUSH(t->handles, t->n_handles, t->handles_capacity, h);
    }
    return h;
}

const tf_handle *tf_ops(tf_interpreter *t, ir_value *value)
{
    tf_handle *h = handle_of(t, value);
    size_t n = 0;
    for (size_t i = 0; i < h->count; i++)
        if (h->ops[i])
            h->ops[n++] = h->ops[i];
    h->count = n;
    return h;
}

void tf_set(tf_interpreter *t, ir_value *value, ir_op *const *ops, size_t count)
{
    tf_handle *h = handle_of(t, value);
    ir_op **old = h->ops;
    h->ops = NULL;
    h->count = h->capacity = 0;
    h->consumer = NULL;
    for (size_t i = 0; i < count; i++) {
        TW_PUSH(h->ops, h->count, h->capacity, ops[i]);
        if (ops[i])
            ir_mapping_set(t->watched, ops[i], t);
    }
    free(old); /* `ops` may alias it */
}

/* Removes an erased operation from all handles. */
static void forget(void *user, const void *thing)
{
    tf_interpreter *t = user;
    if (t->before.freed)
        t->before.freed(t->before.user, thing);
    if (thing == t->insert_block)
        t->insert_block = NULL;
    if (thing == t->next)
        t->next = NULL;
    if (thing == t->library)
        t->library = NULL;
    if (!ir_mapping_get(t->watched, thing))
        return;
    ir_mapping_set(t->watched, thing, NULL);
    for (size_t i = 0; i < t->n_handles; i++)
        for (size_t k = 0; k < t->handles[i]->count; k++)
            if (t->handles[i]->ops[k] == thing)
                t->handles[i]->ops[k] = NULL;
}

tf_outcome tf_set_result(tf_interpreter *t, ir_op *step, uint32_t result, ir_op *const *ops,
                         size_t count)
{
    ir_type type = step->results[result].type;
    tf_set(t, &step->results[result], ops, count);
    if (type->kind != IR_TYPE_DIALECT || type->def != TRANSFORM_TYPE(op))
        return TF_DONE;
    tw_str name = ir_attr_str(type->params[0]);
    for (size_t i = 0; i < count; i++) {
        if (!ops[i] || tw_str_is(name, ops[i]->def->name))
            continue;
        tw_strbuf text = {0};
        ir_print_op_in_message(ops[i], &text);
        tf_outcome failed = tf_silenceable(
            t, step->loc, "incompatible payload operation name expected %.*s vs %s -> %s%s",
            (int)name.size, name.data, ops[i]->def->name,
            text.size && memchr(text.data, '\n', text.size) ? "\n" : "",
            tw_strbuf_text(&text));
        tw_strbuf_free(&text);
        return tf_note(t, failed, ops[i]->loc, "payload operation");
    }
    return TF_DONE;
}

/* The innermost ancestor of `op`, or `op` itself, that the handle contains. */
static ir_op *enclosing_named(const tf_handle *h, ir_op *op)
{
    for (ir_op *current = op; current; current = ir_op_parent(current))
        for (size_t i = 0; i < h->count; i++)
            if (h->ops[i] == current)
                return current;
    return NULL;
}

static void invalidate(tf_interpreter *t, const ir_op *step, uint32_t operand)
{
    const tf_handle *consumed = tf_ops(t, ir_op_operand(step, operand));
    for (size_t i = 0; i < t->n_handles; i++) {
        tf_handle *h = t->handles[i];
        for (size_t k = 0; k < h->count; k++) {
            ir_op *current = h->ops[k] ? enclosing_named(consumed, h->ops[k]) : NULL;
            if (!current || (h->consumer && h->consumer != step))
                continue;
            h->consumer = step;
            h->operand = operand;
            h->ancestor = current->loc;
            h->nested = h->ops[k]->loc;
        }
    }
}

static tf_outcome report_invalid(tf_interpreter *t, ir_op *step, const tf_handle *h)
{
    tf_outcome failed = tf_definite(
        t, step->loc, "op uses a handle invalidated by a previously executed transform op");
    tf_note(t, failed, ir_value_loc(h->value), "handle to invalidated ops");
    ir_note(step->ctx, h->consumer->loc,
            "invalidated by this transform op that consumes its operand #%u and "
            "invalidates all handles to payload IR entities associated with this operand "
            "and entities nested in them",
            h->operand);
    tf_note(t, failed, h->ancestor, "ancestor payload op");
    return tf_note(t, failed, h->nested, "nested payload op");
}

/* Callees are resolved here, since the sequence is detached from the module while it is
 * executed. */
static bool consumes(const tf_interpreter *t, const ir_op *step, uint32_t operand)
{
    if (step->def != TRANSFORM_OP(include))
        return transform_consumes(step, operand);
    const ir_op *callee = tf_callee(t, step);
    return callee && transform_argument_is(callee, operand, "transform.consumed");
}

/* Checks that the handles of a step are valid and invalidates those that it consumes. */
static tf_outcome check_operands(tf_interpreter *t, ir_op *step)
{
    for (uint32_t i = 0; i < step->n_operands; i++) {
        const tf_handle *h = tf_ops(t, ir_op_operand(step, i));
        if (h->consumer)
            return report_invalid(t, step, h);
        if (consumes(t, step, i))
            invalidate(t, step, i);
    }
    return TF_DONE;
}

/* ---- failures ----------------------------------------------------------------------- */

enum { MAX_NOTES = 4 };

struct tf_failure {
    ir_loc loc;
    char *text;
    size_t n_notes;
    struct {
        ir_loc loc;
        const char *text;
    } notes[MAX_NOTES];
};

tf_outcome tf_silenceable(tf_interpreter *t, ir_loc loc, const char *format, ...)
{
    tw_strbuf text = {0};
    va_list args;
    va_start(args, format);
    tw_strbuf_vprintf(&text, format, args);
    va_end(args);
    tf_failure f = {.loc = loc, .text = tw_strbuf_take(&text)};
    TW_PUSH(t->failures, t->n_failures, t->failures_capacity, f);
    t->definite = false;
    return TF_SILENCEABLE;
}

tf_outcome tf_definite(tf_interpreter *t, ir_loc loc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ir_report(t->module->ctx, IR_ERROR, loc, NULL, format, args);
    va_end(args);
    t->definite = true;
    return TF_DEFINITE;
}

tf_outcome tf_note(tf_interpreter *t, tf_outcome outcome, ir_loc loc, const char *text)
{
    if (t->definite) {
        ir_note(t->module->ctx, loc, "%s", text);
        return outcome;
    }
    tf_failure *f = &t->failures[t->n_failures - 1];
    if (f->n_notes < MAX_NOTES) {
        f->notes[f->n_notes].loc = loc;
        f->notes[f->n_notes++].text = text;
    }
    return outcome;
}

/* Drops silenceable failures, or reports them as errors. */
static void flush_failures(tf_interpreter *t, size_t from, bool report)
{
    for (size_t i = from; i < t->n_failures; i++) {
        const tf_failure *f = &t->failures[i];
        if (report)
            ir_error(t->module->ctx, f->loc, "%s", f->text);
        for (size_t k = 0; report && k < f->n_notes; k++)
            ir_note(t->module->ctx, f->notes[k].loc, "%s", f->notes[k].text);
        free(f->text);
    }
    t->n_failures = from;
}

/* ---- steps -------------------------------------------------------------------------- */

tf_outcome tf_each(tf_interpreter *t, ir_op *step, const ir_op_def *wanted,
                   tf_each_fn *change)
{
    /* operations erased meanwhile are removed from the handle */
    const tf_handle *h = tf_ops(t, ir_op_operand(step, 0));
    size_t n = h->count, n_made = 0;
    ir_op **made = tw_xcalloc((n + 1) * (step->n_results + 1u), sizeof *made);
    ir_op **column = tw_xcalloc(n + 1, sizeof *column);
    tf_outcome all = TF_DONE;
    for (size_t i = 0; i < n && all != TF_DEFINITE; i++) {
        ir_op *target = h->ops[i];
        tf_outcome one = TF_DONE;
        if (!target)
            continue;
        if (wanted && target->def != wanted) {
            one = tf_silenceable(t, step->loc, "transform applied to the wrong op kind");
            tf_note(t, one, target->loc, "when applied to this op");
        } else {
            one = change(t, step, target, made + n_made * step->n_results);
            n_made += one == TF_DONE;
        }
        all = TW_MAX(all, one);
    }
    for (uint32_t r = 0; r < step->n_results && all == TF_DONE; r++) {
        size_t count = 0;
        for (size_t i = 0; i < n_made; i++)
            if (made[i * step->n_results + r])
                column[count++] = made[i * step->n_results + r];
        all = tf_set_result(t, step, r, column, count);
    }
    free(made);
    free(column);
    return all;
}

static const tf_step_table *const tables[] = {
    &tf_handle_steps,  &tf_loop_steps,   &tf_affine_steps,
    &tf_pattern_steps, &tf_region_steps, &tf_ttl_steps,
};

static tf_outcome execute(tf_interpreter *t, ir_op *step)
{
    for (size_t k = 0; k < TW_COUNT(tables); k++)
        for (size_t i = 0; i < tables[k]->count; i++)
            if (tables[k]->at[i].def == step->def) {
                tf_outcome ready = check_operands(t, step);
                return ready == TF_DONE ? tables[k]->at[i].execute(t, step) : ready;
            }
    ir_op_error(step, "is not executed by the interpreter of transforms");
    return TF_DEFINITE;
}

tf_outcome tf_block(tf_interpreter *t, ir_block *block, bool suppress)
{
    for (ir_op *op = block->first; op; op = op->next) {
        size_t failures = t->n_failures;
        if (op->def == TRANSFORM_OP(yield))
            break;
        tf_outcome outcome = execute(t, op);
        if (outcome == TF_DONE)
            continue;
        for (uint32_t i = 0; i < op->n_results; i++)
            tf_set(t, &op->results[i], NULL, 0);
        if (outcome == TF_DEFINITE || !suppress)
            return outcome;
        flush_failures(t, failures, false);
    }
    return TF_DONE;
}

/* ---- the pass ----------------------------------------------------------------------- */

typedef struct search {
    tw_str name;
    ir_op *found;
} search;

static ir_walk look_at(ir_op *op, void *user)
{
    search *s = user;
    if (op->def == TRANSFORM_OP(sequence) || (op->def == TRANSFORM_OP(named_sequence) &&
                                              tw_str_equal(ir_symbol_name(op), s->name)))
        s->found = op;
    return s->found ? IR_WALK_STOP : IR_WALK_ON;
}

static bool suppresses(const ir_op *sequence)
{
    return sequence->def == TRANSFORM_OP(sequence) &&
           ir_op_int(sequence, "failure_propagation_mode", 0) ==
               TRANSFORM_FailurePropagationMode_Suppress;
}

static void finish(tf_interpreter *t)
{
    for (size_t i = 0; i < t->n_handles; i++) {
        free(t->handles[i]->ops);
        free(t->handles[i]);
    }
    free(t->handles);
    free(t->failures);
    ir_mapping_free(t->by_value);
    ir_mapping_free(t->watched);
}

static bool run(ir_op *module, pass_run *run)
{
    search s = {.name = pass_option_str(run, "entry-point")};
    ir_walk_pre(module, look_at, &s);
    if (!s.found)
        return ir_error(module->ctx, module->loc,
                        "could not find a nested named sequence with name: %.*s",
                        (int)s.name.size, s.name.data);
    if (!ttl_settle_kernels(module)) /* moves uses into kernels */
        return false;
    ir_op *sequence = s.found;
    ir_block *body = ir_op_body(sequence, 0);
    tf_interpreter t = {.run = run,
                        .module = module,
                        .library = ir_op_parent(sequence),
                        .insert_block = sequence->block,
                        .next = sequence->next,
                        .by_value = ir_mapping_create(),
                        .watched = ir_mapping_create()};
    if (body && body->n_args)
        tf_set(&t, body->args[0], &module, 1);
    /* passes run on the module without the sequence */
    ir_op_remove(sequence);
    t.before = ir_context_set_free_listener(module->ctx, (ir_free_listener){forget, &t});
    tf_outcome outcome = body ? tf_block(&t, body, suppresses(sequence)) : TF_DONE;
    flush_failures(&t, 0, outcome == TF_SILENCEABLE);
    ir_context_set_free_listener(module->ctx, t.before);
    if (pass_option_bool(run, "erase-sequence") || !t.insert_block)
        ir_op_erase(sequence);
    else if (t.next && t.next->block == t.insert_block)
        ir_op_insert_before(sequence, t.next);
    else
        ir_block_append(t.insert_block, sequence);
    finish(&t);
    return outcome == TF_DONE;
}

const pass_def transform_interpreter_pass = {
    .name = "transform-interpreter",
    .summary = "Run the module's transform sequence on the module",
    .anchor = "builtin.module",
    .options =
        IR_LIST(pass_option_def,
                {"entry-point", PASS_STRING, "__transform_main",
                 "Entry point of the pass pipeline."},
                {"erase-sequence", PASS_BOOL, "false", "Erase the sequence afterwards"}),
    .run = run,
};
