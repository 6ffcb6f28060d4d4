/* fuzz_vhlo.c: any bytes as a portable artifact.
 *
 * A deserialized program is serialized for the current version and deserialized to the same
 * text. */
#include "fuzz_attr.h"
#include "ir/bytecode.h"
#include "ir/text.h"
#include "pipelines/registry.h"

#include <stdio.h>
#include <stdlib.h>

static bool run(ir_context *ctx, const char *pipeline, ir_op *module)
{
    pass_manager *pm = pass_manager_create(ctx, &tw_passes, &(pass_config){0});
    bool ok = pass_manager_add(pm, tw_str_from(pipeline)) && pass_manager_run(pm, module);
    pass_manager_destroy(pm);
    return ok;
}

/* The program in `bytes`, as text. */
static bool deserialize(ir_context *ctx, tw_str bytes, tw_strbuf *out, ir_op **out_module)
{
    ir_op *module = ir_parse(ctx, bytes, "artifact", NULL);
    if (!module || !run(ctx, "builtin.module(stablehlo-deserialize)", module))
        return false;
    ir_print_op(module, &(ir_print_options){.generic = true}, out);
    *out_module = module;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_str bytes = {(const char *)data, size};
    if (!ir_is_bytecode(bytes))
        return 0;
    ir_context *ctx = fuzz_context();
    tw_strbuf before = {0}, artifact = {0}, after = {0};
    ir_op *module;
    if (deserialize(ctx, bytes, &before, &module) &&
        run(ctx, "builtin.module(stablehlo-legalize-to-vhlo)", module) &&
        ir_bytecode_write(module, NULL, &artifact) &&
        (!deserialize(ctx, (tw_str){artifact.data, artifact.size}, &after, &module) ||
         before.size != after.size || memcmp(before.data, after.data, before.size) != 0)) {
        fprintf(stderr, "deserializes as\n%s\nthen as\n%s\n", tw_strbuf_text(&before),
                tw_strbuf_text(&after));
        abort();
    }
    tw_strbuf_free(&before);
    tw_strbuf_free(&artifact);
    tw_strbuf_free(&after);
    ir_context_destroy(ctx);
    return 0;
}
