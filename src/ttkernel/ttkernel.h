/* ttkernel.h: the ttkernel dialect: names of its rows. */
#ifndef TILEWRIGHT_TTKERNEL_TTKERNEL_H
#define TILEWRIGHT_TTKERNEL_TTKERNEL_H

#include "ttkernel/ttkernel_enums.h"

#define IR_DIALECT ttkernel
#define IR_PREFIX TTKERNEL
#define IR_ROWS "ttkernel/ttkernel.def"
#include "ir/dialect_names.h"

#define TTKERNEL_OP(id) (&ttkernel_ops[TTKERNEL_##id])

#define TTKERNEL_ATTR(id) (&ttkernel_attrs[TTKERNEL_ATTR_##id])

#define TTKERNEL_TYPE(id) (&ttkernel_types[TTKERNEL_TYPE_##id])

/* True for the type of a circular buffer. */
static inline bool ttkernel_is_cb(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def == TTKERNEL_TYPE(cb);
}

#endif
