/* memref_fold.h: folds referenced by the rows of memref.def. */
#ifndef TILEWRIGHT_MLIR_MEMREF_MEMREF_FOLD_H
#define TILEWRIGHT_MLIR_MEMREF_MEMREF_FOLD_H

#include "ir/op.h"

/* Replaces operands by the sources of casts; also for affine's loads and stores. */
bool memref_fold_cast_operands(ir_op *op, const ir_attr *constants,
                               ir_fold_result *results);
bool memref_fold_cast(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool memref_fold_dim(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool memref_fold_rank(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool memref_fold_subview(ir_op *op, const ir_attr *constants, ir_fold_result *results);

#endif
