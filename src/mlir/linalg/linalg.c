/* linalg.c: the tables of the linalg dialect. */
#include "mlir/linalg/linalg.h"
#include "mlir/arith/arith_syntax.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/linalg/linalg_hooks.h"
#include "mlir/memref/memref_fold.h"

#define IR_DIALECT linalg
#define IR_ROWS "mlir/linalg/linalg.def"
#define IR_CONSTRAINTS "mlir/linalg/linalg_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_linalg, canonicalize_linalg_fill;

const ir_dialect linalg_dialect = {
    .name = "linalg",
    .record_prefix = "Linalg_",
    .name_space = "linalg",
    IR_DIALECT_TABLES,
    .canonical =
        IR_LIST(ir_pattern_table_ref, &canonicalize_linalg, &canonicalize_linalg_fill),
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
