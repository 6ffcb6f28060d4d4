/* tensor.c: the tables of the tensor dialect. */
#include "mlir/tensor/tensor.h"
#include "mlir/arith/arith_syntax.h"

#include "constraints/constraints.h"
#include "mlir/shared/value_names.h"
#include "mlir/tensor/tensor_fold.h"
#include "mlir/tensor/tensor_hooks.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def tensor_ops[] = {
#include "mlir/tensor/tensor.def"
};

const ir_dialect tensor_dialect = {
    .name = "tensor",
    .ops = {tensor_ops, TENSOR_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
