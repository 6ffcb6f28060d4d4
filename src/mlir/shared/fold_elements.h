/* fold_elements.h: arithmetic on constants, number by number: scalars, and the elements of
 * dense tensors and vectors. */
#ifndef TILEWRIGHT_MLIR_SHARED_FOLD_ELEMENTS_H
#define TILEWRIGHT_MLIR_SHARED_FOLD_ELEMENTS_H

#include "ir/op.h"

/* A number: `real` of floats, `whole` of integers, as a signed number of their width. */
typedef struct fold_cell {
    double real;
    int64_t whole;
} fold_cell;

/* What is computed of each element: false where it is not defined, or not to be known
 * before run time; then nothing is folded. */
typedef struct fold_call fold_call;
typedef bool fold_fn(const fold_call *call, const fold_cell *in, fold_cell *out);
struct fold_call {
    fold_fn *fn;
    ir_type from, to; /* elements of the first constant and of the result */
    const void *user;
};

/* A number of at most 64 bits. */
bool fold_is_number(ir_type element);
unsigned fold_width(ir_type element);       /* of index 64 */
uint64_t fold_low(int64_t v, ir_type type); /* as an unsigned number */

/* The constant of type `result` that `fn` makes of `n` constants of the same shape (at most
 * 3); NULL where one is absent, no number, or fn says so. */
ir_attr fold_elements(ir_type result, const ir_attr *constants, size_t n, fold_fn *fn,
                      const void *user);
/* The one number that a scalar or a splat is. */
bool fold_splat(ir_attr constant, fold_cell *out);
/* A constant of the type, all its elements that number; NULL where sizes are not known. */
ir_attr fold_constant(ir_type type, fold_cell value);

#endif
