/* kernels.h: what a ttl.kernel and its threads take and give. */
#ifndef TILEWRIGHT_TTL_PASSES_KERNELS_H
#define TILEWRIGHT_TTL_PASSES_KERNELS_H

#include "ir/op.h"

/* Threads read what they are given where it was made, and results of kernels become the
 * tensors that their threads write; false after an error. */
bool ttl_settle_kernels(ir_op *module);

/* Puts an scf.if in front of `at` for the cores of #ttl.core_mask that all buffers have
 * which a thread of the kernel uses under no condition; gives the end of its body, or `at`
 * where all cores have them.  NULL after an error. */
ir_op *ttl_limit_to_cores(ir_op *kernel, ir_op *thread, ir_op *at);

#endif
