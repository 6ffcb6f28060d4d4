/* blame.c: see blame.h.
 *
 * Stages are asked in order: the program itself beside what is expected (by the reference
 * evaluator), each pass (by the validator), then the device (by a trace of its operations
 * beside the evaluator's). */
#include "blame.h"

#include "arrays.h"
#include "cli.h"
#include "first_off.h"
#include "ir/text.h"
#include "pipelines/dialects.h"
#include "progress.h"
#include "reduce.h"
#include "runtime/validate/interpret.h"
#include "source.h"
#include "support/file.h"
#include "tilewright/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CANNOT_SAY = 2 };

typedef struct blamed {
    const char *path;
    const blame_options *o;
    source text;
    tw_program *program;
    void **in;
    bounds bounds;
    bool bounded;
    first_off first;
} blamed;

static tw_status parse_bound(const char *option, const char *text, blamed *b, double *out)
{
    char *end = NULL;
    if (!text)
        return TW_SUCCESS;
    b->bounded = true;
    *out = strtod(text, &end);
    if (*end || end == text || !(*out >= 0) || isinf(*out))
        return tw_error(TW_INVALID, "--%s %s is no finite number from 0 on", option, text);
    return TW_SUCCESS;
}

/* Reads the program and its inputs. */
static tw_status open_program(blamed *b)
{
    TW_TRY(parse_bound("atol", b->o->run.atol, b, &b->bounds.absolute));
    TW_TRY(parse_bound("rtol", b->o->run.rtol, b, &b->bounds.relative));
    TW_TRY(source_read(b->path, &b->text));
    TW_TRY(tw_program_compile(b->text.text.data, b->text.text.size,
                              &(tw_compile_options){.name = b->path,
                                                    .entry = b->o->run.entry,
                                                    .dtype = b->o->run.dtype,
                                                    .host = true,
                                                    .kernels = tw_grid_engine()},
                              &b->program));
    b->in = tw_xcalloc(tw_program_input_count(b->program) + 1, sizeof *b->in);
    return run_make_inputs(b->program, &b->o->run, b->in);
}

static void close_program(blamed *b)
{
    if (b->in)
        cli_free_arrays(b->in, tw_program_input_count(b->program));
    tw_program_destroy(b->program);
    tw_strbuf_free(&b->first.text);
    source_free(&b->text);
}

static void find_first(blamed *b)
{
    const first_off_question q = {.text = b->text.text,
                                  .name = b->path,
                                  .entry = b->o->run.entry,
                                  .dtype = b->o->run.dtype,
                                  .inputs = (const void *const *)b->in,
                                  .bounds = b->bounded ? &b->bounds : NULL,
                                  .seconds = (int)TW_MAX(b->o->timeout, (int64_t)1)};
    first_off_find(&q, &b->first);
}

/* ---- stages */

/* The level that a pass works on, by its name. */
static const char *stage_of(const char *report)
{
    static const struct {
        const char *part, *stage;
    } stages[] = {{"stablehlo-to-ttir", "StableHLO to TTIR"},
                  {"composite-to-ttir", "StableHLO to TTIR"},
                  {"ttir-to-ttnn", "TTIR to TTNN"},
                  {"ttnn", "TTNN"},
                  {"ttir", "TTIR"},
                  {"stablehlo", "StableHLO"},
                  {"chlo", "StableHLO"}};
    const size_t end = strcspn(report, "@");
    for (size_t i = 0; i < TW_COUNT(stages); i++)
        if (memmem(report, end, stages[i].part, strlen(stages[i].part)))
            return stages[i].stage;
    return "the passes";
}

/* The validator's report of the first pass that changes results: true if there is one. */
static bool blame_pass(blamed *b)
{
    tw_diagnostics *list = tw_diagnostics_create();
    validator *v = validator_create(NULL, NULL);
    tw_program *p = NULL;
    bool found = false;
    tw_status status =
        tw_program_compile(b->text.text.data, b->text.text.size,
                           &(tw_compile_options){.name = b->path,
                                                 .entry = b->o->run.entry,
                                                 .kernels = tw_grid_engine(),
                                                 .diagnostics = list,
                                                 .watch = validator_watch(v)},
                           &p);
    for (size_t i = 0; i < tw_diagnostics_count(list) && !found; i++) {
        const tw_diagnostic *d = tw_diagnostics_at(list, i);
        found = d->rule && strcmp(d->rule, "changed results") == 0;
        if (found)
            printf("stage: %s: %s\n", stage_of(d->text), d->text);
    }
    tw_status_free(status);
    tw_program_destroy(p);
    validator_destroy(v);
    tw_diagnostics_destroy(list);
    return found;
}

/* The reference's results beside the expected ones: true if they differ. */
static tw_status blame_program(blamed *b, bool *out_off)
{
    npz wanted = {0};
    trace t = {0};
    const char *why;
    *out_off = false;
    if (!b->o->run.expect)
        return TW_SUCCESS;
    const size_t n = tw_program_output_count(b->program);
    void **out = tw_xcalloc(n + 1, sizeof *out);
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_op *module = ir_parse(ctx, b->text.text, b->path, NULL);
    tw_status status = tensor_create_outputs(b->program, out);
    if (status == TW_SUCCESS)
        status = npz_read_list(b->o->run.expect, "out", &wanted);
    if (status == TW_SUCCESS)
        status = array_check_names(&wanted, b->o->run.expect, "out",
                                   tw_program_input_count(b->program), n);
    const bool ran = status == TW_SUCCESS && module &&
                     interpret_trace_reference(
                         module, b->o->run.entry ? b->o->run.entry : "main",
                         (const void *const *)b->in, out, (int)b->o->timeout, &t, &why);
    for (size_t i = 0; ran && status == TW_SUCCESS && i < n && !*out_off; i++) {
        const tw_tensor_desc *d = tw_program_output(b->program, i);
        char name[32];
        elements want = {.n = d->bytes / tw_dtype_size(d->dtype)};
        const elements got = {d->dtype, out[i], want.n};
        snprintf(name, sizeof name, "out%zu", i);
        status = array_wanted(&wanted, b->o->run.expect, name, d, &want.data, &want.type);
        if (status != TW_SUCCESS)
            break;
        comparison c = tool_compare(
            got, want, b->bounded ? b->bounds : compare_default_bounds(d->dtype, want));
        *out_off = c.outside > 0;
        if (*out_off) {
            tw_strbuf text = {0};
            compare_put_worst(&text, &c, d, got, want);
            printf(
                "stage: the program itself: the reference evaluator gives %s: %s; what is "
                "expected is not what this program computes\n",
                name, tw_strbuf_text(&text));
            tw_strbuf_free(&text);
        }
    }
    trace_free(&t);
    npz_free(&wanted);
    cli_free_arrays(out, n);
    ir_context_destroy(ctx);
    return status;
}

/* ---- reducing */

/* The command that keeps programs whose first operation off is the same one. */
static bool put_command(const blamed *b, tw_strbuf *out)
{
    char self[4096];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0 || n == (ssize_t)sizeof self - 1)
        return false;
    self[n] = 0;
    tw_strbuf_printf(out, "'%s' blame --shows='%s' --timeout=10", self, b->first.op);
    if (b->o->run.dtype)
        tw_strbuf_printf(out, " --dtype='%s'", b->o->run.dtype);
    if (b->o->run.atol)
        tw_strbuf_printf(out, " --atol='%s'", b->o->run.atol);
    if (b->o->run.rtol)
        tw_strbuf_printf(out, " --rtol='%s'", b->o->run.rtol);
    tw_strbuf_printf(out, " --seed=%lld", (long long)b->o->run.seed);
    return true;
}

static int reduce_program(const blamed *b)
{
    tw_strbuf command = {0};
    if (!put_command(b, &command))
        return cli_error("tilewright", tw_error(TW_IO, "cannot find this program's file"));
    const reduce_options o = {.test = command.data,
                              .output = b->o->output,
                              .timeout = 30,
                              .tries = b->o->tries,
                              .threads = b->o->run.threads};
    fflush(stdout);
    const int code = reduce_file(b->path, &o);
    if (code == 0)
        printf("reduced: %s; tilewright blame %s%s%s shows it\n", b->o->output,
               b->o->output, b->o->run.dtype ? " --dtype=" : "",
               b->o->run.dtype ? b->o->run.dtype : "");
    else
        printf(
            "not reduced: it does not show on random inputs, or the reducer was stopped\n");
    tw_strbuf_free(&command);
    return code;
}

/* ---- the command */

static int say(blamed *b)
{
    bool off;
    tw_status status = blame_program(b, &off);
    if (status != TW_SUCCESS)
        return cli_fail(status);
    if (off)
        return 1;
    if (!b->first.known) {
        fprintf(stderr, "tilewright: no operation can be blamed: %s\n",
                tw_strbuf_text(&b->first.text));
        return CANNOT_SAY;
    }
    if (!b->first.found && !b->first.result_is_off) {
        printf(
            "nothing is off: %zu operations of the device and all results agree with the "
            "reference evaluator\n",
            b->first.agreeing);
        return 0;
    }
    tw_strbuf line = {0};
    first_off_print(&b->first, &line);
    if (line.size)
        puts(line.data);
    else
        printf("a result is off, but no operation that can be compared with the reference "
               "evaluator\n");
    tw_strbuf_free(&line);
    if (!blame_pass(b))
        printf("stage: the device%s%s: no pass changes the results\n",
               b->o->run.dtype ? ", which computes in " : "",
               b->o->run.dtype ? b->o->run.dtype : "");
    if (b->first.found && !b->o->no_reduce)
        reduce_program(b);
    return 1;
}

int blame(const char *path, const blame_options *options)
{
    blamed b = {.path = path, .o = options};
    int code;
    tw_status status = open_program(&b);
    if (status != TW_SUCCESS) {
        code = cli_fail(status);
        code = code == 1 ? CANNOT_SAY : code;
    } else {
        find_first(&b);
        code = options->shows ? !(b.first.found && strcmp(b.first.op, options->shows) == 0)
                              : say(&b);
    }
    close_program(&b);
    return code;
}
