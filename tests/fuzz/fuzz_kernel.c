/* fuzz_kernel.c: any text as kernels: lowered from the ttl dialect, and run on the
 * simulated grid with a small budget. */
#include "tilewright/sim.h"
#include "tilewright/transform.h"

#include <stdlib.h>

enum { BUDGET = 20000, MAX_TENSORS = 16, MAX_BYTES = 1 << 22 };

static void lower(const char *text, size_t size)
{
    static const char *const pipelines[] = {
        "ttl-to-ttkernel-pipeline,convert-ttkernel-to-emitc",
        "ttl-lower-to-ttkernel,convert-ttkernel-to-emitc", "ttl-validate"};
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++) {
        const tw_transform_options options = {.pipeline = pipelines[i],
                                              .kernels_cpp = i < 2};
        char *out;
        size_t out_size;
        tw_status status = tw_transform(text, size, &options, &out, &out_size);
        if (!status)
            free(out);
        tw_status_free(status);
    }
}

static void run(tw_sim *sim)
{
    void *in[MAX_TENSORS] = {0}, *out[MAX_TENSORS] = {0};
    size_t n_in = tw_sim_input_count(sim), n_out = tw_sim_output_count(sim), bytes = 0;
    if (n_in > MAX_TENSORS || n_out > MAX_TENSORS)
        return;
    for (size_t i = 0; i < n_in; i++)
        if (__builtin_add_overflow(bytes, tw_sim_input(sim, i)->bytes, &bytes))
            return;
    for (size_t i = 0; i < n_out; i++)
        if (__builtin_add_overflow(bytes, tw_sim_output(sim, i)->bytes, &bytes))
            return;
    if (bytes > MAX_BYTES)
        return;
    for (size_t i = 0; i < n_in; i++)
        in[i] = calloc(1, tw_sim_input(sim, i)->bytes + 1);
    for (size_t i = 0; i < n_out; i++)
        out[i] = calloc(1, tw_sim_output(sim, i)->bytes + 1);
    tw_status_free(tw_sim_run(sim, (const void *const *)in, out));
    for (size_t i = 0; i < MAX_TENSORS; i++) {
        free(in[i]);
        free(out[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_sim *sim;
    lower((const char *)data, size);
    tw_status status =
        tw_sim_load((const char *)data, size,
                    &(tw_sim_options){.budget = BUDGET, .profile = size & 1}, &sim);
    if (!status) {
        run(sim);
        tw_sim_destroy(sim);
    }
    tw_status_free(status);
    return 0;
}
