/* mpmd.c: the tables of the mpmd dialect. */
#include "sdy/mpmd/mpmd.h"

#include "ir/rewrite/rewrite.h"
#include "stablehlo/stablehlo_constraints.h"

#define IR_DIALECT mpmd
#define IR_ROWS "sdy/mpmd/mpmd.def"
#define IR_CONSTRAINTS "sdy/mpmd/mpmd_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_mpmd;

const ir_dialect mpmd_dialect = {
    .name = "mpmd",
    IR_DIALECT_TABLES,
    .canonical = IR_LIST(ir_pattern_table_ref, &canonicalize_mpmd),
    .uses_properties = true,
    .record_prefix = "Mpmd_",
    .name_space = "mpmd",
    .record_is_bare = true,
    .allow_inline = true,
};
