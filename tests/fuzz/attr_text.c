/* attr_text.c: see fuzz_attr.h. */
#include "fuzz_attr.h"
#include "ir/text.h"
#include "pipelines/dialects.h"

#include <stdio.h>
#include <stdlib.h>

static void swallow(void *user, ir_context *ctx, const ir_diagnostic *diagnostic)
{
    (void)user, (void)ctx, (void)diagnostic;
}

ir_context *fuzz_context(void)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){swallow, NULL});
    return ctx;
}

static tw_strbuf printed(ir_attr attr)
{
    tw_strbuf text = {0};
    ir_print_attr(attr, &text);
    return text;
}

void fuzz_attr_text(ir_context *ctx, tw_str text)
{
    ir_attr attr = ir_parse_attr(ctx, text);
    if (!attr)
        return;
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
