/* fuzz_irgen.c: random valid programs (tests/irgen), through every level, and run.
 *
 * The first byte selects a dialect, the second the number of operations, the others the
 * seed. */
#include "../irgen/irgen.h"
#include "fuzz_attr.h"
#include "ir/text.h"
#include "run_program.h"

static const char *const dialects[] = {"stablehlo", "ttir", "ttnn", "chlo,stablehlo",
                                       "arith,math,tensor"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    irgen_options options = {.dialects = dialects[data[0] % TW_COUNT(dialects)],
                             .ops = 1 + data[1] % 12,
                             .plain = data[1] < 192};
    for (size_t i = 2; i < size; i++)
        options.seed = options.seed * 257 + data[i];
    ir_context *ctx = fuzz_context();
    tw_strbuf text = {0};
    ir_print_op(irgen_module(ctx, &options), &(ir_print_options){.generic = true}, &text);
    ir_context_destroy(ctx);
    fuzz_compile_and_run(text.data, text.size);
    tw_strbuf_free(&text);
    return 0;
}
