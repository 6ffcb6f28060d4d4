/* chlo.h: the chlo dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_CHLO_H
#define TILEWRIGHT_DIALECT_CHLO_H

#include "ir/op.h"
#include "stablehlo/chlo/chlo_enums.h"

enum {
#define TW_OP(id, ...) CHLO_##id,
#include "stablehlo/chlo/chlo.def"
    CHLO_OP_COUNT
};

extern const ir_dialect chlo_dialect;
extern const struct ir_bytecode_codec chlo_bytecode;
extern const ir_op_def chlo_ops[];
#define CHLO_OP(id) (&chlo_ops[CHLO_##id])

enum {
#define TW_ATTR(id, ...) CHLO_ATTR_##id,
#include "stablehlo/chlo/chlo.def"
};
extern const ir_attr_def chlo_attrs[];
#define CHLO_ATTR(id) (&chlo_attrs[CHLO_ATTR_##id])

#endif
