/* run.c: see run.h. */
#include "run.h"

#include "arrays.h"
#include "cli.h"
#include "explain.h"
#include "first_off.h"
#include "profile.h"
#include "progress.h"
#include "report.h"
#include "runtime/validate/validate.h"
#include "self_check.h"
#include "support/arena.h"
#include "support/compare.h"
#include "support/element.h"
#include "support/file.h"
#include "tilewright/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- inputs ------------------------------------------------------------------------- */

/* Uniform in [-1, 1); a linear congruential generator: a seed gives the same values
 * everywhere.  Constants: Knuth, MMIX. */
static double next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

static void fill_random(const tw_tensor_desc *d, void *data, uint64_t *state)
{
    size_t size = tw_dtype_size(d->dtype), n = size ? d->bytes / size : 0;
    const bool real = d->dtype == TW_F32 || d->dtype == TW_F64 || d->dtype == TW_BF16 ||
                      d->dtype == TW_F16 || d->dtype == TW_BOOL;
    for (size_t i = 0; i < n; i++) {
        double x = next_random(state);
        /* small integers, valid as indices */
        tool_store_element(d->dtype, data, i, real ? x : (x + 1) * 4);
    }
}

tw_status run_make_inputs(const tw_program *p, const run_options *o, void **data)
{
    npz given = {0};
    uint64_t state = (uint64_t)o->seed;
    if (o->inputs)
        TW_TRY(npz_read_list(o->inputs, "in", &given));
    tw_status status =
        o->inputs ? array_check_names(&given, o->inputs, "in", tw_program_input_count(p),
                                      tw_program_output_count(p))
                  : TW_SUCCESS;
    for (size_t i = 0; status == TW_SUCCESS && i < tw_program_input_count(p); i++) {
        const tw_tensor_desc *d = tw_program_input(p, i);
        char name[32];
        snprintf(name, sizeof name, "in%zu", i);
        status = tensor_create(d, "input", i, &data[i]);
        if (status)
            break;
        if (o->inputs)
            status = array_take(&given, o->inputs, name, d, data[i]);
        else
            fill_random(d, data[i], &state);
    }
    npz_free(&given);
    return status;
}

/* ---- results ------------------------------------------------------------------------ */

static void show(const tw_tensor_desc *d, const void *data, size_t i)
{
    size_t n = tw_dtype_size(d->dtype) ? d->bytes / tw_dtype_size(d->dtype) : 0;
    tw_strbuf shape = {0};
    array_put_shape(&shape, d->dtype, d->dims, d->rank);
    printf("out%zu: %s =", i, tw_strbuf_text(&shape));
    tw_strbuf_free(&shape);
    for (size_t k = 0; k < n && k < 8; k++)
        printf(" %.6g", tool_element(d->dtype, data, k));
    printf("%s\n", n > 8 ? " ..." : "");
}

/* The bounds of `--rtol`, `--atol` and `--pcc`. */
typedef struct verdict_options {
    bool bounded, correlated; /* by the command line rather than by type */
    bounds bounds;
    double pcc;
} verdict_options;

static tw_status parse_bound(const char *option, const char *text, verdict_options *v,
                             double *out)
{
    char *end = NULL;
    if (!text)
        return TW_SUCCESS;
    v->bounded = true;
    *out = strtod(text, &end);
    if (*end || end == text || !(*out >= 0) || isinf(*out))
        return tw_error(TW_INVALID, "--%s %s is no finite number from 0 on", option, text);
    return TW_SUCCESS;
}

static tw_status parse_verdict(const run_options *o, verdict_options *v)
{
    char *end = NULL;
    *v = (verdict_options){.pcc = 0.99, .correlated = o->pcc};
    TW_TRY(parse_bound("rtol", o->rtol, v, &v->bounds.relative));
    TW_TRY(parse_bound("atol", o->atol, v, &v->bounds.absolute));
    if (o->pcc && ((v->pcc = strtod(o->pcc, &end)) > 1 || !(v->pcc > 0) || *end))
        return tw_error(TW_INVALID, "--pcc %s is no number between 0 and 1", o->pcc);
    return TW_SUCCESS;
}

/* The format of the result's rounding: its own, or a coarser one chosen by --dtype. */
static tw_dtype computed_in(const tw_program *p, tw_dtype type, const char *dtype)
{
    static const tw_dtype formats[] = {TW_BF16, TW_BFP_BF8};
    const bool wide = type == TW_F32 || type == TW_F64, half = type == TW_BF16;
    for (size_t i = 0; dtype && i < TW_COUNT(formats); i++)
        if (strcmp(dtype, tw_dtype_name(formats[i])) == 0 &&
            (wide || type == TW_F16 || (half && formats[i] == TW_BFP_BF8)))
            return formats[i];
    return type == TW_F64 && !tw_program_host_op_count(p) ? TW_F32 : type;
}

static bool agrees(const comparison *c, const verdict_options *v, bool correlated)
{
    /* nearly constant expected values correlate only by their rounding */
    return c->outside == 0 && (!correlated || c->expected_deviation <= c->worst_bound ||
                               c->largest == 0 || c->pcc >= v->pcc);
}

/* Also records a difference for reports. */
static void print_verdict(tool_report *r, size_t i, const tw_tensor_desc *d, elements got,
                          elements want, const comparison *c, bool ok)
{
    tw_strbuf text = {0}, worst = {0};
    compare_put_worst(&worst, c, d, got, want);
    tw_strbuf_printf(&text, "out%zu: pcc %.8f, largest difference %g: %s", i, c->pcc,
                     c->largest, ok ? "ok" : "DIFFERS");
    if (c->outside)
        tw_strbuf_printf(&text, "; %zu of %zu elements are outside their bound", c->outside,
                         got.n);
    if (worst.size)
        tw_strbuf_printf(&text, "; %s, bound %g", tw_strbuf_text(&worst), c->worst_bound);
    puts(tw_strbuf_text(&text));
    if (r->list && !ok)
        tw_diagnostics_add(r->list, &(tw_diagnostic){.severity = TW_SEVERITY_ERROR,
                                                     .rule = "verdict",
                                                     .text = tw_strbuf_text(&text)});
    tw_strbuf_free(&text);
    tw_strbuf_free(&worst);
}

/* Compares output i with the file's array. */
static bool compare(const tw_program *p, tool_report *r, const npz *wanted,
                    const run_options *o, const verdict_options *v, const void *data,
                    size_t i)
{
    const tw_tensor_desc *d = tw_program_output(p, i);
    size_t n = tw_dtype_size(d->dtype) ? d->bytes / tw_dtype_size(d->dtype) : 0;
    char name[32];
    elements got = {d->dtype, data, n}, want = {.n = n};
    snprintf(name, sizeof name, "out%zu", i);
    tw_status status = array_wanted(wanted, o->expect, name, d, &want.data, &want.type);
    if (status) {
        printf("%s: %s\n", name, tw_status_message(status));
        tw_status_free(status);
        return false;
    }
    tw_dtype format = computed_in(p, d->dtype, o->dtype);
    comparison c = tool_compare(
        got, want, v->bounded ? v->bounds : compare_default_bounds(format, want));
    bool ok = agrees(&c, v, v->correlated || (!v->bounded && compare_is_coarse(format)));
    print_verdict(r, i, d, got, want, &c, ok);
    return ok;
}

/* Shows or compares the results. */
static tw_status compare_outputs(const tw_program *p, tool_report *r, const run_options *o,
                                 void **out, bool *ok)
{
    size_t n = tw_program_output_count(p);
    npz wanted = {0};
    verdict_options v;
    *ok = true;
    TW_TRY(parse_verdict(o, &v));
    if (o->expect)
        TW_TRY(npz_read_list(o->expect, "out", &wanted));
    tw_status status = o->expect ? array_check_names(&wanted, o->expect, "out",
                                                     tw_program_input_count(p), n)
                                 : TW_SUCCESS;
    for (size_t i = 0; status == TW_SUCCESS && i < n; i++)
        if (o->expect)
            *ok &= compare(p, r, &wanted, o, &v, out[i], i);
        else
            show(tw_program_output(p, i), out[i], i);
    npz_free(&wanted);
    return status;
}

static int finish(const tw_program *p, tool_report *r, const run_options *o, void **out)
{
    bool ok;
    tw_status status = compare_outputs(p, r, o, out, &ok);
    if (status)
        return report_fail(r, status);
    npz results = {0};
    for (size_t i = 0; o->outputs && i < tw_program_output_count(p); i++)
        array_add(&results, "out", i, tw_program_output(p, i), out[i]);
    status = o->outputs ? npz_write(o->outputs, &results) : TW_SUCCESS;
    npz_free(&results);
    return status ? report_fail(r, status) : ok ? 0 : 1;
}

/* A note on stderr, and a remark of reports. */
static void note(tool_report *r, const char *file, unsigned line, const char *text)
{
    if (r->list)
        tw_diagnostics_add(r->list, &(tw_diagnostic){.severity = TW_SEVERITY_REMARK,
                                                     .at = {file, line, 0},
                                                     .text = text});
    if (r->on_stderr)
        return;
    fputs(file, stderr);
    if (line)
        fprintf(stderr, ":%u", line);
    fprintf(stderr, ": note: %s\n", text);
}

/* Reports the operations that the host runs. */
static void note_host(const tw_program *p, tool_report *r)
{
    for (size_t i = 0; i < tw_program_host_op_count(p); i++) {
        const tw_host_op *op = tw_program_host_op(p, i);
        tw_strbuf text = {0};
        tw_strbuf_printf(&text, "runs on the host: '%s'", op->name);
        if (op->count > 1)
            tw_strbuf_printf(&text, " and %zu more", op->count - 1);
        tw_strbuf_printf(&text, " (%s)", op->why);
        note(r, op->file ? op->file : r->input, op->line, tw_strbuf_text(&text));
        tw_strbuf_free(&text);
    }
}

/* Reports where a binary computes with fewer bits than the program that it was made of. */
static void note_narrowing(const tw_program *p, tool_report *r)
{
    const size_t n = tw_program_narrowed_count(p);
    tw_strbuf text = {0};
    if (n) {
        tw_strbuf_printf(
            &text,
            "%zu operation%s f32 to bf16, as the pipeline for the hardware does: these "
            "values keep 8 bits; running the program itself keeps f32 (docs/exactness.md)",
            n, n == 1 ? " converts" : "s convert");
        note(r, r->input, 0, tw_strbuf_text(&text));
    }
    tw_strbuf_free(&text);
}

/* After results that differ from the expected ones: the first operation of the device whose
 * result is not the reference evaluator's. */
static void name_first_off(const char *path, tw_str text, const run_options *o,
                           void *const *in, tool_report *r)
{
    first_off f;
    tw_strbuf line = {0};
    const first_off_question q = {.text = text,
                                  .name = path,
                                  .entry = o->entry,
                                  .dtype = o->dtype,
                                  .inputs = (const void *const *)in,
                                  .seconds = 2};
    first_off_find(&q, &f);
    if (f.found)
        first_off_print(&f, &line);
    else if (f.known && !f.result_is_off)
        tw_strbuf_puts(&line,
                       "the reference evaluator gives what the device gives: what is "
                       "expected is not what the program computes");
    else if (f.known)
        tw_strbuf_printf(&line,
                         "the %zu operations that can be compared with the reference "
                         "evaluator agree; tilewright blame looks further",
                         f.agreeing);
    if (line.size)
        puts(line.data);
    if (r->list && f.found)
        tw_diagnostics_add(r->list, &(tw_diagnostic){.severity = TW_SEVERITY_ERROR,
                                                     .rule = "first operation",
                                                     .at = {f.file, f.line, f.column},
                                                     .text = line.data});
    tw_strbuf_free(&line);
    tw_strbuf_free(&f.text);
}

/* Prints the compiler's warnings, each once: parts of a program that goes to the host have
 * the same options. */
static void print_warnings(const tw_diagnostics *list, size_t from)
{
    for (size_t i = from; i < tw_diagnostics_count(list); i++) {
        const tw_diagnostic *d = tw_diagnostics_at(list, i);
        bool known = d->severity != TW_SEVERITY_WARNING;
        for (size_t k = from; k < i && !known; k++)
            known = !strcmp(tw_diagnostics_at(list, k)->text, d->text);
        if (!known)
            fprintf(stderr, "tilewright run: warning: %s\n", d->text);
    }
}

static int run_reported(const char *path, const run_options *o, tool_report *r)
{
    tw_strbuf text = {0};
    tw_program *p = NULL;
    tw_status status = tw_file_read(path, &text);
    if (status == TW_SUCCESS && self_check_wanted(text, o->entry)) {
        int code = self_check_run(path, text, !o->no_host);
        tw_strbuf_free(&text);
        return code;
    }
    tw_diagnostics *warnings = r->list ? r->list : tw_diagnostics_create();
    const size_t before = tw_diagnostics_count(warnings);
    tw_progress *progress = progress_start("tilewright run", "compiling");
    validator *v = validator_from_environment(array_write_inputs);
    explainer *e = NULL;
    ir_watch *watch = v ? validator_watch(v) : NULL;
    if (status == TW_SUCCESS && o->explain)
        status = explainer_open(o->explain, "tilewright run", path, &e);
    if (e) {
        explainer_watch(e)->next = watch;
        watch = explainer_watch(e);
    }
    if (status == TW_SUCCESS)
        status = tw_program_compile(
            tw_strbuf_text(&text), text.size,
            &(tw_compile_options){.name = path,
                                  .entry = o->entry,
                                  .dtype = o->dtype,
                                  .pipeline_options = o->pipeline_options,
                                  .dump_dir = o->dump,
                                  .threads = profile_threads(o->threads),
                                  .dram_fallback =
                                      profile_flag_variable("TT_METAL_DRAM_FALLBACK"),
                                  .host = !o->no_host,
                                  .kernels = tw_grid_engine(),
                                  .progress = progress,
                                  .diagnostics = warnings,
                                  .watch = watch},
            &p);
    validator_destroy(v);
    tw_status explained = explainer_close(e);
    if (status == TW_SUCCESS)
        status = explained;
    else
        tw_status_free(explained);
    progress_stop();
    print_warnings(warnings, before);
    if (!r->list)
        tw_diagnostics_destroy(warnings);
    if (status != TW_SUCCESS) {
        tw_strbuf_free(&text);
        return report_fail(r, status);
    }
    note_host(p, r);
    note_narrowing(p, r);
    bool noted = tw_program_host_op_count(p) > 0;
    size_t n_in = tw_program_input_count(p), n_out = tw_program_output_count(p);
    void **in = tw_xcalloc(n_in + 1, sizeof *in),
         **out = tw_xcalloc(n_out + 1, sizeof *out);
    status = tensor_create_outputs(p, out);
    if (status == TW_SUCCESS)
        status = run_make_inputs(p, o, in);
    tw_program_set_profiling(p, o->profile || o->profile_page);
    progress_start("tilewright run", "running");
    if (status == TW_SUCCESS)
        status = tw_program_run(p, (const void *const *)in, out);
    progress_stop();
    if (!noted) /* arguments decided */
        note_host(p, r);
    int code = status == TW_SUCCESS ? finish(p, r, o, out) : report_fail(r, status);
    if (status == TW_SUCCESS && o->profile)
        profile_print(p);
    if (status == TW_SUCCESS && o->profile_page) {
        tw_status written = tw_program_write_page(p, o->profile_page);
        code = written ? report_fail(r, written) : code;
    }
    if (status == TW_SUCCESS && o->expect && code == 1)
        name_first_off(path, (tw_str){tw_strbuf_text(&text), text.size}, o, in, r);
    tw_strbuf_free(&text);
    cli_free_arrays(in, n_in);
    cli_free_arrays(out, n_out);
    tw_program_destroy(p);
    return code;
}

int run_file(const char *path, const run_options *o)
{
    tool_report r;
    if (!report_begin(&r, "tilewright run", path, &o->report))
        return 1;
    return report_end(&r, run_reported(path, o, &r));
}
