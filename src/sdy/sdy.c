/* sdy.c: the tables of the sdy dialect. */
#include "sdy/sdy.h"

#include "ir/rewrite/rewrite.h"
#include "sdy/sdy_verify.h"
#include "stablehlo/stablehlo_hooks.h"

#define IR_DIALECT sdy
#define IR_ROWS "sdy/sdy.def"
#define IR_CONSTRAINTS "sdy/sdy_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_sdy, canonicalize_sdy_reshard;

const ir_dialect sdy_dialect = {
    .name = "sdy",
    IR_DIALECT_TABLES,
    .canonical =
        IR_LIST(ir_pattern_table_ref, &canonicalize_sdy, &canonicalize_sdy_reshard),
    .uses_properties = true,
    .record_prefix = "Sdy_",
    .name_space = "sdy",
    .record_is_bare = true,
    .bytecode = &sdy_bytecode,
    .verify_discardable = sdy_verify_discardable,
    .verify_function_attr = sdy_verify_function_attr,
    .allow_inline = true,
};
