/* ranges.h: simplification of affine expressions by the bounds of loops. */
#ifndef TILEWRIGHT_MLIR_AFFINE_RANGES_H
#define TILEWRIGHT_MLIR_AFFINE_RANGES_H

#include "ir/affine.h"
#include "ir/op.h"

/* Removes divisions and remainders made redundant by the ranges of dimensions that are
 * induction variables of affine.for loops with constant bounds. */
ir_affine affine_narrow(ir_context *ctx, ir_affine e, ir_value *const *dims,
                        uint32_t n_dims);

#endif
