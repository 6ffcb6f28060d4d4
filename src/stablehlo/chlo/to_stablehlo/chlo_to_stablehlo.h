/* chlo_to_stablehlo.h: lowers chlo to StableHLO. */
#ifndef TILEWRIGHT_STABLEHLO_CHLO_TO_STABLEHLO_CHLO_TO_STABLEHLO_H
#define TILEWRIGHT_STABLEHLO_CHLO_TO_STABLEHLO_CHLO_TO_STABLEHLO_H

#include "ir/pass/pass.h"

/* Replaces an operation of chlo; returns false with the IR unchanged. */
typedef bool c2s_fn(ir_op *op, ir_builder *b);
bool c2s_convert(ir_op *op);
bool c2s_done(ir_op *op, ir_value *value); /* replaces the only result; returns true */

c2s_fn c2s_top_k, c2s_scan, c2s_ragged_dot; /* a file each */
/* broadcasting.c; NULL if the row is not one of them. */
c2s_fn c2s_broadcasting, c2s_broadcast_select;

#endif
