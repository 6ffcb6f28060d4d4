/* test_conv.c: convolutions of random shapes against the definition, in f64. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel_test.h"

#include "host/conv/conv.h"

#include "support/bf16_f16.h"

static void *random_data(tw_dtype dtype, int64_t count)
{
    void *data = malloc((size_t)count * tw_dtype_size(dtype) + 1);
    for (int64_t i = 0; i < count; i++) {
        const double v = (double)(int32_t)kt_random_bits() * 0x1p-31;
        switch (dtype) {
        case TW_F32:
            ((float *)data)[i] = (float)v;
            break;
        case TW_BF16:
            ((uint16_t *)data)[i] = tw_bf16_nearest_even((float)v);
            break;
        case TW_F16:
            ((uint16_t *)data)[i] = tw_f16_nearest_even((float)v);
            break;
        case TW_F64:
            ((double *)data)[i] = v;
            break;
        default:
            ((int32_t *)data)[i] = (int32_t)(v * 100);
        }
    }
    return data;
}

static void act_call(void *context, float *values, size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        values[i] = 0.5f * values[i] - 1;
}

static int64_t at_index(const krn_conv_layout *layout, const int64_t *shape,
                        int spatial_rank, int64_t batch, int64_t feature,
                        const int64_t *spatial)
{
    int64_t index[5], flat = 0;
    index[layout->batch] = batch;
    index[layout->feature] = feature;
    for (int i = 0; i < spatial_rank; i++)
        index[layout->spatial[i]] = spatial[i];
    for (int i = 0; i < spatial_rank + 2; i++)
        flat = flat * shape[i] + index[i];
    return flat;
}

static void check(const krn_conv_desc *desc)
{
    krn_conv_plan plan;
    krn_conv_desc threaded = *desc;
    threaded.threads = (int)(kt_random_bits() % 4);
    tw_status s = krn_conv_prepare(&threaded, &plan);
    if (s)
        fail_msg("%s", tw_status_message(s));
    const krn_conv_desc *d = &plan.desc;
    const int sr = d->spatial_rank, rank = sr + 2;
    const int64_t n_in = krn_count(rank, d->in_shape),
                  n_out = krn_count(rank, d->out_shape);
    const int64_t n_w = krn_count(rank, d->weights_shape);
    const int64_t outputs = d->out_shape[d->out_layout.feature];
    void *in = random_data(d->in, n_in), *weights = random_data(d->weights, n_w);
    void *out = random_data(d->out, n_out), *bias = random_data(d->bias_dtype, outputs);
    void *packed = aligned_alloc(64, tw_align_up(plan.packed_weights_bytes + 1, 64));
    void *scratch = aligned_alloc(64, tw_align_up(plan.scratch_bytes + 1, 64));

    if (d->constant_weights)
        krn_conv_pack_weights(&plan, weights, packed, kt_pool);
    float *scale = NULL;
    if (d->constant_weights && d->out != TW_F64 && d->out != TW_I32 && kt_random_bits() % 2)
        scale = random_data(TW_F32, outputs);
    const bool before = scale && krn_conv_scale_weights(&plan, scale, packed);
    const krn_gemm_args args = {.a = in,
                                .b = d->constant_weights ? packed : weights,
                                .bias = bias,
                                .c = out,
                                .act = act_call,
                                .scratch = scratch,
                                .scale = before ? NULL : scale};
    krn_conv_run(&plan, &args, d->threads > 1 ? kt_pool : NULL);

    const int64_t groups = d->feature_groups * d->batch_groups;
    const int64_t channels = d->in_shape[d->in_layout.feature] / d->feature_groups;
    const int64_t batch = d->in_shape[d->in_layout.batch] / d->batch_groups;
    int64_t size[3] = {1, 1, 1}, taps[3] = {1, 1, 1};
    for (int i = 0; i < sr; i++) {
        size[i] = d->out_shape[d->out_layout.spatial[i]];
        taps[i] = d->weights_shape[d->weights_layout.spatial[i]];
    }
    for (int64_t b = 0; b < batch && n_out > 0; b++)
        for (int64_t o = 0; o < outputs; o++) {
            const int64_t group = o / (outputs / groups);
            int64_t at[3] = {0};
            do {
                double sum = 0, norm = 1;
                int64_t tap[3] = {0};
                if (krn_count(sr, taps) > 0)
                    do {
                        int64_t from[3], w_tap[3];
                        bool inside = true;
                        for (int i = 0; i < sr; i++) {
                            const int64_t q = at[i] * d->stride[i] +
                                              tap[i] * d->dilation[i] - d->pad_low[i];
                            from[i] = q / d->input_dilation[i];
                            inside &= q >= 0 && q % d->input_dilation[i] == 0 &&
                                      from[i] < d->in_shape[d->in_layout.spatial[i]];
                            w_tap[i] = d->reverse[i] ? taps[i] - 1 - tap[i] : tap[i];
                        }
                        for (int64_t c = 0; inside && c < channels; c++) {
                            const int64_t cin =
                                d->feature_groups > 1 ? group * channels + c : c;
                            const int64_t bin = d->batch_groups > 1 ? group * batch + b : b;
                            const int64_t wi = d->grouped_inputs ? cin : c;
                            const int64_t wo =
                                d->grouped_inputs ? o % (outputs / groups) : o;
                            const double x = kt_get(
                                in, d->in,
                                at_index(&d->in_layout, d->in_shape, sr, bin, cin, from));
                            const double y =
                                kt_get(weights, d->weights,
                                       at_index(&d->weights_layout, d->weights_shape, sr,
                                                wi, wo, w_tap));
                            sum += x * y;
                            norm += fabs(x * y);
                        }
                    } while (kt_next(sr, taps, tap));
                if (scale) {
                    sum *= (double)scale[o];
                    norm = norm * fabs((double)scale[o]) + 1;
                }
                if (d->bias)
                    sum += kt_get(bias, d->bias_dtype, o);
                if (d->act == KRN_GEMM_RELU || d->act == KRN_GEMM_RELU6)
                    sum = sum < 0 ? 0 : sum;
                if (d->act == KRN_GEMM_RELU6)
                    sum = sum > 6 ? 6 : sum;
                if (d->act == KRN_GEMM_CALL)
                    sum = 0.5 * sum - 1;
                const double found = kt_get(
                    out, d->out, at_index(&d->out_layout, d->out_shape, sr, b, o, at));
                const double limit = d->out == TW_F64    ? 1e-13 * norm
                                     : d->out == TW_I32  ? 0
                                     : d->out == TW_F32  ? 2e-6 * norm
                                     : d->out == TW_BF16 ? 0.0041 * fabs(sum) + 2e-6 * norm
                                                         : 0.0006 * fabs(sum) + 2e-6 * norm;
                if (!(fabs(found - sum) <= limit))
                    fail_msg(
                        "%s x %s -> %s, path %d, output %lld at %lld,%lld,%lld: %g, not %g",
                        tw_dtype_name(d->in), tw_dtype_name(d->weights),
                        tw_dtype_name(d->out), plan.path, (long long)o, (long long)at[0],
                        (long long)at[1], (long long)at[2], found, sum);
            } while (kt_next(sr, size, at));
        }
    free(scale);
    free(in);
    free(weights);
    free(out);
    free(bias);
    free(packed);
    free(scratch);
}

static void set_types(krn_conv_desc *d, tw_dtype in, tw_dtype weights, tw_dtype out)
{
    d->in = in;
    d->weights = weights;
    d->out = out;
    d->bias_dtype = out;
}

static void test_nhwc(void **state)
{
    static const struct {
        int64_t n, h, w, c, o, kh, kw, stride, pad, dilation;
    } cases[] = {
        {1, 8, 8, 3, 8, 3, 3, 1, 1, 1},     {2, 9, 7, 16, 33, 3, 3, 1, 1, 1},
        {1, 15, 15, 3, 64, 7, 7, 2, 3, 1},  {2, 6, 6, 8, 40, 1, 1, 1, 0, 1},
        {2, 6, 6, 8, 24, 1, 1, 2, 0, 1},    {1, 12, 12, 5, 7, 3, 3, 1, 2, 2},
        {1, 1, 1, 4, 4, 1, 1, 1, 0, 1},     {3, 5, 5, 1, 6, 5, 5, 1, 2, 1},
        {1, 4, 30, 130, 35, 3, 3, 1, 1, 1}, {1, 3, 3, 2, 2, 5, 5, 1, 0, 1},
        {1, 7, 7, 64, 64, 7, 7, 1, 0, 1},   {0, 4, 4, 2, 2, 1, 1, 1, 0, 1},
        {1, 4, 4, 0, 5, 3, 3, 1, 1, 1},     {1, 2, 40, 6, 10, 1, 5, 3, 0, 1},
    };
    static const tw_dtype types[][3] = {
        {TW_F32, TW_F32, TW_F32},  {TW_BF16, TW_BF16, TW_BF16}, {TW_BF16, TW_BF16, TW_F32},
        {TW_F32, TW_BF16, TW_F32}, {TW_F16, TW_F16, TW_F16},    {TW_F64, TW_F64, TW_F64},
        {TW_I32, TW_I32, TW_I32},
    };
    (void)state;
    for (size_t t = 0; t < TW_COUNT(types); t++)
        for (size_t i = 0; i < TW_COUNT(cases); i++)
            for (unsigned v = 0; v < 4; v++) {
                krn_conv_desc d;
                krn_conv_desc_nhwc(&d, cases[i].n, cases[i].h, cases[i].w, cases[i].c,
                                   cases[i].o, cases[i].kh, cases[i].kw);
                for (int a = 0; a < 2; a++) {
                    d.stride[a] = cases[i].stride;
                    d.pad_low[a] = d.pad_high[a] = cases[i].pad;
                    d.dilation[a] = cases[i].dilation;
                }
                set_types(&d, types[t][0], types[t][1], types[t][2]);
                d.constant_weights = v & 1;
                d.bias = v & 2;
                d.act = (krn_gemm_act)((i + v) % (t < 5 ? 4 : 2));
                check(&d);
            }
}

/* Batches that no cache holds are copied and multiplied one image after the other. */
static void test_large_images(void **state)
{
    static const tw_dtype types[] = {TW_F32, TW_BF16, TW_F16};
    (void)state;
    for (int round = 0; round < 12; round++) {
        const bool by_feature = round % 4 == 1, by_batch = round % 4 == 2;
        const int64_t channels = kt_between(12, 20) * 2;
        krn_conv_desc d;
        krn_conv_desc_nhwc(&d, 4, kt_between(60, 70), kt_between(60, 70), channels,
                           2 * kt_between(1, 4), 5, 3);
        d.feature_groups = 1 + by_feature;
        d.batch_groups = 1 + by_batch;
        d.weights_shape[1] = channels / d.feature_groups;
        for (int a = 0; a < 2; a++) {
            d.stride[a] = kt_between(1, 2);
            d.pad_low[a] = kt_between(0, 3);
            d.pad_high[a] = kt_between(0, 3);
        }
        const tw_dtype type = types[round % 3];
        set_types(&d, type, type, round % 2 ? TW_F32 : type);
        d.constant_weights = round & 1;
        d.bias = round & 2;
        d.act = (krn_gemm_act)(round % 4);
        check(&d);
    }
}

static void test_depthwise(void **state)
{
    (void)state;
    for (int64_t c = 2; c < 50; c += 13)
        for (unsigned v = 0; v < 8; v++) {
            krn_conv_desc d;
            krn_conv_desc_nhwc(&d, 2, 7, 9, c, c, 3, 3);
            d.weights_shape[1] = 1;
            d.feature_groups = c;
            d.pad_low[0] = d.pad_high[1] = 1;
            d.stride[0] = 1 + (v & 1);
            d.dilation[1] = 1 + (v >> 1 & 1);
            d.reverse[1] = v & 4;
            d.constant_weights = v & 2;
            d.bias = v & 4;
            d.act = (krn_gemm_act)(v % 4);
            check(&d);
            set_types(&d, TW_BF16, TW_F32, TW_BF16);
            check(&d);
            set_types(&d, TW_F16, TW_F16, TW_F32);
            check(&d);
        }
}

static void shuffle(int *dims, int count)
{
    for (int i = count - 1; i > 0; i--) {
        const int j = (int)kt_between(0, i), t = dims[i];
        dims[i] = dims[j];
        dims[j] = t;
    }
}

static krn_conv_layout random_layout(int spatial_rank)
{
    int dims[5] = {0, 1, 2, 3, 4};
    if (kt_random_bits() % 2)
        shuffle(dims, spatial_rank + 2);
    krn_conv_layout layout = {.batch = dims[0], .feature = dims[1]};
    for (int i = 0; i < spatial_rank; i++)
        layout.spatial[i] = dims[2 + i];
    return layout;
}

/* Any layout, rank, grouping, padding and dilation. */
static void test_general(void **state)
{
    static const tw_dtype types[] = {TW_F32, TW_BF16, TW_F16, TW_F64, TW_I32};
    (void)state;
    for (int round = 0; round < 2500; round++) {
        const tw_dtype type = types[round % 5];
        krn_conv_desc d = {
            .spatial_rank = (int)kt_between(0, 3), .feature_groups = 1, .batch_groups = 1};
        const int sr = d.spatial_rank;
        const int64_t channels = kt_between(1, 5), outputs = kt_between(1, 5);
        int64_t batch = kt_between(1, 3);
        d.in_layout = random_layout(sr);
        d.weights_layout = random_layout(sr);
        d.out_layout = random_layout(sr);
        if (round % 3 == 1)
            d.feature_groups = kt_between(1, 4);
        if (round % 3 == 2)
            d.batch_groups = kt_between(1, 3);
        batch *= d.batch_groups;
        d.in_shape[d.in_layout.batch] = batch;
        d.in_shape[d.in_layout.feature] = channels * d.feature_groups;
        d.weights_shape[d.weights_layout.batch] = channels;
        d.weights_shape[d.weights_layout.feature] =
            outputs * d.feature_groups * d.batch_groups;
        for (int i = 0; i < sr; i++) {
            const int64_t size = kt_between(1, 6), taps = kt_between(1, 3);
            d.in_shape[d.in_layout.spatial[i]] = size;
            d.weights_shape[d.weights_layout.spatial[i]] = taps;
            d.stride[i] = kt_between(1, 3);
            d.dilation[i] = kt_between(1, 2);
            d.input_dilation[i] = kt_random_bits() % 3 ? 1 : kt_between(1, 3);
            d.reverse[i] = kt_random_bits() % 4 == 0;
            const int64_t spread = (size - 1) * d.input_dilation[i] + 1;
            d.pad_low[i] = kt_random_bits() % 2 ? 0 : kt_between(-2, 3);
            d.pad_high[i] = kt_random_bits() % 2 ? 0 : kt_between(-2, 3);
            if (spread + d.pad_low[i] + d.pad_high[i] < 0)
                d.pad_low[i] = d.pad_high[i] = 0;
        }
        set_types(&d, type, type, type);
        d.bias = kt_random_bits() % 2;
        d.constant_weights = kt_random_bits() % 2;
        d.act = (krn_gemm_act)kt_between(0, type == TW_F64 || type == TW_I32 ? 1 : 3);
        check(&d);
    }
}

/* Winograd's algorithm: odd sizes, padding of each side, channels that are no multiple of a
 * vector, all activations, weights in any order. */
static void test_winograd(void **state)
{
    (void)state;
    for (int round = 0; round < 120; round++) {
        krn_conv_desc d;
        krn_conv_plan plan;
        const int64_t n = kt_between(1, 3), h = kt_between(14, 19), w = kt_between(13, 17);
        krn_conv_desc_nhwc(&d, n, h, w, kt_between(16, 70), kt_between(16, 70), 3, 3);
        for (int a = 0; a < 2; a++) {
            d.pad_low[a] = kt_between(-1, 2);
            d.pad_high[a] = kt_between(-1, 2);
            d.reverse[a] = kt_random_bits() % 3 == 0;
        }
        if (round % 2) {
            const int64_t o = d.weights_shape[0];
            d.weights_shape[0] = d.weights_shape[1];
            d.weights_shape[1] = o;
            d.weights_layout =
                (krn_conv_layout){.batch = 0, .feature = 1, .spatial = {2, 3}};
        }
        set_types(&d, TW_F32, TW_F32, TW_F32);
        d.constant_weights = round % 3 == 0;
        d.bias = round % 4 == 0;
        d.act = (krn_gemm_act)(round / 4 % 4);
        assert_null(krn_conv_prepare(&d, &plan));
        assert_int_equal(plan.path, n * h * w > 400 ? KRN_CONV_WINOGRAD : plan.path);
        check(&d);
    }
}

/* Results have the same bytes for any number of threads. */
static void test_winograd_threads(void **state)
{
    enum { SIZE = 15, CHANNELS = 40 };
    float *in = random_data(TW_F32, SIZE * SIZE * CHANNELS);
    float *weights = random_data(TW_F32, CHANNELS * CHANNELS * 9);
    float *want = random_data(TW_F32, SIZE * SIZE * CHANNELS);
    float *out = random_data(TW_F32, SIZE * SIZE * CHANNELS);
    (void)state;
    for (int threads = 1; threads <= 40; threads++) {
        krn_conv_desc d;
        krn_conv_plan plan;
        krn_conv_desc_nhwc(&d, 1, SIZE, SIZE, CHANNELS, CHANNELS, 3, 3);
        d.pad_low[0] = d.pad_low[1] = d.pad_high[0] = d.pad_high[1] = 1;
        d.threads = threads;
        assert_null(krn_conv_prepare(&d, &plan));
        assert_int_equal(plan.path, KRN_CONV_WINOGRAD);
        void *scratch = aligned_alloc(64, tw_align_up(plan.scratch_bytes + 1, 64));
        const krn_gemm_args args = {
            .a = in, .b = weights, .c = threads == 1 ? want : out, .scratch = scratch};
        krn_conv_run(&plan, &args, kt_pool);
        free(scratch);
        if (threads > 1)
            assert_memory_equal(out, want, SIZE * SIZE * CHANNELS * sizeof *out);
    }
    free(in);
    free(weights);
    free(want);
    free(out);
}

/* An infinite input makes those results infinite whose windows have it, and no other. */
static void test_winograd_infinite(void **state)
{
    enum { SIZE = 16, CHANNELS = 17, OUTPUTS = 19 };
    krn_conv_desc d;
    krn_conv_plan plan;
    (void)state;
    krn_conv_desc_nhwc(&d, 1, SIZE, SIZE, CHANNELS, OUTPUTS, 3, 3);
    d.pad_low[0] = d.pad_low[1] = d.pad_high[0] = d.pad_high[1] = 1;
    assert_null(krn_conv_prepare(&d, &plan));
    assert_int_equal(plan.path, KRN_CONV_WINOGRAD);
    float *in = random_data(TW_F32, SIZE * SIZE * CHANNELS);
    float *weights = random_data(TW_F32, OUTPUTS * CHANNELS * 9);
    float *finite = random_data(TW_F32, SIZE * SIZE * OUTPUTS);
    float *out = random_data(TW_F32, SIZE * SIZE * OUTPUTS);
    void *scratch = aligned_alloc(64, tw_align_up(plan.scratch_bytes + 1, 64));
    krn_gemm_args args = {.a = in, .b = weights, .c = finite, .scratch = scratch};
    for (int i = 0; i < OUTPUTS * CHANNELS * 9; i++)
        weights[i] = fabsf(weights[i]) + 0.1f;
    krn_conv_run(&plan, &args, NULL);
    const int y = 6, x = 9;
    in[(y * SIZE + x) * CHANNELS + 3] = INFINITY;
    args.c = out;
    krn_conv_run(&plan, &args, NULL);
    for (int i = 0; i < SIZE * SIZE * OUTPUTS; i++) {
        const int at_y = i / OUTPUTS / SIZE, at_x = i / OUTPUTS % SIZE;
        if (abs(at_y - y) <= 1 && abs(at_x - x) <= 1)
            assert_true(isinf(out[i]) && out[i] > 0);
        else
            assert_true(fabsf(out[i] - finite[i]) <= 1e-5f * CHANNELS);
    }
    free(in);
    free(weights);
    free(finite);
    free(out);
    free(scratch);
}

/* Gradients of weights: the window is almost the whole image, so results have few
 * positions; the batch is large. */
static void test_wide_windows(void **state)
{
    (void)state;
    for (int round = 0; round < 150; round++) {
        krn_conv_desc d;
        const int64_t n = kt_between(13, 40), h = kt_between(3, 9), w = kt_between(3, 9);
        krn_conv_desc_nhwc(&d, n, h, w, kt_between(1, 9), kt_between(1, 70), h, w);
        for (int a = 0; a < 2; a++) {
            d.pad_low[a] = kt_between(0, 2);
            d.pad_high[a] = kt_between(0, 2);
            d.reverse[a] = kt_random_bits() % 4 == 0;
            d.dilation[a] = round % 5 ? 1 : 2;
            if (d.dilation[a] == 2)
                d.pad_low[a] = d.in_shape[1 + a];
        }
        if (round % 2)
            d.in_layout = (krn_conv_layout){.batch = 3, .feature = 0, .spatial = {1, 2}};
        if (round % 2) {
            const int64_t last = d.in_shape[3];
            d.in_shape[3] = d.in_shape[0];
            d.in_shape[0] = last;
        }
        d.constant_weights = round % 3 == 0;
        d.bias = round % 4 == 0;
        d.act = (krn_gemm_act)(round % 4);
        set_types(&d, TW_F32, TW_F32, round % 7 ? TW_F32 : TW_BF16);
        check(&d);
    }
}

/* The gradient of 3x3 weights: images of any size, padding of each side, a batch and output
 * channels that are no multiple of a vector and more than one block. */
static void gradient_desc(krn_conv_desc *d, int64_t n, int64_t h, int64_t w, int64_t c,
                          int64_t o)
{
    const int64_t high = kt_between(0, 2), wide = kt_between(0, 2);
    krn_conv_desc_nhwc(d, n, h, w, c, o, h, w);
    d->pad_low[0] = high;
    d->pad_high[0] = 2 - high;
    d->pad_low[1] = wide;
    d->pad_high[1] = 2 - wide;
}

static void test_winograd_gradient(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        krn_conv_desc d;
        krn_conv_plan plan;
        const int64_t most = round % 10 ? 40 : 150;
        gradient_desc(&d, kt_between(16, most), kt_between(8, 15), kt_between(8, 13),
                      kt_between(5, 9), kt_between(16, most));
        d.reverse[0] = round % 5 == 0;
        d.reverse[1] = round % 3 == 0;
        if (round % 2) {
            const int64_t last = d.in_shape[3];
            d.in_layout = (krn_conv_layout){.batch = 3, .feature = 0, .spatial = {1, 2}};
            d.in_shape[3] = d.in_shape[0];
            d.in_shape[0] = last;
        }
        if (round % 4 == 0)
            d.out_layout = (krn_conv_layout){.batch = 1, .feature = 0, .spatial = {2, 3}};
        assert_null(krn_conv_prepare(&d, &plan));
        assert_int_equal(plan.path, KRN_CONV_WINOGRAD_GRADIENT);
        check(&d);
    }
}

static void run_gradient(const krn_conv_desc *d, const float *in, const float *weights,
                         float *out)
{
    krn_conv_plan plan;
    assert_null(krn_conv_prepare(d, &plan));
    assert_int_equal(plan.path, KRN_CONV_WINOGRAD_GRADIENT);
    void *scratch = aligned_alloc(64, tw_align_up(plan.scratch_bytes + 1, 64));
    const krn_gemm_args args = {.a = in, .b = weights, .c = out, .scratch = scratch};
    krn_conv_run(&plan, &args, kt_pool);
    free(scratch);
}

/* The same bytes for any number of threads; where an input is infinite, the results that
 * meet it are, and the others are as before but for rounding. */
static void test_winograd_gradient_edges(void **state)
{
    enum { SIZE = 12, BATCH = 44, IN = 3, OUT = 37 };
    const int64_t n_in = BATCH * SIZE * SIZE * IN, n_out = BATCH * 9 * OUT;
    float *in = random_data(TW_F32, n_in), *weights = random_data(TW_F32, n_in);
    float *want = random_data(TW_F32, n_out), *out = random_data(TW_F32, n_out);
    krn_conv_desc d;
    (void)state;
    gradient_desc(&d, BATCH, SIZE, SIZE, IN, OUT);
    for (int i = 0; i < OUT * IN * SIZE * SIZE; i++)
        weights[i] = fabsf(weights[i]) + 0.1f;
    for (int threads = 1; threads <= 40; threads++) {
        d.threads = threads;
        run_gradient(&d, in, weights, threads == 1 ? want : out);
        if (threads > 1)
            assert_memory_equal(out, want, (size_t)n_out * sizeof *out);
    }
    const int64_t row = 7; /* of the batch; an inner position is in every window */
    in[(row * SIZE * SIZE + 5 * SIZE + 6) * IN] = INFINITY;
    run_gradient(&d, in, weights, out);
    for (int64_t i = 0; i < n_out; i++)
        if (i / 9 / OUT == row)
            assert_true(isinf(out[i]) && out[i] > 0);
        else
            assert_true(fabsf(out[i] - want[i]) <= 1e-6f * SIZE * SIZE * IN);
    free(in);
    free(weights);
    free(want);
    free(out);
}

/* Operands read by strides give the bytes of the same memory described by its layout. */
static void test_strides(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        krn_conv_desc dense, strided;
        const int64_t n = kt_between(1, 20), h = kt_between(3, 9), w = kt_between(3, 9);
        const int64_t c = kt_between(1, 20), o = kt_between(1, 20);
        const int64_t kh = kt_between(1, 3), kw = round % 2 ? 3 : w;
        krn_conv_desc_nhwc(&dense, n, h, w, c, o, kh, kw);
        dense.pad_low[0] = dense.pad_high[1] = kt_between(0, 2);
        set_types(&dense, round % 3 ? TW_F32 : TW_BF16, round % 3 ? TW_F32 : TW_BF16,
                  TW_F32);
        dense.constant_weights = round % 4 == 0;
        strided = dense;
        /* Memory order: channels, batch, positions; positions, outputs, channels. */
        memcpy(dense.in_shape, (int64_t[]){c, n, h, w}, 4 * sizeof(int64_t));
        dense.in_layout = (krn_conv_layout){.batch = 1, .feature = 0, .spatial = {2, 3}};
        memcpy(strided.in_strides, (int64_t[]){h * w, w, 1, n * h * w},
               4 * sizeof(int64_t));
        memcpy(dense.weights_shape, (int64_t[]){kh, kw, o, c}, 4 * sizeof(int64_t));
        dense.weights_layout =
            (krn_conv_layout){.batch = 3, .feature = 2, .spatial = {0, 1}};
        memcpy(strided.weights_strides, (int64_t[]){c, 1, kw * o * c, o * c},
               4 * sizeof(int64_t));
        krn_conv_plan plans[2];
        assert_null(krn_conv_prepare(&dense, &plans[0]));
        assert_null(krn_conv_prepare(&strided, &plans[1]));
        const int64_t n_out = krn_count(4, plans[0].desc.out_shape);
        void *in = random_data(dense.in, n * h * w * c);
        void *weights = random_data(dense.weights, kh * kw * o * c);
        float *out[2];
        for (int i = 0; i < 2; i++) {
            const krn_conv_plan *p = &plans[i];
            void *packed = aligned_alloc(64, tw_align_up(p->packed_weights_bytes + 1, 64));
            void *scratch = aligned_alloc(64, tw_align_up(p->scratch_bytes + 1, 64));
            out[i] = random_data(TW_F32, n_out);
            if (dense.constant_weights)
                krn_conv_pack_weights(p, weights, packed, kt_pool);
            const krn_gemm_args args = {.a = in,
                                        .b = dense.constant_weights ? packed : weights,
                                        .c = out[i],
                                        .scratch = scratch};
            krn_conv_run(p, &args, kt_pool);
            free(packed);
            free(scratch);
        }
        assert_memory_equal(out[0], out[1], (size_t)n_out * sizeof(float));
        free(out[0]);
        free(out[1]);
        free(in);
        free(weights);
    }
}

/* Transposed: every input element is added to its window of the output. */
static void test_transpose(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        const int64_t groups = kt_between(1, 2), ci = groups * kt_between(1, 3),
                      co = kt_between(1, 4);
        const int64_t h = kt_between(1, 5), w = kt_between(1, 5), kh = kt_between(1, 3),
                      kw = kt_between(1, 3);
        const int64_t sh = kt_between(1, 3), sw = kt_between(1, 3), dh = kt_between(1, 2);
        const int64_t op[2] = {kt_between(0, sh - 1), kt_between(0, sw - 1)};
        krn_conv_desc d;
        krn_conv_desc_nhwc(&d, 1, h, w, ci, co, kh, kw);
        d.weights_shape[0] = ci;
        d.weights_shape[1] = co; /* IOHW */
        d.weights_layout = (krn_conv_layout){.batch = 0, .feature = 1, .spatial = {2, 3}};
        d.feature_groups = groups;
        d.stride[0] = sh;
        d.stride[1] = sw;
        d.dilation[0] = dh;
        d.pad_low[0] = kt_between(0, TW_MIN(dh * (kh - 1), 1));
        krn_conv_desc forward = d;
        krn_conv_transpose_desc(&forward, op);
        check(&forward);

        krn_conv_plan plan;
        assert_null(krn_conv_prepare(&forward, &plan));
        const int64_t oh = (h - 1) * sh - d.pad_low[0] + dh * (kh - 1) + op[0] + 1;
        const int64_t ow = (w - 1) * sw + (kw - 1) + op[1] + 1;
        assert_int_equal(plan.desc.out_shape[1], oh);
        assert_int_equal(plan.desc.out_shape[2], ow);
        float *in = random_data(TW_F32, h * w * ci),
              *weights = random_data(TW_F32, ci * co * kh * kw);
        float *out = random_data(TW_F32, oh * ow * co * groups);
        double *want = calloc((size_t)(oh * ow * co * groups), sizeof *want);
        void *scratch = aligned_alloc(64, tw_align_up(plan.scratch_bytes + 1, 64));
        const krn_gemm_args args = {.a = in, .b = weights, .c = out, .scratch = scratch};
        krn_conv_run(&plan, &args, NULL);
        for (int64_t y = 0; y < h; y++)
            for (int64_t x = 0; x < w; x++)
                for (int64_t i = 0; i < ci; i++)
                    for (int64_t o = 0; o < co; o++)
                        for (int64_t ky = 0; ky < kh; ky++)
                            for (int64_t kx = 0; kx < kw; kx++) {
                                const int64_t ty = y * sh + ky * dh - d.pad_low[0];
                                const int64_t tx = x * sw + kx, g = i / (ci / groups);
                                if (ty >= 0 && ty < oh && tx < ow)
                                    want[(ty * ow + tx) * co * groups + g * co + o] +=
                                        (double)in[(y * w + x) * ci + i] *
                                        (double)weights[((i * co + o) * kh + ky) * kw + kx];
                            }
        for (int64_t i = 0; i < oh * ow * co * groups; i++)
            assert_true(fabs((double)out[i] - want[i]) < 1e-5);
        free(in);
        free(weights);
        free(out);
        free(want);
        free(scratch);
    }
}

static void expect_error(const krn_conv_desc *d, tw_code code, const char *part)
{
    krn_conv_plan plan;
    tw_status s = krn_conv_prepare(d, &plan);
    assert_int_equal(tw_status_code(s), code);
    if (!strstr(tw_status_message(s), part))
        fail_msg("'%s' does not say '%s'", tw_status_message(s), part);
    tw_status_free(s);
}

static void test_errors(void **state)
{
    krn_conv_desc d;
    (void)state;
    krn_conv_desc_nhwc(&d, 1, 4, 4, 3, 8, 3, 3);
    d.weights_shape[1] = 4;
    expect_error(&d, TW_INVALID, "weights have 4 input channels, the input has 3");
    d.weights_shape[1] = 3;
    d.out_shape[0] = 1;
    expect_error(&d, TW_INVALID, "of the result has size");
    d.out_shape[0] = 0;
    d.stride[1] = 0;
    expect_error(&d, TW_INVALID, "stride 0");
    d.stride[1] = 1;
    d.feature_groups = 2;
    expect_error(&d, TW_INVALID, "3 input channels in 2 groups");
    d.feature_groups = 1;
    d.in_layout.feature = 2;
    expect_error(&d, TW_INVALID, "dimension numbers of the input");
    d.in_layout.feature = 3;
    d.in = TW_I32;
    expect_error(&d, TW_UNSUPPORTED, "si32 with f32 weights");
}

/* Runs a plan whose biases are the first of its weights. */
static void run_plan(const krn_conv_plan *plan, const void *in, const void *weights,
                     void *out)
{
    void *scratch = aligned_alloc(64, tw_align_up(plan->scratch_bytes + 1, 64));
    const krn_gemm_args args = {.a = in,
                                .b = weights,
                                .bias = weights,
                                .c = out,
                                .act = act_call,
                                .scratch = scratch};
    krn_conv_run(plan, &args, kt_pool);
    free(scratch);
}

/* Results with gaps equal the dense ones, and what lies between is left. Sums of one and
 * two rows are added in another order: bf16 results may differ by one unit in the last
 * place. */
static void check_gaps(const krn_conv_desc *desc, const int64_t *gap, int64_t spare)
{
    krn_conv_desc d = *desc;
    krn_conv_plan dense, gapped;
    int64_t full[4];

    assert_null(krn_conv_prepare(&d, &dense));
    memcpy(full, dense.desc.out_shape, sizeof full);
    for (int i = 0; i < 2; i++) {
        d.out_gap[i] = gap[i];
        full[1 + i] = full[1 + i] * gap[i] + (i ? spare : 0);
        d.out_full[i] = full[1 + i];
    }
    assert_null(krn_conv_prepare(&d, &gapped));
    const int64_t n_full = krn_count(4, full);
    const size_t size = tw_dtype_size(d.out);
    void *in = random_data(d.in, krn_count(4, d.in_shape));
    void *weights = random_data(d.weights, krn_count(4, d.weights_shape));
    void *want = random_data(d.out, krn_count(4, dense.desc.out_shape));
    char *found = random_data(d.out, n_full), *before = malloc((size_t)n_full * size);

    memcpy(before, found, (size_t)n_full * size);
    run_plan(&dense, in, weights, want);
    run_plan(&gapped, in, weights, found);
    for (int64_t i = 0; i < n_full; i++) {
        int64_t n = i, from[4];
        for (int a = 3; a >= 0; n /= full[a], a--)
            from[a] = n % full[a];
        const bool written = from[1] % gap[0] == 0 && from[2] % gap[1] == 0 &&
                             from[2] / gap[1] < dense.desc.out_shape[2];
        from[1] /= gap[0];
        from[2] /= gap[1];
        const double now = kt_get(found, d.out, i);
        const double then = written
                                ? kt_get(want, d.out,
                                         ((from[0] * dense.desc.out_shape[1] + from[1]) *
                                              dense.desc.out_shape[2] +
                                          from[2]) *
                                                 full[3] +
                                             from[3])
                                : kt_get(before, d.out, i);
        const double limit = !written          ? 0
                             : d.out == TW_F32 ? 1e-5
                                               : 0.008 * fabs(then) + 1e-5;
        if (!(fabs(now - then) <= limit))
            fail_msg("%s, gaps %lld, %lld: element %lld is %g, not %g",
                     tw_dtype_name(d.out), (long long)gap[0], (long long)gap[1],
                     (long long)i, now, then);
    }
    free(in);
    free(weights);
    free(want);
    free(found);
    free(before);
}

static void test_gaps(void **state)
{
    static const tw_dtype types[][2] = {
        {TW_F32, TW_F32}, {TW_BF16, TW_BF16}, {TW_BF16, TW_F32}, {TW_F16, TW_F16}};
    static const int64_t widths[] = {3, 7, 14, 31};
    (void)state;
    for (size_t t = 0; t < TW_COUNT(types); t++)
        for (size_t w = 0; w < TW_COUNT(widths); w++)
            for (int i = 0; i < 16; i++) {
                krn_conv_desc d;
                const int64_t gap[2] = {1 + i % 2, 1 + i / 2 % 2};
                const int taps = i & 4 ? 3 : 1, channels = i & 8 ? 20 : 36;
                krn_conv_desc_nhwc(&d, 2, 5, widths[w], channels, 40, taps, taps);
                set_types(&d, types[t][0], types[t][0], types[t][1]);
                d.pad_low[0] = d.pad_low[1] = d.pad_high[0] = d.pad_high[1] = taps / 2;
                d.bias = i % 3 == 0;
                d.act = i % 5 == 0   ? KRN_GEMM_CALL
                        : i % 5 == 1 ? KRN_GEMM_RELU
                                     : KRN_GEMM_NONE;
                d.threads = 1 + i % 2;
                check_gaps(&d, gap, i % 3);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nhwc),
        cmocka_unit_test(test_depthwise),
        cmocka_unit_test(test_general),
        cmocka_unit_test(test_large_images),
        cmocka_unit_test(test_wide_windows),
        cmocka_unit_test(test_winograd),
        cmocka_unit_test(test_winograd_threads),
        cmocka_unit_test(test_winograd_infinite),
        cmocka_unit_test(test_winograd_gradient),
        cmocka_unit_test(test_winograd_gradient_edges),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, kt_start_pool, kt_end_pool);
}
