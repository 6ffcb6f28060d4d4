/* test_move.c: data movement against the definition of each operation, element by element.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel_test.h"

#include "host/move/move.h"
#include "support/bf16_f16.h"

static unsigned char *random_bytes(int64_t count)
{
    unsigned char *p = malloc((size_t)count + 1);
    for (int64_t i = 0; i < count; i++)
        p[i] = (unsigned char)kt_random_bits();
    return p;
}

static int64_t flat(int rank, const int64_t *shape, const int64_t *at)
{
    int64_t n = 0;
    for (int i = 0; i < rank; i++)
        n = n * shape[i] + at[i];
    return n;
}

/* Maps an index of the result to one of the source; false: the element keeps `before`. */
typedef bool (*source_fn)(const int64_t *at, int64_t *out_from);

static void check(const krn_copy_plan *plan, int element, int in_rank, const int64_t *in,
                  int out_rank, const int64_t *out, source_fn source)
{
    const int64_t n_in = krn_count(in_rank, in), n_out = krn_count(out_rank, out);
    unsigned char *src = random_bytes(n_in * element), *dst = random_bytes(n_out * element);
    unsigned char *before = malloc((size_t)(n_out * element) + 1);
    int64_t at[2 * KRN_MAX_RANK] = {0}, from[2 * KRN_MAX_RANK];

    memcpy(before, dst, (size_t)(n_out * element));
    krn_copy_run(plan, src, dst, kt_pool);
    if (n_out > 0)
        do {
            const int64_t i = flat(out_rank, out, at);
            const bool moved = source(at, from);
            const unsigned char *want =
                moved ? src + flat(in_rank, in, from) * element : before + i * element;
            if (memcmp(dst + i * element, want, (size_t)element) != 0)
                fail_msg("element size %d: element %lld is wrong", element, (long long)i);
        } while (kt_next(out_rank, out, at));
    free(src);
    free(dst);
    free(before);
}

static const int elements[] = {1, 2, 4, 8};

/* Parameters of the source functions below. */
static struct {
    int rank, in_rank, axis;
    int64_t shape[8], perm[8], begin[8], step[8], size[8], times;
} now;

static bool permuted(const int64_t *at, int64_t *from)
{
    for (int i = 0; i < now.rank; i++)
        from[now.perm[i]] = at[i];
    return true;
}

static void test_permute(void **state)
{
    static const struct {
        int rank;
        int64_t shape[6], perm[6];
    } cases[] = {
        {2, {5, 7}, {1, 0}},
        {3, {3, 300, 301}, {0, 2, 1}},
        {3, {300, 3, 301}, {1, 0, 2}},
        {2, {64, 96}, {1, 0}},
        {2, {130, 67}, {1, 0}},
        {3, {3, 40, 70}, {0, 2, 1}},
        {3, {33, 4, 65}, {2, 1, 0}},
        {4, {2, 9, 8, 5}, {0, 3, 1, 2}},
        {4, {2, 8, 7, 4}, {0, 2, 1, 3}},
        {3, {1, 6, 1}, {2, 0, 1}},
        {2, {0, 4}, {1, 0}},
        {1, {9}, {0}},
        {0, {0}, {0}},
        {5, {2, 3, 4, 5, 6}, {4, 2, 0, 3, 1}},
        {3, {20, 18, 2}, {1, 0, 2}},
        {3, {7, 5, 32}, {1, 0, 2}},
        {6, {2, 1, 3, 2, 4, 2}, {5, 4, 3, 2, 1, 0}},
    };
    (void)state;
    for (size_t c = 0; c < TW_COUNT(cases); c++)
        for (size_t e = 0; e < TW_COUNT(elements); e++) {
            krn_copy_plan p;
            now.rank = cases[c].rank;
            memcpy(now.perm, cases[c].perm, sizeof cases[c].perm);
            assert_null(
                krn_plan_permute(elements[e], now.rank, cases[c].shape, now.perm, &p));
            for (int i = 0; i < now.rank; i++)
                now.size[i] = cases[c].shape[now.perm[i]];
            check(&p, elements[e], now.rank, cases[c].shape, now.rank, now.size, permuted);
        }
}

static bool sliced(const int64_t *at, int64_t *from)
{
    for (int i = 0; i < now.rank; i++)
        from[i] = now.begin[i] + at[i] * now.step[i];
    return true;
}

static void test_slice_and_reverse(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        const int e = elements[round % 4];
        krn_copy_plan p;
        now.rank = (int)(kt_random_bits() % 5);
        for (int i = 0; i < now.rank; i++) {
            now.shape[i] = 1 + kt_random_bits() % 20;
            now.step[i] = (int64_t)(kt_random_bits() % 7) - 3;
            now.begin[i] = kt_random_bits() % now.shape[i];
            const int64_t room = now.step[i] > 0
                                     ? (now.shape[i] - 1 - now.begin[i]) / now.step[i]
                                 : now.step[i] < 0 ? now.begin[i] / -now.step[i]
                                                   : 5;
            now.size[i] = kt_random_bits() % (room + 2);
        }
        assert_null(
            krn_plan_slice(e, now.rank, now.shape, now.begin, now.step, now.size, &p));
        check(&p, e, now.rank, now.shape, now.rank, now.size, sliced);

        unsigned axes = 0;
        for (int i = 0; i < now.rank; i++) {
            now.step[i] = kt_random_bits() % 2 ? -1 : 1;
            now.begin[i] = now.step[i] < 0 ? now.shape[i] - 1 : 0;
            axes |= (unsigned)(now.step[i] < 0) << i;
        }
        assert_null(krn_plan_reverse(e, now.rank, now.shape, axes, &p));
        check(&p, e, now.rank, now.shape, now.rank, now.shape, sliced);
    }
}

static bool broadcast(const int64_t *at, int64_t *from)
{
    for (int i = 0; i < now.in_rank; i++)
        from[i] = now.shape[i] == 1 ? 0 : at[now.perm[i]];
    return true;
}

static void test_broadcast(void **state)
{
    static const struct {
        int in, out;
        int64_t shape[4], dims[4], size[5];
    } cases[] = {
        {0, 3, {0}, {0}, {3, 4, 5}},
        {1, 2, {7}, {1}, {5, 7}},
        {1, 2, {5}, {0}, {5, 70}},
        {2, 3, {1, 6}, {0, 2}, {4, 5, 6}},
        {2, 2, {3, 4}, {1, 0}, {4, 3}},
        {3, 3, {2, 1, 3}, {0, 1, 2}, {2, 6, 3}},
        {2, 5, {4, 1}, {1, 3}, {2, 4, 3, 5, 2}},
        {1, 1, {1}, {0}, {0}},
        {1, 2, {32}, {1}, {7, 32}},
        {2, 3, {3, 32}, {0, 2}, {3, 5, 32}},
    };
    (void)state;
    for (size_t c = 0; c < TW_COUNT(cases); c++)
        for (size_t e = 0; e < TW_COUNT(elements); e++) {
            krn_copy_plan p;
            now.in_rank = cases[c].in;
            memcpy(now.shape, cases[c].shape, sizeof cases[c].shape);
            memcpy(now.perm, cases[c].dims, sizeof cases[c].dims);
            assert_null(krn_plan_broadcast(elements[e], now.in_rank, now.shape, now.perm,
                                           cases[c].out, cases[c].size, &p));
            check(&p, elements[e], now.in_rank, now.shape, cases[c].out, cases[c].size,
                  broadcast);
        }
}

static bool repeated(const int64_t *at, int64_t *from)
{
    for (int i = 0; i < now.rank; i++)
        from[i] = now.axis < 0    ? at[i] % now.shape[i]
                  : i == now.axis ? at[i] / now.times
                                  : at[i];
    return true;
}

static void test_repeat(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        const int e = elements[round % 4];
        krn_copy_plan p;
        int64_t times[8];
        now.rank = 1 + (int)(kt_random_bits() % 4);
        now.axis = -1;
        for (int i = 0; i < now.rank; i++) {
            now.shape[i] = 1 + kt_random_bits() % 6;
            times[i] = kt_random_bits() % 4;
            now.size[i] = now.shape[i] * times[i];
        }
        assert_null(krn_plan_repeat(e, now.rank, now.shape, times, &p));
        check(&p, e, now.rank, now.shape, now.rank, now.size, repeated);

        now.axis = (int)(kt_random_bits() % (unsigned)now.rank);
        now.times = 1 + kt_random_bits() % 4;
        memcpy(now.size, now.shape, sizeof now.size);
        now.size[now.axis] *= now.times;
        assert_null(
            krn_plan_repeat_interleave(e, now.rank, now.shape, now.axis, now.times, &p));
        check(&p, e, now.rank, now.shape, now.rank, now.size, repeated);
    }
}

static bool placed(const int64_t *at, int64_t *from)
{
    for (int i = 0; i < now.rank; i++) {
        const int64_t d = at[i] - now.begin[i];
        if (d < 0 || d % now.step[i] != 0 || d / now.step[i] >= now.shape[i])
            return false;
        from[i] = d / now.step[i];
    }
    return true;
}

static void test_place_and_pad(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        const int e = elements[round % 4];
        krn_copy_plan p;
        krn_pad_plan pad;
        int64_t high[8], interior[8];
        bool negative = false;
        now.rank = (int)(kt_random_bits() % 4);
        for (int i = 0; i < now.rank; i++) {
            now.shape[i] = kt_random_bits() % 9;
            now.step[i] = 1 + kt_random_bits() % 3;
            now.begin[i] = (int64_t)(kt_random_bits() % 9) - 4;
            high[i] = (int64_t)(kt_random_bits() % 9) - 4;
            interior[i] = now.step[i] - 1;
            now.size[i] = now.begin[i] + high[i] + now.shape[i] +
                          TW_MAX(now.shape[i] - 1, 0) * interior[i];
            negative |= now.size[i] < 0;
        }
        if (negative) {
            tw_status s =
                krn_plan_pad(e, now.rank, now.shape, now.begin, high, interior, &pad);
            assert_int_equal(tw_status_code(s), TW_INVALID);
            tw_status_free(s);
            continue;
        }
        assert_null(
            krn_plan_place(e, now.rank, now.shape, now.size, now.begin, now.step, &p));
        check(&p, e, now.rank, now.shape, now.rank, now.size, placed);

        assert_null(krn_plan_pad(e, now.rank, now.shape, now.begin, high, interior, &pad));
        const int64_t n = krn_count(now.rank, now.size);
        assert_int_equal(pad.out_count, n);
        unsigned char *src = random_bytes(krn_count(now.rank, now.shape) * e);
        unsigned char *dst = random_bytes(n * e), *value = random_bytes(e);
        int64_t at[8] = {0}, from[8];
        krn_pad_run(&pad, src, value, dst, NULL);
        if (n > 0)
            do {
                const unsigned char *want =
                    placed(at, from) ? src + flat(now.rank, now.shape, from) * e : value;
                assert_memory_equal(dst + flat(now.rank, now.size, at) * e, want,
                                    (size_t)e);
            } while (kt_next(now.rank, now.size, at));
        free(src);
        free(dst);
        free(value);
    }
}

static void test_concat_and_roll(void **state)
{
    (void)state;
    const int32_t a[] = {1, 2, 3, 4}, b[] = {5, 6}, want[] = {1, 2, 5, 3, 4, 6};
    const int64_t sa[] = {2, 2}, sb[] = {2, 1}, so[] = {2, 3};
    int32_t out[6];
    krn_copy_plan p;
    assert_null(krn_plan_concat_part(4, 2, sa, so, 1, 0, &p));
    krn_copy_run(&p, a, out, NULL);
    assert_null(krn_plan_concat_part(4, 2, sb, so, 1, 2, &p));
    krn_copy_run(&p, b, out, NULL);
    assert_memory_equal(out, want, sizeof want);

    for (int64_t shift = -7; shift <= 7; shift++) {
        const int64_t shape[] = {3, 5, 2};
        int16_t in[30], rolled[30];
        krn_roll_plan roll;
        for (int i = 0; i < 30; i++)
            in[i] = (int16_t)i;
        assert_null(krn_plan_roll(2, 3, shape, 1, shift, &roll));
        krn_roll_run(&roll, in, rolled, NULL);
        for (int o = 0; o < 3; o++)
            for (int i = 0; i < 5; i++)
                for (int k = 0; k < 2; k++)
                    assert_int_equal(rolled[o * 10 + ((i + shift) % 5 + 5) % 5 * 2 + k],
                                     in[o * 10 + i * 2 + k]);
    }
}

static void test_iota(void **state)
{
    (void)state;
    int32_t i32[24];
    assert_null(krn_iota(TW_I32, 2, 4, 3, -1, 5, 0, 0, i32, NULL));
    for (int n = 0; n < 24; n++)
        assert_int_equal(i32[n], -1 + n / 3 % 4 * 5);
    float f32[5];
    assert_null(krn_iota(TW_F32, 1, 5, 1, 0, 0, 0.5, -0.25, f32, NULL));
    for (int n = 0; n < 5; n++)
        assert_true(f32[n] == 0.5f - 0.25f * (float)n);
    uint16_t bf16[600];
    assert_null(krn_iota(TW_BF16, 1, 600, 1, 0, 0, 0, 1, bf16, NULL));
    for (int n = 0; n < 600; n++)
        assert_int_equal(bf16[n], tw_bf16_nearest_even((float)n));
    tw_status s = krn_iota(TW_BFP_BF8, 1, 1, 1, 0, 0, 0, 0, bf16, NULL);
    assert_int_equal(tw_status_code(s), TW_UNSUPPORTED);
    tw_status_free(s);
}

/* Rounding a double to 16 bits once: checked against the neighbours. */
static void test_rounding(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        const uint64_t bits = (uint64_t)kt_random_bits() << 32 | kt_random_bits();
        double v;
        memcpy(&v, &bits, sizeof v);
        v = ldexp(frexp(v, &(int){0}), (int)(kt_random_bits() % 60) - 30);
        if (v != v)
            continue;
        const uint16_t f16 = tw_f16_of_f64(v), bf16 = tw_bf16_of_f64(v);
        const double e16 = fabs((double)tw_f16_value(f16) - v);
        const double eb = fabs((double)tw_bf16_value(bf16) - v);
        for (int d = -1; d <= 1; d += 2) {
            const double n16 = (double)tw_f16_value((uint16_t)(f16 + d));
            const double nb = (double)tw_bf16_value((uint16_t)(bf16 + d));
            if (fabs(v) < 65520 && isfinite(n16))
                assert_true(e16 < fabs(n16 - v) || (e16 == fabs(n16 - v) && !(f16 & 1)));
            assert_true(eb < fabs(nb - v) || (eb == fabs(nb - v) && !(bf16 & 1)));
        }
    }
    for (unsigned h = 0; h < 65536; h++) { /* every value converts back to itself */
        const float f = tw_f16_value((uint16_t)h), b = tw_bf16_value((uint16_t)h);
        assert_int_equal(tw_f16_nearest_even(f), f != f ? (h | 0x200) : h);
        assert_int_equal(tw_bf16_nearest_even(b), b != b ? (h | 0x40) : h);
    }
}

static void test_gather(void **state)
{
    (void)state;
    /* the example of the StableHLO specification, without batching */
    int32_t operand[24], out[2 * 3 * 2 * 2];
    for (int i = 0; i < 24; i++)
        operand[i] = i + 1;                                         /* 3 x 4 x 2 */
    const int64_t indices[] = {0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 9}; /* 2 x 3 x 2 */
    krn_gather_desc d = {.element = 4,
                         .index_dtype = TW_I64,
                         .operand_rank = 3,
                         .indices_rank = 3,
                         .out_rank = 4,
                         .operand_shape = {3, 4, 2},
                         .indices_shape = {2, 3, 2},
                         .slice_sizes = {1, 2, 2},
                         .offset_count = 2,
                         .offset_dims = {2, 3},
                         .collapsed_count = 1,
                         .collapsed_slice_dims = {0},
                         .map_count = 2,
                         .start_index_map = {1, 0},
                         .index_vector_dim = 2};
    krn_gather_plan p;
    assert_null(krn_plan_gather(&d, &p));
    assert_int_equal(p.out_count, 24);
    krn_gather_run(&p, operand, indices, out, NULL);
    for (int b = 0; b < 6; b++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                const int64_t row = TW_MIN(indices[b * 2], 2),
                              plane = TW_MIN(indices[b * 2 + 1], 2);
                assert_int_equal(out[b * 4 + i * 2 + j],
                                 operand[plane * 8 + (row + i) * 2 + j]);
            }

    /* batching dimensions: out[b][i] = operand[b][indices[b][i]] */
    const int32_t take[] = {3, 0, -5, 1, 99, 2};
    int32_t taken[6];
    d = (krn_gather_desc){.element = 4,
                          .index_dtype = TW_I32,
                          .operand_rank = 2,
                          .indices_rank = 2,
                          .out_rank = 2,
                          .operand_shape = {2, 4},
                          .indices_shape = {2, 3},
                          .slice_sizes = {1, 1},
                          .collapsed_count = 1,
                          .collapsed_slice_dims = {1},
                          .batching_count = 1,
                          .operand_batching_dims = {0},
                          .start_indices_batching_dims = {0},
                          .map_count = 1,
                          .start_index_map = {1},
                          .index_vector_dim = 2};
    assert_null(krn_plan_gather(&d, &p));
    krn_gather_run(&p, operand, take, taken, NULL);
    const int32_t want[] = {4, 1, 1, 6, 8, 7};
    assert_memory_equal(taken, want, sizeof want);

    d.start_index_map[0] = 2;
    tw_status s = krn_plan_gather(&d, &p);
    assert_int_equal(tw_status_code(s), TW_INVALID);
    tw_status_free(s);
}

static void test_take_and_gather_axis(void **state)
{
    (void)state;
    const float table[] = {1, 2, 3, 4, 5, 6};
    const int32_t rows[] = {2, 0, 7, -1};
    const float want[] = {5, 6, 1, 2, 5, 6, 1, 2};
    float out[8];
    assert_null(krn_take_rows(8, 3, TW_I32, 4, table, rows, out, NULL));
    assert_memory_equal(out, want, sizeof want);
    const uint16_t bf16_rows[] = {0x4000, 0, 0x3f80, 0x3f80}; /* 2, 0, 1, 1 */
    const float want2[] = {5, 6, 1, 2, 3, 4, 3, 4};
    assert_null(krn_take_rows(8, 3, TW_BF16, 4, table, bf16_rows, out, NULL));
    assert_memory_equal(out, want2, sizeof want2);
    tw_status s = krn_take_rows(8, 0, TW_I32, 1, table, rows, out, NULL);
    assert_int_equal(tw_status_code(s), TW_INVALID);
    tw_status_free(s);

    for (int axis = 0; axis < 3; axis++) {
        const int64_t shape[] = {4, 3, 5};
        int64_t index_shape[] = {3, 2, 4};
        int32_t in[60], got[36 * 2];
        int64_t index[36 * 2];
        index_shape[axis] = 6;
        const int64_t n = krn_count(3, index_shape);
        for (int i = 0; i < 60; i++)
            in[i] = i;
        for (int64_t i = 0; i < n; i++)
            index[i] = kt_random_bits() % shape[axis];
        assert_null(
            krn_gather_axis(4, 3, shape, axis, TW_I64, index_shape, in, index, got, NULL));
        int64_t at[3] = {0};
        do {
            int64_t from[3] = {at[0], at[1], at[2]};
            const int64_t i = flat(3, index_shape, at);
            from[axis] = index[i];
            assert_int_equal(got[i], in[flat(3, shape, from)]);
        } while (kt_next(3, index_shape, at));
    }
}

static void test_scatter(void **state)
{
    static const struct {
        krn_scatter_kind kind;
        float want[4];
    } cases[] = {
        {KRN_SCATTER_SET, {1, 30, 3, 20}},  {KRN_SCATTER_ADD, {1, 42, 3, 24}},
        {KRN_SCATTER_MUL, {1, 600, 3, 80}}, {KRN_SCATTER_MAX, {1, 30, 3, 20}},
        {KRN_SCATTER_MIN, {1, 2, 3, 4}},
    };
    (void)state;
    const int32_t indices[] = {1, 3, 1, 4, -1}; /* the last two are outside */
    for (size_t c = 0; c < TW_COUNT(cases); c++) {
        const krn_scatter_desc d = {.dtype = TW_F32,
                                    .index_dtype = TW_I32,
                                    .kind = cases[c].kind,
                                    .operand_rank = 1,
                                    .indices_rank = 2,
                                    .updates_rank = 1,
                                    .operand_shape = {4},
                                    .indices_shape = {5, 1},
                                    .updates_shape = {5},
                                    .inserted_count = 1,
                                    .inserted_window_dims = {0},
                                    .map_count = 1,
                                    .scatter_dims_to_operand_dims = {0},
                                    .index_vector_dim = 1};
        float operand[] = {1, 2, 3, 4};
        const float updates[] = {10, 20, 30, 40, 50};
        krn_scatter_plan p;
        assert_null(krn_plan_scatter(&d, &p));
        krn_scatter_run(&p, operand, indices, updates);
        assert_memory_equal(operand, cases[c].want, sizeof operand);
    }

    /* windows: the example of the StableHLO specification */
    int64_t operand[24], plain[24], updates[24];
    const int64_t starts[] = {0, 2, 1, 0, 2, 1, 0, 1, 1, 0, 0, 9};
    for (int i = 0; i < 24; i++) {
        operand[i] = plain[i] = i + 1;
        updates[i] = 1;
    }
    const krn_scatter_desc d = {.dtype = TW_I64,
                                .index_dtype = TW_I64,
                                .kind = KRN_SCATTER_ADD,
                                .operand_rank = 3,
                                .indices_rank = 3,
                                .updates_rank = 4,
                                .operand_shape = {3, 4, 2},
                                .indices_shape = {2, 3, 2},
                                .updates_shape = {2, 3, 2, 2},
                                .window_count = 2,
                                .update_window_dims = {2, 3},
                                .inserted_count = 1,
                                .inserted_window_dims = {0},
                                .map_count = 2,
                                .scatter_dims_to_operand_dims = {1, 0},
                                .index_vector_dim = 2};
    krn_scatter_plan p;
    assert_null(krn_plan_scatter(&d, &p));
    krn_scatter_run(&p, operand, starts, updates);
    for (int b = 0; b < 5; b++)
        for (int i = 0; i < 4; i++)
            plain[starts[b * 2 + 1] * 8 + starts[b * 2] * 2 + i]++;
    assert_memory_equal(operand, plain, sizeof plain);
}

static void test_scatter_axis(void **state)
{
    (void)state;
    const int64_t shape[] = {3, 4}, index_shape[] = {2, 3}, source_shape[] = {2, 5};
    const int32_t indices[] = {0, 2, 2, 1, 0, 1};
    uint16_t out[12], source[10];
    float want[12];
    for (int i = 0; i < 12; i++)
        out[i] = tw_bf16_nearest_even(want[i] = (float)i);
    for (int i = 0; i < 10; i++)
        source[i] = tw_bf16_nearest_even((float)(i * 2));
    assert_null(krn_scatter_axis(TW_BF16, KRN_SCATTER_ADD, 2, shape, 0, TW_I32, index_shape,
                                 source_shape, indices, source, out));
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 3; c++)
            want[indices[r * 3 + c] * 4 + c] += (float)(2 * (r * 5 + c));
    for (int i = 0; i < 12; i++)
        assert_true(tw_bf16_value(out[i]) == want[i]);
    const int32_t outside[] = {0, 2, 3, -1, 0, 1}; /* the third and fourth are dropped */
    assert_null(krn_scatter_axis(TW_BF16, KRN_SCATTER_ADD, 2, shape, 0, TW_I32, index_shape,
                                 source_shape, outside, source, out));
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 3; c++)
            if (r * 3 + c != 2 && r * 3 + c != 3)
                want[outside[r * 3 + c] * 4 + c] += (float)(2 * (r * 5 + c));
    for (int i = 0; i < 12; i++)
        assert_true(tw_bf16_value(out[i]) == want[i]);
}

static void test_tiles(void **state)
{
    static const int64_t shapes[][3] = {
        {1, 32, 32}, {2, 33, 65}, {3, 1, 1}, {1, 64, 20}, {2, 0, 5}};
    (void)state;
    for (size_t s = 0; s < TW_COUNT(shapes); s++)
        for (size_t e = 0; e < TW_COUNT(elements); e++) {
            const int64_t *shape = shapes[s], n = krn_count(3, shape);
            const int size = elements[e];
            krn_tile_plan p;
            assert_null(krn_plan_tiles(size, 3, shape, &p));
            unsigned char *src = random_bytes(n * size), *back = random_bytes(n * size);
            unsigned char *tiled = random_bytes((int64_t)p.tiled_bytes),
                          *pad = random_bytes(size);
            krn_tilize(&p, src, pad, tiled, kt_pool);
            const int64_t rows = p.row_tiles * 32, columns = p.column_tiles * 32;
            for (int64_t o = 0; o < shape[0]; o++)
                for (int64_t r = 0; r < rows; r++)
                    for (int64_t c = 0; c < columns; c++) {
                        const int64_t tile =
                            (o * p.row_tiles + r / 32) * p.column_tiles + c / 32;
                        const int64_t face = r % 32 / 16 * 2 + c % 32 / 16;
                        const int64_t at = tile * 1024 + face * 256 + r % 16 * 16 + c % 16;
                        const unsigned char *want =
                            r < shape[1] && c < shape[2]
                                ? src + ((o * shape[1] + r) * shape[2] + c) * size
                                : pad;
                        assert_memory_equal(tiled + at * size, want, (size_t)size);
                    }
            krn_untilize(&p, tiled, back, kt_pool);
            if (n > 0)
                assert_memory_equal(back, src, (size_t)(n * size));
            free(src);
            free(back);
            free(tiled);
            free(pad);
        }
}

static void expect_invalid(tw_status s, const char *part)
{
    assert_int_equal(tw_status_code(s), TW_INVALID);
    if (!strstr(tw_status_message(s), part))
        fail_msg("'%s' does not say '%s'", tw_status_message(s), part);
    tw_status_free(s);
}

static void test_errors(void **state)
{
    const int64_t shape[] = {4, 5}, perm[] = {0, 0}, begin[] = {2, 3}, step[] = {1, 1};
    const int64_t size[] = {3, 1}, out[] = {4, 6};
    krn_copy_plan p;
    (void)state;
    expect_invalid(krn_plan_permute(4, 2, shape, perm, &p), "not a permutation");
    expect_invalid(krn_plan_slice(4, 2, shape, begin, step, size, &p), "axis 0 of size 4");
    expect_invalid(krn_plan_broadcast(4, 2, shape, NULL, 2, out, &p),
                   "size 5 to axis 1 of size 6");
    expect_invalid(krn_plan_concat_part(4, 2, shape, out, 1, 2, &p), "has 5 after 2");
    expect_invalid(krn_plan_reverse(4, 2, shape, 4, &p), "rank 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permute),       cmocka_unit_test(test_slice_and_reverse),
        cmocka_unit_test(test_broadcast),     cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_place_and_pad), cmocka_unit_test(test_concat_and_roll),
        cmocka_unit_test(test_iota),          cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_gather),        cmocka_unit_test(test_take_and_gather_axis),
        cmocka_unit_test(test_scatter),       cmocka_unit_test(test_scatter_axis),
        cmocka_unit_test(test_tiles),         cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, kt_start_pool, kt_end_pool);
}
