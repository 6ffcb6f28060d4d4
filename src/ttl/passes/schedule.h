/* schedule.h: schedules of TTL kernels, for the interpreter of transforms. */
#ifndef TILEWRIGHT_TTL_PASSES_SCHEDULE_H
#define TILEWRIGHT_TTL_PASSES_SCHEDULE_H

#include "ir/op.h"

/* Blocks that a ttl.create_cb holds: one where nothing can overlap, two where blocks follow
 * each other, three where a loop brings several. `at` is where errors are reported. */
bool ttl_optimize_buffer_factor(ir_op *at, ir_op *cb);

/* Sets the number of blocks of a ttl.create_cb and of its reserved and waited blocks. */
void ttl_set_buffer_factor(ir_op *cb, int64_t factor);

/* Starts copies early: in data movement threads (in `op`, or around it), waits for reads
 * and what hands their blocks on move behind the next read of another buffer.
 * Conservatively, only waits that are missing are inserted. */
void ttl_schedule_pipeline(ir_op *op, bool conservative);

#endif
