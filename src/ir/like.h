/* like.h: operations made after another one. */
#ifndef TILEWRIGHT_IR_LIKE_H
#define TILEWRIGHT_IR_LIKE_H

#include "ir/op.h"

/* Builds an operation of the same row with the inherent attributes of `op`; its operands,
 * results, regions and location are those of `state`. */
ir_op *ir_build_like(ir_builder *b, const ir_op *op, ir_op_state state);

#endif
