/* cf.c: the tables of the cf dialect. */
#include "mlir/cf/cf.h"
#include "mlir/cf/cf_syntax.h"

#define IR_DIALECT cf
#define IR_ROWS "mlir/cf/cf.def"
#define IR_CONSTRAINTS "mlir/cf/cf_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect cf_dialect = {
    .name = "cf",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .allow_inline = true,
};
