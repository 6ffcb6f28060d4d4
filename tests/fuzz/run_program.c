/* run_program.c: compiles a program and runs it on zeros, whatever the program. */
#include "run_program.h"

#include <stdlib.h>

enum { MAX_TENSORS = 32, MAX_BYTES = 1 << 22 };

static bool small_enough(const tw_program *p)
{
    size_t n_in = tw_program_input_count(p), n_out = tw_program_output_count(p), sum = 0;
    if (n_in > MAX_TENSORS || n_out > MAX_TENSORS)
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
