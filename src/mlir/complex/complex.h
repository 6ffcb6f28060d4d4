/* complex.h: the complex dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_COMPLEX_H
#define TILEWRIGHT_DIALECT_COMPLEX_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) COMPLEX_##id,
#include "mlir/complex/complex.def"
    COMPLEX_OP_COUNT
};

extern const ir_dialect complex_dialect;
extern const ir_op_def complex_ops[];
#define COMPLEX_OP(id) (&complex_ops[COMPLEX_##id])

enum {
#define TW_ATTR(id, ...) COMPLEX_ATTR_##id,
#include "mlir/complex/complex.def"
};
extern const ir_attr_def complex_attrs[];
#define COMPLEX_ATTR(id) (&complex_attrs[COMPLEX_ATTR_##id])

#endif
