/* fuzz_bytecode.c: any bytes as MLIR bytecode.
 *
 * A valid module must be written as bytecode that is read back and written as the same
 * bytes. */
#include "ir/bytecode.h"
#include "ir/text.h"
#include "pipelines/dialects.h"

#include <stdio.h>
#include <stdlib.h>

static void check_writing(ir_context *ctx, ir_op *op)
{
    tw_strbuf first = {0}, second = {0};
    if (!ir_bytecode_write(op, NULL, &first))
        return;
    ir_op *again = ir_parse(ctx, (tw_str){first.data, first.size}, "written",
                            &(ir_parse_options){.no_verify = true});
    if (!again || !ir_bytecode_write(again, NULL, &second) || first.size != second.size ||
        memcmp(first.data, second.data, first.size) != 0) {
        ir_flush_diagnostics(ctx);
        fprintf(stderr, again ? "writes other bytes\n" : "does not read back\n");
        abort();
    }
    tw_strbuf_free(&first);
    tw_strbuf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_str bytes = {(const char *)data, size};
    if (!ir_is_bytecode(bytes))
        return 0;
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, true);
    ir_op *op = ir_parse(ctx, bytes, "input", NULL);
    if (op)
        check_writing(ctx, op);
    ir_context_destroy(ctx);
    return 0;
}
