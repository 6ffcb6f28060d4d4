/* linalg.h: the linalg dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_LINALG_H
#define TILEWRIGHT_DIALECT_LINALG_H

#include "ir/op.h"
#include "mlir/linalg/linalg_enums.h"

enum {
#define TW_OP(id, ...) LINALG_##id,
#include "mlir/linalg/linalg.def"
    LINALG_OP_COUNT
};

extern const ir_dialect linalg_dialect;
extern const ir_op_def linalg_ops[];
#define LINALG_OP(id) (&linalg_ops[LINALG_##id])

enum {
#define TW_ATTR(id, ...) LINALG_ATTR_##id,
#include "mlir/linalg/linalg.def"
};
extern const ir_attr_def linalg_attrs[];
#define LINALG_ATTR(id) (&linalg_attrs[LINALG_ATTR_##id])

/* Operations whose text leaves out the body, since the name says it. */
bool linalg_is_named(const ir_op_def *def);
/* Gives such an operation with an empty region its body; false if it is not known for
 * these operands (the region is then of no use). */
bool linalg_make_body(ir_op *op);

#endif
