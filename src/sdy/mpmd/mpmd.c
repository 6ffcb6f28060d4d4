/* mpmd.c: the tables of the mpmd dialect. */
#include "sdy/mpmd/mpmd.h"

#include "stablehlo/stablehlo_constraints.h"

#define IR_DIALECT mpmd
#define IR_ROWS "sdy/mpmd/mpmd.def"
#define IR_CONSTRAINTS "sdy/mpmd/mpmd_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect mpmd_dialect = {
    .name = "mpmd",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .record_prefix = "Mpmd_",
    .name_space = "mpmd",
    .record_is_bare = true,
    .allow_inline = true,
};
