/* ttcore_hooks.h: functions that the rows of ttcore.def name. */
#ifndef TILEWRIGHT_DIALECT_TTCORE_HOOKS_H
#define TILEWRIGHT_DIALECT_TTCORE_HOOKS_H

#include "ir/op.h"

bool ttcore_tuple_verify(ir_op *op);
ir_type ttcore_tile_element(ir_type tile);
ir_type ttcore_tile_with_element(ir_type tile, ir_type element);

#endif
