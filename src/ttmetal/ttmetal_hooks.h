/* ttmetal_hooks.h: functions that the rows of ttmetal.def name. */
#ifndef TILEWRIGHT_TTMETAL_TTMETAL_HOOKS_H
#define TILEWRIGHT_TTMETAL_TTMETAL_HOOKS_H

#include "ir/op.h"

bool ttmetal_verify_program(ir_op *op);
bool ttmetal_verify_read(ir_op *op);
bool ttmetal_verify_write(ir_op *op);

#endif
