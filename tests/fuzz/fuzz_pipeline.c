/* fuzz_pipeline.c: any bytes as a pass pipeline.
 *
 * An accepted pipeline prints as one that is accepted and prints the same. */
#include "fuzz_attr.h"
#include "pipelines/registry.h"

#include <stdio.h>
#include <stdlib.h>

static bool printed(ir_context *ctx, tw_str text, tw_strbuf *out)
{
    pass_manager *pm = pass_manager_create(ctx, &tw_passes, &(pass_config){0});
    bool ok = pass_manager_add(pm, text);
    if (ok)
        pass_manager_print(pm, out);
    pass_manager_destroy(pm);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ir_context *ctx = fuzz_context();
    tw_strbuf once = {0}, twice = {0};
    if (printed(ctx, (tw_str){(const char *)data, size}, &once) &&
        (!printed(ctx, (tw_str){once.data, once.size}, &twice) || once.size != twice.size ||
         memcmp(once.data, twice.data, once.size) != 0)) {
        fprintf(stderr, "prints as\n%s\nthen as\n%s\n", tw_strbuf_text(&once),
                tw_strbuf_text(&twice));
        abort();
    }
    tw_strbuf_free(&once);
    tw_strbuf_free(&twice);
    ir_context_destroy(ctx);
    return 0;
}
