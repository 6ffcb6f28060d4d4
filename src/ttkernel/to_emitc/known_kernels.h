/* known_kernels.h: kernels that this context has lowered to C++, by their C++. */
#ifndef TILEWRIGHT_TTKERNEL_TO_EMITC_KNOWN_KERNELS_H
#define TILEWRIGHT_TTKERNEL_TO_EMITC_KNOWN_KERNELS_H

#include "ir/context.h"

/* The text of the function in TTKernel's operations that ttkernel-remember-kernels saw
 * become exactly this C++; empty if there is none. The context owns it. */
tw_str ttkernel_known_kernel(ir_context *ctx, tw_str cpp);

#endif
