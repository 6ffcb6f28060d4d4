/* fuzz_attr.c: any bytes as the text of an attribute.
 *
 * An accepted attribute must print, parse as the same attribute where printing keeps
 * everything, and print the same again. */
#include "fuzz_attr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ir_context *ctx = fuzz_context();
    ir_context_allow_unregistered(ctx, true);
    fuzz_attr_text(ctx, (tw_str){(const char *)data, size});
    ir_context_destroy(ctx);
    return 0;
}
