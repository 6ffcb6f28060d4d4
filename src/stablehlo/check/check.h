/* check.h: the check dialect: symbols of its rows. */
#ifndef TILEWRIGHT_STABLEHLO_CHECK_CHECK_H
#define TILEWRIGHT_STABLEHLO_CHECK_CHECK_H

#define IR_DIALECT check
#define IR_PREFIX CHECK
#define IR_ROWS "stablehlo/check/check.def"
#include "ir/dialect_names.h"

#define CHECK_OP(id) (&check_ops[CHECK_##id])

#endif
