/* debug.h: the debug dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_DEBUG_H
#define TILEWRIGHT_DIALECT_DEBUG_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) DEBUG_##id,
#include "ttcore/debug/debug.def"
    DEBUG_OP_COUNT
};

extern const ir_dialect debug_dialect;
extern const ir_op_def debug_ops[];
#define DEBUG_OP(id) (&debug_ops[DEBUG_##id])

#endif
