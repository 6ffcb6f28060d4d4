/* arith.h: row indices of the arith dialect. */
#ifndef TILEWRIGHT_MLIR_ARITH_ARITH_H
#define TILEWRIGHT_MLIR_ARITH_ARITH_H

#include "mlir/arith/arith_enums.h"

#define IR_DIALECT arith
#define IR_PREFIX ARITH
#define IR_ROWS "mlir/arith/arith.def"
#include "ir/dialect_names.h"

#define ARITH_OP(id) (&arith_ops[ARITH_##id])

#define ARITH_ATTR(id) (&arith_attrs[ARITH_ATTR_##id])

/* True if the value (which may be NULL) is an arith.constant with an integer; *out is set
 * only then. */
bool arith_constant_int(const ir_value *v, int64_t *out);
/* Builds an arith.constant of type index, and of i32. */
ir_value *arith_index(ir_builder *b, int64_t value);
ir_value *arith_i32(ir_builder *b, int64_t value);
/* Builds an operation on two values of one type, which is the result's. */
ir_value *arith_binary(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y);

#endif
