/* wide.h: what the device's 32 bits cannot hold. */
#ifndef TILEWRIGHT_RUNTIME_WIDE_H
#define TILEWRIGHT_RUNTIME_WIDE_H

#include "ir/op.h"
#include "support/status.h"

/* Whether an attribute's integers, if it has any, have their values in 32 bits. */
bool rt_fits(ir_attr dense);

/* TW_UNSUPPORTED, naming it, where a program's text has an integer of more than 32 bits, or
 * looks at the bits of one, has integers of 2 or 4 bits or floats that are not of 16, 32 or
 * 64: the results would be other numbers; TW_RESOURCE where it makes a tensor of more than
 * 2^40 elements. */
tw_status rt_refuse_wide(ir_op *module) TW_NODISCARD;

/* Integers that wrap elsewhere than those of bytes and words. */
bool rt_has_odd_width(ir_type element);
/* Floats of other formats than f16, bf16, f32 and f64: the device would not round to them.
 */
bool rt_is_odd_float(ir_type element);

/* Whether all uses of a constant give the same results with the nearest integers of 32
 * bits. */
bool rt_only_bounds(const ir_value *v);
/* The same of one operation for all constants among its operands. */
bool rt_takes_constants(const ir_op *op);

/* Why an operation needs 64 bits, NULL if it has the same results in 32 as long as its
 * operands fit; not what is inside its regions. */
const char *rt_wide_reason(const ir_op *op);
/* Whether one of the operations below needs them. */
bool rt_wants_64_bits(ir_op *op);

#endif
