/* merge.h: making one fragment of two. */
#ifndef TILEWRIGHT_SDY_MPMD_PASSES_MERGE_H
#define TILEWRIGHT_SDY_MPMD_PASSES_MERGE_H

#include "ir/op.h"

/* Puts a fragment in the consumer's place that does what the producer and then the consumer
 * do; both are gone. It has the origins of both, and of other attributes only those of its
 * row; operands that only order come last. Nothing between the two may read the producer.
 */
ir_op *mpmd_merge(ir_op *producer, ir_op *consumer);
/* The same, with the call counter that both agree on (a user's fragment has the say) and,
 * where both were inferred, all that they were inferred by. */
ir_op *mpmd_merge_marked(ir_op *producer, ir_op *consumer);
/* Whether both are of one stage, or one of them is of none. */
bool mpmd_stages_agree(const ir_op *a, const ir_op *b);
/* The items of both lists, each once; either may be NULL. NULL if both are. */
ir_attr mpmd_union(ir_context *ctx, ir_attr a, ir_attr b);

#endif
