/* chlo.c: the tables of the chlo dialect. */
#include "stablehlo/chlo/chlo.h"

#include "ir/text/fields_syntax.h"
#include "stablehlo/chlo/chlo_hooks.h"
#include "stablehlo/stablehlo_constraints.h"

#define IR_DIALECT chlo
#define IR_ROWS "stablehlo/chlo/chlo.def"
#define IR_CONSTRAINTS "stablehlo/chlo/chlo_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect chlo_dialect = {
    .name = "chlo",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .record_prefix = "CHLO_",
    .name_space = "chlo",
    .record_is_bare = true,
    .unknown_attr = "unknown chlo attribute",
    .bytecode = &chlo_bytecode,
    .allow_inline = true,
};
