/* tensor.c: the tables of the tensor dialect. */
#include "mlir/tensor/tensor.h"
#include "mlir/arith/arith_syntax.h"

#include "mlir/shared/value_names.h"
#include "mlir/tensor/tensor_fold.h"
#include "mlir/tensor/tensor_hooks.h"

#define IR_DIALECT tensor
#define IR_ROWS "mlir/tensor/tensor.def"
#define IR_CONSTRAINTS "mlir/tensor/tensor_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect tensor_dialect = {
    .name = "tensor",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
