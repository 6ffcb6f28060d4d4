/* fuzz_compile.c: any bytes as a program: through every level, and run. */
#include "run_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_compile_and_run((const char *)data, size);
    return 0;
}
