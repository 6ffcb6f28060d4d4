/* math.h: the math dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_MATH_H
#define TILEWRIGHT_DIALECT_MATH_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) MATH_##id,
#include "mlir/math/math.def"
    MATH_OP_COUNT
};

extern const ir_dialect math_dialect;
extern const ir_op_def math_ops[];
#define MATH_OP(id) (&math_ops[MATH_##id])

#endif
