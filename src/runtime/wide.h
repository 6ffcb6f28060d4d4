/* wide.h: programs that exceed the device's 32 bits. */
#ifndef TILEWRIGHT_RUNTIME_WIDE_H
#define TILEWRIGHT_RUNTIME_WIDE_H

#include "ir/op.h"
#include "support/status.h"

/* True if an attribute's integers, if it has any, fit in 32 bits. */
bool rt_fits(ir_attr dense);

/* TW_UNSUPPORTED, naming the operation, if a program's text has an integer of more than 32
 * bits, or uses the bits of one, has integers of 2 or 4 bits or floats other than 16, 32 or
 * 64 bits: results would differ; TW_RESOURCE if it creates a tensor of more than 2^40
 * elements. */
tw_status rt_refuse_wide(ir_op *module) TW_NODISCARD;

/* True for integers that wrap at other widths than bytes and words. */
bool rt_has_odd_width(ir_type element);
/* True for floats of other formats than f16, bf16, f32 and f64: the device would not round
 * to them. */
bool rt_is_odd_float(ir_type element);

/* True if all uses of a constant give the same results with the nearest 32-bit integers. */
bool rt_only_bounds(const ir_value *v);
/* The same for all constants among an operation's operands. */
bool rt_takes_constants(const ir_op *op);

/* Returns why an operation needs 64 bits, NULL if it has the same results in 32 as long as
 * its operands fit; ignores its regions. */
const char *rt_wide_reason(const ir_op *op);
/* True if one of the operations nested in it needs them. */
bool rt_wants_64_bits(ir_op *op);

#endif
