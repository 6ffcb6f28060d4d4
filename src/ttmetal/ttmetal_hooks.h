/* ttmetal_hooks.h: hooks referenced by the rows of ttmetal.def. */
#ifndef TILEWRIGHT_TTMETAL_TTMETAL_HOOKS_H
#define TILEWRIGHT_TTMETAL_TTMETAL_HOOKS_H

#include "ir/op.h"

bool ttmetal_verify_program(ir_op *op);
bool ttmetal_verify_read(ir_op *op);
bool ttmetal_verify_write(ir_op *op);

#endif
