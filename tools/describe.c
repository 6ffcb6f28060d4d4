/* describe.c: see describe.h. */
#include "describe.h"

static void describe_values(tw_strbuf *out, const char *title, const ir_operand_def *at,
                            uint32_t count)
{
    static const char *const arities[] = {"", ", optional", ", any number",
                                          ", any number in groups"};
    if (count)
        tw_strbuf_printf(out, "\n\n%s:", title);
    for (uint32_t i = 0; i < count; i++)
        tw_strbuf_printf(out, "\n- `%s`: %s%s", at[i].name[0] ? at[i].name : "(unnamed)",
                         at[i].type ? at[i].type->text : "any type", arities[at[i].arity]);
}

static void describe_attributes(const ir_op_def *def, tw_strbuf *out)
{
    if (def->attrs.count)
        tw_strbuf_puts(out, "\n\nAttributes:");
    for (uint32_t i = 0; i < def->attrs.count; i++) {
        const ir_attr_use *use = &def->attrs.at[i];
        tw_strbuf_printf(out, "\n- `%s`: %s", use->name, use->type->text);
        if (use->deflt)
            tw_strbuf_printf(out, " (default `%s`)", use->deflt);
        else if (use->optional)
            tw_strbuf_puts(out, ", optional");
    }
}

void describe_op(const ir_op_def *def, tw_strbuf *out)
{
    tw_strbuf_printf(out, "**%s**", def->name);
    describe_values(out, "Operands", def->operands.at, def->operands.count);
    describe_attributes(def, out);
    describe_values(out, "Results", def->results.at, def->results.count);
    if (def->regions.count)
        tw_strbuf_puts(out, "\n\nRegions:");
    for (uint32_t i = 0; i < def->regions.count; i++)
        tw_strbuf_printf(out, "\n- `%s`%s", def->regions.at[i].name,
                         def->regions.at[i].variadic ? ", any number" : "");
}
