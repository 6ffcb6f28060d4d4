/* cf.h: the cf dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_CF_H
#define TILEWRIGHT_DIALECT_CF_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) CF_##id,
#include "mlir/cf/cf.def"
    CF_OP_COUNT
};

extern const ir_dialect cf_dialect;
extern const ir_op_def cf_ops[];
#define CF_OP(id) (&cf_ops[CF_##id])

#endif
