/* tosa.h: row indices of the tosa dialect. */
#ifndef TILEWRIGHT_MLIR_TOSA_TOSA_H
#define TILEWRIGHT_MLIR_TOSA_TOSA_H

#include "mlir/tosa/tosa_enums.h"

#define IR_DIALECT tosa
#define IR_PREFIX TOSA
#define IR_ROWS "mlir/tosa/tosa.def"
#include "ir/dialect_names.h"

#define TOSA_OP(id) (&tosa_ops[TOSA_##id])

#define TOSA_TYPE(id) (&tosa_types[TOSA_TYPE_##id])

#define TOSA_ATTR(id) (&tosa_attrs[TOSA_ATTR_##id])

#endif
