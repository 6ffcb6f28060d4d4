/* run.c: see run.h. */
#include "run.h"

#include "arrays.h"
#include "cli.h"
#include "compare.h"
#include "profile.h"
#include "self_check.h"
#include "support/arena.h"
#include "support/file.h"
#include "tool_element.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    const bool real = d->dtype == TW_F32 || d->dtype == TW_F64 || d->dtype == TW_BF16 ||
                      d->dtype == TW_F16 || d->dtype == TW_BOOL;
    for (size_t i = 0; i < n; i++) {
        double x = next_random(state);
        /* small whole numbers, also as indices */
        tool_store_element(d->dtype, data, i, real ? x : (x + 1) * 4);
    }
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

static bool is_float(tw_dtype t)
{
    return t == TW_F32 || t == TW_F64 || t == TW_F16 || t == TW_BF16;
}

/* Numbers agree where they correlate and have the same scale and offset: with a correlation
 * of r, differences are about sqrt(2 (1 - r)) of the numbers.  Where all that is expected
 * is nearly one number, what would correlate is the rounding: there the scale alone counts,
 * to 1 - r.  Integers and truths agree where they are equal. */
static bool agrees(const comparison *c, tw_dtype type, double least)
{
    if (!is_float(type))
        return c->close && c->largest == 0;
    double size = c->expected_root_mean_square;
    if (isfinite(c->largest) && c->expected_deviation <= size / 1000)
        return c->close || c->root_mean_square <= (1 - least) * size;
    return c->close ||
           (c->pcc >= least && c->root_mean_square <= sqrt(2 * (1 - least)) * size);
}

/* Whether output i is as the file says. */
static bool compare(const npz *wanted, const run_options *o, double least,
                    const tw_tensor_desc *d, const void *data, size_t i)
{
    size_t n = tw_dtype_size(d->dtype) ? d->bytes / tw_dtype_size(d->dtype) : 0;
    char name[32];
    const void *want;
    tw_dtype type;
    snprintf(name, sizeof name, "out%zu", i);
    tw_status status = array_wanted(wanted, o->expect, name, d, &want, &type);
    if (status) {
        printf("%s: %s\n", name, tw_status_message(status));
        tw_status_free(status);
        return false;
    }
    comparison c = tool_compare(d->dtype, data, type, want, n, 1e-5, 1e-8);
    bool ok = agrees(&c, d->dtype, least);
    printf("%s: pcc %.8f, largest difference %g: %s\n", name, c.pcc, c.largest,
           ok ? "ok" : "DIFFERS");
    return ok;
}

/* Arrays out7 for which there is no result. */
static bool nothing_left(const npz *wanted, size_t n)
{
    bool ok = true;
    for (size_t i = 0; i < wanted->count; i++) {
        const char *name = wanted->at[i].name;
        char *end = NULL;
        bool output = strncmp(name, "out", 3) == 0 && strtoull(name + 3, &end, 10) >= n;
        if (!output || *end || end == name + 3)
            continue;
        printf("%s: the program has no such result, only %zu\n", name, n);
        ok = false;
    }
    return ok;
}

/* Shows or compares the results. */
static tw_status judge(const tw_program *p, const run_options *o, void **out, bool *ok)
{
    size_t n = tw_program_output_count(p);
    npz wanted = {0};
    double least = 0.99;
    char *end = NULL;
    *ok = true;
    if (o->pcc && ((least = strtod(o->pcc, &end)) > 1 || !(least > 0) || *end))
        return tw_error(TW_INVALID, "--pcc %s is no number between 0 and 1", o->pcc);
    if (o->expect)
        TW_TRY(npz_read_list(o->expect, "out", &wanted));
    for (size_t i = 0; i < n; i++)
        if (o->expect)
            *ok &= compare(&wanted, o, least, tw_program_output(p, i), out[i], i);
        else
            show(tw_program_output(p, i), out[i], i);
    if (o->expect)
        *ok &= nothing_left(&wanted, n);
    npz_free(&wanted);
    return TW_SUCCESS;
}

static int finish(const tw_program *p, const run_options *o, void **out)
{
    bool ok;
    tw_status status = judge(p, o, out, &ok);
    if (status)
        return cli_fail(status);
    npz results = {0};
    for (size_t i = 0; o->outputs && i < tw_program_output_count(p); i++)
        array_add(&results, "out", i, tw_program_output(p, i), out[i]);
    status = o->outputs ? npz_write(o->outputs, &results) : TW_SUCCESS;
    npz_free(&results);
    return status ? cli_fail(status) : ok ? 0 : 1;
}

/* Says what the device did not do. */
static void note_host(const tw_program *p, const char *path)
{
    for (size_t i = 0; i < tw_program_host_op_count(p); i++) {
        const tw_host_op *op = tw_program_host_op(p, i);
        fprintf(stderr, "%s:%u: note: runs on the host: '%s'", op->file ? op->file : path,
                op->line, op->name);
        if (op->count > 1)
            fprintf(stderr, " and %zu more", op->count - 1);
        fprintf(stderr, " (%s)\n", op->why);
    }
}

int run_file(const char *path, const run_options *o)
{
    tw_strbuf text = {0};
    tw_program *p = NULL;
    tw_status status = tw_file_read(path, &text);
    if (status == TW_SUCCESS && self_check_wanted(text, o->entry)) {
        int code = self_check_run(path, text, !o->no_host);
        tw_strbuf_free(&text);
        return code;
    }
    if (status == TW_SUCCESS)
        status =
            tw_program_compile(tw_strbuf_text(&text), text.size,
                               &(tw_compile_options){.name = path,
                                                     .entry = o->entry,
                                                     .dtype = o->dtype,
                                                     .dump_dir = o->dump,
                                                     .threads = profile_threads(o->threads),
                                                     .dram_fallback = profile_flag_variable(
                                                         "TT_METAL_DRAM_FALLBACK"),
                                                     .host = !o->no_host},
                               &p);
    tw_strbuf_free(&text);
    if (status != TW_SUCCESS)
        return cli_fail(status);
    note_host(p, path);
    bool noted = tw_program_host_op_count(p) > 0;
    size_t n_in = tw_program_input_count(p), n_out = tw_program_output_count(p);
    void **in = tw_xcalloc(n_in + 1, sizeof *in),
         **out = tw_xcalloc(n_out + 1, sizeof *out);
    for (size_t i = 0; i < n_out; i++)
        out[i] = aligned_alloc(64, tw_align_up(tw_program_output(p, i)->bytes + 1, 64));
    status = make_inputs(p, o, in);
    tw_program_set_profiling(p, o->profile);
    if (status == TW_SUCCESS)
        status = tw_program_run(p, (const void *const *)in, out);
    if (!noted) /* arguments decided */
        note_host(p, path);
    int code = status == TW_SUCCESS ? finish(p, o, out) : cli_fail(status);
    if (status == TW_SUCCESS && o->profile)
        profile_print(p);
    cli_free_arrays(in, n_in);
    cli_free_arrays(out, n_out);
    tw_program_destroy(p);
    return code;
}
