/* shape.h: the shape dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_SHAPE_H
#define TILEWRIGHT_DIALECT_SHAPE_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) SHAPE_##id,
#include "mlir/shape/shape.def"
    SHAPE_OP_COUNT
};

extern const ir_dialect shape_dialect;
extern const ir_op_def shape_ops[];
#define SHAPE_OP(id) (&shape_ops[SHAPE_##id])

enum {
#define TW_TYPE(id, ...) SHAPE_TYPE_##id,
#include "mlir/shape/shape.def"
};
extern const ir_type_def shape_types[];
#define SHAPE_TYPE(id) (&shape_types[SHAPE_TYPE_##id])

#endif
