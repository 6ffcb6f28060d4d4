/* tensor.h: the tensor dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_TENSOR_H
#define TILEWRIGHT_DIALECT_TENSOR_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) TENSOR_##id,
#include "mlir/tensor/tensor.def"
    TENSOR_OP_COUNT
};

extern const ir_dialect tensor_dialect;
extern const ir_op_def tensor_ops[];
#define TENSOR_OP(id) (&tensor_ops[TENSOR_##id])

#endif
