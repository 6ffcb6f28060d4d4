/* conv_depthwise.c: convolutions with one channel per group and channels last: a weighted
 * sum of the window's pixels, channel by channel. */
#include "host/conv/conv_run.h"
#include "host/gemm/gemm_pack.h"
#include "host/parallel.h"
#include "host/pool/pool_loops.h"
#include "support/bf16_f16.h"

#include <math.h>

#define ALIGN 64
#define STRIP 512  /* channels whose sums are accumulated before rounding */
#define TOGETHER 8 /* pixels of them */

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

/* Collects the offsets of a position's window, and pointers to its weights. */
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

/* `count` adjacent output pixels of a line whose windows have the same taps. */
static void run_pixels(const depth_job *job, int64_t row, int64_t count)
{
    enum { X = KRN_CONV_MAX_SPATIAL - 1 };
    const krn_conv_plan *p = job->plan;
    const krn_conv_desc *d = &p->desc;
    const krn_conv_position position = krn_conv_locate(p, row);
    const int64_t out_size = (int64_t)tw_dtype_size(d->out);
    const bool direct = d->out == TW_F32;
    int64_t pixels[KRN_CONV_DEPTHWISE_TAPS];
    const float *weights[KRN_CONV_DEPTHWISE_TAPS];
    const void *in[KRN_CONV_DEPTHWISE_TAPS];
    const int64_t size = (int64_t)tw_dtype_size(d->in);
    const bool limited = d->act == KRN_GEMM_RELU || d->act == KRN_GEMM_RELU6;
    float sums[TOGETHER * STRIP];
    krn_pool_line line = {.in_step = p->stride[X] * p->in.spatial[X],
                          .out_step = direct ? p->out.spatial[X] : STRIP,
                          .taps = gather_taps(job, &position, pixels, weights),
                          .floor = limited ? 0 : -INFINITY,
                          .ceiling = d->act == KRN_GEMM_RELU6 ? 6 : INFINITY};
    char *out = (char *)job->args->c + krn_conv_offset(&p->out, &position) * out_size;

    for (int64_t c = 0; c < p->groups; c += STRIP) {
        line.channels = TW_MIN(STRIP, p->groups - c);
        line.start = job->bias ? job->bias + c : NULL;
        for (int64_t x = 0; x < count; x += line.pixels) {
            char *const at = out + (x * p->out.spatial[X] + c) * out_size;
            float *const to = direct ? (float *)at : sums;
            line.pixels = TW_MIN(direct ? count : TOGETHER, count - x);
            for (int64_t t = 0; t < line.taps; t++)
                in[t] =
                    (const char *)job->args->a + (pixels[t] + c + x * line.in_step) * size;
            if (d->in == TW_F32)
                job->loops->weighted_f32(&line, (const float *const *)in, weights, to);
            else
                job->loops->weighted_bf16(&line, (const uint16_t *const *)in, weights, to);
            for (int64_t i = 0; i < line.pixels; i++) {
                float *const values = to + i * line.out_step;
                if (d->act == KRN_GEMM_CALL)
                    job->args->act(job->args->act_context, values, (size_t)line.channels);
                if (!direct)
                    krn_from_f32(values, line.channels, d->out,
                                 at + i * p->out.spatial[X] * out_size);
            }
        }
        for (int64_t t = 0; t < line.taps; t++)
            weights[t] += line.channels;
    }
}

/* Finds the pixels of a line, [*low, *high), whose windows are inside along it. */
static void find_inside(const krn_conv_plan *p, int64_t *low, int64_t *high)
{
    enum { X = KRN_CONV_MAX_SPATIAL - 1 };
    const int64_t reach = (p->taps[X] - 1) * p->dilation[X] - p->pad[X];
    int64_t from = 0, to = p->out_size[X];
    if (p->input_dilation[X] != 1) /* the taps of adjacent pixels differ */
        to = 0;
    while (from < to && from * p->stride[X] < p->pad[X])
        from++;
    while (to > from && (to - 1) * p->stride[X] + reach >= p->in_size[X])
        to--;
    *low = from;
    *high = to;
}

static void run_line(void *context, int64_t task, int thread)
{
    const depth_job *job = context;
    const int64_t length = job->plan->out_size[KRN_CONV_MAX_SPATIAL - 1];
    const int64_t first = task * length;
    int64_t low, high;
    (void)thread;
    find_inside(job->plan, &low, &high);
    for (int64_t i = 0; i < low; i++)
        run_pixels(job, first + i, 1);
    if (high > low)
        run_pixels(job, first + low, high - low);
    for (int64_t i = high; i < length; i++)
        run_pixels(job, first + i, 1);
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
