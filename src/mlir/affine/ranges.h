/* ranges.h: what the bounds of loops say about affine expressions. */
#ifndef TILEWRIGHT_MLIR_AFFINE_RANGES_H
#define TILEWRIGHT_MLIR_AFFINE_RANGES_H

#include "ir/affine.h"
#include "ir/op.h"

/* The expression without divisions and remainders that the values of its dimensions, where
 * these count affine.for loops of constant bounds, make superfluous. */
ir_affine affine_narrow(ir_context *ctx, ir_affine e, ir_value *const *dims,
                        uint32_t n_dims);

#endif
