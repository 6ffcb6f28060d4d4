/* bufferization.h: the bufferization dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_BUFFERIZATION_H
#define TILEWRIGHT_DIALECT_BUFFERIZATION_H

#include "ir/op.h"
#include "mlir/bufferization/bufferization_enums.h"

enum {
#define TW_OP(id, ...) BUFFERIZATION_##id,
#include "mlir/bufferization/bufferization.def"
    BUFFERIZATION_OP_COUNT
};

extern const ir_dialect bufferization_dialect;
extern const ir_op_def bufferization_ops[];
#define BUFFERIZATION_OP(id) (&bufferization_ops[BUFFERIZATION_##id])

#endif
