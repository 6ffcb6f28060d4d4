/* group.h: element-wise operations that run together.
 *
 * A group walks the result's elements once, strip by strip: inputs are loaded (or read
 * where they lie), each operation runs on the strip, and only what is used outside the
 * group is stored.  An intermediate bf16 or f16 value is rounded as if it had been
 * stored: fusing changes no number. */
#ifndef TILEWRIGHT_RUNTIME_GROUP_H
#define TILEWRIGHT_RUNTIME_GROUP_H

#include "host/strips/strip.h"
#include "runtime/plan.h"

/* The dimensions a kernel walks through, the last one in strips. */
typedef struct rt_walk {
    int rank;
    int64_t dims[RT_MAX_RANK];
} rt_walk;

rt_walk rt_walk_of(const rt_value *out);
/* Strides of an operand over the result's dimensions, 0 where it stretches; false if it
 * does not broadcast. */
bool rt_broadcast_strides(const rt_value *v, const rt_value *out, int64_t *strides);
/* Joins neighbouring dimensions that every operand walks through in one go. */
void rt_merge_dims(rt_walk *walk, int64_t *const *strides, size_t count);

/* A step of one function. */
tw_status rt_group_prepare(rt_plan *plan, rt_step *step, krn_strip_id fn,
                           const float *args) TW_NODISCARD;
bool rt_is_group(const rt_step *step);
/* Whether the group leaves this result in memory. */
bool rt_group_stores(const rt_step *step, const rt_value *v);
/* Makes `out` do both steps' work, a then b. False (and nothing changed) if they do not fit
 * together. */
bool rt_group_join(rt_plan *plan, const rt_step *a, const rt_step *b, rt_step *out);
/* A reduction over the last dimension of what a group computes, taken on the way. */
typedef struct rt_tail {
    const rt_value *out;          /* NULL: none */
    int64_t strides[RT_MAX_RANK]; /* of out over the reduced value's dimensions */
    int kind;                     /* of reduce.c */
    double start, share; /* of one result: its first value, and what it is divided by */
} rt_tail;
/* Whether the step is such a reduction (reduce.c). */
bool rt_reduce_as_tail(const rt_step *step, rt_tail *out);
/* One more strip of a row. */
double rt_tail_take(const krn_strip_set *set, const rt_tail *tail, const float *strip,
                    size_t n, double sum);
/* Makes `out` do a group's work and take the reduction b of one of its results. */
bool rt_group_end(rt_plan *plan, const rt_step *a, const rt_step *b, rt_step *out);
/* The group is complete: stores only what `needed` says is read after it, and joins
 * operations that one pass can do. */
typedef bool rt_group_needed(const void *context, const rt_buffer *buffer);
void rt_group_trim(rt_step *step, rt_group_needed *needed, const void *context);

#endif
