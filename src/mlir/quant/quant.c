/* quant.c: the tables of the quant dialect, and its binary forms. */
#include "mlir/quant/quant.h"

#include "mlir/quant/quant_hooks.h"

#define IR_DIALECT quant
#define IR_ROWS "mlir/quant/quant.def"
#define IR_CONSTRAINTS "mlir/quant/quant_constraints.def"
#include "ir/dialect_tables.h"

bool quant_is_uniform(ir_type element)
{
    return element->kind == IR_TYPE_DIALECT &&
           (element->def == QUANT_TYPE(uniform) ||
            element->def == QUANT_TYPE(uniform_per_axis));
}

ir_type quant_storage(ir_type uniform)
{
    bool is_signed = ir_attr_int(uniform->params[QUANT_FLAGS], 0) & 1;
    return ir_integer_type(uniform->ctx, uniform->params[QUANT_STORAGE_TYPE]->type->width,
                           is_signed ? IR_SIGNED : IR_UNSIGNED);
}

/* Codes 1 and 2 are the same type without and with an expressed type. */
static const ir_bytecode_row rows[] = {
    {.code = 1, .fields = "v0t1i3i4", .type = QUANT_TYPE(any)},
    {.code = 2, .fields = "v0t1t2i3i4", .type = QUANT_TYPE(any)},
    {.code = 3, .fields = "t0f1f2", .type = QUANT_TYPE(calibrated)},
    {.code = 4, .fields = "v0t1t2f5i6i3i4", .type = QUANT_TYPE(uniform)},
    {.code = 5, .fields = "v0t1t2v7i3i4F5I6", .type = QUANT_TYPE(uniform_per_axis)},
};

const ir_bytecode_codec quant_bytecode = {rows, TW_COUNT(rows)};

const ir_dialect quant_dialect = {
    .name = "quant",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .bytecode = &quant_bytecode,
};
