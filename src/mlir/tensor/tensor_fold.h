/* tensor_fold.h: folds referenced by the rows of tensor.def. */
#ifndef TILEWRIGHT_MLIR_TENSOR_TENSOR_FOLD_H
#define TILEWRIGHT_MLIR_TENSOR_TENSOR_FOLD_H

#include "ir/op.h"

bool tensor_fold_cast(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool tensor_fold_concat(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool tensor_fold_dim(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool tensor_fold_extract(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool tensor_fold_extract_slice(ir_op *op, const ir_attr *constants,
                               ir_fold_result *results);
bool tensor_fold_from_elements(ir_op *op, const ir_attr *constants,
                               ir_fold_result *results);
bool tensor_fold_insert(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool tensor_fold_insert_slice(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool tensor_fold_pad(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool tensor_fold_rank(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool tensor_fold_reshape(ir_op *op, const ir_attr *constants, ir_fold_result *results);
/* collapse_shape, expand_shape: only of splat constants */
bool tensor_fold_reshape_splat(ir_op *op, const ir_attr *constants,
                               ir_fold_result *results);
bool tensor_fold_splat(ir_op *op, const ir_attr *constants, ir_fold_result *results);

#endif
