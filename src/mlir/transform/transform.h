/* transform.h: row indices of the transform dialect. */
#ifndef TILEWRIGHT_MLIR_TRANSFORM_TRANSFORM_H
#define TILEWRIGHT_MLIR_TRANSFORM_TRANSFORM_H

#include "mlir/transform/transform_enums.h"

#define IR_DIALECT transform
#define IR_PREFIX TRANSFORM
#define IR_ROWS "mlir/transform/transform.def"
#include "ir/dialect_names.h"

#define TRANSFORM_OP(id) (&transform_ops[TRANSFORM_##id])

#define TRANSFORM_ATTR(id) (&transform_attrs[TRANSFORM_ATTR_##id])

#define TRANSFORM_TYPE(id) (&transform_types[TRANSFORM_TYPE_##id])

#endif
