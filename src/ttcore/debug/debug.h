/* debug.h: the debug dialect: symbols of its rows. */
#ifndef TILEWRIGHT_TTCORE_DEBUG_DEBUG_H
#define TILEWRIGHT_TTCORE_DEBUG_DEBUG_H

#define IR_DIALECT debug
#define IR_PREFIX DEBUG
#define IR_ROWS "ttcore/debug/debug.def"
#include "ir/dialect_names.h"

#define DEBUG_OP(id) (&debug_ops[DEBUG_##id])

#endif
