/* builtin.h: row indices of the builtin dialect. */
#ifndef TILEWRIGHT_MLIR_BUILTIN_BUILTIN_H
#define TILEWRIGHT_MLIR_BUILTIN_BUILTIN_H

#define IR_DIALECT builtin
#define IR_PREFIX BUILTIN
#define IR_ROWS "mlir/builtin/builtin.def"
#include "ir/dialect_names.h"

#define BUILTIN_OP(id) (&builtin_ops[BUILTIN_##id])

#endif
