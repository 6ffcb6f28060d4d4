/* arith.h: the arith dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_ARITH_H
#define TILEWRIGHT_DIALECT_ARITH_H

#include "ir/op.h"
#include "mlir/arith/arith_enums.h"

enum {
#define TW_OP(id, ...) ARITH_##id,
#include "mlir/arith/arith.def"
    ARITH_OP_COUNT
};

extern const ir_dialect arith_dialect;
extern const ir_op_def arith_ops[];
#define ARITH_OP(id) (&arith_ops[ARITH_##id])

enum {
#define TW_ATTR(id, ...) ARITH_ATTR_##id,
#include "mlir/arith/arith.def"
};
extern const ir_attr_def arith_attrs[];
#define ARITH_ATTR(id) (&arith_attrs[ARITH_ATTR_##id])

/* Whether an arith.constant with an integer makes the value, which may be NULL; *out is set
 * only then. */
bool arith_constant_int(const ir_value *v, int64_t *out);
/* An arith.constant of type index, and of i32. */
ir_value *arith_index(ir_builder *b, int64_t value);
ir_value *arith_i32(ir_builder *b, int64_t value);

#endif
