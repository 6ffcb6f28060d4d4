/* invariant.h: operations whose operands do not depend on a loop around them. */
#ifndef TILEWRIGHT_TTKERNEL_PASSES_INVARIANT_H
#define TILEWRIGHT_TTKERNEL_PASSES_INVARIANT_H

#include "ir/op.h"

/* True if the operands are defined outside of the loop, or by pure operations for which the
 * same holds. */
bool ttkernel_is_invariant(const ir_op *op, const ir_op *loop);
/* Moves the operation, which is invariant, and the pure operations that it needs in front
 * of another one, which may be the loop.  They get the loop's location, so that a debugger
 * that stops at their line stops in the loop. */
void ttkernel_move_in_front(ir_op *op, ir_op *loop, ir_op *before);

#endif
