/* ttkernel_layout.h: layouts of tensors as kernels see them, and kinds of threads. */
#ifndef TILEWRIGHT_TTKERNEL_TTKERNEL_LAYOUT_H
#define TILEWRIGHT_TTKERNEL_TTKERNEL_LAYOUT_H

#include "ir/op.h"

/* Checks #ttkernel.layout and #ttl.layout: grids of shards; false after an error at `loc`.
 */
bool ttkernel_layout_verify(ir_context *ctx, ir_loc loc, ir_attr layout);

/* Checks that the shards of a sharded layout, #ttl.layout or #ttkernel.layout, make up the
 * tensor; false after an error at `op`. */
bool ttkernel_check_shards(ir_op *op, ir_attr layout, ir_type tensor);

/* The kind of thread that a function is (TTKERNEL_ThreadType_): its attribute
 * ttkernel.thread or ttl.kernel_thread; -1 if it has neither. */
int64_t ttkernel_thread_kind(const ir_op *func);

#endif
