/* ttkernel.h: the ttkernel dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_TTKERNEL_H
#define TILEWRIGHT_DIALECT_TTKERNEL_H

#include "ir/op.h"
#include "ttkernel/ttkernel_enums.h"

enum {
#define TW_OP(id, ...) TTKERNEL_##id,
#include "ttkernel/ttkernel.def"
    TTKERNEL_OP_COUNT
};

extern const ir_dialect ttkernel_dialect;
extern const ir_op_def ttkernel_ops[];
#define TTKERNEL_OP(id) (&ttkernel_ops[TTKERNEL_##id])

enum {
#define TW_ATTR(id, ...) TTKERNEL_ATTR_##id,
#include "ttkernel/ttkernel.def"
};
extern const ir_attr_def ttkernel_attrs[];
#define TTKERNEL_ATTR(id) (&ttkernel_attrs[TTKERNEL_ATTR_##id])

enum {
#define TW_TYPE(id, ...) TTKERNEL_TYPE_##id,
#include "ttkernel/ttkernel.def"
};
extern const ir_type_def ttkernel_types[];
#define TTKERNEL_TYPE(id) (&ttkernel_types[TTKERNEL_TYPE_##id])

#endif
