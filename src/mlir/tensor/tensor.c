/* tensor.c: the tables of the tensor dialect. */
#include "mlir/tensor/tensor.h"
#include "mlir/arith/arith_syntax.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/shared/value_names.h"
#include "mlir/tensor/tensor_fold.h"
#include "mlir/tensor/tensor_hooks.h"

#define IR_DIALECT tensor
#define IR_ROWS "mlir/tensor/tensor.def"
#define IR_CONSTRAINTS "mlir/tensor/tensor_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_reshape, canonicalize_tensor;

const ir_dialect tensor_dialect = {
    .name = "tensor",
    IR_DIALECT_TABLES,
    .canonical = IR_LIST(ir_pattern_table_ref, &canonicalize_reshape, &canonicalize_tensor),
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
