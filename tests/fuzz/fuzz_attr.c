/* fuzz_attr.c: any bytes as the text of an attribute.
 *
 * What the reader accepts must print, read back as the same attribute where printing keeps
 * everything, and print the same again. */
#include "dialect/all.h"
#include "ir/op.h"
#include "ir/text.h"

#include <stdio.h>
#include <stdlib.h>

static void swallow(void *user, ir_context *ctx, const ir_diagnostic *diagnostic)
{
    (void)user, (void)ctx, (void)diagnostic;
}

static tw_strbuf printed(ir_attr attr)
{
    tw_strbuf text = {0};
    ir_print_attr(attr, &text);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, true);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){swallow, NULL});
    ir_attr attr = ir_parse_attr(ctx, (tw_str){(const char *)data, size});
    if (attr) {
        tw_strbuf once = printed(attr);
        ir_attr again = ir_parse_attr(ctx, (tw_str){once.data, once.size});
        if (again) {
            tw_strbuf twice = printed(again);
            if (twice.size != once.size || memcmp(twice.data, once.data, once.size) != 0) {
                fprintf(stderr, "prints as\n%s\nthen as\n%s\n", once.data, twice.data);
                abort();
            }
            tw_strbuf_free(&twice);
        }
        tw_strbuf_free(&once);
    }
    ir_context_destroy(ctx);
    return 0;
}
