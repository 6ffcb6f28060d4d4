/* commute.h: how a permute or a reshape (a "mover") is exchanged with another
 * operation; the parts of ttir-erase-inverse-ops. */
#ifndef TILEWRIGHT_TTIR_PASSES_COMMUTE_H
#define TILEWRIGHT_TTIR_PASSES_COMMUTE_H

#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

/* Upwards: `mover` reads `op`'s result; the value has the mover's type and is `op` on
 * moved operands.  Downwards: `mover` makes an operand of `op`; the value has the type of
 * `op`'s result and is a mover of `op` on what the mover read.  NULL: they cannot change
 * positions, or nothing would be won; then nothing was built. */
typedef ir_value *ttir_commute_fn(ir_op *op, ir_op *mover, ir_builder *b);

/* NULL entries never commute. */
typedef struct ttir_commute {
    const ir_op_def *def;
    ttir_commute_fn *permute_up, *permute_down, *reshape_up, *reshape_down;
} ttir_commute;

ttir_commute_fn ttir_permute_above_broadcast, ttir_reshape_above_broadcast;
ttir_commute_fn ttir_permute_above_concat, ttir_permute_below_concat;
ttir_commute_fn ttir_reshape_above_concat;
ttir_commute_fn ttir_permute_above_slice, ttir_permute_below_slice;
ttir_commute_fn ttir_reshape_above_slice, ttir_reshape_below_slice;
ttir_commute_fn ttir_permute_above_reduction, ttir_permute_below_reduction;
ttir_commute_fn ttir_reshape_above_reduction, ttir_reshape_below_reduction;
ttir_commute_fn ttir_reshape_above_softmax, ttir_reshape_below_softmax;
ttir_commute_fn ttir_reshape_above_rms_norm;

/* Permutes with the same order, or reshapes to the same shape. */
bool ttir_same_mover(const ir_op *a, const ir_op *b);
/* The dimension of `to` that is dimension `dim` of `from` seen through a reshape: of the
 * same size, with the same number of elements behind it; -1 if there is none. */
int64_t ttir_matching_dim(ir_type from, ir_type to, int64_t dim);

#endif
