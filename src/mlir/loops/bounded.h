/* bounded.h: affine.min and affine.max of values within known bounds. */
#ifndef TILEWRIGHT_MLIR_LOOPS_BOUNDED_H
#define TILEWRIGHT_MLIR_LOOPS_BOUNDED_H

#include "mlir/affine/mapping.h"
#include "mlir/loops/linear.h"

/* What is known of values; each is a variable of the set. */
typedef struct bounded {
    ir_context *ctx;
    size_t n;
    ir_value *values[LINEAR_VARIABLES]; /* NULL: of no value, what divisions need */
    linear_set set;
} bounded;

void bounded_begin(bounded *known, ir_context *ctx);
/* The values' only result is not negative.  Left out if it is not a linear sum. */
void bounded_add(bounded *known, const affine_mapping *m);
/* low <= v <= high */
void bounded_add_range(bounded *known, ir_value *v, int64_t low, int64_t high);
/* from <= v < to, in steps from `from` where they are constants. */
void bounded_add_counter(bounded *known, ir_value *v, ir_value *from, ir_value *to,
                         ir_value *step);

/* The results of an affine.min (or max), those left out that are never less (greater) than
 * another one: whether there are such, or, with `one`, whether only one is left. */
bool bounded_narrow(const bounded *known, const ir_op *op, bool one, affine_mapping *out);

/* What is known of the values that an operation uses from the loops around it, from
 * constants and from affine operations. */
void bounded_add_surroundings(bounded *known, ir_op *op);

/* Simplifies what is in a loop that lost its last round (`whole`), or that is this round;
 * `to` was the bound. */
void bounded_simplify_peeled(ir_op *loop, ir_value *to, bool whole);

#endif
