/* replay_traces.c: recorded traces as what they compute, for the embedded device: a plan is
 * a recorded list of commands already.
 *
 * ttnn.capture_or_execute_trace becomes the body of the function that it captures.  In a
 * function that captures by itself, the operations between ttnn.begin_trace_capture and
 * ttnn.end_trace_capture stay (they run once while they are recorded, as in python ttnn),
 * and each ttnn.execute_trace becomes a copy of them: values of the capture are those of
 * the newest copy from there on. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "mlir/passes/passes.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

/* ---- captured functions -------------------------------------------------------------- */

/* The function that a recorded trace consists of: what its capture calls. */
static ir_op *traced_function(ir_op *op)
{
    ir_op *capture = ir_symbol_resolve(op, ir_op_attr(op, "capture_callee"));
    ir_block *body = capture ? ir_op_body(capture, 0) : NULL;
    for (ir_op *inner = body ? body->first : NULL; inner; inner = inner->next)
        if (inner->def == FUNC_OP(call)) {
            ir_op *func = ir_symbol_resolve(inner, ir_op_attr(inner, "callee"));
            return func && ir_op_body(func, 0) ? func : NULL;
        }
    return NULL;
}

/* The index of the result whose slot the operation writes; -1 for any other operation. */
static int64_t written_result(const ir_op *inner, size_t n_inputs, size_t n_results)
{
    const ir_value *slot = inner->def == TTNN_OP(copy) ? inner->operands[1].value : NULL;
    return slot && slot->is_argument && slot->index >= n_inputs &&
                   slot->index < n_inputs + n_results
               ? (int64_t)(slot->index - n_inputs)
               : -1;
}

/* True if the operation frees a value that is in a result's slot, too: here both are one.
 */
static bool frees_result(const ir_op *inner, size_t n_inputs, size_t n_results)
{
    if (inner->def != TTNN_OP(deallocate))
        return false;
    const ir_value *v = inner->operands[0].value;
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (use->owner != inner && ir_operand_number(use) == 0 &&
            written_result(use->owner, n_inputs, n_results) >= 0)
            return true;
    return v->is_argument;
}

/* (inputs, slots of results, semaphores): what is copied into a slot is the result. */
static ir_walk inline_trace(ir_op *op, void *user)
{
    bool *ok = user;
    if (op->def != TTNN_OP(capture_or_execute_trace))
        return IR_WALK_ON;
    size_t start = 0, count = 0;
    ir_op *func = traced_function(op);
    if (!func || !ir_op_operand_group(op, 1, &start, &count) ||
        ir_op_body(func, 0)->n_args < count + op->n_results) {
        *ok = ir_op_error(op, "has no trace that can be run");
        return IR_WALK_STOP;
    }
    ir_block *body = ir_op_body(func, 0);
    ir_mapping *map = ir_mapping_create();
    for (size_t i = 0; i < count; i++)
        ir_mapping_set(map, body->args[i], op->operands[start + i].value);
    for (ir_op *inner = body->first; inner != body->last; inner = inner->next) {
        const int64_t result = written_result(inner, count, op->n_results);
        if (result >= 0) {
            ir_value *v = ir_mapping_get(map, inner->operands[0].value);
            ir_value_replace_uses(&op->results[result], v);
            ir_mapping_set(map, inner->operands[1].value, v);
        } else if (!frees_result(inner, count, op->n_results)) {
            ir_op_insert_before(ir_op_clone(inner, map), op);
        }
    }
    ir_mapping_free(map);
    for (uint32_t i = 0; i < op->n_results; i++)
        if (op->results[i].uses) {
            *ok = ir_op_error(op, "result %u is in no slot that its trace writes", i);
            return IR_WALK_STOP;
        }
    ir_op_erase(op);
    return IR_WALK_ON;
}

bool transform_inline_traces(ir_op *func)
{
    bool ok = true;
    ir_walk_post(func, inline_trace, &ok);
    return ok;
}

/* ---- captures in the function itself ------------------------------------------------- */

typedef struct capture {
    ir_op *begin, *end;
    ir_mapping *newest; /* value of the capture -> value of its newest copy */
} capture;

typedef struct replay {
    capture *captures;
    size_t count, capacity;
    capture *open; /* the one that is recorded */
} replay;

/* Returns the capture that the operation names; NULL if the function has none. */
static capture *capture_of(const replay *r, const ir_op *op)
{
    const ir_op *begin = ir_value_def(op->operands[1].value);
    for (size_t i = 0; i < r->count; i++)
        if (r->captures[i].begin == begin)
            return &r->captures[i];
    return NULL;
}

/* Operands that captures made become what the newest copies made. */
static void use_newest(const replay *r, ir_op *op)
{
    for (uint32_t k = 0; k < op->n_operands; k++)
        for (size_t i = 0; i < r->count; i++) {
            ir_value *now = ir_mapping_get(r->captures[i].newest, op->operands[k].value);
            if (now)
                ir_op_set_operand(op, k, now);
        }
}

static bool is_freed_within(const capture *c, const ir_op *op)
{
    ir_op *def = ir_value_def(op->operands[0].value);
    return def && def->block == op->block && ir_op_before(c->begin, def);
}

/* Copies the operations of a capture in front of `op`; what a copy frees is what it made.
 */
static void repeat(const replay *r, capture *c, ir_op *op)
{
    ir_mapping *map = ir_mapping_create();
    for (ir_op *inner = c->begin->next; inner != c->end; inner = inner->next) {
        if (inner->def == TTNN_OP(deallocate) && !is_freed_within(c, inner))
            continue;
        ir_op *copy = ir_op_clone(inner, map);
        ir_op_insert_before(copy, op);
        use_newest(r, copy);
    }
    for (ir_op *inner = c->begin->next; inner != c->end; inner = inner->next)
        for (uint32_t i = 0; i < inner->n_results; i++)
            ir_mapping_set(c->newest, &inner->results[i],
                           ir_mapping_get(map, &inner->results[i]));
    ir_mapping_free(map);
}

static bool begin_capture(replay *r, ir_op *op)
{
    if (r->open)
        return ir_op_error(op, "begins while another trace is captured; end that one first "
                               "with ttnn.end_trace_capture");
    capture made = {.begin = op, .newest = ir_mapping_create()};
    TW_PUSH(r->captures, r->count, r->capacity, made);
    r->open = &r->captures[r->count - 1];
    return true;
}

static bool step(replay *r, ir_op *op)
{
    if (op->def == TTNN_OP(begin_trace_capture))
        return begin_capture(r, op);
    const bool ends = op->def == TTNN_OP(end_trace_capture);
    if (!ends && op->def != TTNN_OP(execute_trace)) {
        use_newest(r, op);
        return true;
    }
    capture *c = capture_of(r, op);
    if (!c)
        return ir_op_error(op, "names a trace that its function does not capture; run the "
                               "function that captures it");
    if (ends && c != r->open)
        return ir_op_error(op, "ends a trace that is not captured here");
    if (ends) {
        c->end = op;
        r->open = NULL;
        return true;
    }
    if (!c->end || r->open)
        return ir_op_error(op,
                           "runs a trace while one is still captured; end it first with "
                           "ttnn.end_trace_capture");
    repeat(r, c, op);
    return true;
}

static bool is_of_trace(const ir_op *op)
{
    return op->def == TTNN_OP(begin_trace_capture) ||
           op->def == TTNN_OP(end_trace_capture) || op->def == TTNN_OP(execute_trace);
}

/* Erases what begins, ends and runs traces, from the last to the first. */
static bool erase_commands(ir_block *block)
{
    for (ir_op *op = block->last, *before; op; op = before) {
        before = op->prev;
        if (!is_of_trace(op))
            continue;
        if (op->n_results && op->results[0].uses)
            return ir_op_error(op,
                               "the trace's number is used by '%s', which is no "
                               "operation of traces",
                               op->results[0].uses->owner->def->name);
        ir_op_erase(op);
    }
    return true;
}

bool transform_replay_traces(ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    replay r = {0};
    bool ok = true;
    for (ir_op *op = body->first; op && ok; op = op->next)
        ok = step(&r, op);
    if (ok && r.open)
        ok = ir_op_error(r.open->begin, "has no ttnn.end_trace_capture");
    for (size_t i = 0; i < r.count; i++)
        ir_mapping_free(r.captures[i].newest);
    free(r.captures);
    return ok && erase_commands(body);
}
