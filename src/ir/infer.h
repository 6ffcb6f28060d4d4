/* ir/infer.h: result type inference. */
#ifndef TILEWRIGHT_IR_INFER_H
#define TILEWRIGHT_IR_INFER_H

#include "ir/op.h"

/* True if the result types of a row's operations can be inferred (by the same criteria as
 * MLIR's generator). */
bool ir_def_infers(const ir_op_def *def);
/* Infers the result types of an operation that was created without results. *count is the
 * capacity, then the number of types.  Returns false if they cannot be inferred, or if its
 * hook has reported why not. */
enum { IR_INFER_CAPACITY = 64 }; /* a capacity sufficient for all rows' hooks */
bool ir_infer_result_types(const ir_op *op, ir_type *results, size_t *count);
/* The same for an operation that is about to be created. */
bool ir_infer_state_results(ir_context *ctx, const ir_op_state *state, ir_type *results,
                            size_t *count);

#endif
