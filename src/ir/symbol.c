/* symbol.c: symbol tables are the operations of a block with a sym_name. */
#include "ir/op.h"
#include "support/strbuf.h"

tw_str ir_symbol_name(const ir_op *op)
{
    ir_attr name = ir_op_attr_str(op, TW_STR("sym_name"));
    return ir_attr_is(name, IR_ATTR_STRING) ? ir_attr_str(name) : (tw_str){0};
}

ir_op *ir_symbol_lookup(ir_op *table, tw_str name)
{
    const ir_op_def *def = NULL; /* of the operation before: most are of one kind */
    size_t slot = SIZE_MAX;
    if (!name.size)
        return NULL;
    for (uint16_t r = 0; r < table->n_regions; r++)
        for (ir_block *b = table->regions[r].first; b; b = b->next)
            for (ir_op *op = b->first; op; op = op->next) {
                if (op->def != def) {
                    def = op->def;
                    slot = ir_def_prop_index(def, TW_STR("sym_name"));
                }
                ir_attr own = slot != SIZE_MAX ? op->props[slot]
                                               : ir_dict_get(op->attrs, TW_STR("sym_name"));
                if (ir_attr_is(own, IR_ATTR_STRING) && tw_str_equal(ir_attr_str(own), name))
                    return op;
            }
    return NULL;
}

static bool has_visibility(const ir_op *op, const char *word)
{
    ir_attr a = ir_op_attr_str(op, TW_STR("sym_visibility"));
    return ir_attr_is(a, IR_ATTR_STRING) && tw_str_is(ir_attr_str(a), word);
}

bool ir_symbol_is_private(const ir_op *op)
{
    return has_visibility(op, "private");
}

bool ir_symbol_is_public(const ir_op *op)
{
    return !has_visibility(op, "private") && !has_visibility(op, "nested");
}

ir_attr ir_symbol_free_name(ir_op *table, const char *base)
{
    tw_strbuf text = {0};
    tw_strbuf_puts(&text, base);
    for (size_t i = 0; ir_symbol_lookup(table, tw_str_from(tw_strbuf_text(&text))); i++) {
        text.size = 0;
        tw_strbuf_printf(&text, "%s_%zu", base, i);
    }
    ir_attr name = ir_string_attr(table->ctx, tw_str_from(tw_strbuf_text(&text)));
    tw_strbuf_free(&text);
    return name;
}

ir_op *ir_nearest_symbol_table(ir_op *op)
{
    while (op && !(op->def->traits & IR_SYMBOL_TABLE))
        op = ir_op_parent(op);
    return op;
}

ir_op *ir_symbol_resolve(ir_op *from, ir_attr ref)
{
    if (!ir_attr_is(ref, IR_ATTR_SYMBOL_REF))
        return NULL;
    for (ir_op *table = ir_nearest_symbol_table(from); table;
         table = ir_nearest_symbol_table(ir_op_parent(table))) {
        ir_op *found = ir_symbol_lookup(table, ir_attr_str(ref->items[0]));
        for (uint32_t i = 1; found && i < ref->count; i++)
            found = ir_symbol_lookup(found, ir_attr_str(ref->items[i]));
        if (found)
            return found;
        if (!ir_op_parent(table))
            break;
    }
    return NULL;
}
