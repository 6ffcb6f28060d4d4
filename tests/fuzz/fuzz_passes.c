/* fuzz_passes.c: a pipeline, a newline, and the text of the module that it runs on.
 *
 * Passes may fail; their results must satisfy the verifier, which runs after each, and are
 * passed to all writers of modules in other forms. */
#include "emitpy/to_python/python.h"
#include "fuzz_attr.h"
#include "ir/text.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "pipelines/registry.h"
#include "ttmetal/to_flatbuffer/emit_ttm.h"
#include "ttnn/to_flatbuffer/emit.h"

#include <stdlib.h>

static void write_all(ir_op *module)
{
    static bool (*const texts[])(ir_op *, tw_strbuf *) = {cpp_emit, cpp_emit_kernels,
                                                          python_emit};
    void *data;
    size_t size;
    if (fb_emit_ttnn(module, NULL, &data, &size))
        free(data);
    if (fb_emit_ttm(module, NULL, &data, &size))
        free(data);
    for (size_t i = 0; i < TW_COUNT(texts); i++) {
        tw_strbuf out = {0};
        texts[i](module, &out);
        tw_strbuf_free(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *line = memchr(text, '\n', size);
    if (!line)
        return 0;
    size_t n = (size_t)(line - text);
    ir_context *ctx = fuzz_context();
    pass_manager *pm = pass_manager_create(ctx, &tw_passes, &(pass_config){0});
    /* no files: options of passes name some */
    if (!memchr(text, '/', n) && pass_manager_add(pm, (tw_str){text, n})) {
        ir_op *module = ir_parse(ctx, (tw_str){line + 1, size - n - 1}, "input", NULL);
        if (module && pass_manager_run(pm, module)) {
            tw_strbuf out = {0};
            ir_print_op(module, NULL, &out);
            tw_strbuf_free(&out);
            write_all(module);
        }
    }
    pass_manager_destroy(pm);
    ir_context_destroy(ctx);
    return 0;
}
