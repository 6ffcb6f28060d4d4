/* fuzz_kernel.c: any text as kernels: lowered from the ttl dialect, and run on the
 * simulated grid with a small budget. */
#include "run_program.h"
#include "tilewright/transform.h"

#include <stdlib.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lower((const char *)data, size);
    fuzz_run_kernels((const char *)data, size);
    return 0;
}
