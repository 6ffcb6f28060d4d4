/* fold_elements.h: element-wise constant folding: scalars, and the elements of dense
 * tensors and vectors. */
#ifndef TILEWRIGHT_MLIR_SHARED_FOLD_ELEMENTS_H
#define TILEWRIGHT_MLIR_SHARED_FOLD_ELEMENTS_H

#include "ir/op.h"

/* An element: `real` of floats, `integer` of integers, sign-extended from their width. */
typedef struct fold_cell {
    double real;
    int64_t integer;
} fold_cell;

/* Computes one element; returns false if the result is undefined or not known before run
 * time, which prevents the fold. */
typedef struct fold_call fold_call;
typedef bool fold_fn(const fold_call *call, const fold_cell *in, fold_cell *out);
struct fold_call {
    fold_fn *fn;
    ir_type from, to; /* elements of the first constant and of the result */
    const void *user;
};

/* True for an integer or float type of at most 64 bits. */
bool fold_is_numeric(ir_type element);
unsigned fold_width(ir_type element);       /* of index 64 */
uint64_t fold_low(int64_t v, ir_type type); /* as an unsigned integer */

/* The constant of type `result` that `fn` computes from `n` constants of the same shape (at
 * most 3); NULL if one is absent or not numeric, or fn fails. */
ir_attr fold_elements(ir_type result, const ir_attr *constants, size_t n, fold_fn *fn,
                      const void *user);
/* The value of a scalar or splat constant. */
bool fold_splat(ir_attr constant, fold_cell *out);
/* A constant of the type with all elements equal; NULL if its shape is dynamic. */
ir_attr fold_constant(ir_type type, fold_cell value);

#endif
