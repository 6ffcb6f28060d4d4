/* transform_effects.h: handles consumed by operations of the transform dialect. */
#ifndef TILEWRIGHT_MLIR_TRANSFORM_TRANSFORM_EFFECTS_H
#define TILEWRIGHT_MLIR_TRANSFORM_TRANSFORM_EFFECTS_H

#include "ir/op.h"

/* True if it is a transformation: a step that a sequence may hold. */
bool transform_is_step(const ir_op *op);
/* True if the step consumes the handle that is its operand `i`. */
bool transform_consumes(const ir_op *op, size_t i);
/* True if a step directly in `block`, except its terminator, consumes the handle. */
bool transform_consumed_in(const ir_block *block, const ir_value *handle);
/* Reports, as `what` number `index` of `op`, that two steps could consume the handle. */
bool transform_consumed_once(ir_op *op, const ir_value *handle, bool named,
                             const char *what, size_t index);
/* True if an argument of a named sequence has the attribute of that name. */
bool transform_argument_is(const ir_op *sequence, size_t i, const char *name);

#endif
