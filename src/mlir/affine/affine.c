/* affine.c: the tables of the affine dialect. */
#include "mlir/affine/affine.h"
#include "mlir/arith/arith_syntax.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine_hooks.h"
#include "mlir/memref/memref_fold.h"

#define IR_DIALECT affine
#define IR_ROWS "mlir/affine/affine.def"
#define IR_CONSTRAINTS "mlir/affine/affine_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect affine_dialect = {
    .name = "affine",
    IR_DIALECT_TABLES,
    .canonical =
        IR_LIST(ir_pattern_table_ref, &canonicalize_affine, &canonicalize_affine_index),
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
