/* first_off.c: see first_off.h. */
#include "first_off.h"

#include "ir/bytecode.h"
#include "ir/text.h"
#include "pipelines/dialects.h"
#include "pipelines/registry.h"
#include "runtime/validate/interpret.h"
#include "support/element.h"
#include "tilewright/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- both runs */

typedef struct device_run {
    tw_program *program;
    trace trace;
    void **out;
} device_run;

static void **outputs_of(const tw_program *p, tw_arena *arena)
{
    const size_t n = tw_program_output_count(p);
    void **out = TW_ARENA_ARRAY(arena, void *, n + 1);
    for (size_t i = 0; i < n; i++)
        out[i] = tw_arena_alloc(arena, tw_program_output(p, i)->bytes + 64);
    return out;
}

/* Where the device does not support all of it, the rest runs on the host and is not in the
 * trace. */
static tw_status run_device(const first_off_question *q, device_run *d)
{
    tw_compile_options o = {.name = q->name,
                            .entry = q->entry,
                            .dtype = q->dtype,
                            .observer = &(tw_observer){interpret_record, &d->trace},
                            .kernels = tw_grid_engine()};
    tw_status status = tw_program_compile(q->text.data, q->text.size, &o, &d->program);
    if (tw_status_code(status) == TW_UNSUPPORTED) {
        tw_status_free(status);
        o.host = true;
        status = tw_program_compile(q->text.data, q->text.size, &o, &d->program);
    }
    if (status != TW_SUCCESS)
        return status;
    d->out = outputs_of(d->program, &d->trace.arena);
    return tw_program_run(d->program, q->inputs, d->out);
}

typedef struct entry {
    ir_op *main, *first; /* public functions, also those in a module for the device */
} entry;

static ir_walk note_function(ir_op *op, void *user)
{
    entry *e = user;
    if (!(op->def->traits & IR_FUNCTION_LIKE))
        return IR_WALK_ON;
    if (!e->main && tw_str_is(ir_symbol_name(op), "main"))
        e->main = op;
    if (!e->first && !ir_symbol_is_private(op))
        e->first = op;
    return IR_WALK_SKIP;
}

/* The function that a program runs without --entry: main, or the first public one. */
static const char *entry_of(ir_op *module, const char *named)
{
    entry e = {0};
    if (named)
        return named;
    ir_walk_pre(module, note_function, &e);
    const ir_op *found = e.main ? e.main : e.first;
    return found ? ir_ident_get(module->ctx, ir_symbol_name(found))->text : "main";
}

static bool run_reference(const first_off_question *q, const device_run *d, trace *t,
                          void ***out, const char **why)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_op *module = ir_parse(ctx, q->text, q->name, NULL);
    bool ok = module && (!ir_is_bytecode(q->text) ||
                         tw_run_passes(module, "vhlo-legalize-to-stablehlo", NULL));
    *why = "it cannot be read";
    *out = outputs_of(d->program, &t->arena);
    ok = ok && interpret_trace_reference(module, entry_of(module, q->entry), q->inputs,
                                         *out, q->seconds, t, why);
    ir_context_destroy(ctx);
    return ok;
}

/* ---- comparing */

static elements elements_of(const tw_tensor_desc *d, const void *data)
{
    const size_t size = tw_dtype_size(d->dtype);
    return (elements){d->dtype, data, size ? d->bytes / size : 0};
}

static tw_dtype format_named(const char *name, tw_dtype otherwise)
{
    for (int i = 0; name && i < TW_DTYPE_COUNT; i++)
        if (strcmp(tw_dtype_name((tw_dtype)i), name) == 0)
            return (tw_dtype)i;
    return otherwise;
}

/* By the type of the device's result, or the format of all. */
static bounds bounds_for(const first_off_question *q, tw_dtype computed_in, elements want)
{
    if (!tool_is_float(want.type))
        return (bounds){0};
    return q->bounds ? *q->bounds
                     : compare_default_bounds(format_named(q->dtype, computed_in), want);
}

/* Floats of another format are compared as values. */
static const traced *on_device(const trace *t, const traced *of)
{
    traced as = *of;
    const traced *found = trace_counterpart(t, of);
    static const tw_dtype floats[] = {TW_F32, TW_BF16, TW_F16};
    for (size_t i = 0; !found && tool_is_float(of->type.dtype) && i < TW_COUNT(floats);
         i++) {
        as.type.dtype = floats[i];
        found = trace_counterpart(t, &as);
    }
    return found;
}

static void compare_traces(const first_off_question *q, const trace *reference,
                           const trace *device, first_off *out)
{
    for (size_t i = 0; i < reference->n; i++) {
        const traced *want = &reference->at[i], *got = on_device(device, want);
        if (!got || trace_counterpart(reference, want) != want)
            continue;
        elements a = elements_of(&got->type, got->data),
                 b = elements_of(&want->type, want->data);
        comparison c = tool_compare(a, b, bounds_for(q, got->type.dtype, b));
        if (!c.outside) {
            out->agreeing++;
            continue;
        }
        out->found = true;
        out->line = want->line;
        out->column = want->column;
        snprintf(out->op, sizeof out->op, "%s", want->name);
        snprintf(out->device_op, sizeof out->device_op, "%s", got->name);
        snprintf(out->file, sizeof out->file, "%s", want->file);
        compare_put_worst(&out->text, &c, &want->type, a, b);
        tw_strbuf_printf(&out->text, ", bound %g; %zu of %zu elements are outside it",
                         c.worst_bound, c.outside, a.n);
        return;
    }
}

static bool compare_results(const first_off_question *q, const device_run *d, void **want)
{
    bool off = false;
    for (size_t i = 0; i < tw_program_output_count(d->program); i++) {
        const tw_tensor_desc *t = tw_program_output(d->program, i);
        elements a = elements_of(t, d->out[i]), b = elements_of(t, want[i]);
        off |= tool_compare(a, b, bounds_for(q, t->dtype, b)).outside > 0;
    }
    return off;
}

void first_off_find(const first_off_question *q, first_off *out)
{
    device_run d = {0};
    trace reference = {0};
    void **want;
    const char *why;
    *out = (first_off){0};
    tw_status status = run_device(q, &d);
    if (status != TW_SUCCESS) {
        tw_strbuf_puts(&out->text, tw_status_message(status));
        tw_status_free(status);
    } else if (!run_reference(q, &d, &reference, &want, &why)) {
        tw_strbuf_printf(&out->text,
                         "the reference evaluator does not run it: %s; begin with the "
                         "program in StableHLO, or compare with results of another program "
                         "(tilewright run --expect)",
                         why);
    } else {
        out->known = true;
        out->result_is_off = compare_results(q, &d, want);
        compare_traces(q, &reference, &d.trace, out);
    }
    trace_free(&reference);
    trace_free(&d.trace);
    tw_program_destroy(d.program);
}

void first_off_print(const first_off *f, tw_strbuf *out)
{
    if (f->found)
        tw_strbuf_printf(out,
                         "first operation that left its bound: %s:%u:%u: '%s' ('%s' on the "
                         "device): %s; the %zu compared before it agree",
                         f->file, f->line, f->column, f->op, f->device_op,
                         tw_strbuf_text(&f->text), f->agreeing);
}
