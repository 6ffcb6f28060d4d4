/* ttir.c: the tables of the ttir dialect. */
#include "ttir/ttir.h"

#include "ir/rewrite/rewrite.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_constraints.h"
#include "ttir/ttir_hooks.h"

#define IR_DIALECT ttir
#define IR_ROWS "ttir/ttir.def"
#define IR_CONSTRAINTS "ttir/ttir_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_ttir, canonicalize_ttir_nn;

const ir_dialect ttir_dialect = {
    .name = "ttir",
    IR_DIALECT_TABLES,
    .canonical = IR_LIST(ir_pattern_table_ref, &canonicalize_ttir, &canonicalize_ttir_nn),
    .checks_are_local = true,
    .tensors_are_memory = true,
    .uses_properties = true,
    .record_prefix = "TTIR_",
    .name_space = "tt::ttir",
    .materialize = ttir_materialize,
    .allow_inline = true,
};
