/* complex.h: row indices of the complex dialect. */
#ifndef TILEWRIGHT_MLIR_COMPLEX_COMPLEX_H
#define TILEWRIGHT_MLIR_COMPLEX_COMPLEX_H

#define IR_DIALECT complex
#define IR_PREFIX COMPLEX
#define IR_ROWS "mlir/complex/complex.def"
#include "ir/dialect_names.h"

#define COMPLEX_OP(id) (&complex_ops[COMPLEX_##id])

#define COMPLEX_ATTR(id) (&complex_attrs[COMPLEX_ATTR_##id])

#endif
