/* check.c: the tables of the check dialect. */
#include "stablehlo/check/check.h"

#include "stablehlo/stablehlo_constraints.h"

#define IR_DIALECT check
#define IR_ROWS "stablehlo/check/check.def"
#define IR_CONSTRAINTS "stablehlo/check/check_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect check_dialect = {
    .name = "check",
    IR_DIALECT_TABLES,
    .uses_properties = true,
};
