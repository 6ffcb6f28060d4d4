/* fuzz_text.c: any bytes as a module's text.
 *
 * A module accepted by parser and verifier must print in the custom and in the generic
 * form, and both must parse as a module that prints the same. */
#include "ir/op.h"
#include "ir/text.h"
#include "pipelines/dialects.h"

#include <stdio.h>
#include <stdlib.h>

/* Keeps the last error, for reporting why a printed module does not parse. */
static void keep(void *user, ir_context *ctx, const ir_diagnostic *diagnostic)
{
    (void)ctx;
    tw_strbuf *last = user;
    if (diagnostic->severity != IR_ERROR)
        return;
    last->size = 0;
    tw_strbuf_append(last, diagnostic->text, strlen(diagnostic->text));
}

static tw_strbuf printed(ir_op *op, bool generic)
{
    tw_strbuf text = {0};
    ir_print_op(op, &(ir_print_options){.generic = generic}, &text);
    return text;
}

/* Parses `text` and compares its printed form with `expected`. */
static void check(ir_context *ctx, const tw_strbuf *text, const tw_strbuf *expected,
                  const tw_strbuf *last)
{
    ir_op *op = ir_parse(ctx, (tw_str){text->data, text->size}, "printed", NULL);
    if (!op) {
        ir_flush_diagnostics(ctx);
        fprintf(stderr, "does not read back: %.*s\n%.*s\n", (int)last->size, last->data,
                (int)text->size, text->data);
        abort();
    }
    tw_strbuf again = printed(op, false);
    if (again.size != expected->size ||
        memcmp(again.data, expected->data, again.size) != 0) {
        fprintf(stderr, "prints as\n%.*s\nthen as\n%.*s\n", (int)expected->size,
                expected->data, (int)again.size, again.data);
        abort();
    }
    tw_strbuf_free(&again);
    ir_op_erase(op);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_strbuf last = {0};
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, true);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){keep, &last});
    ir_op *op = ir_parse(ctx, (tw_str){(const char *)data, size}, "input", NULL);
    if (op) {
        tw_strbuf custom = printed(op, false), generic = printed(op, true);
        check(ctx, &custom, &custom, &last);
        check(ctx, &generic, &custom, &last);
        tw_strbuf_free(&custom);
        tw_strbuf_free(&generic);
        ir_op_erase(op);
    }
    ir_context_destroy(ctx);
    tw_strbuf_free(&last);
    return 0;
}
