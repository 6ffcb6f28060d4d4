/* ttl.h: the ttl dialect: names of its rows. */
#ifndef TILEWRIGHT_TTL_TTL_H
#define TILEWRIGHT_TTL_TTL_H

#include "ttl/ttl_enums.h"

#define IR_DIALECT ttl
#define IR_PREFIX TTL
#define IR_ROWS "ttl/ttl.def"
#include "ir/dialect_names.h"

#define TTL_OP(id) (&ttl_ops[TTL_##id])

#define TTL_ATTR(id) (&ttl_attrs[TTL_ATTR_##id])

#define TTL_TYPE(id) (&ttl_types[TTL_TYPE_##id])

#endif
