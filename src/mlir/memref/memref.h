/* memref.h: row indices of the memref dialect. */
#ifndef TILEWRIGHT_MLIR_MEMREF_MEMREF_H
#define TILEWRIGHT_MLIR_MEMREF_MEMREF_H

#define IR_DIALECT memref
#define IR_PREFIX MEMREF
#define IR_ROWS "mlir/memref/memref.def"
#include "ir/dialect_names.h"

#define MEMREF_OP(id) (&memref_ops[MEMREF_##id])

#endif
