/* ir/infer.h: result types that follow from the rest of an operation. */
#ifndef TILEWRIGHT_IR_INFER_H
#define TILEWRIGHT_IR_INFER_H

#include "ir/op.h"

/* Whether the result types of a row's operations follow from the rest (MLIR's generator
 * looks at the same things). */
bool ir_def_infers(const ir_op_def *def);
/* The result types of an operation that was made without results, where they follow.
 * *count is the capacity, then how many there are.  False: they do not follow, or its hook
 * has reported why not. */
enum { IR_INFER_MOST = 64 }; /* a capacity that all rows' hooks get along with */
bool ir_infer_result_types(const ir_op *op, ir_type *results, size_t *count);

#endif
