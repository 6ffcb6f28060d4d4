/* views.h: tensors read through the permutations and slices that make them.
 *
 * A step whose kernel reads its operand by strides needs no copy that is permuted or cut
 * out: it reads the tensor that those copies start from. A copy that no step reads any more
 * is dropped when the plan is complete. */
#ifndef TILEWRIGHT_RUNTIME_VIEWS_H
#define TILEWRIGHT_RUNTIME_VIEWS_H

#include "runtime/plan.h"

/* Elements of `base`: the first one is at index `at`, the others follow by strides. */
typedef struct rt_view {
    rt_value *base;
    int64_t at, strides[RT_MAX_RANK];
} rt_view;

/* Finds the value that `v`, read with these dimensions (dense, in the order of v's
 * elements), is a view of, through any number of permutations, slices and reshapes. False
 * if no permutation or slice makes v, if a step overwrites the tensor, or if its elements
 * have no common strides. */
bool rt_view_of(const rt_plan *plan, rt_value *v, int rank, const int64_t *dims,
                rt_view *out);
/* Drops the permutations and slices whose results nothing reads. */
void rt_views_drop_unread(rt_plan *plan);

#endif
