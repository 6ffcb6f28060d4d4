/* ttcore.h: the ttcore dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_TTCORE_H
#define TILEWRIGHT_DIALECT_TTCORE_H

#include "ir/op.h"
#include "ttcore/ttcore_enums.h"

enum {
#define TW_OP(id, ...) TTCORE_##id,
#include "ttcore/ttcore.def"
    TTCORE_OP_COUNT
};

extern const ir_dialect ttcore_dialect;
extern const ir_op_def ttcore_ops[];
#define TTCORE_OP(id) (&ttcore_ops[TTCORE_##id])

enum {
#define TW_ATTR(id, ...) TTCORE_ATTR_##id,
#include "ttcore/ttcore.def"
};
extern const ir_attr_def ttcore_attrs[];
#define TTCORE_ATTR(id) (&ttcore_attrs[TTCORE_ATTR_##id])

enum {
#define TW_TYPE(id, ...) TTCORE_TYPE_##id,
#include "ttcore/ttcore.def"
};
extern const ir_type_def ttcore_types[];
#define TTCORE_TYPE(id) (&ttcore_types[TTCORE_TYPE_##id])

#endif
