/* ttl.h: the ttl dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_TTL_H
#define TILEWRIGHT_DIALECT_TTL_H

#include "ir/op.h"
#include "ttl/ttl_enums.h"

enum {
#define TW_OP(id, ...) TTL_##id,
#include "ttl/ttl.def"
    TTL_OP_COUNT
};

extern const ir_dialect ttl_dialect;
extern const ir_op_def ttl_ops[];
#define TTL_OP(id) (&ttl_ops[TTL_##id])

enum {
#define TW_ATTR(id, ...) TTL_ATTR_##id,
#include "ttl/ttl.def"
};
extern const ir_attr_def ttl_attrs[];
#define TTL_ATTR(id) (&ttl_attrs[TTL_ATTR_##id])

enum {
#define TW_TYPE(id, ...) TTL_TYPE_##id,
#include "ttl/ttl.def"
};
extern const ir_type_def ttl_types[];
#define TTL_TYPE(id) (&ttl_types[TTL_TYPE_##id])

#endif
