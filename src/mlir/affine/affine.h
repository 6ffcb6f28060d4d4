/* affine.h: the affine dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_AFFINE_H
#define TILEWRIGHT_DIALECT_AFFINE_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) AFFINE_##id,
#include "mlir/affine/affine.def"
    AFFINE_OP_COUNT
};

extern const ir_dialect affine_dialect;
extern const ir_op_def affine_ops[];
#define AFFINE_OP(id) (&affine_ops[AFFINE_##id])

#endif
