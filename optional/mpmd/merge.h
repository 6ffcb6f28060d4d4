/* merge.h: merges two fragments into one. */
#ifndef TILEWRIGHT_SDY_MPMD_PASSES_MERGE_H
#define TILEWRIGHT_SDY_MPMD_PASSES_MERGE_H

#include "ir/op.h"

/* Replaces both fragments by one at the consumer's position that computes the producer,
 * then the consumer. It has the origins of both, and otherwise only the attributes of its
 * row; control operands come last. No operation between the two may use the producer. */
ir_op *mpmd_merge(ir_op *producer, ir_op *consumer);
/* As mpmd_merge, with the call counter that both agree on (a user fragment's takes
 * precedence) and, if both were inferred, the union of the passes that inferred them. */
ir_op *mpmd_merge_marked(ir_op *producer, ir_op *consumer);
/* True if both have the same stage or either has none. */
bool mpmd_stages_agree(const ir_op *a, const ir_op *b);
/* Union of both lists; either may be NULL, and the result is if both are. */
ir_attr mpmd_union(ir_context *ctx, ir_attr a, ir_attr b);

#endif
