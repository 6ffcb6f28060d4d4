/* ir/number.h: numeric values of attributes: float formats and integer widths. */
#ifndef TILEWRIGHT_IR_NUMBER_H
#define TILEWRIGHT_IR_NUMBER_H

#include "ir/attr.h"

/* Encodes a value in the format's bits, rounding to nearest even; out of range gives
 * infinity, or NaN in formats without one.  f80 and f128 are kept as f64 bits. */
uint64_t ir_float_encode(ir_float_kind kind, double value);
double ir_float_decode(ir_float_kind kind, uint64_t bits);
/* Significant bits (the implicit one included). */
int ir_float_precision(ir_float_kind kind);
/* The smallest positive value (a denormal) and the largest finite one. */
void ir_float_range(ir_float_kind kind, double *out_min, double *out_max);
/* Truncates to the type's width and extends by its sign. */
int64_t ir_int_wrap(ir_type type, int64_t value);
/* Interns a probe whose borrowed arrays are copied (attr.c). */
ir_attr ir_attr_intern(ir_context *ctx, struct ir_attr_data *probe);

#endif
