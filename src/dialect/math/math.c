/* math.c: the tables of the math dialect. */
#include "dialect/math/math.h"
#include "dialect/arith/arith_syntax.h"

#include "dialect/constraints.h"
#include "dialect/math/math_fold.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def math_ops[] = {
#include "dialect/math/math.def"
};

const ir_dialect math_dialect = {
    .name = "math",
    .ops = {math_ops, MATH_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
