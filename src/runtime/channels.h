/* channels.h: chains of operations on images that stay in channels-last order.
 *
 * TTNN's convolutions and pools take and give [N, H, W, C]; a program that was written for
 * [N, C, H, W] permutes in front of and behind each of them. While a plan is made, the
 * second permutation is put off: its result remembers the value that it would permute, and
 * element-wise operations, norms and concatenations work on those. The permutation becomes
 * a step only where some other operation, or the caller, needs its elements in order. */
#ifndef TILEWRIGHT_RUNTIME_CHANNELS_H
#define TILEWRIGHT_RUNTIME_CHANNELS_H

#include "runtime/plan.h"

/* Plans the operation on channels-last values, if it can be: then *out_done is true, and
 * its results are put off (or, of a permutation back, views). */
tw_status rt_channels_plan(rt_plan *plan, ir_op *op, rt_step *step,
                           bool *out_done) TW_NODISCARD;
/* Adds the step that was put off, if there is one, so that the value has its elements. */
tw_status rt_channels_settle(rt_plan *plan, rt_value *v) TW_NODISCARD;

#endif
