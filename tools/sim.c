/* sim.c: `tilewright sim FILE`: runs the kernels of a program on the simulated device. */
#include "sim.h"

#include "arrays.h"
#include "cli.h"
#include "dap.h"
#include "progress.h"
#include "report.h"
#include "support/arena.h"
#include "support/element.h"
#include "support/file.h"
#include "tilewright/sim.h"

#include <stdio.h>
#include <stdlib.h>

/* Arrays in0, in1, ...; without a file, 0, 1, ... 6, 0, 1, ... in the element's type. */
static tw_status get_input(const npz *given, const char *file, size_t i,
                           const tw_tensor_desc *d, void *data)
{
    char name[32];
    snprintf(name, sizeof name, "in%zu", i);
    const npz_array *a = NULL;
    if (file)
        TW_TRY(npz_get(given, file, name, &a));
    if (a && (a->bytes != d->bytes || tw_dtype_size(a->dtype) != tw_dtype_size(d->dtype)))
        return tw_error(
            TW_INVALID, "array '%s' has %zu bytes of %s, the program takes %zu of %s", name,
            a->bytes, tw_dtype_name(a->dtype), d->bytes, tw_dtype_name(d->dtype));
    if (a)
        memcpy(data, a->data, a->bytes);
    static const uint16_t bf16[7] = {0, 0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0, 0x40C0};
    static const uint16_t f16[7] = {0, 0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};
    size_t size = tw_dtype_size(d->dtype);
    for (size_t k = 0; !a && k < d->bytes / size; k++) {
        uint32_t v = k % 7;
        float f = (float)v;
        const void *from = d->dtype == TW_F32    ? (const void *)&f
                           : d->dtype == TW_BF16 ? (const void *)&bf16[v]
                           : d->dtype == TW_F16  ? (const void *)&f16[v]
                                                 : (const void *)&v;
        memcpy((char *)data + k * size, from, size);
    }
    return TW_SUCCESS;
}

static tw_status get_inputs(const tw_sim *sim, const char *file, void **in)
{
    npz given = {0};
    if (file)
        TW_TRY(npz_read(file, &given));
    tw_status status = file ? array_check_names(&given, file, "in", tw_sim_input_count(sim),
                                                tw_sim_output_count(sim))
                            : TW_SUCCESS;
    for (size_t i = 0; status == TW_SUCCESS && i < tw_sim_input_count(sim); i++) {
        status = tensor_create(tw_sim_input(sim, i), "input", i, &in[i]);
        if (status == TW_SUCCESS)
            status = get_input(&given, file, i, tw_sim_input(sim, i), in[i]);
    }
    npz_free(&given);
    return status;
}

static tw_status put_outputs(const tw_sim *sim, const char *file, void **out)
{
    npz results = {0};
    for (size_t i = 0; i < tw_sim_output_count(sim); i++) {
        const tw_tensor_desc *d = tw_sim_output(sim, i);
        size_t size = tw_dtype_size(d->dtype), n = d->bytes / size;
        tw_strbuf shape = {0};
        array_put_shape(&shape, d->dtype, d->dims, d->rank);
        printf("out%zu: %s =", i, tw_strbuf_text(&shape));
        tw_strbuf_free(&shape);
        for (size_t k = 0; k < n && k < 8; k++)
            printf(" %.6g", tool_element(d->dtype, out[i], k));
        printf("%s\n", n > 8 ? " ..." : "");
        array_add(&results, "out", i, d, out[i]);
    }
    tw_status status = file ? npz_write(file, &results) : TW_SUCCESS;
    npz_free(&results);
    return status;
}

/* A page if the name ends in .html, else Perfetto's JSON. */
static tw_status put_trace(const tw_sim *sim, const char *path)
{
    size_t n = strlen(path);
    bool html = n > 5 && strcmp(path + n - 5, ".html") == 0;
    const char *text = html ? tw_sim_trace_html(sim) : tw_sim_trace_json(sim);
    return tw_file_write(path, text, strlen(text));
}

static tw_status run(tw_sim *sim, const sim_options *o, const tool_report *r, void **in,
                     void **out)
{
    progress_start("tilewright sim", "simulating");
    tw_status status = tw_sim_run(sim, (const void *const *)in, out);
    progress_stop();
    if (!r->on_stderr)
        fputs(tw_sim_log(sim), stderr);
    sim_check_replay(sim, o);
    return status;
}

static int sim_reported(const char *path, const sim_options *o, tool_report *r)
{
    tw_strbuf text = {0};
    tw_sim *sim = NULL;
    tw_status status = tw_file_read(path, &text);
    explainer *e = NULL;
    int numerics = -1;
    static const char *const levels[] = {"value", "fidelity", "bit"};
    for (int i = 0; i < 3; i++)
        if (!o->numerics || strcmp(o->numerics, levels[i]) == 0) {
            numerics = i;
            break;
        }
    if (status == TW_SUCCESS && numerics < 0)
        status = tw_error(TW_NOT_FOUND, "no numerics '%s': there are value, fidelity, bit",
                          o->numerics);
    if (status == TW_SUCCESS && o->explain)
        status = explainer_open(o->explain, "tilewright sim", path, &e);
    if (status == TW_SUCCESS)
        status = tw_sim_load(tw_strbuf_text(&text), text.size,
                             &(tw_sim_options){.name = path,
                                               .entry = o->entry,
                                               .chip = o->chip,
                                               .seed = (uint64_t)o->seed,
                                               .budget = (uint64_t)o->budget,
                                               .numerics = (tw_numerics)numerics,
                                               .profile = o->profile || o->trace,
                                               .threads = (int)o->threads,
                                               .cpp = o->cpp,
                                               .no_races = o->no_races,
                                               .diagnostics = r->list,
                                               .watch = e ? explainer_watch(e) : NULL},
                             &sim);
    if (status == TW_SUCCESS)
        status = sim_add_cpp(sim, o, path, (tw_str){tw_strbuf_text(&text), text.size}, e);
    tw_status explained = explainer_close(e);
    if (status == TW_SUCCESS)
        status = explained;
    else
        tw_status_free(explained);
    if (status == TW_SUCCESS && o->replay)
        status = sim_set_replay(sim, o->replay);
    if (status == TW_SUCCESS)
        status = sim_set_breaks(sim, o);
    tw_strbuf_free(&text);
    if (status != TW_SUCCESS) {
        dap_detach();
        tw_sim_destroy(sim);
        return report_fail(r, status);
    }
    size_t n_in = tw_sim_input_count(sim), n_out = tw_sim_output_count(sim);
    void **in = tw_xcalloc(n_in + 1, sizeof *in),
         **out = tw_xcalloc(n_out + 1, sizeof *out);
    for (size_t i = 0; status == TW_SUCCESS && i < n_out; i++) {
        status = tensor_create(tw_sim_output(sim, i), "output", i, &out[i]);
        if (status == TW_SUCCESS)
            memset(out[i], 0, tw_sim_output(sim, i)->bytes);
    }
    if (status == TW_SUCCESS)
        status = get_inputs(sim, o->inputs, in);
    if (status == TW_SUCCESS && o->what_if)
        status = sim_what_if(sim, in, out);
    if (status == TW_SUCCESS)
        status = o->explore ? sim_explore(sim, o, path, in, out) : run(sim, o, r, in, out);
    if (o->profile)
        fputs(tw_sim_profile(sim), stdout);
    if (o->trace && *tw_sim_trace_json(sim)) { /* also of kernels with reports */
        tw_status wrote = put_trace(sim, o->trace);
        status = status == TW_SUCCESS ? wrote : status;
    }
    if (status == TW_SUCCESS)
        status = put_outputs(sim, o->outputs, out);
    cli_free_arrays(in, n_in);
    cli_free_arrays(out, n_out);
    dap_detach();
    tw_sim_destroy(sim);
    return status == TW_SUCCESS ? 0 : report_fail(r, status);
}

int sim_file(const char *path, const sim_options *o)
{
    tool_report r;
    if (!report_begin(&r, "tilewright sim", path, &o->report))
        return 1;
    return report_end(&r, sim_reported(path, o, &r));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int sim_list_operations(void)
{
    size_t count = 0, n[2] = {0};
    bool executed;
    while (tw_sim_operation(count, &executed))
        count++;
    const char **names[2]; /* the operations that are not executed, and those that are */
    for (int state = 0; state < 2; state++)
        names[state] = tw_xmalloc((count + 1) * sizeof **names);
    for (size_t i = 0; i < count; i++) {
        const char *name = tw_sim_operation(i, &executed);
        names[executed][n[executed]++] = name;
    }
    printf("# TTKernel on the simulated grid\n\n"
           "Written by `tilewright sim --list-operations`. %zu of %zu operations run; a "
           "kernel "
           "with another one is\nrefused when it is loaded, with an error that names the "
           "operation and its line.\n\n## Not executed\n",
           n[1], count);
    for (int state = 0; state < 2; state++) {
        qsort(names[state], n[state], sizeof **names, by_text);
        for (size_t i = 0; i < n[state]; i++)
            printf("- `%s`\n", names[state][i]);
        printf("%s", state ? "" : "\n## Executed\n");
        free(names[state]);
    }
    return 0;
}
