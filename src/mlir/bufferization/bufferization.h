/* bufferization.h: row indices of the bufferization dialect. */
#ifndef TILEWRIGHT_MLIR_BUFFERIZATION_BUFFERIZATION_H
#define TILEWRIGHT_MLIR_BUFFERIZATION_BUFFERIZATION_H

#include "mlir/bufferization/bufferization_enums.h"

#define IR_DIALECT bufferization
#define IR_PREFIX BUFFERIZATION
#define IR_ROWS "mlir/bufferization/bufferization.def"
#include "ir/dialect_names.h"

#define BUFFERIZATION_OP(id) (&bufferization_ops[BUFFERIZATION_##id])

#endif
