/* sparse_tensor.h: the sparse_tensor dialect: encodings of sparse tensors. */
#ifndef TILEWRIGHT_MLIR_SPARSE_TENSOR_SPARSE_TENSOR_H
#define TILEWRIGHT_MLIR_SPARSE_TENSOR_SPARSE_TENSOR_H

#include "ir/dialect.h"

extern const ir_dialect sparse_tensor_dialect;

#endif
