/* math.h: row indices of the math dialect. */
#ifndef TILEWRIGHT_MLIR_MATH_MATH_H
#define TILEWRIGHT_MLIR_MATH_MATH_H

#define IR_DIALECT math
#define IR_PREFIX MATH
#define IR_ROWS "mlir/math/math.def"
#include "ir/dialect_names.h"

#define MATH_OP(id) (&math_ops[MATH_##id])

#endif
