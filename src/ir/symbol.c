/* symbol.c: symbol tables are the operations of a block with a sym_name. */
#include "ir/op.h"

tw_str ir_symbol_name(const ir_op *op)
{
    ir_attr name = ir_op_attr_str(op, TW_STR("sym_name"));
    return ir_attr_is(name, IR_ATTR_STRING) ? ir_attr_str(name) : (tw_str){0};
}

ir_op *ir_symbol_lookup(ir_op *table, tw_str name)
{
    for (uint16_t r = 0; r < table->n_regions; r++)
        for (ir_block *b = table->regions[r].first; b; b = b->next)
            for (ir_op *op = b->first; op; op = op->next)
                if (tw_str_equal(ir_symbol_name(op), name) && name.size)
                    return op;
    return NULL;
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
