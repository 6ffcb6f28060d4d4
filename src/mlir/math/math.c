/* math.c: the tables of the math dialect. */
#include "mlir/math/math.h"
#include "mlir/arith/arith_syntax.h"

#include "constraints/constraints.h"
#include "mlir/math/math_fold.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def math_ops[] = {
#include "mlir/math/math.def"
};

const ir_dialect math_dialect = {
    .name = "math",
    .ops = {math_ops, MATH_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
