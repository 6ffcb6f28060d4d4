/* canonicalize.h: the pass as a function, for passes that need what it makes. */
#ifndef TILEWRIGHT_TTL_PASSES_CANONICALIZE_H
#define TILEWRIGHT_TTL_PASSES_CANONICALIZE_H

#include "ir/op.h"

/* Brings the plan's forms in a module to those that passes work on; false after an error.
 * Buffers that threads need for their own values are made in the kernels around them. */
bool ttl_canonicalize(ir_op *module);

#endif
