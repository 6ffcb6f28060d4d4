/* transform.h: the transform dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_TRANSFORM_H
#define TILEWRIGHT_DIALECT_TRANSFORM_H

#include "ir/op.h"
#include "mlir/transform/transform_enums.h"

enum {
#define TW_OP(id, ...) TRANSFORM_##id,
#include "mlir/transform/transform.def"
    TRANSFORM_OP_COUNT
};

extern const ir_dialect transform_dialect;
extern const ir_op_def transform_ops[];
#define TRANSFORM_OP(id) (&transform_ops[TRANSFORM_##id])

enum {
#define TW_ATTR(id, ...) TRANSFORM_ATTR_##id,
#include "mlir/transform/transform.def"
};
extern const ir_attr_def transform_attrs[];
#define TRANSFORM_ATTR(id) (&transform_attrs[TRANSFORM_ATTR_##id])

enum {
#define TW_TYPE(id, ...) TRANSFORM_TYPE_##id,
#include "mlir/transform/transform.def"
};
extern const ir_type_def transform_types[];
#define TRANSFORM_TYPE(id) (&transform_types[TRANSFORM_TYPE_##id])

#endif
