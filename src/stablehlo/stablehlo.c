/* stablehlo.c: the tables of the stablehlo dialect. */
#include "stablehlo/stablehlo.h"

#include "ir/text/fields_syntax.h"
#include "stablehlo/stablehlo_constraints.h"
#include "stablehlo/stablehlo_hooks.h"

#define IR_CONSTRAINT(id, ...) const ir_constraint C_##id = {__VA_ARGS__};
#include "stablehlo/stablehlo_constraints.def"
#undef IR_CONSTRAINT

#define IR_DIALECT stablehlo
#define IR_ROWS "stablehlo/stablehlo.def"
#include "ir/dialect_tables.h"

const ir_dialect stablehlo_dialect = {
    .name = "stablehlo",
    IR_DIALECT_TABLES,
    .checks_are_local = true,
    .uses_properties = true,
    .record_prefix = "StableHLO_",
    .name_space = "stablehlo",
    .record_is_bare = true,
    .says_unknown_types = true,
    .unknown_attr = "unknown StableHLO attribute",
    .bytecode = &stablehlo_bytecode,
    .allow_inline = true,
};
