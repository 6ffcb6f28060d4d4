/* math.c: the tables of the math dialect. */
#include "mlir/math/math.h"
#include "mlir/arith/arith_syntax.h"

#include "mlir/arith/arith_constraints.h"
#include "mlir/math/math_fold.h"

#define IR_DIALECT math
#define IR_ROWS "mlir/math/math.def"
#include "ir/dialect_tables.h"

const ir_dialect math_dialect = {
    .name = "math",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
