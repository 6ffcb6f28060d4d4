/* ttkernel.c: the tables of the ttkernel dialect. */
#include "ttkernel/ttkernel.h"

#include "ir/rewrite/rewrite.h"
#include "ttcore/ttcore_constraints.h"
#include "ttkernel/ttkernel_hooks.h"
#include "ttkernel/ttkernel_layout.h"

#define IR_DIALECT ttkernel
#define IR_ROWS "ttkernel/ttkernel.def"
#define IR_CONSTRAINTS "ttkernel/ttkernel_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_ttkernel;

const ir_dialect ttkernel_dialect = {
    .name = "ttkernel",
    .record_prefix = "TTKernel_",
    .name_space = "tt::ttkernel",
    IR_DIALECT_TABLES,
    .canonical = IR_LIST(ir_pattern_table_ref, &canonicalize_ttkernel),
    .uses_properties = true,
    .parse_bare = ttkernel_call_parse,
};
