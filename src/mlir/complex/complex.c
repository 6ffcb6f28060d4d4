/* complex.c: the tables of the complex dialect: complex arithmetic. */
#include "mlir/complex/complex.h"

#include "mlir/arith/arith_constraints.h"
#include "mlir/complex/complex_hooks.h"
#include "mlir/shared/value_names.h"

#define IR_DIALECT complex
#define IR_ROWS "mlir/complex/complex.def"
#define IR_CONSTRAINTS "mlir/complex/complex_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect complex_dialect = {
    .name = "complex",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .allow_inline = true,
    .materialize = complex_materialize,
};
