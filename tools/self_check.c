/* self_check.c: runs the functions of a file that check themselves. */
#include "self_check.h"

#include "cli.h"

#include "ir/text.h"
#include "pipelines/dialects.h"
#include "runtime/checks.h"
#include "stablehlo/eval/eval.h"
#include "support/arena.h"
#include "support/element.h"
#include "tensors.h"
#include "tilewright/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool self_check_wanted(tw_strbuf text, const char *entry)
{
    return !entry && text.data &&
           (strstr(text.data, "check.expect_") || strstr(text.data, "@check.eq"));
}

/* ---- comparing ---------------------------------------------------------------------- */

/* Floats mapped to integers in order.  The device computes f64 in f32, so distances are
 * counted in f32 unless `exact`: the host computes them. */
static int64_t ordered(tw_dtype t, const void *data, size_t i, bool exact)
{
    if (t == TW_F64 && exact) {
        int64_t wide;
        memcpy(&wide, (const double *)data + i, sizeof wide);
        return wide < 0 ? -(wide & INT64_MAX) : wide;
    }
    if (t == TW_F16 || t == TW_BF16) {
        uint16_t bits = ((const uint16_t *)data)[i];
        return bits & 0x8000 ? -(int64_t)(bits & 0x7fff) : bits;
    }
    float f = (float)tool_element(t, data, i);
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits >> 31 ? -(int64_t)(bits & 0x7fffffff) : (int64_t)bits;
}

static bool agrees(const tw_check *c, tw_dtype t, const void *actual, const void *expected,
                   size_t i, bool exact)
{
    if (t == TW_I64 || t == TW_U64)
        return ((const int64_t *)actual)[i] == ((const int64_t *)expected)[i];
    double x = tool_element(t, actual, i), y = tool_element(t, expected, i);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    if (c->max_ulp > 0 && isfinite(x) && isfinite(y)) {
        int64_t a = ordered(t, actual, i, exact), b = ordered(t, expected, i, exact);
        uint64_t distance = (uint64_t)(a > b ? a - b : b - a);
        return distance >= c->min_ulp && distance <= c->max_ulp;
    }
    if (x == y)
        return true;
    /* above 1 the tolerance is relative, within the 24 bits of f32 */
    return c->tolerance > 0 && fabs(x - y) <= c->tolerance * fmax(1, fabs(y));
}

static bool holds(const tw_program *p, const tw_check *c, void *const *out,
                  const char *path, unsigned first_line)
{
    const tw_tensor_desc *d = tw_program_output(p, c->actual);
    size_t n = d->bytes / tw_dtype_size(d->dtype);
    bool exact = tw_program_host_op_count(p) > 0;
    for (size_t i = 0; i < n; i++)
        if (!agrees(c, d->dtype, out[c->actual], out[c->expected], i, exact)) {
            printf("%s:%u: %s: element %zu is %.9g, expected %.9g\n", path,
                   first_line + c->line, c->name, i,
                   tool_element(d->dtype, out[c->actual], i),
                   tool_element(d->dtype, out[c->expected], i));
            return false;
        }
    return true;
}

/* ---- running ------------------------------------------------------------------------ */

typedef struct tally {
    size_t passed, failed, unsupported;
} tally;

static bool run_checks(tw_program *p, const char *path, unsigned first_line)
{
    size_t n = tw_program_output_count(p);
    void **out = tw_xcalloc(n + 1, sizeof *out);
    bool ok = true;
    tw_status status = tensor_create_outputs(p, out);
    if (status == TW_SUCCESS)
        status = tw_program_run(p, (const void *const[]){NULL}, out);
    if (status != TW_SUCCESS) {
        printf("%s: %s\n", path, tw_status_message(status));
        tw_status_free(status);
        ok = false;
    }
    for (size_t i = 0; ok && i < tw_program_check_count(p); i++)
        ok &= holds(p, tw_program_check(p, i), out, path, first_line);
    cli_free_arrays(out, n);
    return ok;
}

/* ---- by the reference --------------------------------------------------------------- */

static void report_check(void *user, ir_op *check, const char *text)
{
    ir_attr target = ir_op_attr(check, "call_target_name");
    printf("%s: %s: %s\n", (const char *)user,
           target ? target->ident->text : check->def->name, text);
}

/* False if the evaluator does not support an operation. */
static bool evaluate(const char *path, ir_op *module, ir_op *function, const char *name,
                     const char *where, tally *t)
{
    ir_op *stuck;
    const char *why;
    hlo_outcome o = hlo_eval_function(module, function, report_check,
                                      (void *)(uintptr_t)path, &stuck, &why);
    if (o == HLO_STUCK)
        return false;
    *(o == HLO_PASSED ? &t->passed : &t->failed) += 1;
    printf("%s: @%s: %s%s\n", path, name, o == HLO_PASSED ? "passed" : "FAILED", where);
    return true;
}

/* ---- functions ---------------------------------------------------------------------- */

typedef struct checking {
    const char *path;
    bool reference; /* by the evaluator where it supports the operations */
    bool host;      /* unsupported operations run on the host */
    tally t;
} checking;

static void say_verdict(const checking *c, const char *name, const char *verdict,
                        const tw_program *p)
{
    printf("%s: @%s: %s", c->path, name, verdict);
    for (size_t i = 0; p && i < tw_program_host_op_count(p); i++)
        printf("%s%s", i ? ", " : " (on the host: ", tw_program_host_op(p, i)->name);
    printf("%s\n", p && tw_program_host_op_count(p) ? ")" : "");
}

static void run_function(checking *c, tw_str chunk, unsigned first_line, ir_op *module,
                         ir_op *function, const char *name)
{
    tw_program *p;
    tw_status status = tw_program_compile(
        chunk.data, chunk.size,
        &(tw_compile_options){
            .name = c->path, .entry = name, .host = c->host, .kernels = tw_grid_engine()},
        &p);
    if (status == TW_SUCCESS) {
        bool ok = run_checks(p, c->path, first_line);
        *(ok ? &c->t.passed : &c->t.failed) += 1;
        say_verdict(c, name, ok ? "passed" : "FAILED", p);
        tw_program_destroy(p);
        return;
    }
    bool unsupported = tw_status_code(status) == TW_UNSUPPORTED;
    if (!unsupported || !c->host ||
        !evaluate(c->path, module, function, name, " (on the host)", &c->t)) {
        *(unsupported ? &c->t.unsupported : &c->t.failed) += 1;
        printf("%s: %s\n", c->path, tw_status_message(status));
        say_verdict(c, name, unsupported ? "not supported" : "FAILED", NULL);
    }
    tw_status_free(status);
}

static void report(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    (void)ctx;
    printf("%s: %s\n", (const char *)user, d->text);
}

static bool any_checks(ir_op *module)
{
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def->traits & IR_FUNCTION_LIKE && rt_has_checks(op))
            return true;
    return false;
}

static void run_chunk(checking *c, tw_str chunk, unsigned first_line)
{
    const char *path = c->path;
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){report, (void *)(uintptr_t)path});
    ir_op *module = ir_parse(ctx, chunk, path, NULL);
    ir_flush_diagnostics(ctx);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    if (!module)
        c->t.failed++;
    for (ir_op *op = module ? ir_op_body(module, 0)->first : NULL; op; op = op->next) {
        bool checks = op->def->traits & IR_FUNCTION_LIKE && rt_has_checks(op);
        if (!(op->def->traits & IR_FUNCTION_LIKE) ||
            (!checks && (!c->reference || any_checks(module))))
            continue;
        tw_str symbol = ir_symbol_name(op);
        const char *name = ir_ident_get(ctx, symbol)->text;
        if (ir_op_body(op, 0)->n_args) {
            printf("%s: @%s: not supported: it has arguments\n", path, name);
            c->t.unsupported++;
        } else if (!c->reference || !evaluate(path, module, op, name, "", &c->t)) {
            run_function(c, chunk, first_line, module, op, name);
        }
    }
    ir_context_destroy(ctx);
}

static int run_all(checking *c, tw_strbuf text)
{
    static const char marker[] = "// -----";
    const char *path = c->path;
    const tally *t = &c->t;
    unsigned line = 0;
    for (const char *at = text.data, *end = at + text.size; at < end;) {
        const char *next = strstr(at, marker);
        next = next ? next : end;
        run_chunk(c, (tw_str){at, (size_t)(next - at)}, line);
        for (; at < next; at++)
            line += *at == '\n';
        at = next == end ? end : next + sizeof marker - 1;
    }
    if (c->reference && t->passed + t->failed + t->unsupported == 0) {
        fprintf(stderr, "%s: error: no function checks itself\n", path);
        return CLI_UNSUPPORTED;
    }
    printf("%zu passed, %zu failed, %zu not supported\n", t->passed, t->failed,
           t->unsupported);
    if (t->unsupported && !c->reference && !c->host)
        printf(
            "help: without --no-host the host computes what the device does not support\n");
    return t->failed ? 1 : t->unsupported ? CLI_UNSUPPORTED : 0;
}

int self_check_run(const char *path, tw_strbuf text, bool host)
{
    return run_all(&(checking){.path = path, .host = host}, text);
}

int self_check_interpret(const char *path, tw_strbuf text)
{
    return run_all(&(checking){.path = path, .reference = true}, text);
}
