/* conv_exact.c: convolutions of f64 and of integers, by the definition. */
#include "host/conv/conv_run.h"
#include "host/parallel.h"

static bool is_integer(tw_dtype t)
{
    return t == TW_BOOL || t == TW_I8 || t == TW_I16 || t == TW_I32 || t == TW_I64 ||
           t == TW_U8 || t == TW_U16 || t == TW_U32 || t == TW_U64;
}

tw_status krn_conv_exact_check(const krn_conv_desc *d)
{
    const bool real = d->in == TW_F64 && d->weights == TW_F64 && d->out == TW_F64;
    const bool whole = is_integer(d->in) && d->weights == d->in &&
                       (d->out == d->in || d->out == TW_I32 || d->out == TW_I64);

    if (!real && !whole)
        return tw_error(TW_UNSUPPORTED, "convolution: %s with %s weights -> %s",
                        tw_dtype_name(d->in), tw_dtype_name(d->weights),
                        tw_dtype_name(d->out));
    if (d->bias && d->bias_dtype != d->out)
        return tw_error(TW_UNSUPPORTED,
                        "convolution: bias of type %s for a result of type %s",
                        tw_dtype_name(d->bias_dtype), tw_dtype_name(d->out));
    if (d->act == KRN_GEMM_CALL || d->act == KRN_GEMM_RELU6)
        return tw_error(TW_UNSUPPORTED, "convolution: activation on type %s",
                        tw_dtype_name(d->out));
    return TW_SUCCESS;
}

/* Integers wrap in 64 bits, which is correct for any narrower type too. */
typedef union wide {
    double real;
    uint64_t whole;
} wide;

static wide load(tw_dtype dtype, const void *from, int64_t i)
{
    switch (dtype) {
    case TW_F64:
        return (wide){.real = ((const double *)from)[i]};
    case TW_I8:
        return (wide){.whole = (uint64_t)((const int8_t *)from)[i]};
    case TW_I16:
        return (wide){.whole = (uint64_t)((const int16_t *)from)[i]};
    case TW_I32:
        return (wide){.whole = (uint64_t)((const int32_t *)from)[i]};
    case TW_U16:
        return (wide){.whole = ((const uint16_t *)from)[i]};
    case TW_U32:
        return (wide){.whole = ((const uint32_t *)from)[i]};
    case TW_I64:
    case TW_U64:
        return (wide){.whole = ((const uint64_t *)from)[i]};
    default:
        return (wide){.whole = ((const uint8_t *)from)[i]};
    }
}

static void store(tw_dtype dtype, void *to, int64_t i, wide v)
{
    switch (dtype) {
    case TW_F64:
        ((double *)to)[i] = v.real;
        break;
    case TW_BOOL:
        ((uint8_t *)to)[i] = v.whole != 0;
        break;
    case TW_I8:
    case TW_U8:
        ((uint8_t *)to)[i] = (uint8_t)v.whole;
        break;
    case TW_I16:
    case TW_U16:
        ((uint16_t *)to)[i] = (uint16_t)v.whole;
        break;
    case TW_I32:
    case TW_U32:
        ((uint32_t *)to)[i] = (uint32_t)v.whole;
        break;
    default:
        ((uint64_t *)to)[i] = v.whole;
    }
}

static wide relu(tw_dtype dtype, wide v)
{
    if (dtype == TW_F64)
        return (wide){.real = v.real < 0 ? 0 : v.real};
    const bool is_signed =
        dtype == TW_I8 || dtype == TW_I16 || dtype == TW_I32 || dtype == TW_I64;
    const int bits = 8 * (int)tw_dtype_size(dtype);
    return is_signed && (v.whole >> (bits - 1) & 1) ? (wide){.whole = 0} : v;
}

typedef struct exact_job {
    const krn_conv_plan *plan;
    const krn_gemm_args *args;
} exact_job;

/* Sum over taps and channels for one output element. */
static wide sum_at(const exact_job *job, const krn_conv_position *position, int64_t group,
                   int64_t output)
{
    const krn_conv_plan *p = job->plan;
    const krn_conv_desc *d = &p->desc;
    const bool real = d->in == TW_F64;
    wide sum = {.whole = 0}; /* also 0.0 */
    int64_t tap[KRN_CONV_MAX_SPATIAL], from[KRN_CONV_MAX_SPATIAL];

    for (tap[0] = 0; tap[0] < p->taps[0]; tap[0]++)
        for (tap[1] = 0; tap[1] < p->taps[1]; tap[1]++)
            for (tap[2] = 0; tap[2] < p->taps[2]; tap[2]++) {
                bool inside = true;
                int64_t at = position->batch * p->in.batch + group * p->in_step;
                for (int i = 0; i < KRN_CONV_MAX_SPATIAL; i++) {
                    from[i] = krn_conv_source(p, i, position->at[i], tap[i]);
                    inside &= from[i] >= 0;
                    at += from[i] * p->in.spatial[i];
                }
                if (!inside)
                    continue;
                for (int64_t c = 0; c < p->channels; c++) {
                    const wide x = load(d->in, job->args->a, at + c * p->in.feature);
                    const wide y = load(d->weights, job->args->b,
                                        krn_conv_weight_at(p, group, tap, c, output));
                    if (real)
                        sum.real += x.real * y.real;
                    else
                        sum.whole += x.whole * y.whole;
                }
            }
    return sum;
}

static void exact_row(void *context, int64_t task, int thread)
{
    const exact_job *job = context;
    const krn_conv_plan *p = job->plan;
    const krn_conv_desc *d = &p->desc;
    const krn_conv_position position = krn_conv_locate(p, task);
    (void)thread;

    for (int64_t group = 0; group < p->groups; group++)
        for (int64_t o = 0; o < p->outputs; o++) {
            wide v = sum_at(job, &position, group, o);
            if (d->bias) {
                const wide b = load(d->out, job->args->bias, group * p->outputs + o);
                if (d->out == TW_F64)
                    v.real += b.real;
                else
                    v.whole += b.whole;
            }
            if (d->act == KRN_GEMM_RELU)
                v = relu(d->out, v);
            store(d->out, job->args->c,
                  krn_conv_group_out(p, group) + o * p->out.feature +
                      krn_conv_offset(&p->out, &position),
                  v);
        }
}

void krn_conv_exact_run(const krn_conv_plan *plan, const krn_gemm_args *args,
                        struct tw_threadpool *pool)
{
    exact_job job = {plan, args};
    krn_parallel(pool, plan->desc.threads, plan->m, exact_row, &job);
}
