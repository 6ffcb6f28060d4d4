/* builtin.h: the builtin dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_BUILTIN_H
#define TILEWRIGHT_DIALECT_BUILTIN_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) BUILTIN_##id,
#include "mlir/builtin/builtin.def"
    BUILTIN_OP_COUNT
};

extern const ir_dialect builtin_dialect;
extern const ir_op_def builtin_ops[];
#define BUILTIN_OP(id) (&builtin_ops[BUILTIN_##id])

#endif
