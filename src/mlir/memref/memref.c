/* memref.c: the tables of the memref dialect. */
#include "mlir/memref/memref.h"
#include "mlir/arith/arith_syntax.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/arith/arith.h"
#include "mlir/memref/memref_fold.h"
#include "mlir/memref/memref_hooks.h"
#include "mlir/shared/value_names.h"

#define IR_DIALECT memref
#define IR_ROWS "mlir/memref/memref.def"
#define IR_CONSTRAINTS "mlir/memref/memref_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_memref;

const ir_dialect memref_dialect = {
    .name = "memref",
    IR_DIALECT_TABLES,
    .canonical = IR_LIST(ir_pattern_table_ref, &canonicalize_memref),
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
