/* func.h: the func dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_FUNC_H
#define TILEWRIGHT_DIALECT_FUNC_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) FUNC_##id,
#include "dialect/func/func.def"
    FUNC_OP_COUNT
};

extern const ir_dialect func_dialect;
extern const ir_op_def func_ops[];
#define FUNC_OP(id) (&func_ops[FUNC_##id])

#endif
