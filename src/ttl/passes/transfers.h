/* transfers.h: transfers in loops of data movement threads, fewer or earlier or in
 * another order, for the interpreter of transforms.
 *
 * A transfer is a block's way through a thread: cb_reserve, ttl.copy, ttl.wait, cb_push, or
 * cb_wait, ttl.copy, ttl.wait, cb_pop.  Whatever else is in a loop, or bounds that are not
 * constant, leave it as it is. */
#ifndef TILEWRIGHT_TTL_PASSES_TRANSFERS_H
#define TILEWRIGHT_TTL_PASSES_TRANSFERS_H

#include "ir/op.h"

/* One transfer of several blocks instead of several: where blocks follow each other in the
 * tensor and in the buffer, as many at once as half of the buffer and a packet of the NoC
 * hold, for all transfers of the copy's loop.  `at` is where errors are reported. */
bool ttl_coalesce_dma(ir_op *at, ir_op *copy);

/* Each of these copies that reads in a loop is started an iteration earlier: before what
 * else the loop waits for.  Its buffer holds at least two blocks then. */
bool ttl_insert_prefetch(ir_op *at, ir_op *const *copies, size_t n);

/* Exchanges the two loops around the transfers of a kernel, in all of its threads, where
 * the inner one goes down a tensor's rows: pages lie in memory row by row. */
bool ttl_reorder_for_locality(ir_op *at, ir_op *kernel);

#endif
