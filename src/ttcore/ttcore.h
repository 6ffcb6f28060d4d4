/* ttcore.h: the ttcore dialect: symbols of its rows. */
#ifndef TILEWRIGHT_TTCORE_TTCORE_H
#define TILEWRIGHT_TTCORE_TTCORE_H

#include "ttcore/ttcore_enums.h"

#define IR_DIALECT ttcore
#define IR_PREFIX TTCORE
#define IR_ROWS "ttcore/ttcore.def"
#include "ir/dialect_names.h"

#define TTCORE_OP(id) (&ttcore_ops[TTCORE_##id])

#define TTCORE_ATTR(id) (&ttcore_attrs[TTCORE_ATTR_##id])

#define TTCORE_TYPE(id) (&ttcore_types[TTCORE_TYPE_##id])

#endif
