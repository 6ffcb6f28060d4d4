/* tosa.h: the tosa dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_TOSA_H
#define TILEWRIGHT_DIALECT_TOSA_H

#include "ir/op.h"
#include "mlir/tosa/tosa_enums.h"

enum {
#define TW_OP(id, ...) TOSA_##id,
#include "mlir/tosa/tosa.def"
    TOSA_OP_COUNT
};

extern const ir_dialect tosa_dialect;
extern const ir_op_def tosa_ops[];
#define TOSA_OP(id) (&tosa_ops[TOSA_##id])

enum {
#define TW_TYPE(id, ...) TOSA_TYPE_##id,
#include "mlir/tosa/tosa.def"
};
extern const ir_type_def tosa_types[];
#define TOSA_TYPE(id) (&tosa_types[TOSA_TYPE_##id])

enum {
#define TW_ATTR(id, ...) TOSA_ATTR_##id,
#include "mlir/tosa/tosa.def"
};
extern const ir_attr_def tosa_attrs[];
#define TOSA_ATTR(id) (&tosa_attrs[TOSA_ATTR_##id])

#endif
