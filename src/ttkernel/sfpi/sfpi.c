/* sfpi.c: the tables of the sfpi dialect. */
#include "ttkernel/sfpi/sfpi.h"

#define IR_DIALECT sfpi
#define IR_ROWS "ttkernel/sfpi/sfpi.def"
#define IR_CONSTRAINTS "ttkernel/sfpi/sfpi_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect sfpi_dialect = {
    .name = "sfpi",
    .record_prefix = "SFPI_",
    .name_space = "tt::sfpi",
    IR_DIALECT_TABLES,
    .uses_properties = true,
};
