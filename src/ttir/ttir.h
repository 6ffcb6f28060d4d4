/* ttir.h: the ttir dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_TTIR_H
#define TILEWRIGHT_DIALECT_TTIR_H

#include "ir/op.h"
#include "ttir/ttir_enums.h"

enum {
#define TW_OP(id, ...) TTIR_##id,
#include "ttir/ttir.def"
    TTIR_OP_COUNT
};

extern const ir_dialect ttir_dialect;
extern const ir_op_def ttir_ops[];
#define TTIR_OP(id) (&ttir_ops[TTIR_##id])

enum {
#define TW_ATTR(id, ...) TTIR_ATTR_##id,
#include "ttir/ttir.def"
};
extern const ir_attr_def ttir_attrs[];
#define TTIR_ATTR(id) (&ttir_attrs[TTIR_ATTR_##id])

enum {
#define TW_TYPE(id, ...) TTIR_TYPE_##id,
#include "ttir/ttir.def"
};
extern const ir_type_def ttir_types[];
#define TTIR_TYPE(id) (&ttir_types[TTIR_TYPE_##id])

#endif
