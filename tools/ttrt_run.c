/* ttrt_run.c: running a binary's programs, timing them, saving their tensors. */
#include "arrays.h"
#include "cli.h"
#include "profile.h"
#include "support/arena.h"
#include "support/clock.h"
#include "support/compare.h"
#include "support/element.h"
#include "support/file.h"
#include "tilewright/grid.h"
#include "tilewright/tilewright.h"
#include "ttrt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- inputs ------------------------------------------------------------------------- */

/* In (0, 1); constants: Knuth, MMIX. */
static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double initial(const char *init, size_t i, uint64_t *state)
{
    if (strcmp(init, "zeros") == 0)
        return 0;
    if (strcmp(init, "ones") == 0)
        return 1;
    if (strcmp(init, "arange") == 0)
        return (double)i;
    if (strcmp(init, "rand") == 0)
        return uniform(state);
    /* Box and Muller's normal deviates */
    return sqrt(-2 * log(uniform(state))) * cos(6.283185307179586 * uniform(state));
}

static tw_status fill(const ttrt *t, const npz *given, const tw_tensor_desc *d,
                      size_t index, void *data, uint64_t *state)
{
    size_t size = tw_dtype_size(d->dtype);
    char name[32];
    snprintf(name, sizeof name, "in%zu", index);
    if (t->inputs)
        return array_take(given, t->inputs, name, d, data);
    if (!size)
        return tw_error(TW_UNSUPPORTED, "input %zu: making values of %s", index,
                        tw_dtype_name(d->dtype));
    for (size_t i = 0; i < d->bytes / size; i++) {
        double x = initial(t->init, i, state);
        tool_store_element(d->dtype, data, i, t->non_zero && (int64_t)x == 0 ? x + 1 : x);
    }
    return TW_SUCCESS;
}

/* ---- what is kept ------------------------------------------------------------------- */

static tw_status save(const char *folder, const char *what, const tw_program *p,
                      void **data, bool inputs)
{
    npz arrays = {0};
    size_t n = inputs ? tw_program_input_count(p) : tw_program_output_count(p);
    for (size_t i = 0; i < n; i++)
        array_add(&arrays, inputs ? "in" : "out", i,
                  inputs ? tw_program_input(p, i) : tw_program_output(p, i), data[i]);
    tw_strbuf path = {0};
    tw_strbuf_printf(&path, "%s/%s.npz", folder, what);
    tw_status status = npz_write(path.data, &arrays);
    tw_strbuf_free(&path);
    npz_free(&arrays);
    return status;
}

static tw_status write_trace(const char *folder, const tw_program *p)
{
    tw_strbuf path = {0};
    tw_strbuf_printf(&path, "%s/trace.json", folder);
    tw_status status = profile_write_trace(p, path.data);
    if (!status)
        printf("trace: %s (open it in ui.perfetto.dev)\n", path.data);
    tw_strbuf_free(&path);
    return status;
}

static void put_bank(tw_strbuf *text, const char *name, size_t banks, size_t bytes,
                     size_t peak)
{
    tw_strbuf_printf(text,
                     "  \"%s\": {\"num_banks\": %zu, \"total_bytes_per_bank\": %zu, "
                     "\"total_bytes_allocated_per_bank\": %zu, "
                     "\"total_bytes_free_per_bank\": %zu}",
                     name, banks, bytes, peak, bytes - peak);
}

/* At the peak of the program. */
static tw_status write_memory(const char *folder, const tw_program *p)
{
    tw_memory_use m = tw_program_memory(p);
    tw_strbuf text = {0}, path = {0};
    tw_strbuf_puts(&text, "{\n");
    put_bank(&text, "dram", m.dram_banks, m.dram_bank_bytes, m.dram_bank_peak);
    tw_strbuf_puts(&text, ",\n");
    put_bank(&text, "l1", m.l1_banks, m.l1_bank_bytes, m.l1_bank_peak);
    tw_strbuf_puts(&text, "\n}\n");
    tw_strbuf_printf(&path, "%s/memory_results.json", folder);
    tw_status status = tw_file_write(path.data, text.data, text.size);
    tw_strbuf_free(&text);
    tw_strbuf_free(&path);
    return status;
}

static void print_tensor(const char *what, size_t i, const tw_tensor_desc *d,
                         const void *data)
{
    size_t size = tw_dtype_size(d->dtype), n = size ? d->bytes / size : 0;
    printf("%s%zu: %s", what, i, tw_dtype_name(d->dtype));
    for (int k = 0; k < d->rank; k++)
        printf("%c%lld", k ? 'x' : ' ', (long long)d->dims[k]);
    printf(":");
    for (size_t k = 0; k < n && k < 8; k++) {
        uint32_t bits =
            d->dtype == TW_BF16 ? (uint32_t)((const uint16_t *)data)[k] << 16 : 0;
        float f;
        memcpy(&f, d->dtype == TW_F32 ? (const void *)((const float *)data + k) : &bits, 4);
        if (d->dtype == TW_F32 || d->dtype == TW_BF16)
            printf(" %g", (double)f);
        else if (d->dtype == TW_I32)
            printf(" %d", ((const int32_t *)data)[k]);
        else
            printf(" 0x%02x", ((const uint8_t *)data)[k * size]);
    }
    printf("%s\n", n > 8 ? " ..." : "");
}

/* ---- a program ---------------------------------------------------------------------- */

typedef struct tensors {
    void **in, **out;
    size_t n_in, n_out;
} tensors;

static tw_status run_loops(ttrt *t, tw_program *p, const tensors *x, tw_strbuf *more)
{
    for (int64_t loop = 0; loop < t->loops; loop++) {
        uint64_t start = tw_clock_ns();
        TW_TRY(tw_program_run(p, (const void *const *)x->in, x->out));
        uint64_t time = tw_clock_ns() - start;
        tw_strbuf_printf(more,
                         "%s\n        \"loop_%lld\": {\"total_submit_duration_ns\": %llu, "
                         "\"total_get_outputs_duration_ns\": 0, "
                         "\"total_submit_plus_get_outputs_duration_ns\": %llu, "
                         "\"total_ttnn_api_duration_ns\": null, "
                         "\"total_device_kernel_duration_ns\": null}",
                         loop ? "," : "", (long long)loop, (unsigned long long)time,
                         (unsigned long long)time);
        ttrt_log(t, "INFO", "loop %lld: %.1f us", (long long)loop, (double)time / 1000);
    }
    return TW_SUCCESS;
}

static tw_status keep(ttrt *t, const ttrt_binary *b, size_t index, tw_program *p,
                      const tensors *x)
{
    char below[64];
    char *folder = NULL;
    if (t->print_tensors) {
        for (size_t i = 0; i < x->n_in; i++)
            print_tensor("in", i, tw_program_input(p, i), x->in[i]);
        for (size_t i = 0; i < x->n_out; i++)
            print_tensor("out", i, tw_program_output(p, i), x->out[i]);
    }
    if (t->profile)
        profile_print(p);
    if (!t->save_artifacts && !t->profile && !t->memory)
        return TW_SUCCESS;
    snprintf(below, sizeof below, "%s/program_%zu", t->verb, index);
    TW_TRY(ttrt_artifacts(t, b->path, below, &folder));
    tw_status status = t->profile ? write_trace(folder, p) : TW_SUCCESS;
    if (!status && t->memory)
        status = write_memory(folder, p);
    if (!status && t->save_artifacts)
        status = save(folder, "inputs", p, x->in, true);
    if (!status && t->save_artifacts)
        status = save(folder, "outputs", p, x->out, false);
    free(folder);
    return status;
}

/* ---- comparisons */

static tw_status expect(ttrt *t, const tw_tensor_desc *d, const void *data, tw_dtype type,
                        const void *want, size_t index)
{
    size_t n = d->bytes / tw_dtype_size(d->dtype);
    elements got = {d->dtype, data, n}, wanted = {type, want, n};
    comparison c =
        tool_compare(got, wanted, (bounds){strtod(t->rtol, NULL), strtod(t->atol, NULL)});
    double least = strtod(t->pcc, NULL);
    tw_strbuf worst = {0};
    compare_put_worst(&worst, &c, d, got, wanted);
    ttrt_log(t, "INFO", "output_%zu: pcc %.8f, largest difference %g%s%s", index, c.pcc,
             c.largest, worst.size ? ", " : "", tw_strbuf_text(&worst));
    tw_status status = TW_SUCCESS;
    if (t->identity && c.outside)
        status = tw_error(TW_INTERNAL,
                          "Failed: inputs and outputs do not match in tensor, index=%zu, "
                          "%zu of %zu elements, %s",
                          index, c.outside, n, tw_strbuf_text(&worst));
    else if (!(c.pcc >= least))
        status = tw_error(TW_INTERNAL,
                          "Failed: program-level output golden comparison failed, "
                          "output_%zu: actual_pcc=%g < expected_pcc=%g, %s",
                          index, c.pcc, least, tw_strbuf_text(&worst));
    t->golden_failed |= status != TW_SUCCESS;
    tw_strbuf_free(&worst);
    return status;
}

static tw_status compare_golden(ttrt *t, const tw_program *p, const tensors *x)
{
    npz golden;
    TW_TRY(npz_read_list(t->golden, "out", &golden));
    tw_status status = array_check_names(&golden, t->golden, "out", x->n_in, x->n_out);
    for (size_t i = 0; i < x->n_out && !status; i++) {
        const tw_tensor_desc *d = tw_program_output(p, i);
        char name[32];
        snprintf(name, sizeof name, "out%zu", i);
        const void *want;
        tw_dtype type;
        status = array_wanted(&golden, t->golden, name, d, &want, &type);
        if (!status)
            status = expect(t, d, x->out[i], type, want, i);
    }
    npz_free(&golden);
    return status;
}

static tw_status compare_results(ttrt *t, const tw_program *p, const tensors *x)
{
    if (t->golden && !t->disable_golden)
        TW_TRY(compare_golden(t, p, x));
    for (size_t i = 0; t->identity && i < TW_MIN(x->n_in, x->n_out); i++) {
        const tw_tensor_desc *in = tw_program_input(p, i), *out = tw_program_output(p, i);
        if (in->bytes != out->bytes || in->dtype != out->dtype)
            return tw_error(TW_INVALID, "input and result %zu have different types", i);
        TW_TRY(expect(t, out, x->out[i], in->dtype, x->in[i], i));
    }
    return TW_SUCCESS;
}

static tw_status run_loaded(ttrt *t, const ttrt_binary *b, size_t index, tw_program *p,
                            tw_strbuf *more)
{
    tensors x = {.n_in = tw_program_input_count(p), .n_out = tw_program_output_count(p)};
    x.in = tw_xcalloc(x.n_in + 1, sizeof *x.in);
    x.out = tw_xcalloc(x.n_out + 1, sizeof *x.out);
    npz given = {0};
    uint64_t state = (uint64_t)t->seed;
    tw_status status = t->inputs ? npz_read_list(t->inputs, "in", &given) : TW_SUCCESS;
    if (!status && t->inputs)
        status = array_check_names(&given, t->inputs, "in", x.n_in, x.n_out);
    if (!status)
        status = tensor_create_outputs(p, x.out);
    for (size_t i = 0; i < x.n_in && !status; i++) {
        const tw_tensor_desc *d = tw_program_input(p, i);
        status = tensor_create(d, "input", i, &x.in[i]);
        if (!status)
            status = fill(t, &given, d, i, x.in[i], &state);
    }
    tw_program_set_profiling(p, t->profile);
    if (!status)
        status = run_loops(t, p, &x, more);
    if (!status)
        status = compare_results(t, p, &x);
    if (!status)
        status = keep(t, b, index, p, &x);
    cli_free_arrays(x.in, x.n_in);
    cli_free_arrays(x.out, x.n_out);
    npz_free(&given);
    return status;
}

/* Logs each operation or command as it begins. */
static void trace(void *user, const tw_op_event *event)
{
    if (event->before)
        ttrt_log(user, "TRACE", "%lld: %s", (long long)event->operation, event->name);
}

static tw_status run_program(ttrt *t, const ttrt_binary *b, size_t index, tw_str name,
                             tw_strbuf *more)
{
    tw_strbuf entry = {0};
    tw_program *p;
    const tw_observer tracer = {trace, t};
    tw_strbuf_str(&entry, name);
    ttrt_log(t, "INFO", "running program %zu (%s) of %s", index, tw_strbuf_text(&entry),
             b->path);
    tw_compile_options options = {.name = b->path,
                                  .entry = tw_strbuf_text(&entry),
                                  .threads = profile_threads(0),
                                  .kernels = tw_grid_engine(),
                                  .observer = t->trace ? &tracer : NULL,
                                  .dram_fallback =
                                      profile_flag_variable("TT_METAL_DRAM_FALLBACK")};
    tw_status status = tw_program_compile(b->bytes.data, b->bytes.size, &options, &p);
    tw_strbuf_free(&entry);
    if (status)
        return status;
    status = run_loaded(t, b, index, p, more);
    tw_program_destroy(p);
    return status;
}

/* The i-th program of a binary; false past the end. */
static bool program_of(const ttrt_binary *b, size_t i, tw_str *out_name, bool *out_private)
{
    const bool ttm = b->kind == FB_FILE_TTM;
    fb_vec all = fb_get_vec(b->root, ttm ? (int)FB_metal_TTMetalBinary_programs
                                         : (int)FB_ttnn_TTNNBinary_programs);
    if (i >= all.count)
        return false;
    fb_view program = fb_vec_table(all, i);
    *out_name =
        fb_get_str(program, ttm ? (int)FB_metal_Program_name : (int)FB_ttnn_Program_name);
    *out_private = fb_get_bool(program, ttm ? (int)FB_metal_Program_private
                                            : (int)FB_ttnn_Program_private);
    return true;
}

tw_status ttrt_run(ttrt *t, const ttrt_binary *b, tw_strbuf *more)
{
    fb_ttnn file;
    tw_str name;
    bool is_private;
    if (b->kind != FB_FILE_TTNN && b->kind != FB_FILE_TTM)
        return tw_error(TW_INVALID,
                        "the file has no programs; .ttnn and .ttm binaries run");
    if (b->kind == FB_FILE_TTNN)
        TW_TRY(fb_ttnn_open(b->bytes.data, b->bytes.size, &file));
    bool all = strcmp(t->program_index, "all") == 0;
    size_t only = (size_t)strtoul(t->program_index, NULL, 10), done = 0;
    tw_strbuf_printf(more, ",\n    \"program_index\": \"%s\",\n    \"program_results\": {",
                     t->program_index);
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; !status && program_of(b, i, &name, &is_private); i++) {
        bool named = !t->entry || tw_str_is(name, t->entry);
        if (!named || (all ? is_private : i != only))
            continue;
        tw_strbuf_printf(more, "%s\n      \"program_index_%zu\": {", done++ ? "," : "", i);
        status = run_program(t, b, i, name, more);
        tw_strbuf_puts(more, "\n      }");
    }
    tw_strbuf_puts(more, "\n    }");
    if (!status && !done)
        return tw_error(TW_NOT_FOUND, "no program to run (--program-index %s)",
                        t->program_index);
    return status;
}
