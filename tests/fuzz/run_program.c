/* run_program.c: compiles a program, or loads one of kernels, and runs it on zeros,
 * whatever the program. */
#include "run_program.h"
#include "tilewright/sim.h"

#include <stdlib.h>

enum { BUDGET = 20000, MAX_TENSORS = 32, MAX_BYTES = 1 << 22, MAX_DRAM = 1 << 30 };

static bool small_enough(const tw_program *p)
{
    size_t n_in = tw_program_input_count(p), n_out = tw_program_output_count(p), sum = 0;
    const tw_memory_use used = tw_program_memory(p);
    if (n_in > MAX_TENSORS || n_out > MAX_TENSORS ||
        used.dram_banks * used.dram_bank_peak > MAX_DRAM)
        return false;
    for (size_t i = 0; i < n_in + n_out; i++) {
        const tw_tensor_desc *d =
            i < n_in ? tw_program_input(p, i) : tw_program_output(p, i - n_in);
        if (__builtin_add_overflow(sum, d->bytes, &sum))
            return false;
    }
    return sum <= MAX_BYTES;
}

void fuzz_compile_and_run(const char *text, size_t size)
{
    void *in[MAX_TENSORS] = {0}, *out[MAX_TENSORS] = {0};
    tw_program *p;
    tw_status status = tw_program_compile(text, size, NULL, &p);
    tw_status_free(status);
    if (status)
        return;
    if (small_enough(p)) {
        for (size_t i = 0; i < tw_program_input_count(p); i++)
            in[i] = calloc(1, tw_program_input(p, i)->bytes + 1);
        for (size_t i = 0; i < tw_program_output_count(p); i++)
            out[i] = calloc(1, tw_program_output(p, i)->bytes + 1);
        tw_status_free(tw_program_run(p, (const void *const *)in, out));
    }
    for (size_t i = 0; i < MAX_TENSORS; i++) {
        free(in[i]);
        free(out[i]);
    }
    tw_program_destroy(p);
}

static void run_on_grid(tw_sim *sim)
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

void fuzz_run_kernels(const char *text, size_t size)
{
    tw_sim *sim;
    tw_status status = tw_sim_load(
        text, size, &(tw_sim_options){.budget = BUDGET, .profile = size & 1}, &sim);
    if (!status) {
        run_on_grid(sim);
        tw_sim_destroy(sim);
    }
    tw_status_free(status);
}
