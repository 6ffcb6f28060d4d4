/* sdy.c: the tables of the sdy dialect. */
#include "sdy/sdy.h"

#include "sdy/sdy_verify.h"
#include "stablehlo/stablehlo_hooks.h"

#define IR_DIALECT sdy
#define IR_ROWS "sdy/sdy.def"
#define IR_CONSTRAINTS "sdy/sdy_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect sdy_dialect = {
    .name = "sdy",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .record_prefix = "Sdy_",
    .name_space = "sdy",
    .record_is_bare = true,
    .bytecode = &sdy_bytecode,
    .verify_discardable = sdy_verify_discardable,
    .verify_function_attr = sdy_verify_function_attr,
    .allow_inline = true,
};
