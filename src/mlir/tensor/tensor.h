/* tensor.h: row indices of the tensor dialect. */
#ifndef TILEWRIGHT_MLIR_TENSOR_TENSOR_H
#define TILEWRIGHT_MLIR_TENSOR_TENSOR_H

#define IR_DIALECT tensor
#define IR_PREFIX TENSOR
#define IR_ROWS "mlir/tensor/tensor.def"
#include "ir/dialect_names.h"

#define TENSOR_OP(id) (&tensor_ops[TENSOR_##id])

#endif
