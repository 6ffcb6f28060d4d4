/* test_pool.c: window reductions and upsampling against their definitions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel_test.h"

#include "host/pool/pool.h"
#include "support/bf16_f16.h"

static void *random_data(tw_dtype dtype, int64_t count)
{
    void *data = malloc((size_t)count * tw_dtype_size(dtype) + 1);
    const bool whole = dtype == TW_I8 || dtype == TW_U16 || dtype == TW_I32;
    for (int64_t i = 0; i < count; i++)
        kt_set(data, dtype, i,
               whole ? (double)kt_between(0, 9) : (double)kt_between(-100, 100) / 64);
    return data;
}

static double combine(krn_window_kind kind, double a, double b)
{
    return kind == KRN_WINDOW_MAX   ? (b > a || b != b ? b : a)
           : kind == KRN_WINDOW_MIN ? (b < a || b != b ? b : a)
           : kind == KRN_WINDOW_MUL ? a * b
                                    : a + b;
}

static void check(const krn_window_desc *d)
{
    krn_window_plan p;
    tw_status s = krn_window_prepare(d, &p);
    if (s)
        fail_msg("%s", tw_status_message(s));
    const int rank = d->rank;
    void *in = random_data(d->dtype, krn_count(rank, d->shape));
    void *out = random_data(d->dtype, p.out_count), *init = random_data(d->dtype, 1);
    const bool whole = d->dtype == TW_I8 || d->dtype == TW_U16 || d->dtype == TW_I32;
    const bool rounded = d->dtype == TW_BF16 || d->dtype == TW_F16;
    int64_t at[KRN_MAX_RANK] = {0}, n = 0;

    krn_window_run(&p, in, d->has_init ? init : NULL, out,
                   kt_random_bits() % 2 ? kt_pool : NULL);
    if (p.out_count > 0)
        do {
            const double empty = d->kind == KRN_WINDOW_MAX   ? -(double)INFINITY
                                 : d->kind == KRN_WINDOW_MIN ? (double)INFINITY
                                 : d->kind == KRN_WINDOW_MUL ? 1
                                                             : 0;
            const double start = d->has_init ? kt_get(init, d->dtype, 0) : empty;
            double acc = start;
            int64_t tap[KRN_MAX_RANK] = {0}, inside = 0, counted = 0;
            do {
                int64_t flat = 0;
                bool valid = true, padded = true;
                for (int i = 0; i < rank; i++) {
                    const int64_t q =
                        at[i] * d->stride[i] + tap[i] * d->dilation[i] - d->pad_low[i];
                    const int64_t x = q / d->base_dilation[i];
                    const int64_t spread = (d->shape[i] - 1) * d->base_dilation[i] + 1;
                    valid &= q >= 0 && q % d->base_dilation[i] == 0 && x < d->shape[i];
                    padded &= q < spread + d->pad_high[i];
                    flat = flat * d->shape[i] + x;
                }
                inside += valid;
                counted += padded;
                if (valid)
                    acc = combine(d->kind, acc, kt_get(in, d->dtype, flat));
                else if (d->has_init)
                    acc = combine(d->kind, acc, start);
            } while (kt_next(rank, d->window, tap));
            if (d->kind == KRN_WINDOW_MEAN)
                acc /= (double)counted;
            if (d->kind == KRN_WINDOW_MEAN_INSIDE)
                acc /= (double)inside;
            if (whole) { /* extremes of an empty window, and wrapping */
                void *one = random_data(d->dtype, 1);
                if (isinf(acc))
                    acc = d->dtype == TW_I8    ? (acc < 0 ? -128 : 127)
                          : d->dtype == TW_U16 ? (acc < 0 ? 0 : 65535)
                                               : (acc < 0 ? -2147483648.0 : 2147483647.0);
                else if (fabs(acc) < 0x1p53)
                    kt_set(one, d->dtype, 0, acc), acc = kt_get(one, d->dtype, 0);
                free(one);
            }
            if (whole &&
                fabs(acc) >=
                    0x1p53) { /* beyond the integers that a double represents exactly */
                n++;
                continue;
            }
            const double found = kt_get(out, d->dtype, n);
            const double limit = whole ? 0 : (rounded ? 0.0041 : 1e-6) * (fabs(acc) + 0.1);
            if (!(fabs(found - acc) <= limit) && !(found == acc) &&
                !(found != found && acc != acc))
                fail_msg("%s kind %d path %d rank %d element %lld: %g, not %g",
                         tw_dtype_name(d->dtype), (int)d->kind, p.path, rank, (long long)n,
                         found, acc);
            n++;
        } while (kt_next(rank, p.out_shape, at));
    free(in);
    free(out);
    free(init);
}

static const tw_dtype types[] = {TW_F32, TW_BF16, TW_F16, TW_F64, TW_I8, TW_U16, TW_I32};
static const krn_window_kind kinds[] = {KRN_WINDOW_SUM,  KRN_WINDOW_MAX,
                                        KRN_WINDOW_MIN,  KRN_WINDOW_MUL,
                                        KRN_WINDOW_MEAN, KRN_WINDOW_MEAN_INSIDE};

static void test_random(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        krn_window_desc d;
        const tw_dtype type = types[round % 7];
        const bool real =
            type == TW_F32 || type == TW_BF16 || type == TW_F16 || type == TW_F64;
        const krn_window_kind kind = kinds[round / 7 % (real ? 6 : 4)];
        int64_t shape[4];
        const int rank = (int)kt_between(0, 4);
        for (int i = 0; i < rank; i++)
            shape[i] = kt_between(1, 7);
        if (rank > 1 && round % 2)
            shape[rank - 1] = kt_between(4, 40);
        if (rank == 3 && round % 30 == 1) /* more channels than are summed at a time */
            shape[rank - 1] = kt_between(513, 1100);
        krn_window_desc_init(&d, type, kind, rank, shape);
        for (int i = 0; i < rank - (round % 2); i++) {
            d.window[i] = kt_between(1, 3);
            d.stride[i] = kt_between(1, 2);
            d.dilation[i] = kt_between(1, 2);
            d.base_dilation[i] = round % 5 == 0 ? kt_between(1, 2) : 1;
            d.pad_low[i] = kt_between(0, 2);
            d.pad_high[i] = kt_between(round % 7 ? 0 : -1, 2);
        }
        d.has_init = kind < KRN_WINDOW_MEAN && round % 3 == 0;
        d.ceil_mode = round % 4 == 1;
        check(&d);
    }
}

static void test_scan(void **state)
{
    (void)state;
    for (size_t t = 0; t < TW_COUNT(types); t++)
        for (int kind = 0; kind < 4; kind++)
            for (int axis = 0; axis < 3; axis++)
                for (int backwards = 0; backwards < 2; backwards++) {
                    const int64_t shape[] = {4, 3, 5};
                    krn_window_desc d;
                    krn_window_desc_init(&d, types[t], kinds[kind], 3, shape);
                    d.window[axis] = shape[axis];
                    *(backwards ? &d.pad_high[axis] : &d.pad_low[axis]) = shape[axis] - 1;
                    check(&d);
                }
}

static void test_large_window(void **state)
{
    const int64_t shape[] = {1, 23, 31, 70};
    (void)state;
    for (int kind = 0; kind < 6; kind++)
        for (int t = 0; t < 2; t++) {
            krn_window_desc d;
            krn_window_desc_init(&d, types[t], kinds[kind], 4, shape);
            d.window[1] = 23;
            d.window[2] = 30;
            d.pad_low[1] = 3;
            check(&d);
        }
}

static void test_ceil_mode(void **state)
{
    const int64_t shape[] = {1, 7, 8, 4};
    krn_window_desc d;
    krn_window_plan p;
    (void)state;
    krn_window_desc_init(&d, TW_F32, KRN_WINDOW_MAX, 4, shape);
    d.window[1] = d.window[2] = 2;
    d.stride[1] = d.stride[2] = 2;
    d.ceil_mode = true;
    assert_null(krn_window_prepare(&d, &p));
    assert_int_equal(p.out_shape[1], 4); /* 7 / 2 rounded up */
    assert_int_equal(p.out_shape[2], 4);
    d.stride[1] = 6; /* a second window would begin at 6, inside */
    assert_null(krn_window_prepare(&d, &p));
    assert_int_equal(p.out_shape[1], 2);
    d.stride[1] = 7; /* at 7, beyond */
    assert_null(krn_window_prepare(&d, &p));
    assert_int_equal(p.out_shape[1], 1);
}

static void test_nan(void **state)
{
    (void)state;
    for (int64_t channels = 1; channels < 40; channels += 19) {
        const int64_t shape[] = {1, 1, 4, channels};
        float in[4 * 40], out[2 * 40];
        for (int kind = 0; kind < 3; kind++) {
            krn_window_desc d;
            krn_window_plan p;
            krn_window_desc_init(&d, TW_F32, kinds[kind], 4, shape);
            d.window[2] = d.stride[2] = 2;
            assert_null(krn_window_prepare(&d, &p));
            for (int64_t i = 0; i < 4 * channels; i++)
                in[i] = (float)i;
            in[0] = NAN;
            krn_window_run(&p, in, NULL, out, NULL);
            assert_true(isnan(out[0]));
            for (int64_t i = 1; i < 2 * channels; i++)
                assert_false(isnan(out[i]));
        }
    }
}

static void test_indices(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        const int64_t shape[] = {2, kt_between(1, 7), kt_between(1, 7), kt_between(1, 5)};
        krn_window_desc d;
        krn_window_plan p;
        krn_window_desc_init(&d, TW_F32, KRN_WINDOW_MAX, 4, shape);
        for (int i = 1; i < 3; i++) {
            d.window[i] = kt_between(1, TW_MIN(3, shape[i]));
            d.stride[i] = kt_between(1, 2);
            d.pad_low[i] = d.pad_high[i] = d.window[i] / 2;
        }
        assert_null(krn_window_prepare(&d, &p));
        float *in = random_data(TW_F32, krn_count(4, shape));
        float *plain = malloc((size_t)p.out_count * 4),
              *out = malloc((size_t)p.out_count * 4);
        int32_t *indices = malloc((size_t)p.out_count * 4);
        krn_window_run(&p, in, NULL, plain, NULL);
        krn_max_pool2d_indices(&p, in, out, indices, kt_pool);
        for (int64_t i = 0; i < p.out_count; i++) {
            const int64_t c = i % shape[3], n = i / (p.out_count / 2);
            assert_true(out[i] == plain[i]);
            assert_true(in[(n * shape[1] * shape[2] + indices[i]) * shape[3] + c] ==
                        out[i]);
        }
        free(in);
        free(plain);
        free(out);
        free(indices);
    }
}

static void test_mean_middle(void **state)
{
    (void)state;
    const int64_t inner[] = {1, 49, 700};
    for (size_t s = 0; s < 3; s++)
        for (int t = 0; t < 2; t++) {
            const int64_t channels = 530;
            void *in = random_data(types[t], 2 * inner[s] * channels);
            void *out = random_data(types[t], 2 * channels);
            assert_null(krn_mean_middle(types[t], 2, inner[s], channels, in, out, kt_pool));
            for (int64_t o = 0; o < 2; o++)
                for (int64_t c = 0; c < channels; c++) {
                    double sum = 0;
                    for (int64_t i = 0; i < inner[s]; i++)
                        sum += kt_get(in, types[t], (o * inner[s] + i) * channels + c);
                    sum /= (double)inner[s];
                    assert_true(fabs(kt_get(out, types[t], o * channels + c) - sum) <=
                                (t ? 0.0041 : 1e-5) * (fabs(sum) + 0.1));
                }
            free(in);
            free(out);
        }
}

static void test_upsample(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        const tw_dtype type = types[round % 3];
        const int64_t h = kt_between(1, 5), w = kt_between(1, 5), c = kt_between(1, 9);
        const int64_t sh = kt_between(1, 3), sw = kt_between(1, 3);
        const bool linear = round % 2;
        krn_upsample_plan p;
        assert_null(krn_upsample_prepare(
            type, linear ? KRN_UPSAMPLE_BILINEAR : KRN_UPSAMPLE_NEAREST, 2, h, w, c, sh, sw,
            &p));
        void *in = random_data(type, 2 * h * w * c),
             *out = random_data(type, 2 * h * w * c * sh * sw);
        krn_upsample_run(&p, in, out, kt_pool);
        for (int64_t n = 0; n < 2; n++)
            for (int64_t y = 0; y < h * sh; y++)
                for (int64_t x = 0; x < w * sw; x++)
                    for (int64_t k = 0; k < c; k++) {
                        double want;
#define AT(yy, xx) kt_get(in, type, ((n * h + (yy)) * w + (xx)) * c + k)
                        if (linear) {
                            const double fy = fmax((y + 0.5) / (double)sh - 0.5, 0);
                            const double fx = fmax((x + 0.5) / (double)sw - 0.5, 0);
                            const int64_t y0 = (int64_t)fy, x0 = (int64_t)fx;
                            const int64_t y1 = TW_MIN(y0 + 1, h - 1),
                                          x1 = TW_MIN(x0 + 1, w - 1);
                            const double dy = fy - (double)y0, dx = fx - (double)x0;
                            want = (1 - dy) * ((1 - dx) * AT(y0, x0) + dx * AT(y0, x1)) +
                                   dy * ((1 - dx) * AT(y1, x0) + dx * AT(y1, x1));
                        } else {
                            want = AT(y / sh, x / sw);
                        }
                        const double found =
                            kt_get(out, type, ((n * h * sh + y) * w * sw + x) * c + k);
                        assert_true(fabs(found - want) <= 0.0041 * (fabs(want) + 1e-3));
                    }
        free(in);
        free(out);
    }
}

static void test_errors(void **state)
{
    const int64_t shape[] = {3};
    krn_window_desc d;
    krn_window_plan p;
    (void)state;
    krn_window_desc_init(&d, TW_F32, KRN_WINDOW_SUM, 1, shape);
    d.window[0] = 0;
    tw_status s = krn_window_prepare(&d, &p);
    assert_int_equal(tw_status_code(s), TW_INVALID);
    assert_non_null(strstr(tw_status_message(s), "window 0"));
    tw_status_free(s);
    d.window[0] = 1;
    d.kind = KRN_WINDOW_OR;
    s = krn_window_prepare(&d, &p);
    assert_int_equal(tw_status_code(s), TW_UNSUPPORTED);
    tw_status_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),       cmocka_unit_test(test_scan),
        cmocka_unit_test(test_large_window), cmocka_unit_test(test_ceil_mode),
        cmocka_unit_test(test_nan),          cmocka_unit_test(test_indices),
        cmocka_unit_test(test_mean_middle),  cmocka_unit_test(test_upsample),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, kt_start_pool, kt_end_pool);
}
