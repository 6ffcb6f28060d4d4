/* bounded.h: simplification of affine.min and affine.max by known bounds of values. */
#ifndef TILEWRIGHT_MLIR_LOOPS_BOUNDED_H
#define TILEWRIGHT_MLIR_LOOPS_BOUNDED_H

#include "mlir/affine/mapping.h"
#include "mlir/loops/linear.h"

/* Known bounds of values; each value is a variable of the set. */
typedef struct bounded {
    ir_context *ctx;
    size_t n;
    ir_value *values[LINEAR_VARIABLES]; /* NULL: an auxiliary variable of a division */
    linear_set set;
} bounded;

void bounded_begin(bounded *known, ir_context *ctx);
/* Adds that the mapping's only result is not negative.  Ignored if it is not a linear
 * sum. */
void bounded_add(bounded *known, const affine_mapping *m);
/* low <= v <= high */
void bounded_add_range(bounded *known, ir_value *v, int64_t low, int64_t high);
/* from <= v < to, in steps from `from` if they are constants. */
void bounded_add_counter(bounded *known, ir_value *v, ir_value *from, ir_value *to,
                         ir_value *step);

/* The results of an affine.min (or max) except those that are never less (greater) than
 * another one. Returns whether any was removed, or, with `one`, whether only one is
 * left. */
bool bounded_narrow(const bounded *known, const ir_op *op, bool one, affine_mapping *out);

/* Adds the bounds that surrounding loops, constants and affine operations imply for the
 * values used by an operation. */
void bounded_add_surroundings(bounded *known, ir_op *op);

/* Simplifies the body of a loop without its last iteration (`whole`), or of only that
 * iteration; `to` was the bound. */
void bounded_simplify_peeled(ir_op *loop, ir_value *to, bool whole);

#endif
