/* run.c: see run.h. */
#include "run.h"

#include "cli.h"
#include "compare.h"
#include "kernel/element.h"
#include "npz.h"
#include "profile.h"
#include "self_check.h"
#include "support/arena.h"
#include "support/file.h"

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
    for (size_t i = 0; i < n; i++) {
        double x = next_random(state);
        switch (d->dtype) {
        case TW_F32:
            ((float *)data)[i] = (float)x;
            break;
        case TW_F64:
            ((double *)data)[i] = x;
            break;
        case TW_BF16:
            ((uint16_t *)data)[i] = krn_bf16_from_f64(x);
            break;
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

/* "f32[2, 3]" */
static void put_shape(tw_strbuf *out, tw_dtype dtype, const int64_t *dims, int rank)
{
    tw_strbuf_printf(out, "%s[", tw_dtype_name(dtype));
    for (int i = 0; i < rank; i++)
        tw_strbuf_printf(out, "%s%lld", i ? ", " : "", (long long)dims[i]);
    tw_strbuf_putc(out, ']');
}

static tw_status wrong_array(const char *name, const npz_array *a, const tw_tensor_desc *d)
{
    tw_strbuf found = {0}, wanted = {0};
    put_shape(&found, a->dtype, a->dims, a->rank);
    put_shape(&wanted, d->dtype, d->dims, d->rank);
    tw_status status = tw_error(TW_INVALID, "array '%s' is %s, the program takes %s", name,
                                tw_strbuf_text(&found), tw_strbuf_text(&wanted));
    tw_strbuf_free(&found);
    tw_strbuf_free(&wanted);
    return status;
}

/* NumPy has no bf16: its bits come as u16, or its numbers as f32. */
static tw_status take_array(const char *name, const npz_array *a, const tw_tensor_desc *d,
                            void *out)
{
    bool same = a->dtype == d->dtype || (a->dtype == TW_U16 && d->dtype == TW_BF16) ||
                (a->dtype == TW_U8 && d->dtype == TW_BOOL);
    bool rounded = a->dtype == TW_F32 && (d->dtype == TW_BF16 || d->dtype == TW_F16);
    if (a->rank != d->rank || (!same && !rounded) ||
        (a->rank && memcmp(a->dims, d->dims, (size_t)a->rank * sizeof *a->dims) != 0))
        return wrong_array(name, a, d);
    if (same)
        memcpy(out, a->data, a->bytes);
    for (size_t i = 0; rounded && i < d->bytes / 2; i++) {
        float x = ((const float *)a->data)[i];
        ((uint16_t *)out)[i] = d->dtype == TW_BF16 ? krn_bf16_from_f64((double)x)
                                                   : krn_f16_from_f64((double)x);
    }
    return TW_SUCCESS;
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
        else
            status = take_array(name, a, d, data[i]);
    }
    npz_free(&given);
    return status;
}

/* ---- results ------------------------------------------------------------------------ */

static void show(const tw_tensor_desc *d, const void *data, size_t i)
{
    size_t n = tw_dtype_size(d->dtype) ? d->bytes / tw_dtype_size(d->dtype) : 0;
    tw_strbuf shape = {0};
    put_shape(&shape, d->dtype, d->dims, d->rank);
    printf("out%zu: %s =", i, tw_strbuf_text(&shape));
    tw_strbuf_free(&shape);
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
            return cli_fail(status);
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
        return cli_fail(status);
    return ok ? 0 : 1;
}

int run_file(const char *path, const run_options *o)
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
                                                     .dtype = o->dtype,
                                                     .dump_dir = o->dump,
                                                     .threads = profile_threads(o->threads),
                                                     .dram_fallback = profile_flag_variable(
                                                         "TT_METAL_DRAM_FALLBACK")},
                               &p);
    tw_strbuf_free(&text);
    if (status != TW_SUCCESS)
        return cli_fail(status);
    size_t n_in = tw_program_input_count(p), n_out = tw_program_output_count(p);
    void **in = tw_xcalloc(n_in + 1, sizeof *in),
         **out = tw_xcalloc(n_out + 1, sizeof *out);
    for (size_t i = 0; i < n_out; i++)
        out[i] = aligned_alloc(64, tw_align_up(tw_program_output(p, i)->bytes + 1, 64));
    status = make_inputs(p, o, in);
    tw_program_set_profiling(p, o->profile);
    if (status == TW_SUCCESS)
        status = tw_program_run(p, (const void *const *)in, out);
    int code = status == TW_SUCCESS ? finish(p, o, out) : cli_fail(status);
    if (status == TW_SUCCESS && o->profile)
        profile_print(p);
    cli_free_arrays(in, n_in);
    cli_free_arrays(out, n_out);
    tw_program_destroy(p);
    return code;
}
