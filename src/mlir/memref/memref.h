/* memref.h: the memref dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_MEMREF_H
#define TILEWRIGHT_DIALECT_MEMREF_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) MEMREF_##id,
#include "mlir/memref/memref.def"
    MEMREF_OP_COUNT
};

extern const ir_dialect memref_dialect;
extern const ir_op_def memref_ops[];
#define MEMREF_OP(id) (&memref_ops[MEMREF_##id])

#endif
