/* views.h: tensors read through the permutations that make them.
 *
 * A step whose kernel reads its operand by strides needs no permuted copy: it reads the
 * tensor that the permutations start from. A permutation that no step reads any more is
 * dropped when the plan is complete. */
#ifndef TILEWRIGHT_RUNTIME_VIEWS_H
#define TILEWRIGHT_RUNTIME_VIEWS_H

#include "runtime/plan.h"

/* Finds the value that `v`, read with these dimensions (dense, in the order of v's
 * elements), is a permutation of, through any number of permutations and reshapes, and the
 * strides in elements by which it is to be read. False if no permutation makes v, if a step
 * overwrites the tensor, or if its elements have no common strides. */
bool rt_view_of(const rt_plan *plan, rt_value *v, int rank, const int64_t *dims,
                rt_value **out_base, int64_t *out_strides);
/* Drops the permutations whose results nothing reads. */
void rt_views_drop_unread(rt_plan *plan);

#endif
