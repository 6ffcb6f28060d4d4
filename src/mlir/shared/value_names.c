/* value_names.c: fixed names of results, and those of constants. */
#include "mlir/shared/value_names.h"

#include <stdio.h>

/* Operations not in the table that use the hook are named after themselves. */
static const struct {
    const char *op, *result;
} fixed[] = {
    {"complex.constant", "cst"},
    {"func.constant", "f"},
    {"memref.assume_alignment", "assume_align"},
    {"memref.memory_space_cast", "memspacecast"},
    {"memref.extract_aligned_pointer_as_index", "intptr"},
    {"tensor.extract", "extracted"},
    {"tensor.insert", "inserted"},
    {"tensor.extract_slice", "extracted_slice"},
    {"tensor.insert_slice", "inserted_slice"},
    {"tensor.collapse_shape", "collapsed"},
    {"tensor.expand_shape", "expanded"},
    {"tensor.pad", "padded"},
    {"tensor.generate", "generated"},
};

void ir_name_fixed(ir_printer *p, ir_op *op)
{
    const char *base = strchr(op->def->name, '.') + 1;
    for (size_t i = 0; i < TW_COUNT(fixed); i++)
        if (strcmp(op->def->name, fixed[i].op) == 0)
            base = fixed[i].result;
    if (op->n_results)
        ir_name_value(p, &op->results[0], base);
}

/* The name is kept as a pointer until it is used: it lives in the context. */
static void name_number(ir_printer *p, ir_op *op, ir_attr value)
{
    char text[64];
    ir_type type = value->type;
    if (type->kind == IR_TYPE_INDEX)
        snprintf(text, sizeof text, "c%lld", (long long)value->value);
    else
        snprintf(text, sizeof text, "c%lld_%s%u", (long long)value->value,
                 type->sign == IR_SIGNED     ? "si"
                 : type->sign == IR_UNSIGNED ? "ui"
                                             : "i",
                 type->width);
    ir_name_value(p, &op->results[0], ir_ident_from(p->ctx, text)->text);
}

void arith_constant_names(ir_printer *p, ir_op *op)
{
    ir_attr value = ir_op_attr(op, "value");
    if (ir_attr_is_bool(value))
        ir_name_value(p, &op->results[0], value->value ? "true" : "false");
    else if (ir_attr_is(value, IR_ATTR_INTEGER) && value->type)
        name_number(p, op, value);
    else
        ir_name_value(p, &op->results[0], "cst");
}
