/* math_fold.h: folds referenced by the rows of math.def. */
#ifndef TILEWRIGHT_MLIR_MATH_MATH_FOLD_H
#define TILEWRIGHT_MLIR_MATH_MATH_FOLD_H

#include "ir/op.h"

bool math_fold_real(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool math_fold_whole(ir_op *op, const ir_attr *constants, ir_fold_result *results);

#endif
