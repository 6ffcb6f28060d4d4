/* fuzz_param.c: every attribute and type of every dialect: two bytes select the row, the
 * others are the text after its name. */
#include "fuzz_attr.h"
#include "ir/dialect.h"

/* Row `n` of all dialects' attributes and types, wrapping around. */
static const char *nth_mnemonic(ir_context *ctx, size_t n, char *out_sigil)
{
    size_t total = 0, at = 0;
    for (int round = 0; round < 2; round++) {
        for (size_t d = 0; d < ir_context_dialect_count(ctx); d++) {
            const ir_dialect *dialect = ir_context_dialect_at(ctx, d);
            size_t attrs = dialect->attrs.count, rows = attrs + dialect->types.count;
            if (round && n % total < at + rows) {
                size_t i = n % total - at;
                *out_sigil = i < attrs ? '#' : '!';
                return i < attrs ? dialect->attrs.at[i].mnemonic
                                 : dialect->types.at[i - attrs].mnemonic;
            }
            at += rows;
        }
        total = round ? total : at;
        at = 0;
    }
    return "";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    ir_context *ctx = fuzz_context();
    char sigil = 0;
    const char *name = nth_mnemonic(ctx, data[0] | (size_t)data[1] << 8, &sigil);
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "%c%s", sigil, name);
    tw_strbuf_append(&text, (const char *)data + 2, size - 2);
    fuzz_attr_text(ctx, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    ir_context_destroy(ctx);
    return 0;
}
