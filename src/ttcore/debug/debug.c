/* debug.c: the tables of the debug dialect. */
#include "ttcore/debug/debug.h"

#define IR_DIALECT debug
#define IR_ROWS "ttcore/debug/debug.def"
#include "ir/dialect_tables.h"

const ir_dialect debug_dialect = {
    .name = "debug",
    IR_DIALECT_TABLES,
    .uses_properties = true,
};
