/* tilewright.c: `tilewright run FILE`: compiles a program through every level, runs it and
 * shows or compares the results; `tilewright sim FILE`: runs kernels on the simulated
 * device; `tilewright reduce FILE`: shrinks a module; `tilewright doctor`: what works here.
 */
#include "tilewright/tilewright.h"
#include "cli.h"
#include "compare.h"
#include "kernel/isa.h"
#include "npz.h"
#include "profile.h"
#include "reduce.h"
#include "self_check.h"
#include "sim.h"
#include "support/arena.h"
#include "support/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXIT_UNSUPPORTED = 77 };

typedef struct run_options {
    const char *inputs, *outputs, *expect, *entry, *dump;
    bool profile;
    int64_t seed;
} run_options;

static int fail(tw_status status)
{
    bool unsupported = tw_status_code(status) == TW_UNSUPPORTED;
    fprintf(stderr, "tilewright: %s: %s\n", tw_code_name(tw_status_code(status)),
            tw_status_message(status));
    tw_status_free(status);
    return unsupported ? EXIT_UNSUPPORTED : 1;
}

/* ---- inputs ------------------------------------------------------------------------- */

/* Uniform in [-1, 1); a small linear generator: the same seed gives the same numbers
 * everywhere.  Constants: Knuth, MMIX. */
static double next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

static void fill_random(const tw_tensor_desc *d, void *data, uint64_t *state)
{
    size_t size = tw_dtype_size(d->dtype), n = size ? d->bytes / size : 0;
    for (size_t i = 0; i < n; i++) {
        double x = next_random(state);
        switch (d->dtype) {
        case TW_F32:
            ((float *)data)[i] = (float)x;
            break;
        case TW_F64:
            ((double *)data)[i] = x;
            break;
        case TW_BF16: {
            float f = (float)x;
            uint32_t bits;
            memcpy(&bits, &f, 4);
            ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
            break;
        }
        case TW_F16: /* 1 + fraction: every pattern below is a number in [1, 2) */
            ((uint16_t *)data)[i] = (uint16_t)(0x3C00 | (uint16_t)((x + 1) * 511));
            break;
        case TW_BOOL:
            ((uint8_t *)data)[i] = x > 0;
            break;
        default: { /* small whole numbers, also as indices */
            int64_t v = (int64_t)((x + 1) * 4);
            memcpy((char *)data + i * size, &v, size);
        }
        }
    }
}

static void print_shape(const tw_tensor_desc *d)
{
    printf("%s[", tw_dtype_name(d->dtype));
    for (int i = 0; i < d->rank; i++)
        printf("%s%lld", i ? ", " : "", (long long)d->dims[i]);
    printf("]");
}

static tw_status make_inputs(const tw_program *p, const run_options *o, void **data)
{
    npz given = {0};
    uint64_t state = (uint64_t)o->seed;
    if (o->inputs)
        TW_TRY(npz_read_list(o->inputs, "in", &given));
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; status == TW_SUCCESS && i < tw_program_input_count(p); i++) {
        const tw_tensor_desc *d = tw_program_input(p, i);
        char name[32];
        snprintf(name, sizeof name, "in%zu", i);
        data[i] = aligned_alloc(64, tw_align_up(d->bytes + 1, 64));
        const npz_array *a = o->inputs ? npz_find(&given, name) : NULL;
        if (!o->inputs)
            fill_random(d, data[i], &state);
        else if (!a)
            status = tw_error(TW_INVALID, "%s has no array '%s'", o->inputs, name);
        else if (a->bytes != d->bytes || tw_dtype_size(a->dtype) != tw_dtype_size(d->dtype))
            status = tw_error(
                TW_INVALID, "array '%s' has %zu bytes of %s, the program takes %zu of %s",
                name, a->bytes, tw_dtype_name(a->dtype), d->bytes, tw_dtype_name(d->dtype));
        else
            memcpy(data[i], a->data, a->bytes);
    }
    npz_free(&given);
    return status;
}

/* ---- results ------------------------------------------------------------------------ */

static void show(const tw_tensor_desc *d, const void *data, size_t i)
{
    size_t n = tw_dtype_size(d->dtype) ? d->bytes / tw_dtype_size(d->dtype) : 0;
    printf("out%zu: ", i);
    print_shape(d);
    printf(" =");
    for (size_t k = 0; k < n && k < 8; k++)
        printf(" %.6g", tool_element(d->dtype, data, k));
    printf("%s\n", n > 8 ? " ..." : "");
}

static bool compare(const tw_tensor_desc *d, const void *data, const npz_array *want,
                    size_t out)
{
    size_t n = tw_dtype_size(d->dtype) ? d->bytes / tw_dtype_size(d->dtype) : 0;
    tw_dtype type = want->dtype == TW_U16 && d->dtype == TW_BF16 ? TW_BF16 : want->dtype;
    comparison c = tool_compare(d->dtype, data, type, want->data, n, 1e-5, 1e-8);
    bool ok = c.pcc >= 0.99;
    printf("out%zu: pcc %.8f, largest difference %g: %s\n", out, c.pcc, c.largest,
           ok ? "ok" : "DIFFERS");
    return ok;
}

static int finish(const tw_program *p, const run_options *o, void **out)
{
    size_t n = tw_program_output_count(p);
    npz wanted = {0};
    bool ok = true;
    if (o->expect) {
        tw_status status = npz_read_list(o->expect, "out", &wanted);
        if (status != TW_SUCCESS)
            return fail(status);
    }
    npz results = {0};
    for (size_t i = 0; i < n; i++) {
        const tw_tensor_desc *d = tw_program_output(p, i);
        char name[32];
        snprintf(name, sizeof name, "out%zu", i);
        const npz_array *want = npz_find(&wanted, name);
        if (!o->expect) {
            show(d, out[i], i);
        } else if (!want || tw_dtype_size(want->dtype) == 0 ||
                   want->bytes / tw_dtype_size(want->dtype) !=
                       d->bytes / tw_dtype_size(d->dtype)) {
            printf("%s: %s has no array of that name and size\n", name, o->expect);
            ok = false;
        } else {
            ok &= compare(d, out[i], want, i);
        }
        npz_array a = {.name = tw_xstrdup(name),
                       .dtype = d->dtype,
                       .rank = d->rank,
                       .bytes = d->bytes};
        for (int k = 0; k < d->rank && k < 8; k++)
            a.dims[k] = d->dims[k];
        a.data = tw_xmalloc(d->bytes);
        memcpy(a.data, out[i], d->bytes);
        TW_PUSH(results.at, results.count, results.capacity, a);
    }
    tw_status status = o->outputs ? npz_write(o->outputs, &results) : TW_SUCCESS;
    npz_free(&results);
    npz_free(&wanted);
    if (status != TW_SUCCESS)
        return fail(status);
    return ok ? 0 : 1;
}

static int run_program(const char *path, const run_options *o)
{
    tw_strbuf text = {0};
    tw_program *p = NULL;
    tw_status status = tw_file_read(path, &text);
    if (status == TW_SUCCESS && self_check_wanted(text, o->entry)) {
        int code = self_check_run(path, text);
        tw_strbuf_free(&text);
        return code;
    }
    if (status == TW_SUCCESS)
        status =
            tw_program_compile(tw_strbuf_text(&text), text.size,
                               &(tw_compile_options){.name = path,
                                                     .entry = o->entry,
                                                     .dump_dir = o->dump,
                                                     .dram_fallback = profile_flag_variable(
                                                         "TT_METAL_DRAM_FALLBACK")},
                               &p);
    tw_strbuf_free(&text);
    if (status != TW_SUCCESS)
        return fail(status);
    size_t n_in = tw_program_input_count(p), n_out = tw_program_output_count(p);
    void **in = tw_xcalloc(n_in + 1, sizeof *in),
         **out = tw_xcalloc(n_out + 1, sizeof *out);
    for (size_t i = 0; i < n_out; i++)
        out[i] = aligned_alloc(64, tw_align_up(tw_program_output(p, i)->bytes + 1, 64));
    status = make_inputs(p, o, in);
    tw_program_set_profiling(p, o->profile);
    if (status == TW_SUCCESS)
        status = tw_program_run(p, (const void *const *)in, out);
    int code = status == TW_SUCCESS ? finish(p, o, out) : fail(status);
    if (status == TW_SUCCESS && o->profile)
        profile_print(p);
    for (size_t i = 0; i < n_in; i++)
        free(in[i]);
    for (size_t i = 0; i < n_out; i++)
        free(out[i]);
    free(in);
    free(out);
    tw_program_destroy(p);
    return code;
}

/* ---- doctor ------------------------------------------------------------------------- */

static const char self_test[] =
    "func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]\n"
    "      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>\n"
    "  %1 = stablehlo.abs %0 : tensor<4x4xf32>\n"
    "  return %1 : tensor<4x4xf32>\n"
    "}\n";

/* The variables that are set, of those that begin as ours and the peers' do. */
static void show_environment(void)
{
    static const char *const prefixes[] = {"TILEWRIGHT_", "TTXLA_", "TT_", "TTMLIR_"};
    for (char **e = environ; *e; e++)
        for (size_t i = 0; i < TW_COUNT(prefixes); i++)
            if (strncmp(*e, prefixes[i], strlen(prefixes[i])) == 0)
                printf("environment: %s\n", *e);
}

static int doctor(void)
{
    tw_program *p;
    float a[32], b[32], c[16];
    tw_status status = krn_isa_check();
    if (status != TW_SUCCESS)
        return fail(status);
    printf("tilewright %s\n", tw_version());
    printf("kernels: %s (this processor runs up to %s)\n", krn_isa_name(krn_isa_chosen()),
           krn_isa_name(krn_isa_of_machine()));
    show_environment();
    status = tw_program_compile(self_test, sizeof self_test - 1, NULL, &p);
    if (status != TW_SUCCESS)
        return fail(status);
    for (int i = 0; i < 32; i++) {
        a[i] = (float)(i % 7) - 3;
        b[i] = (float)(i % 5) - 2;
    }
    status = tw_program_run(p, (const void *const[]){a, b}, (void *const[]){c});
    tw_program_destroy(p);
    if (status != TW_SUCCESS)
        return fail(status);
    for (int i = 0; i < 16; i++) {
        float want = 0;
        for (int k = 0; k < 8; k++)
            want += a[i / 4 * 8 + k] * b[k * 4 + i % 4];
        if (c[i] != fabsf(want)) {
            printf("self-test: element %d is %g, expected %g\n", i, (double)c[i],
                   (double)fabsf(want));
            return 1;
        }
    }
    printf("self-test: compile and run a matrix product: ok\n");
    return 0;
}

int main(int argc, char **argv)
{
    run_options o = {.seed = 0};
    sim_options s = {.seed = 0};
    reduce_options r = {.output = "-", .timeout = 60};
    bool list = false;
    const cli_option options[] = {
        {"allow-invalid", CLI_FLAG, &r.allow_invalid,
         "reduce: also try modules that the verifier refuses", NULL, false},
        {"budget", CLI_INT, &s.budget,
         "sim: operations of one thread before it counts as endless", "number", false},
        {"chip", CLI_STRING, &s.chip, "sim: n150 (default), n300 or p150", "name", false},
        {"dump", CLI_STRING, &o.dump, "Write the program after each stage into this folder",
         "folder", false},
        {"entry", CLI_STRING, &o.entry, "Function to run (default: main)", "name", false},
        {"expect", CLI_STRING, &o.expect,
         "Compare with arrays out0, out1, ... of an .npz file", "file", false},
        {"list-operations", CLI_FLAG, &list,
         "sim: list TTKernel's operations and which of them run", NULL, false},
        {"inputs", CLI_STRING, &o.inputs,
         "Arrays in0, in1, ... of an .npz file, or .npy files (default: random)",
         "file,...", false},
        {"numerics", CLI_STRING, &s.numerics,
         "sim: value (default), fidelity or bit: how exactly the matrix unit is modelled",
         "level", false},
        {"o", CLI_STRING, &r.output, "reduce: where the result goes (default: -)", "file",
         false},
        {"outputs", CLI_STRING, &o.outputs, "Write arrays out0, out1, ... to an .npz file",
         "file", false},
        {"profile", CLI_FLAG, &o.profile, "Show what each operation took", NULL, false},
        {"seed", CLI_INT, &o.seed, "Seed of random inputs; sim: of the order of threads",
         "number", false},
        {"test", CLI_STRING, &r.test,
         "reduce: a command that ends with status 0 for files to keep", "command", false},
        {"timeout", CLI_INT, &r.timeout, "reduce: seconds for one run of the command (60)",
         "seconds", false},
        {"trace", CLI_STRING, &s.trace,
         "sim: write what happened when: a page (.html), or JSON for ui.perfetto.dev",
         "file", false},
    };
    cli c = {
        .tool = "tilewright",
        .overview =
            "compile and run a program: tilewright run FILE; run kernels: tilewright sim "
            "FILE; shrink a module: tilewright reduce --test=COMMAND FILE; tilewright "
            "doctor",
        .options = options,
        .n_options = TW_COUNT(options)};
    int status = cli_parse(&c, argc, argv);
    if (status >= 0)
        return status;
    const char *command = c.inputs.count ? c.inputs.at[0] : "";
    if (strcmp(command, "doctor") == 0 && c.inputs.count == 1)
        status = doctor();
    else if (strcmp(command, "run") == 0 && c.inputs.count == 2)
        status = run_program(c.inputs.at[1], &o);
    else if (strcmp(command, "sim") == 0 && c.inputs.count == 1 && list)
        status = sim_list_operations();
    else if (strcmp(command, "sim") == 0 && c.inputs.count == 2) {
        s.inputs = o.inputs, s.outputs = o.outputs, s.entry = o.entry;
        s.profile = o.profile, s.seed = o.seed;
        status = sim_file(c.inputs.at[1], &s);
    } else if (strcmp(command, "reduce") == 0 && c.inputs.count == 2 && r.test) {
        status = reduce_file(c.inputs.at[1], &r);
    } else {
        fprintf(stderr,
                "usage: tilewright run FILE [options] | tilewright sim FILE [options] | "
                "tilewright reduce --test=COMMAND FILE | tilewright doctor; see --help\n");
        status = 2;
    }
    free(c.inputs.at);
    return status;
}
