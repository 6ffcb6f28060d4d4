/* check.h: the check dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_CHECK_H
#define TILEWRIGHT_DIALECT_CHECK_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) CHECK_##id,
#include "stablehlo/check/check.def"
    CHECK_OP_COUNT
};

extern const ir_dialect check_dialect;
extern const ir_op_def check_ops[];
#define CHECK_OP(id) (&check_ops[CHECK_##id])

#endif
