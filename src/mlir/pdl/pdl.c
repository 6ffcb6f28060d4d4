/* pdl.c: the tables of the pdl dialect. */
#include "mlir/pdl/pdl.h"

#include "mlir/pdl/pdl_hooks.h"

#define IR_DIALECT pdl
#define IR_ROWS "mlir/pdl/pdl.def"
#define IR_CONSTRAINTS "mlir/pdl/pdl_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect pdl_dialect = {
    .name = "pdl",
    .record_prefix = "PDL_",
    .name_space = "pdl",
    IR_DIALECT_TABLES,
    .uses_properties = true,
};

ir_type pdl_element_type(ir_type type)
{
    bool range = type->kind == IR_TYPE_DIALECT && type->def == PDL_TYPE(range);
    return range ? type->params[0]->type : type;
}
