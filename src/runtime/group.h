/* group.h: fused element-wise operations.
 *
 * A group traverses the result's elements once, strip by strip: inputs are loaded (or read
 * in place), each operation is applied to the strip, and only values used outside the group
 * are stored. An intermediate bf16 or f16 value is rounded as if it had been stored: fusing
 * does not change results. */
#ifndef TILEWRIGHT_RUNTIME_GROUP_H
#define TILEWRIGHT_RUNTIME_GROUP_H

#include "host/strips/strip.h"
#include "runtime/plan.h"

/* The iteration space of a kernel; the last dimension is processed in strips. */
typedef struct rt_walk {
    int rank;
    int64_t dims[RT_MAX_RANK];
} rt_walk;

rt_walk rt_walk_of(const rt_value *out);
/* Strides of an operand over the result's dimensions, 0 where it broadcasts; false if it
 * does not broadcast. */
bool rt_broadcast_strides(const rt_value *v, const rt_value *out, int64_t *strides);
/* Coalesces adjacent dimensions that are contiguous for every operand. */
void rt_merge_dims(rt_walk *walk, int64_t *const *strides, size_t count);

/* Creates a step of a single function. */
tw_status rt_group_prepare(rt_plan *plan, rt_step *step, krn_strip_id fn,
                           const float *args) TW_NODISCARD;
bool rt_is_group(const rt_step *step);
/* True if the group stores this result to memory. */
bool rt_group_stores(const rt_step *step, const rt_value *v);
/* Makes `out` do the work of both steps, a then b. False, with nothing changed, if they
 * cannot be fused. */
bool rt_group_join(rt_plan *plan, const rt_step *a, const rt_step *b, rt_step *out);
/* A reduction over the last dimension of a group's result, computed strip by strip. */
typedef struct rt_tail {
    const rt_value *out;          /* NULL: none */
    int64_t strides[RT_MAX_RANK]; /* of out over the reduced value's dimensions */
    int kind;                     /* of reduce.c */
    double start, share;          /* of one result: its initial value, and its divisor */
} rt_tail;
/* True if the step is such a reduction (reduce.c). */
bool rt_reduce_as_tail(const rt_step *step, rt_tail *out);
/* Reduces one more strip of a row. */
double rt_tail_take(const krn_strip_set *set, const rt_tail *tail, const float *strip,
                    size_t n, double sum);
/* Makes `out` do a group's work and the reduction b of one of its results. */
bool rt_group_end(rt_plan *plan, const rt_step *a, const rt_step *b, rt_step *out);
/* Called when the group is complete: stores only values that `needed` reports as read
 * later, and combines operations that one pass can do. */
typedef bool rt_group_needed(const void *context, const rt_buffer *buffer);
void rt_group_trim(rt_step *step, rt_group_needed *needed, const void *context);

#endif
