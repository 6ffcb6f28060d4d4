/* chlo.h: the chlo dialect: symbols of its rows. */
#ifndef TILEWRIGHT_STABLEHLO_CHLO_CHLO_H
#define TILEWRIGHT_STABLEHLO_CHLO_CHLO_H

#include "stablehlo/chlo/chlo_enums.h"

#define IR_DIALECT chlo
#define IR_PREFIX CHLO
#define IR_ROWS "stablehlo/chlo/chlo.def"
#include "ir/dialect_names.h"

extern const struct ir_bytecode_codec chlo_bytecode;
#define CHLO_OP(id) (&chlo_ops[CHLO_##id])

#define CHLO_ATTR(id) (&chlo_attrs[CHLO_ATTR_##id])

#endif
