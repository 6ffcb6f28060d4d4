/* main.c: what the page calls: a program through the passes, run, and its kernels on the
 * simulated grid.  Each returns JSON that is valid until the next call. */
#include "ir/diagnostic_print.h"
#include "ir/op.h"
#include "ir/pass/pass.h"
#include "ir/text.h"
#include "ir/watch.h"
#include "line_diff.h"
#include "pipelines/dialects.h"
#include "pipelines/registry.h"
#include "support/arena.h"
#include "support/element.h"
#include "support/json.h"
#include "support/status.h"
#include "tilewright/grid.h"
#include "tilewright/sim.h"

#include <stdlib.h>
#include <time.h>

#define EXPORT(name) __attribute__((export_name(#name)))

static tw_strbuf answer;

EXPORT(play_alloc) void *play_alloc(size_t size)
{
    return malloc(size);
}

EXPORT(play_free) void play_free(void *at)
{
    free(at);
}

static void text_member(tw_json *j, const char *name, const char *text)
{
    tw_json_text(j, name, (tw_str){text, strlen(text)});
}

static tw_json begin_answer(void)
{
    answer.size = 0;
    tw_json j = {.out = &answer};
    tw_json_open(&j, NULL, '{');
    return j;
}

static const char *end_answer(tw_json *j)
{
    tw_json_close(j, '}');
    return tw_strbuf_text(&answer);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* ---- passes ---------------------------------------------------------------------------
 */

typedef struct stages {
    ir_watch watch; /* the first member */
    tw_json *j;
    tw_strbuf before;
    double start;
} stages;

static ir_op *root_of(ir_op *op)
{
    for (ir_op *parent; (parent = ir_op_parent(op));)
        op = parent;
    return op;
}

static void print(ir_op *op, tw_strbuf *out)
{
    ir_print_op(root_of(op), &(ir_print_options){.assume_verified = true}, out);
}

static void before_pass(ir_watch *watch, const char *pass, ir_op *op)
{
    (void)pass;
    (void)op;
    ((stages *)watch)->start = now();
}

/* A stage: its pass, time, and lines as a kind ("=", "~", "-", "+") with the text. */
static bool after_pass(ir_watch *watch, const char *pass, ir_op *op)
{
    static const char kinds[] = "=~-+";
    stages *s = (stages *)watch;
    const double ms = now() - s->start;
    tw_strbuf after = {0};
    size_t n;
    print(op, &after);
    if (after.size == s->before.size && !memcmp(after.data, s->before.data, after.size)) {
        tw_strbuf_free(&after);
        return true;
    }
    diff_line *lines = line_diff((tw_str){s->before.data, s->before.size},
                                 (tw_str){after.data, after.size}, &n);
    tw_json_open(s->j, NULL, '{');
    text_member(s->j, "pass", pass);
    tw_json_real(s->j, "ms", ms);
    tw_json_open(s->j, "lines", '[');
    for (size_t i = 0; i < n; i++) {
        tw_strbuf line = {0};
        tw_strbuf_putc(&line, kinds[lines[i].kind]);
        tw_strbuf_str(&line, lines[i].text);
        tw_json_text(s->j, NULL, (tw_str){line.data, line.size});
        tw_strbuf_free(&line);
    }
    tw_json_close(s->j, ']');
    tw_json_close(s->j, '}');
    free(lines);
    tw_strbuf_free(&s->before);
    s->before = after;
    return true;
}

/* {"stages": [...], "error": "", "text": the program at the end} */
EXPORT(play_passes) const char *play_passes(const char *text, const char *pipeline)
{
    tw_json j = begin_answer();
    ir_diagnostic_log log = {.quotes = {{text, strlen(text)}, "program.mlir"}};
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_set_sink(ctx, ir_diagnostic_log_sink(&log));
    ir_op *module = ir_parse(ctx, log.quotes.text, "program.mlir", NULL);
    stages s = {.watch = {.before_pass = before_pass, .after_pass = after_pass}, .j = &j};
    tw_json_open(&j, "stages", '[');
    if (module) {
        print(module, &s.before);
        ir_context_set_watch(ctx, &s.watch);
        pass_manager *pm = pass_manager_create(ctx, &tw_passes, &(pass_config){0});
        if (!*pipeline ||
            (pass_manager_add(pm, tw_str_from(pipeline)) && pass_manager_run(pm, module)))
            ir_flush_diagnostics(ctx);
        pass_manager_destroy(pm);
    }
    tw_json_close(&j, ']');
    ir_flush_diagnostics(ctx);
    text_member(&j, "error", tw_strbuf_text(&log.text));
    text_member(&j, "text", tw_strbuf_text(&s.before));
    ir_context_destroy(ctx);
    tw_strbuf_free(&s.before);
    tw_strbuf_free(&log.text);
    return end_answer(&j);
}

/* ---- running --------------------------------------------------------------------------
 */

static void put_tensor(tw_json *j, const tw_tensor_desc *d, const void *data)
{
    tw_strbuf line = {0};
    const size_t n = d->bytes / tw_dtype_size(d->dtype);
    tw_strbuf_printf(&line, "%s[", tw_dtype_name(d->dtype));
    for (int i = 0; i < d->rank; i++)
        tw_strbuf_printf(&line, "%s%lld", i ? ", " : "", (long long)d->dims[i]);
    tw_strbuf_puts(&line, "] =");
    for (size_t i = 0; i < n && i < 12; i++)
        tw_strbuf_printf(&line, " %.6g", tool_element(d->dtype, data, i));
    tw_strbuf_puts(&line, n > 12 ? " ..." : "");
    tw_json_text(j, NULL, (tw_str){line.data, line.size});
    tw_strbuf_free(&line);
}

/* Uniform in [-1, 1), as `tilewright run` without a seed; small integers. */
static void fill(const tw_tensor_desc *d, void *data, uint64_t *state)
{
    const size_t n = d->bytes / tw_dtype_size(d->dtype);
    for (size_t i = 0; i < n; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double x = (double)(*state >> 11) / 4503599627370496.0 - 1.0;
        tool_store_element(d->dtype, data, i,
                           tool_is_float(d->dtype) || d->dtype == TW_BOOL ? x
                                                                          : (x + 1) * 4);
    }
}

typedef struct arrays {
    void *at[64];
    size_t n;
} arrays;

static bool allocate(arrays *a, size_t bytes)
{
    if (a->n == TW_COUNT(a->at))
        return false;
    a->at[a->n] = calloc(1, bytes + 64);
    return a->at[a->n] ? (a->n++, true) : false;
}

static void free_arrays(arrays *a)
{
    while (a->n)
        free(a->at[--a->n]);
}

static void finish(tw_json *j, tw_status status, double start)
{
    text_member(j, "error", tw_status_message(status));
    tw_json_real(j, "ms", now() - start);
    tw_status_free(status);
}

/* {"outputs": [...], "error": "", "ms": 1.5} */
EXPORT(play_run) const char *play_run(const char *text)
{
    tw_json j = begin_answer();
    tw_program *p = NULL;
    arrays in = {0}, out = {0};
    uint64_t state = 0;
    const double start = now();
    tw_status status = tw_program_compile(
        text, strlen(text),
        &(tw_compile_options){
            .name = "program.mlir", .host = true, .kernels = tw_grid_engine()},
        &p);
    bool room = true;
    for (size_t i = 0; !status && i < tw_program_input_count(p) && room; i++)
        if ((room = allocate(&in, tw_program_input(p, i)->bytes)))
            fill(tw_program_input(p, i), in.at[i], &state);
    for (size_t i = 0; !status && i < tw_program_output_count(p) && room; i++)
        room = allocate(&out, tw_program_output(p, i)->bytes);
    if (!status && !room)
        status = tw_error(TW_RESOURCE, "the tensors do not fit into the page's memory");
    if (!status)
        status = tw_program_run(p, (const void *const *)in.at, out.at);
    tw_json_open(&j, "outputs", '[');
    for (size_t i = 0; !status && i < tw_program_output_count(p); i++)
        put_tensor(&j, tw_program_output(p, i), out.at[i]);
    tw_json_close(&j, ']');
    finish(&j, status, start);
    tw_program_destroy(p);
    free_arrays(&in);
    free_arrays(&out);
    return end_answer(&j);
}

/* {"outputs": [...], "log": reports, "profile": cycles, "page": the timeline, "error": ""}
 */
EXPORT(play_grid) const char *play_grid(const char *text)
{
    tw_json j = begin_answer();
    tw_sim *sim = NULL;
    arrays in = {0}, out = {0};
    const double start = now();
    bool room = true;
    tw_status status = tw_sim_load(
        text, strlen(text),
        &(tw_sim_options){.name = "program.mlir", .budget = 1 << 24, .profile = true},
        &sim);
    for (size_t i = 0; !status && i < tw_sim_input_count(sim) && room; i++) {
        const tw_tensor_desc *d = tw_sim_input(sim, i);
        room = allocate(&in, d->bytes);
        for (size_t k = 0; room && k < d->bytes / tw_dtype_size(d->dtype); k++)
            tool_store_element(d->dtype, in.at[i], k, (double)(k % 7));
    }
    for (size_t i = 0; !status && i < tw_sim_output_count(sim) && room; i++)
        room = allocate(&out, tw_sim_output(sim, i)->bytes);
    if (!status && !room)
        status = tw_error(TW_RESOURCE, "the tensors do not fit into the page's memory");
    if (!status)
        status = tw_sim_run(sim, (const void *const *)in.at, out.at);
    tw_json_open(&j, "outputs", '[');
    for (size_t i = 0; !status && i < tw_sim_output_count(sim); i++)
        put_tensor(&j, tw_sim_output(sim, i), out.at[i]);
    tw_json_close(&j, ']');
    text_member(&j, "log", sim ? tw_sim_log(sim) : "");
    text_member(&j, "profile", sim ? tw_sim_profile(sim) : "");
    text_member(&j, "page", sim ? tw_sim_trace_html(sim) : "");
    finish(&j, status, start);
    tw_sim_destroy(sim);
    free_arrays(&in);
    free_arrays(&out);
    return end_answer(&j);
}
