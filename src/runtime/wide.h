/* wide.h: what the device's 32 bits cannot hold. */
#ifndef TILEWRIGHT_RUNTIME_WIDE_H
#define TILEWRIGHT_RUNTIME_WIDE_H

#include "ir/op.h"
#include "support/status.h"

/* Whether an attribute's integers, if it has any, have their values in 32 bits. */
bool rt_fits(ir_attr dense);

/* TW_UNSUPPORTED, naming it, where a program's text has an integer of more than 32 bits, or
 * looks at the bits of one: cut to 32 bits the results would be other numbers; TW_RESOURCE
 * where it makes a tensor of more than 2^40 elements. */
tw_status rt_refuse_wide(ir_op *module) TW_NODISCARD;

#endif
