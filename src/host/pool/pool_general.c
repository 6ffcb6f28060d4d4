/* pool_general.c: window reductions of any rank and type by the definition, and indices of
 * maxima. */
#include <math.h>

#include "host/parallel.h"
#include "host/pool/pool_plan.h"
#include "support/bf16_f16.h"

#define PART 256 /* outputs per task */

/* Floats are combined in the precision of their type (16-bit ones in f32), integers in 64
 * bits, which wrap as narrower ones do. */
typedef union wide {
    double d;
    float f;
    int64_t i;
    uint64_t u;
} wide;

typedef enum family {
    FAMILY_F32,
    FAMILY_F64,
    FAMILY_SIGNED,
    FAMILY_UNSIGNED,
    FAMILY_BOOL
} family;

static family family_of(tw_dtype t)
{
    switch (t) {
    case TW_F64:
        return FAMILY_F64;
    case TW_I8:
    case TW_I16:
    case TW_I32:
    case TW_I64:
        return FAMILY_SIGNED;
    case TW_U8:
    case TW_U16:
    case TW_U32:
    case TW_U64:
        return FAMILY_UNSIGNED;
    case TW_BOOL:
        return FAMILY_BOOL;
    default:
        return FAMILY_F32;
    }
}

static wide load(tw_dtype t, const void *from, int64_t i)
{
    switch (t) {
    case TW_F32:
        return (wide){.f = ((const float *)from)[i]};
    case TW_BF16:
        return (wide){.f = tw_bf16_value(((const uint16_t *)from)[i])};
    case TW_F16:
        return (wide){.f = tw_f16_value(((const uint16_t *)from)[i])};
    case TW_F64:
        return (wide){.d = ((const double *)from)[i]};
    case TW_I8:
        return (wide){.i = ((const int8_t *)from)[i]};
    case TW_I16:
        return (wide){.i = ((const int16_t *)from)[i]};
    case TW_I32:
        return (wide){.i = ((const int32_t *)from)[i]};
    case TW_I64:
        return (wide){.i = ((const int64_t *)from)[i]};
    case TW_U16:
        return (wide){.u = ((const uint16_t *)from)[i]};
    case TW_U32:
        return (wide){.u = ((const uint32_t *)from)[i]};
    case TW_U64:
        return (wide){.u = ((const uint64_t *)from)[i]};
    case TW_BOOL:
        return (wide){.u = ((const uint8_t *)from)[i] != 0};
    default:
        return (wide){.u = ((const uint8_t *)from)[i]};
    }
}

static void store(tw_dtype t, void *to, int64_t i, wide v)
{
    switch (t) {
    case TW_F32:
        ((float *)to)[i] = v.f;
        break;
    case TW_BF16:
        ((uint16_t *)to)[i] = tw_bf16_nearest_even(v.f);
        break;
    case TW_F16:
        ((uint16_t *)to)[i] = tw_f16_nearest_even(v.f);
        break;
    case TW_F64:
        ((double *)to)[i] = v.d;
        break;
    case TW_BOOL:
        ((uint8_t *)to)[i] = v.u != 0;
        break;
    case TW_I8:
    case TW_U8:
        ((uint8_t *)to)[i] = (uint8_t)v.u;
        break;
    case TW_I16:
    case TW_U16:
        ((uint16_t *)to)[i] = (uint16_t)v.u;
        break;
    case TW_I32:
    case TW_U32:
        ((uint32_t *)to)[i] = (uint32_t)v.u;
        break;
    default:
        ((uint64_t *)to)[i] = v.u;
    }
}

/* The identity of a kind; for integers the limits of the type. */
static wide identity(krn_window_kind kind, tw_dtype t)
{
    const family f = family_of(t);
    const int bits = 8 * (int)tw_dtype_size(t);
    const uint64_t all = f == FAMILY_BOOL ? 1 : ~UINT64_C(0) >> (64 - bits);
    const double one = kind == KRN_WINDOW_MUL ? 1 : 0;

    if (f == FAMILY_F32 || f == FAMILY_F64) {
        const double v = kind == KRN_WINDOW_MAX   ? -(double)INFINITY
                         : kind == KRN_WINDOW_MIN ? (double)INFINITY
                                                  : one;
        return f == FAMILY_F64 ? (wide){.d = v} : (wide){.f = (float)v};
    }
    switch (kind) {
    case KRN_WINDOW_MAX:
        return f == FAMILY_SIGNED ? (wide){.i = -(int64_t)(all >> 1) - 1} : (wide){.u = 0};
    case KRN_WINDOW_MIN:
        return f == FAMILY_SIGNED ? (wide){.i = (int64_t)(all >> 1)} : (wide){.u = all};
    case KRN_WINDOW_AND:
        return (wide){.u = all};
    default:
        return (wide){.u = (uint64_t)one};
    }
}

#define COMBINE_REAL(field)                                                                \
    (kind == KRN_WINDOW_MAX   ? (b.field > a.field || b.field != b.field ? b : a)          \
     : kind == KRN_WINDOW_MIN ? (b.field < a.field || b.field != b.field ? b : a)          \
     : kind == KRN_WINDOW_MUL ? (wide){.field = a.field * b.field}                         \
                              : (wide){.field = a.field + b.field})

static wide combine(krn_window_kind kind, family f, wide a, wide b)
{
    if (f == FAMILY_F32)
        return COMBINE_REAL(f);
    if (f == FAMILY_F64)
        return COMBINE_REAL(d);
    switch (kind) {
    case KRN_WINDOW_MAX:
        return (f == FAMILY_SIGNED ? b.i > a.i : b.u > a.u) ? b : a;
    case KRN_WINDOW_MIN:
        return (f == FAMILY_SIGNED ? b.i < a.i : b.u < a.u) ? b : a;
    case KRN_WINDOW_MUL:
        return (wide){.u = a.u * b.u};
    case KRN_WINDOW_AND:
        return (wide){.u = a.u & b.u};
    case KRN_WINDOW_OR:
        return (wide){.u = a.u | b.u};
    default: /* the sum of booleans is or */
        return (wide){.u = f == FAMILY_BOOL ? (a.u | b.u) : a.u + b.u};
    }
}

typedef struct general_job {
    const krn_window_plan *plan;
    const void *in, *init;
    void *out;
    int64_t in_stride[KRN_MAX_RANK];
} general_job;

static wide reduce_at(const general_job *job, const int64_t *at)
{
    const krn_window_plan *p = job->plan;
    const krn_window_desc *d = &p->desc;
    const family f = family_of(d->dtype);
    const wide start =
        d->has_init ? load(d->dtype, job->init, 0) : identity(d->kind, d->dtype);
    int64_t tap[KRN_MAX_RANK] = {0}, inside = 0, counted = 1;
    wide acc = start;

    for (;;) {
        int64_t from = 0;
        bool valid = true;
        for (int i = 0; i < d->rank && valid; i++) {
            const int64_t x = krn_window_source(p, i, at[i], tap[i]);
            valid = x >= 0;
            from += x * job->in_stride[i];
        }
        inside += valid;
        if (valid)
            acc = combine(d->kind, f, acc, load(d->dtype, job->in, from));
        else if (d->has_init) /* padding is the start value */
            acc = combine(d->kind, f, acc, start);
        int i = d->rank - 1;
        for (; i >= 0 && ++tap[i] == d->window[i]; i--)
            tap[i] = 0;
        if (i < 0)
            break;
    }
    if (d->kind < KRN_WINDOW_MEAN)
        return acc;
    for (int i = 0; i < d->rank; i++)
        counted *= krn_window_counted(p, i, at[i]);
    const int64_t by = d->kind == KRN_WINDOW_MEAN_INSIDE ? inside : counted;
    return f == FAMILY_F64 ? (wide){.d = acc.d / (double)by}
                           : (wide){.f = acc.f / (float)by};
}

static void general_part(void *context, int64_t task, int thread)
{
    const general_job *job = context;
    const krn_window_plan *p = job->plan;
    const int64_t end = TW_MIN((task + 1) * PART, p->out_count);
    (void)thread;

    for (int64_t n = task * PART; n < end; n++) {
        int64_t at[KRN_MAX_RANK], rest = n;
        for (int i = p->desc.rank - 1; i >= 0; i--) {
            at[i] = rest % p->out_shape[i];
            rest /= p->out_shape[i];
        }
        store(p->desc.dtype, job->out, n, reduce_at(job, at));
    }
}

void krn_window_general(const krn_window_plan *plan, const void *in, const void *init,
                        void *out, struct tw_threadpool *pool)
{
    general_job job = {.plan = plan, .in = in, .init = init, .out = out};
    krn_dense_strides(plan->desc.rank, plan->desc.shape, job.in_stride);
    krn_parallel(pool, 0, (plan->out_count + PART - 1) / PART, general_part, &job);
}

/* ---- maxima with their indices */

typedef struct index_job {
    const krn_window_plan *plan;
    const void *in;
    void *out;
    int32_t *indices;
} index_job;

static bool exceeds(family f, wide a, wide b)
{
    switch (f) {
    case FAMILY_F32:
        return a.f > b.f || a.f != a.f;
    case FAMILY_F64:
        return a.d > b.d || a.d != a.d;
    case FAMILY_SIGNED:
        return a.i > b.i;
    default:
        return a.u > b.u;
    }
}

/* One output pixel of NHWC; torch's rule: the first of equal values, the last NaN. */
static void index_pixel(void *context, int64_t task, int thread)
{
    const index_job *job = context;
    const krn_window_plan *p = job->plan;
    const krn_window_desc *d = &p->desc;
    const int64_t w = task % p->out_shape[2], h = task / p->out_shape[2] % p->out_shape[1];
    const int64_t n = task / p->out_shape[2] / p->out_shape[1], channels = d->shape[3];
    const family f = family_of(d->dtype);
    (void)thread;

    for (int64_t c = 0; c < channels; c++) {
        wide best = identity(KRN_WINDOW_MAX, d->dtype);
        int64_t where = -1;
        for (int64_t i = 0; i < d->window[1]; i++)
            for (int64_t j = 0; j < d->window[2]; j++) {
                const int64_t y = krn_window_source(p, 1, h, i);
                const int64_t x = krn_window_source(p, 2, w, j);
                if (y < 0 || x < 0)
                    continue;
                const int64_t from =
                    ((n * d->shape[1] + y) * d->shape[2] + x) * channels + c;
                const wide v = load(d->dtype, job->in, from);
                if (where < 0 || exceeds(f, v, best)) {
                    best = v;
                    where = y * d->shape[2] + x;
                }
            }
        store(d->dtype, job->out, task * channels + c, best);
        job->indices[task * channels + c] = (int32_t)where;
    }
}

void krn_max_pool2d_indices(const krn_window_plan *plan, const void *in, void *out,
                            int32_t *out_indices, struct tw_threadpool *pool)
{
    index_job job = {plan, in, out, out_indices};
    assert(plan->desc.rank == 4 && plan->desc.kind == KRN_WINDOW_MAX);
    if (plan->out_count > 0)
        krn_parallel(pool, 0, plan->out_count / plan->desc.shape[3], index_pixel, &job);
}
