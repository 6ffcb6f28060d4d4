/* vhlo.c: the tables of the vhlo dialect. */
#include "stablehlo/vhlo/vhlo.h"

#define IR_DIALECT vhlo
#define IR_ROWS "stablehlo/vhlo/vhlo.def"
#define IR_CONSTRAINTS "stablehlo/vhlo/vhlo_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect vhlo_dialect = {
    .name = "vhlo",
    .record_prefix = "VHLO_",
    .name_space = "vhlo",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .bytecode = &vhlo_bytecode,
};
