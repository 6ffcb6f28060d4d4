/* test_gemm.c: matrix products against a plain triple loop in f64. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel_test.h"

#include "host/gemm/gemm.h"
#include "host/gemm/gemm_core.h"
#include "support/bf16_f16.h"

/* The kernel sets under test. */
static const krn_gemm_kernels *f32_kernels, *bf16_kernels;

static int start(void **state)
{
    f32_kernels = krn_gemm_kernels_f32();
    bf16_kernels = krn_gemm_kernels_bf16();
    return kt_start_pool(state);
}

typedef struct buffer {
    void *data;
    tw_dtype dtype;
    int64_t count;
} buffer;

static uint64_t random_state = 1;

static double random_value(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (double)(int64_t)(random_state >> 11) * 0x1p-52 - 1.0;
}

/* Allocated to the byte, so that a sanitizer detects a read past the end. */
static buffer random_buffer(tw_dtype dtype, int64_t count)
{
    buffer b = {malloc((size_t)count * tw_dtype_size(dtype) + 1), dtype, count};
    const bool whole = dtype == TW_I8 || dtype == TW_I32;
    for (int64_t i = 0; i < count; i++)
        kt_set(b.data, b.dtype, i, whole ? floor(random_value() * 100) : random_value());
    return b;
}

static double *widened(const buffer *b)
{
    double *wide = malloc((size_t)b->count * sizeof *wide + 1);
    for (int64_t i = 0; i < b->count; i++)
        wide[i] = kt_get(b->data, b->dtype, i);
    return wide;
}

static void *aligned(size_t bytes)
{
    return aligned_alloc(64, tw_align_up(bytes + 1, 64));
}

static double act_value(krn_gemm_act act, double v)
{
    if (act == KRN_GEMM_RELU6)
        return v < 0 ? 0 : v > 6 ? 6 : v;
    return act == KRN_GEMM_RELU ? (v < 0 ? 0 : v) : act == KRN_GEMM_CALL ? 2 * v + 1 : v;
}

static void act_call(void *context, float *values, size_t count)
{
    assert_ptr_equal(context, &random_state);
    for (size_t i = 0; i < count; i++)
        values[i] = 2 * values[i] + 1;
}

/* Rounding of the result, and of the f32 sums. */
static double tolerance(const krn_gemm_desc *d, double value, double size)
{
    const double sums = 1e-7 * (4 + sqrt((double)d->k)) * size;
    switch (d->c) {
    case TW_BF16:
        return 0x1p-8 * fabs(value) * 1.01 + sums;
    case TW_F16:
        return 0x1p-11 * fabs(value) * 1.01 + sums + 0x1p-24;
    case TW_F32:
        return sums;
    case TW_F64:
        return 1e-13 * size;
    default:
        return 0;
    }
}

/* Runs a description on random operands and compares every element of every matrix. */
static void check(krn_gemm_desc d)
{
    krn_gemm_plan plan;
    d.threads = (int)((d.m + d.n + d.k + d.bias) % 4);
    assert_null(krn_gemm_prepare_for(&d, f32_kernels, bf16_kernels, &plan));
    const int64_t ba = krn_count(d.batch_rank_a, d.batch_a);
    const int64_t bb = krn_count(d.batch_rank_b, d.batch_b);
    const int64_t lda = d.row_stride_a ? d.row_stride_a : d.transpose_a ? d.m : d.k;
    const int64_t ldb = d.row_stride_b ? d.row_stride_b : d.transpose_b ? d.k : d.n;
    const int64_t ldc = d.row_stride_c ? d.row_stride_c : d.n;
    const int64_t a_rows = d.transpose_a ? d.k : d.m, b_rows = d.transpose_b ? d.n : d.k;
    const int64_t bc = ba == 1 ? bb : bb == 1 ? ba : TW_MAX(ba, bb);
    buffer a = random_buffer(d.a, ba * a_rows * lda),
           b = random_buffer(d.b, bb * b_rows * ldb);
    buffer c = random_buffer(d.c, bc * d.m * ldc);
    buffer bias = random_buffer(d.bias ? d.bias_dtype : TW_F32, d.n);
    void *packed = aligned(plan.packed_b_bytes), *scratch = aligned(plan.scratch_bytes);

    if (d.constant_b)
        krn_gemm_pack_b(&plan, b.data, packed, NULL);
    const krn_gemm_args args = {
        a.data, d.constant_b ? packed : b.data, bias.data, c.data, act_call, &random_state,
        scratch};
    krn_gemm_run(&plan, &args, d.threads > 1 ? kt_pool : NULL);
    double *const wide_a = widened(&a), *const wide_b = widened(&b);
    for (int64_t batch = 0; batch < bc; batch++)
        for (int64_t i = 0; i < d.m; i++)
            for (int64_t j = 0; j < d.n; j++) {
                double sum = 0, size = 1;
                const int64_t a0 = (ba == 1 ? 0 : batch) * a_rows * lda;
                const int64_t b0 = (bb == 1 ? 0 : batch) * b_rows * ldb;
                for (int64_t k = 0; k < d.k; k++) {
                    const double x =
                        wide_a[a0 + (d.transpose_a ? k * lda + i : i * lda + k)];
                    const double y =
                        wide_b[b0 + (d.transpose_b ? j * ldb + k : k * ldb + j)];
                    sum += x * y;
                    size += fabs(x * y);
                }
                sum =
                    act_value(d.act, sum + (d.bias ? kt_get(bias.data, bias.dtype, j) : 0));
                const double found = kt_get(c.data, c.dtype, (batch * d.m + i) * ldc + j);
                const double limit = tolerance(&d, sum, size);
                if (!(fabs(found - sum) <= limit))
                    fail_msg(
                        "%lldx%lldx%lld %s(%d)x%s(%d)->%s at %lld,%lld,%lld: %g, not %g",
                        (long long)d.m, (long long)d.n, (long long)d.k, tw_dtype_name(d.a),
                        d.transpose_a, tw_dtype_name(d.b), d.transpose_b,
                        tw_dtype_name(d.c), (long long)batch, (long long)i, (long long)j,
                        found, sum);
            }
    free(wide_a);
    free(wide_b);
    free(a.data);
    free(b.data);
    free(c.data);
    free(bias.data);
    free(packed);
    free(scratch);
}

/* Around the sizes of tiles, panels and blocks. */
static const int64_t sizes[][3] = {
    {1, 1, 1},     {1, 33, 5},    {2, 32, 64},    {3, 31, 17},    {4, 16, 1},
    {5, 15, 2},    {7, 17, 3},    {13, 48, 31},   {14, 64, 384},  {15, 65, 385},
    {28, 96, 400}, {29, 10, 128}, {32, 256, 128}, {33, 1, 70},    {1, 100, 777},
    {2, 300, 769}, {57, 513, 33}, {200, 40, 900}, {1, 1, 1000},   {0, 5, 3},
    {5, 0, 3},     {5, 40, 0},    {64, 600, 50},  {260, 530, 20},
};

static void every(tw_dtype a, tw_dtype b, tw_dtype c)
{
    const bool exact = c == TW_I32 || c == TW_F64;
    for (size_t s = 0; s < TW_COUNT(sizes); s++)
        for (unsigned v = 0; v < 16; v++) {
            krn_gemm_desc d = {.m = sizes[s][0],
                               .n = sizes[s][1],
                               .k = sizes[s][2],
                               .a = a,
                               .b = b,
                               .c = c,
                               .transpose_a = v & 1,
                               .transpose_b = v & 2,
                               .constant_b = v & 4,
                               .bias = v & 8,
                               .bias_dtype = exact     ? c
                                             : (s & 1) ? TW_F32
                                                       : a};
            d.act = exact ? (krn_gemm_act)((s + v) % 2) : (krn_gemm_act)((s + v) % 4);
            check(d);
        }
}

static void test_f32(void **state)
{
    (void)state;
    every(TW_F32, TW_F32, TW_F32);
    every(TW_F32, TW_F32, TW_BF16);
    every(TW_F32, TW_F32, TW_F16);
}

static void test_bf16(void **state)
{
    (void)state;
    every(TW_BF16, TW_BF16, TW_BF16);
    every(TW_BF16, TW_BF16, TW_F32);
}

static void test_mixed(void **state)
{
    (void)state;
    every(TW_F32, TW_BF16, TW_F32);
    every(TW_F16, TW_F16, TW_F16);
    every(TW_BF16, TW_F32, TW_BF16);
}

static void test_exact(void **state)
{
    (void)state;
    every(TW_F64, TW_F64, TW_F64);
    every(TW_I32, TW_I32, TW_I32);
    every(TW_I8, TW_I8, TW_I32);
}

/* Every other instruction set that this machine supports. */
static void test_other_kernels(void **state)
{
    const krn_gemm_kernels *const best = f32_kernels, *const best_bf16 = bf16_kernels;
    (void)state;
    bf16_kernels = NULL;
    f32_kernels = &krn_gemm_plain;
    every(TW_F32, TW_F32, TW_F32);
    every(TW_BF16, TW_BF16, TW_BF16);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        f32_kernels = &krn_gemm_avx2;
        every(TW_F32, TW_F32, TW_F32);
        every(TW_BF16, TW_BF16, TW_BF16);
    }
#endif
    f32_kernels = best;
    bf16_kernels = best_bf16;
}

static void test_batches(void **state)
{
    static const struct {
        int ra, rb;
        int64_t a[3], b[3];
    } cases[] = {
        {1, 1, {5}, {5}}, {2, 1, {2, 3}, {1}},    {0, 2, {0}, {3, 2}},
        {1, 0, {4}, {0}}, {2, 2, {3, 2}, {3, 2}}, {1, 1, {0}, {1}},
    };
    (void)state;
    for (size_t s = 0; s < TW_COUNT(cases); s++)
        for (unsigned v = 0; v < 16; v++) {
            const tw_dtype t = v & 8 ? TW_BF16 : TW_F32;
            krn_gemm_desc d = {.m = 9,
                               .n = 37,
                               .k = 21,
                               .a = t,
                               .b = t,
                               .c = t,
                               .batch_rank_a = cases[s].ra,
                               .batch_rank_b = cases[s].rb,
                               .transpose_a = v & 1,
                               .transpose_b = v & 2,
                               .constant_b = v & 4};
            memcpy(d.batch_a, cases[s].a, sizeof cases[s].a);
            memcpy(d.batch_b, cases[s].b, sizeof cases[s].b);
            check(d);
            d.row_stride_a = 40;
            d.row_stride_b = 50;
            d.row_stride_c = 39;
            check(d);
        }
}

static float run_one(const float *a, const float *b, int64_t k, krn_gemm_act act)
{
    krn_gemm_plan plan;
    const krn_gemm_desc d = {.m = 1, .n = 1, .k = k, .act = act};
    float c = 7;
    assert_null(krn_gemm_prepare(&d, &plan));
    void *scratch = aligned(plan.scratch_bytes);
    const krn_gemm_args args = {.a = a, .b = b, .c = &c, .scratch = scratch};
    krn_gemm_run(&plan, &args, NULL);
    free(scratch);
    return c;
}

static void test_special_values(void **state)
{
    const float inf[] = {INFINITY, 1}, one[] = {1, 1}, zero[] = {0, 0},
                negative[] = {-3, 1};
    (void)state;
    assert_true(run_one(inf, one, 2, KRN_GEMM_NONE) == INFINITY);
    assert_true(isnan(run_one(inf, zero, 2, KRN_GEMM_NONE)));
    assert_true(isnan(run_one(inf, zero, 2, KRN_GEMM_RELU)));
    assert_true(run_one(negative, one, 2, KRN_GEMM_RELU) == 0);
    assert_true(run_one(one, one, 0, KRN_GEMM_NONE) == 0);
}

static void expect_error(krn_gemm_desc d, tw_code code, const char *part)
{
    krn_gemm_plan plan;
    tw_status s = krn_gemm_prepare(&d, &plan);
    assert_int_equal(tw_status_code(s), code);
    if (!strstr(tw_status_message(s), part))
        fail_msg("'%s' does not say '%s'", tw_status_message(s), part);
    tw_status_free(s);
}

static void test_errors(void **state)
{
    (void)state;
    expect_error((krn_gemm_desc){.m = -1, .n = 1, .k = 1}, TW_INVALID, "m=-1");
    expect_error((krn_gemm_desc){.m = 4, .n = 4, .k = 4, .row_stride_b = 3}, TW_INVALID,
                 "rows of b are 3");
    expect_error((krn_gemm_desc){.m = 1,
                                 .n = 1,
                                 .k = 1,
                                 .batch_rank_a = 1,
                                 .batch_a = {2},
                                 .batch_rank_b = 1,
                                 .batch_b = {3}},
                 TW_INVALID, "is 2 in a and 3 in b");
    expect_error(
        (krn_gemm_desc){.m = 1, .n = 1, .k = 1, .a = TW_F32, .b = TW_I32, .c = TW_F32},
        TW_UNSUPPORTED, "operands of f32 and si32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),
        cmocka_unit_test(test_bf16),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_other_kernels),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, start, kt_end_pool);
}
