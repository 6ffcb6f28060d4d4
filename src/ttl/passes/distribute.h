/* distribute.h: what the plan's forms become is done in two files. */
#ifndef TILEWRIGHT_TTL_PASSES_DISTRIBUTE_H
#define TILEWRIGHT_TTL_PASSES_DISTRIBUTE_H

#include "ir/op.h"

/* Distributed tensors of a module become tensors of tiles, shards elements of accessors. */
bool ttl_distribute(ir_op *module);

/* Columns and rows of the kernel around an operation, (1, 1) where none says; at least 0,
 * at most INT32_MAX. */
void ttl_grid_of(ir_op *op, int64_t sizes[2]);

#endif
