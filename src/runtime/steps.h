/* steps.h: helpers shared by several families of steps. */
#ifndef TILEWRIGHT_RUNTIME_STEPS_H
#define TILEWRIGHT_RUNTIME_STEPS_H

#include "host/gemm/gemm.h"
#include "runtime/plan.h"

/* Returns the right operand of the product in packed form, shared by all steps of the plan
 * that multiply by it. NULL if memory is lacking, or if it is not packed yet and the plan
 * does not pack now. */
void *rt_packed_b(rt_plan *plan, const rt_value *from, const krn_gemm_plan *product);

/* Resolves a dimension, counted from the front, or with -1 and below from the back. */
static inline int64_t rt_dim(const rt_value *v, int d)
{
    return v->dims[d < 0 ? d + v->rank : d];
}

static inline tw_status rt_misfit(const ir_op *op)
{
    return tw_error(TW_INVALID,
                    "'%s': the shapes or types of its operands and results do "
                    "not fit together",
                    op->def->name);
}

/* Returns the number of threads for `results` dot products of `terms` each: work below some
 * ten microseconds does not justify a second one. */
static inline int rt_product_threads(const tw_threadpool *pool, int64_t results,
                                     int64_t terms)
{
    const double worth = 1e6;
    return (double)results * (double)terms < worth ? 1 : tw_threadpool_threads(pool);
}

/* One integer element of a tensor. */
static inline int64_t rt_int_at(const rt_value *v, int64_t at)
{
    int64_t i;
    rt_load_i64(v->dtype, rt_data(v), (size_t)at, 1, &i);
    return i;
}

static inline float rt_real_at(const rt_value *v, int64_t at)
{
    float f;
    rt_load_f32(v->dtype, rt_data(v), (size_t)at, 1, &f);
    return f;
}

/* Returns the attribute as an axis of a tensor; -1 if there is no such axis. */
static inline int rt_axis(const ir_op *op, const char *name, int64_t otherwise, int rank)
{
    int64_t axis = ir_op_int(op, name, otherwise);
    axis += axis < 0 ? rank : 0;
    return axis >= 0 && axis < rank ? (int)axis : -1;
}

/* Whole tensors as f32, for steps that compute in it: the memory is allocated when
 * planning. */
static inline float *rt_reals_room(rt_plan *plan, const rt_value *v)
{
    return v ? rt_scratch_alloc(plan, ((size_t)v->count + 1) * sizeof(float)) : NULL;
}
static inline void rt_reals_load(const rt_value *v, float *to)
{
    if (v)
        rt_load_f32(v->dtype, rt_data(v), 0, (size_t)v->count, to);
}

#endif
