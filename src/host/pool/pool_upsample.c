/* pool_upsample.c: upsampling of NHWC by integer factors. */
#include "host/gemm/gemm_pack.h"
#include "host/parallel.h"
#include "host/pool/pool.h"

#define STRIP 256 /* channels interpolated at a time */

tw_status krn_upsample_prepare(tw_dtype dtype, krn_upsample_mode mode, int64_t n, int64_t h,
                               int64_t w, int64_t c, int64_t scale_h, int64_t scale_w,
                               krn_upsample_plan *out_plan)
{
    const bool mixes = mode == KRN_UPSAMPLE_BILINEAR;

    if (tw_dtype_size(dtype) == 0 ||
        (mixes && dtype != TW_F32 && dtype != TW_BF16 && dtype != TW_F16))
        return tw_error(TW_UNSUPPORTED, "%s upsampling of type %s",
                        mixes ? "bilinear" : "nearest", tw_dtype_name(dtype));
    if (n < 0 || h < 0 || w < 0 || c < 0 || scale_h < 1 || scale_w < 1)
        return tw_error(TW_INVALID, "upsampling of %lldx%lldx%lldx%lld by %lld and %lld",
                        (long long)n, (long long)h, (long long)w, (long long)c,
                        (long long)scale_h, (long long)scale_w);
    *out_plan = (krn_upsample_plan){dtype, mode, n, h, w, c, scale_h, scale_w};
    return TW_SUCCESS;
}

typedef struct upsample_job {
    const krn_upsample_plan *plan;
    const char *in;
    char *out;
} upsample_job;

static void nearest_row(const upsample_job *job, int64_t row)
{
    const krn_upsample_plan *p = job->plan;
    const int64_t out_h = p->h * p->scale_h;
    const size_t pixel = (size_t)p->c * tw_dtype_size(p->dtype);
    const char *src =
        job->in + (size_t)((row / out_h * p->h + row % out_h / p->scale_h) * p->w) * pixel;
    char *dst = job->out + (size_t)(row * p->w * p->scale_w) * pixel;

    for (int64_t x = 0; x < p->w; x++, src += pixel)
        for (int64_t s = 0; s < p->scale_w; s++, dst += pixel)
            memcpy(dst, src, pixel);
}

/* Sampling position of output i on an axis: between two elements, with the weight of the
 * second. */
typedef struct sample {
    int64_t low, high;
    float share;
} sample;

static sample sample_at(int64_t i, int64_t scale, int64_t size)
{
    const float at = TW_MAX(((float)i + 0.5f) / (float)scale - 0.5f, 0.0f);
    const int64_t low = TW_MIN((int64_t)at, size - 1);
    return (sample){low, TW_MIN(low + 1, size - 1), at - (float)low};
}

static void bilinear_row(const upsample_job *job, int64_t row)
{
    const krn_upsample_plan *p = job->plan;
    const int64_t out_h = p->h * p->scale_h, out_w = p->w * p->scale_w;
    const int64_t size = (int64_t)tw_dtype_size(p->dtype), image = row / out_h * p->h;
    const sample y = sample_at(row % out_h, p->scale_h, p->h);
    float corner[4][STRIP], mixed[STRIP];

    for (int64_t i = 0; i < out_w; i++) {
        const sample x = sample_at(i, p->scale_w, p->w);
        const int64_t pixels[4] = {
            (image + y.low) * p->w + x.low, (image + y.low) * p->w + x.high,
            (image + y.high) * p->w + x.low, (image + y.high) * p->w + x.high};
        for (int64_t c = 0; c < p->c; c += STRIP) {
            const int64_t n = TW_MIN(STRIP, p->c - c);
            for (int k = 0; k < 4; k++)
                krn_to_f32(job->in + (pixels[k] * p->c + c) * size, p->dtype, n, corner[k]);
            for (int64_t j = 0; j < n; j++)
                mixed[j] =
                    (1 - y.share) *
                        ((1 - x.share) * corner[0][j] + x.share * corner[1][j]) +
                    y.share * ((1 - x.share) * corner[2][j] + x.share * corner[3][j]);
            krn_from_f32(mixed, n, p->dtype,
                         job->out + ((row * out_w + i) * p->c + c) * size);
        }
    }
}

static void upsample_row(void *context, int64_t task, int thread)
{
    const upsample_job *job = context;
    (void)thread;
    if (job->plan->mode == KRN_UPSAMPLE_NEAREST)
        nearest_row(job, task);
    else
        bilinear_row(job, task);
}

void krn_upsample_run(const krn_upsample_plan *plan, const void *in, void *out,
                      struct tw_threadpool *pool)
{
    upsample_job job = {plan, in, out};
    if (plan->w > 0 && plan->c > 0)
        krn_parallel(pool, 0, plan->n * plan->h * plan->scale_h, upsample_row, &job);
}
