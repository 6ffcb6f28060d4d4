/* ttmetal.h: the ttmetal dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_TTMETAL_H
#define TILEWRIGHT_DIALECT_TTMETAL_H

#include "ir/op.h"
#include "ttmetal/ttmetal_enums.h"

enum {
#define TW_OP(id, ...) TTMETAL_##id,
#include "ttmetal/ttmetal.def"
    TTMETAL_OP_COUNT
};

extern const ir_dialect ttmetal_dialect;
extern const ir_op_def ttmetal_ops[];
#define TTMETAL_OP(id) (&ttmetal_ops[TTMETAL_##id])

enum {
#define TW_ATTR(id, ...) TTMETAL_ATTR_##id,
#include "ttmetal/ttmetal.def"
};
extern const ir_attr_def ttmetal_attrs[];
#define TTMETAL_ATTR(id) (&ttmetal_attrs[TTMETAL_ATTR_##id])

enum {
#define TW_TYPE(id, ...) TTMETAL_TYPE_##id,
#include "ttmetal/ttmetal.def"
};
extern const ir_type_def ttmetal_types[];
#define TTMETAL_TYPE(id) (&ttmetal_types[TTMETAL_TYPE_##id])

#endif
