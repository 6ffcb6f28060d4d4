/* self_check.c: runs the functions of a file that check themselves. */
#include "self_check.h"

#include "cli.h"

#include "dialect/all.h"
#include "dialect/func/func.h"
#include "ir/text.h"
#include "runtime/checks.h"
#include "support/arena.h"
#include "transform/stablehlo/eval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool self_check_wanted(tw_strbuf text, const char *entry)
{
    return !entry && text.data &&
           (strstr(text.data, "check.expect_") || strstr(text.data, "@check.eq"));
}

/* ---- comparing ---------------------------------------------------------------------- */

/* Floats in their order as integers.  The device computes f64 in f32: so are they counted.
 */
static int64_t ordered(tw_dtype t, const void *data, size_t i)
{
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
                   size_t i)
{
    double x = tool_element(t, actual, i), y = tool_element(t, expected, i);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    if (c->max_ulp > 0 && isfinite(x) && isfinite(y)) {
        int64_t a = ordered(t, actual, i), b = ordered(t, expected, i);
        uint64_t distance = (uint64_t)(a > b ? a - b : b - a);
        return distance >= c->min_ulp && distance <= c->max_ulp;
    }
    if (x == y)
        return true;
    /* above 1 the tolerance is relative: 24 bits do not hold more of a large number */
    return c->tolerance > 0 && fabs(x - y) <= c->tolerance * fmax(1, fabs(y));
}

static bool holds(const tw_program *p, const tw_check *c, void *const *out,
                  const char *path, unsigned first_line)
{
    const tw_tensor_desc *d = tw_program_output(p, c->actual);
    size_t n = d->bytes / tw_dtype_size(d->dtype);
    for (size_t i = 0; i < n; i++)
        if (!agrees(c, d->dtype, out[c->actual], out[c->expected], i)) {
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
    for (size_t i = 0; i < n; i++)
        out[i] = aligned_alloc(64, tw_align_up(tw_program_output(p, i)->bytes + 1, 64));
    tw_status status = tw_program_run(p, (const void *const[]){NULL}, out);
    if (status != TW_SUCCESS) {
        printf("%s: %s\n", path, tw_status_message(status));
        tw_status_free(status);
        ok = false;
    }
    for (size_t i = 0; ok && i < tw_program_check_count(p); i++)
        ok &= holds(p, tw_program_check(p, i), out, path, first_line);
    for (size_t i = 0; i < n; i++)
        free(out[i]);
    free(out);
    return ok;
}

static void run_function(const char *path, tw_str chunk, unsigned first_line,
                         const char *name, tally *t)
{
    tw_program *p;
    tw_status status = tw_program_compile(
        chunk.data, chunk.size, &(tw_compile_options){.name = path, .entry = name}, &p);
    const char *verdict = "FAILED";
    if (status != TW_SUCCESS) {
        bool unsupported = tw_status_code(status) == TW_UNSUPPORTED;
        *(unsupported ? &t->unsupported : &t->failed) += 1;
        verdict = unsupported ? "not supported" : verdict;
        printf("%s: %s\n", path, tw_status_message(status));
        tw_status_free(status);
    } else {
        bool ok = run_checks(p, path, first_line);
        *(ok ? &t->passed : &t->failed) += 1;
        verdict = ok ? "passed" : verdict;
        tw_program_destroy(p);
    }
    printf("%s: @%s: %s\n", path, name, verdict);
}

/* ---- by the reference --------------------------------------------------------------- */

static void report_check(void *user, ir_op *check, const char *text)
{
    ir_attr target = ir_op_attr(check, "call_target_name");
    printf("%s: %s: %s\n", (const char *)user,
           target ? target->ident->text : check->def->name, text);
}

/* False where the evaluator does not know an operation. */
static bool evaluate(const char *path, ir_op *module, ir_op *function, const char *name,
                     tally *t)
{
    ir_op *stuck;
    const char *why;
    hlo_outcome o = hlo_eval_function(module, function, report_check,
                                      (void *)(uintptr_t)path, &stuck, &why);
    if (o == HLO_STUCK)
        return false;
    *(o == HLO_PASSED ? &t->passed : &t->failed) += 1;
    printf("%s: @%s: %s\n", path, name, o == HLO_PASSED ? "passed" : "FAILED");
    return true;
}

static void report(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    (void)ctx;
    printf("%s: %s\n", (const char *)user, d->text);
}

static bool any_checks(ir_op *module)
{
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == FUNC_OP(func) && rt_has_checks(op))
            return true;
    return false;
}

static void run_chunk(const char *path, tw_str chunk, unsigned first_line, bool reference,
                      tally *t)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){report, (void *)(uintptr_t)path});
    ir_op *module = ir_parse(ctx, chunk, path, NULL);
    ir_flush_diagnostics(ctx);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    if (!module)
        t->failed++;
    for (ir_op *op = module ? ir_op_body(module, 0)->first : NULL; op; op = op->next) {
        bool checks = op->def == FUNC_OP(func) && rt_has_checks(op);
        if (op->def != FUNC_OP(func) || (!checks && (!reference || any_checks(module))))
            continue;
        tw_str symbol = ir_symbol_name(op);
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)symbol.size, symbol.data);
        if (ir_op_body(op, 0)->n_args) {
            printf("%s: @%s: not supported: it has arguments\n", path, name);
            t->unsupported++;
        } else if (!reference || !evaluate(path, module, op, name, t)) {
            run_function(path, chunk, first_line, name, t);
        }
    }
    ir_context_destroy(ctx);
}

static int run_all(const char *path, tw_strbuf text, bool reference)
{
    static const char marker[] = "// -----";
    tally t = {0};
    unsigned line = 0;
    for (const char *at = text.data, *end = at + text.size; at < end;) {
        const char *next = strstr(at, marker);
        next = next ? next : end;
        run_chunk(path, (tw_str){at, (size_t)(next - at)}, line, reference, &t);
        for (; at < next; at++)
            line += *at == '\n';
        at = next == end ? end : next + sizeof marker - 1;
    }
    if (reference && t.passed + t.failed + t.unsupported == 0) {
        fprintf(stderr, "%s: error: no function checks itself\n", path);
        return CLI_UNSUPPORTED;
    }
    printf("%zu passed, %zu failed, %zu not supported\n", t.passed, t.failed,
           t.unsupported);
    if (t.unsupported && !reference)
        printf("help: stablehlo-translate --interpret %s computes what the device does not "
               "take\n",
               path);
    return t.failed ? 1 : t.unsupported ? CLI_UNSUPPORTED : 0;
}

int self_check_run(const char *path, tw_strbuf text)
{
    return run_all(path, text, false);
}

int self_check_interpret(const char *path, tw_strbuf text)
{
    return run_all(path, text, true);
}
