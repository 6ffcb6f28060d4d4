/* ttir.h: the ttir dialect: names of its rows. */
#ifndef TILEWRIGHT_TTIR_TTIR_H
#define TILEWRIGHT_TTIR_TTIR_H

#include "ttir/ttir_enums.h"

#define IR_DIALECT ttir
#define IR_PREFIX TTIR
#define IR_ROWS "ttir/ttir.def"
#include "ir/dialect_names.h"

#define TTIR_OP(id) (&ttir_ops[TTIR_##id])

#define TTIR_ATTR(id) (&ttir_attrs[TTIR_ATTR_##id])

#define TTIR_TYPE(id) (&ttir_types[TTIR_TYPE_##id])

#endif
