/* conv_depthwise.c: convolutions with one channel per group and channels last: a weighted
 * sum of the window's pixels, channel by channel. */
#include "host/conv/conv_run.h"
#include "host/gemm/gemm_pack.h"
#include "host/parallel.h"
#include "host/pool/pool_loops.h"
#include "support/bf16_f16.h"

#define ALIGN 64
#define STRIP 512 /* channels whose sums are accumulated before rounding */

static float weight_f32(const void *weights, tw_dtype dtype, int64_t i)
{
    float v;
    krn_to_f32((const char *)weights + i * (int64_t)tw_dtype_size(dtype), dtype, 1, &v);
    return v;
}

/* packed[tap][channel], taps in the order of the window's positions. */
void krn_conv_depthwise_pack(const krn_conv_plan *p, const void *weights, void *packed)
{
    float *dst = packed;
    int64_t at[KRN_CONV_MAX_SPATIAL], tap[KRN_CONV_MAX_SPATIAL];

    for (at[0] = 0; at[0] < p->taps[0]; at[0]++)
        for (at[1] = 0; at[1] < p->taps[1]; at[1]++)
            for (at[2] = 0; at[2] < p->taps[2]; at[2]++) {
                for (int i = 0; i < KRN_CONV_MAX_SPATIAL; i++)
                    tap[i] = p->reverse[i] ? p->taps[i] - 1 - at[i] : at[i];
                for (int64_t g = 0; g < p->groups; g++)
                    *dst++ = weight_f32(weights, p->desc.weights,
                                        krn_conv_weight_at(p, g, tap, 0, 0));
            }
}

typedef struct depth_job {
    const krn_conv_plan *plan;
    const krn_gemm_args *args;
    const krn_pool_loops *loops;
    const float *bias, *weights;
} depth_job;

/* Collects pointers to the pixels of a position's window, and to their weights. */
static int64_t gather_taps(const depth_job *job, const krn_conv_position *position,
                           int64_t *pixels, const float **weights)
{
    const krn_conv_plan *p = job->plan;
    int64_t n = 0, at[KRN_CONV_MAX_SPATIAL], index = 0;

    for (at[0] = 0; at[0] < p->taps[0]; at[0]++)
        for (at[1] = 0; at[1] < p->taps[1]; at[1]++)
            for (at[2] = 0; at[2] < p->taps[2]; at[2]++, index++) {
                int64_t offset = position->batch * p->in.batch;
                bool inside = true;
                for (int i = 0; i < KRN_CONV_MAX_SPATIAL; i++) {
                    /* packed weights are in window order */
                    const int64_t tap = p->reverse[i] ? p->taps[i] - 1 - at[i] : at[i];
                    const int64_t from = krn_conv_source(p, i, position->at[i], tap);
                    inside &= from >= 0;
                    offset += from * p->in.spatial[i];
                }
                if (!inside)
                    continue;
                pixels[n] = offset;
                weights[n++] = job->weights + index * p->groups;
            }
    return n;
}

/* One output pixel, all channels. */
static void run_pixel(const depth_job *job, int64_t row)
{
    const krn_conv_plan *p = job->plan;
    const krn_conv_desc *d = &p->desc;
    const krn_conv_position position = krn_conv_locate(p, row);
    const int64_t out_size = (int64_t)tw_dtype_size(d->out);
    int64_t pixels[KRN_CONV_DEPTHWISE_TAPS];
    const float *weights[KRN_CONV_DEPTHWISE_TAPS];
    const void *in[KRN_CONV_DEPTHWISE_TAPS];
    const int64_t taps = gather_taps(job, &position, pixels, weights);
    char *out = (char *)job->args->c + krn_conv_offset(&p->out, &position) * out_size;
    const int64_t size = (int64_t)tw_dtype_size(d->in);
    float sums[STRIP];

    for (int64_t c = 0; c < p->groups; c += STRIP) {
        const int64_t n = TW_MIN(STRIP, p->groups - c);
        const float *start = job->bias ? job->bias + c : NULL;
        const bool relu = d->act == KRN_GEMM_RELU;
        float *to = d->out == TW_F32 ? (float *)out + c : sums;
        for (int64_t t = 0; t < taps; t++)
            in[t] = (const char *)job->args->a + (pixels[t] + c) * size;
        if (d->in == TW_F32)
            job->loops->weighted_f32(to, (const float *const *)in, weights, taps, n, start,
                                     relu);
        else
            job->loops->weighted_bf16(to, (const uint16_t *const *)in, weights, taps, n,
                                      start, relu);
        for (int64_t t = 0; t < taps; t++)
            weights[t] += n;
        if (d->act == KRN_GEMM_CALL)
            job->args->act(job->args->act_context, to, (size_t)n);
        if (d->out != TW_F32)
            krn_from_f32(to, n, d->out, out + c * out_size);
    }
}

static void run_line(void *context, int64_t task, int thread)
{
    const depth_job *job = context;
    const int64_t line = job->plan->out_size[KRN_CONV_MAX_SPATIAL - 1];
    (void)thread;
    for (int64_t i = 0; i < line; i++)
        run_pixel(job, task * line + i);
}

void krn_conv_depthwise_run(const krn_conv_plan *p, const krn_gemm_args *args,
                            struct tw_threadpool *pool)
{
    char *scratch = args->scratch;
    depth_job job = {
        .plan = p, .args = args, .loops = krn_pool_loops_best(), .weights = args->b};

    if (p->desc.bias) {
        job.bias = (float *)scratch;
        krn_to_f32(args->bias, p->desc.bias_dtype, p->groups, (float *)scratch);
        scratch += tw_align_up((size_t)p->groups * 4, ALIGN);
    }
    if (!p->desc.constant_weights) {
        krn_conv_depthwise_pack(p, args->b, scratch);
        job.weights = (const float *)scratch;
    }
    krn_parallel(pool, p->desc.threads, p->m / p->out_size[KRN_CONV_MAX_SPATIAL - 1],
                 run_line, &job);
}
