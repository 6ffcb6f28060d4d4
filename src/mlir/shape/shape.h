/* shape.h: row indices of the shape dialect. */
#ifndef TILEWRIGHT_MLIR_SHAPE_SHAPE_H
#define TILEWRIGHT_MLIR_SHAPE_SHAPE_H

#define IR_DIALECT shape
#define IR_PREFIX SHAPE
#define IR_ROWS "mlir/shape/shape.def"
#include "ir/dialect_names.h"

#define SHAPE_OP(id) (&shape_ops[SHAPE_##id])

#define SHAPE_TYPE(id) (&shape_types[SHAPE_TYPE_##id])

#endif
