/* ttkernel_accessors.h: what executes or emits kernels has only today's accessors to know.
 */
#ifndef TILEWRIGHT_TTKERNEL_TTKERNEL_ACCESSORS_H
#define TILEWRIGHT_TTKERNEL_TTKERNEL_ACCESSORS_H

#include "ir/op.h"

/* Turns ttkernel.tensor_accessor, in all functions of a module, into
 * ttkernel.TensorAccessor; false after diagnostics. */
bool ttkernel_lower_tensor_accessors(ir_op *module);

#endif
