/* d2m.c: the tables of the d2m dialect. */
#include "d2m/d2m.h"

#include "d2m/d2m_hooks.h"
#include "ir/rewrite/rewrite.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_constraints.h"

#define IR_DIALECT d2m
#define IR_ROWS "d2m/d2m.def"
#define IR_CONSTRAINTS "d2m/d2m_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_d2m;

const ir_dialect d2m_dialect = {
    .name = "d2m",
    .record_prefix = "D2M_",
    .name_space = "tt::d2m",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .canonical = IR_LIST(ir_pattern_table_ref, &canonicalize_d2m),
};
