/* linalg.h: row indices of the linalg dialect. */
#ifndef TILEWRIGHT_MLIR_LINALG_LINALG_H
#define TILEWRIGHT_MLIR_LINALG_LINALG_H

#include "mlir/linalg/linalg_enums.h"

#define IR_DIALECT linalg
#define IR_PREFIX LINALG
#define IR_ROWS "mlir/linalg/linalg.def"
#include "ir/dialect_names.h"

#define LINALG_OP(id) (&linalg_ops[LINALG_##id])

#define LINALG_ATTR(id) (&linalg_attrs[LINALG_ATTR_##id])

/* True for operations whose text omits the body, since the name implies it. */
bool linalg_is_named(const ir_op_def *def);
/* Builds the body of such an operation in its empty region; false if it is not known for
 * these operands (the region must then be discarded). */
bool linalg_make_body(ir_op *op);

#endif
