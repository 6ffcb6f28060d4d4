/* linalg.h: the linalg dialect: names of its rows. */
#ifndef TILEWRIGHT_MLIR_LINALG_LINALG_H
#define TILEWRIGHT_MLIR_LINALG_LINALG_H

#include "mlir/linalg/linalg_enums.h"

#define IR_DIALECT linalg
#define IR_PREFIX LINALG
#define IR_ROWS "mlir/linalg/linalg.def"
#include "ir/dialect_names.h"

#define LINALG_OP(id) (&linalg_ops[LINALG_##id])

#define LINALG_ATTR(id) (&linalg_attrs[LINALG_ATTR_##id])

/* Operations whose text leaves out the body, since the name says it. */
bool linalg_is_named(const ir_op_def *def);
/* Gives such an operation with an empty region its body; false if it is not known for
 * these operands (the region is then of no use). */
bool linalg_make_body(ir_op *op);

#endif
