/* strip_rows_hand.h: rows (softmax, norms) for AVX-512 and AVX2.  Included by
 * strip_functions.c only, behind strip_hand.h.
 *
 * Rows of bf16 are taken a vector at a time: the even ones are shifted up, the odd ones
 * lie right.  What lies between two passes over such a row, and weights and biases, is
 * kept in that order: the even ones of a vector, the odd ones. */
#ifndef TILEWRIGHT_HOST_STRIPS_STRIP_ROWS_HAND_H
#define TILEWRIGHT_HOST_STRIPS_STRIP_ROWS_HAND_H

#include "host/strips/strip_hand.h"

/* ---- four vectors side by side hide the latency of an addition ---- */

#define ROW_V(name, start, step, join, finish)                                             \
    static float name(const float *from, size_t n)                                         \
    {                                                                                      \
        vec acc[4] = {start, start, start, start};                                         \
        size_t i = 0;                                                                      \
        for (; i + 4 * LANES <= n; i += 4 * LANES)                                         \
            for (int k = 0; k < 4; k++) {                                                  \
                const vec x = V(loadu_ps)(from + i + LANES * k);                           \
                acc[k] = step(acc[k], x);                                                  \
            }                                                                              \
        for (int k = 0; i < n; i += LANES, k++) {                                          \
            const lanes some = first_lanes(n - i);                                         \
            const vec x = load_first(some, from + i);                                      \
            acc[k] = pick_first(some, step(acc[k], x), acc[k]);                            \
        }                                                                                  \
        return finish(join(join(acc[0], acc[1]), join(acc[2], acc[3])));                   \
    }

#define LARGER(acc, x) V(max_ps)(x, acc) /* the second where either is NaN */
ROW_V(sum_strip, wide(0), V(add_ps), V(add_ps), sum_of)
ROW_V(max_strip, wide(-INFINITY), LARGER, V(max_ps), largest_of)
/* The largest and smallest of all, NaN where there is one: it is looked for beside. */
#define EXTREME_V(name, start, step, finish)                                               \
    static float name(const float *from, size_t n)                                         \
    {                                                                                      \
        vec acc[4] = {wide(start), wide(start), wide(start), wide(start)};                 \
        test odd = TEST(wide(0), wide(0), _CMP_NEQ_OQ);                                    \
        size_t i = 0;                                                                      \
        for (; i + 4 * LANES <= n; i += 4 * LANES)                                         \
            for (int k = 0; k < 4; k++) {                                                  \
                const vec x = V(loadu_ps)(from + i + LANES * k);                           \
                odd = either(odd, TEST(x, x, _CMP_UNORD_Q));                               \
                acc[k] = step(acc[k], x);                                                  \
            }                                                                              \
        for (int k = 0; i < n; i += LANES, k++) {                                          \
            const lanes some = first_lanes(n - i);                                         \
            const vec x = load_first(some, from + i);                                      \
            odd = either(odd, TEST(x, x, _CMP_UNORD_Q));                                   \
            acc[k] = pick_first(some, step(acc[k], x), acc[k]);                            \
        }                                                                                  \
        return lanes_of(odd) ? NAN                                                         \
                             : finish(step(step(acc[0], acc[1]), step(acc[2], acc[3])));   \
    }

EXTREME_V(most, -INFINITY, V(max_ps), largest_of)
EXTREME_V(least, INFINITY, V(min_ps), smallest_of)

/* ---- numbers of bf16 ---- */

/* How many of the first n of a vector are even, and odd. */
INLINED lanes even_lanes(size_t n)
{
    return first_lanes((n + 1) / 2);
}

INLINED lanes odd_lanes(size_t n)
{
    return first_lanes(n / 2);
}

/* NaN becomes the one that rounding keeps. */
static void arrange(const float *from, size_t n, float *to)
{
    for (size_t i = 0; i < n; i += 2 * LANES) {
        vec x[2];
        for (size_t k = 0; k < 2; k++) {
            const size_t at = TW_MIN(i + LANES * k, n);
            x[k] = load_first(first_lanes(n - at), from + at);
            x[k] = pick(TEST(x[k], x[k], _CMP_UNORD_Q), wide(NAN), x[k]);
        }
        V(storeu_ps)(to + i, even_places(x[0], x[1]));
        V(storeu_ps)(to + i + LANES, odd_places(x[0], x[1]));
    }
}

/* ---- mean, and squares about it, in one pass ----
 *
 * Differences from a number near the mean, that of the first numbers, are summed and
 * squared; where that number is so far off that the squares would cancel, a second pass
 * looks from the mean. */

enum { MOMENT_BLOCK = 1024 }; /* elements summed in f32 */

INLINED void take_moments(vec d, vec *sum, vec *square)
{
    *sum = V(add_ps)(*sum, d);
    *square = V(fmadd_ps)(d, d, *square);
}

INLINED double four_sums(const vec *s)
{
    return (double)sum_of(V(add_ps)(V(add_ps)(s[0], s[1]), V(add_ps)(s[2], s[3])));
}

/* Adds four vectors' worth; adds the first of the rest, up to that many, and returns how
 * many.
 */
INLINED void add_four(const float *from, vec pivot, vec *sum, vec *square)
{
    for (int k = 0; k < 4; k++)
        take_moments(V(sub_ps)(V(loadu_ps)(from + LANES * k), pivot), &sum[k], &square[k]);
}

INLINED size_t add_rest(const float *from, size_t n, vec pivot, vec *sum, vec *square)
{
    const lanes some = first_lanes(n);
    const vec x = load_first(some, from);
    take_moments(only_first(some, V(sub_ps)(x, pivot)), &sum[0], &square[0]);
    return LANES;
}

INLINED void add_four_bf16(const uint16_t *from, vec pivot, vec *sum, vec *square)
{
    for (int k = 0; k < 4; k += 2) {
        const ivec x = load_first16(ALL_LANES16, from + LANES * k);
        take_moments(V(sub_ps)(even_halves(x), pivot), &sum[k], &square[k]);
        take_moments(V(sub_ps)(odd_halves(x), pivot), &sum[k + 1], &square[k + 1]);
    }
}

INLINED size_t add_rest_bf16(const uint16_t *from, size_t n, vec pivot, vec *sum,
                             vec *square)
{
    const ivec x = load_first16(first_lanes16(n), from);
    take_moments(only_first(even_lanes(n), V(sub_ps)(even_halves(x), pivot)), &sum[0],
                 &square[0]);
    take_moments(only_first(odd_lanes(n), V(sub_ps)(odd_halves(x), pivot)), &sum[1],
                 &square[1]);
    return 2 * LANES;
}

#define SUMS(name, type, add_four, add_rest)                                               \
    static void name(const type *from, size_t n, float pivot, double out[2])               \
    {                                                                                      \
        out[0] = out[1] = 0;                                                               \
        for (size_t block = 0; block < n; block += MOMENT_BLOCK) {                         \
            const size_t end = TW_MIN(n, block + MOMENT_BLOCK);                            \
            vec sum[4] = {0}, square[4] = {0};                                             \
            size_t i = block;                                                              \
            for (; i + 4 * LANES <= end; i += 4 * LANES)                                   \
                add_four(from + i, wide(pivot), sum, square);                              \
            while (i < end)                                                                \
                i += add_rest(from + i, end - i, wide(pivot), sum, square);                \
            out[0] += four_sums(sum);                                                      \
            out[1] += four_sums(square);                                                   \
        }                                                                                  \
    }

SUMS(sums_about, float, add_four, add_rest)
SUMS(sums_of_bf16_about, uint16_t, add_four_bf16, add_rest_bf16)

#define MOMENTS(name, type, sums, first)                                                   \
    static float pivot_of_##name(const type *from, size_t n)                               \
    {                                                                                      \
        const lanes some = first_lanes(n);                                                 \
        const float count = (float)TW_MIN(n, (size_t)LANES);                               \
        return sum_of(V(mul_ps)(first(some, from), wide(1 / count)));                      \
    }                                                                                      \
    static void judge_##name(const type *from, size_t n, float pivot, double about[2],     \
                             double *mean, double *square)                                 \
    {                                                                                      \
        const double shift = about[0] / (double)n;                                         \
        *mean = (double)pivot + shift;                                                     \
        *square = about[1] - shift * about[0];                                             \
        if (shift * about[0] > about[1] / 2) {                                             \
            sums(from, n, (float)*mean, about);                                            \
            *square = about[1];                                                            \
        }                                                                                  \
    }                                                                                      \
    static void name(const type *from, size_t n, double *mean, double *square)             \
    {                                                                                      \
        const float pivot = pivot_of_##name(from, n);                                      \
        double about[2];                                                                   \
        sums(from, n, pivot, about);                                                       \
        judge_##name(from, n, pivot, about, mean, square);                                 \
    }

MOMENTS(moments, float, sums_about, load_first)
MOMENTS(moments_bf16, uint16_t, sums_of_bf16_about, load_first_bf16)

static double squares(const float *from, size_t n)
{
    double about[2];
    sums_about(from, n, 0, about);
    return about[1];
}

static double squares_bf16(const uint16_t *from, size_t n)
{
    double about[2];
    sums_of_bf16_about(from, n, 0, about);
    return about[1];
}

/* ---- softmax ---- */

/* exp(x), x not above 0; near -87 it is off by 5 ulp, for log(2) is subtracted in one
 * part. */
INLINED vec exp_below(vec x)
{
    x = V(max_ps)(wide(-112.0f), x);
    const vec shifted = V(fmadd_ps)(x, wide(1.44269504088896341f), wide(TO_PARTS));
    const vec k = V(sub_ps)(shifted, wide(TO_PARTS));
    const vec r = V(fmadd_ps)(k, wide(-0.693147180559945f), x);
    return exp_of_parts(shifted, k, r, 0, true);
}

INLINED dvec widened_sum(dvec sum, const vec *e)
{
    const vec four = V(add_ps)(V(add_ps)(e[0], e[1]), V(add_ps)(e[2], e[3]));
    return add_widened(sum, four);
}

/* Asks for what is read some iterations later: exp keeps the processor so busy that it does
 * not look that far by itself.  4 KiB ahead was the best of 1, 4 and 8 (10.9 to 8.0 ms for
 * 4096 rows of 4096). */
INLINED void ahead(const void *from)
{
    _mm_prefetch((const char *)from + 4096, _MM_HINT_T0);
}

static double exp_sum(const float *from, size_t n, float shift, float *to,
                      const float *next, float *next_max)
{
    dvec sums = V(setzero_pd)();
    vec most[4] = {wide(-INFINITY), wide(-INFINITY), wide(-INFINITY), wide(-INFINITY)};
    size_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        vec e[4];
        for (int k = 0; k < 4; k++) {
            const vec x = V(loadu_ps)(from + i + LANES * k);
            e[k] = exp_below(V(sub_ps)(x, wide(shift)));
            V(storeu_ps)(to + i + LANES * k, e[k]);
            most[k] = LARGER(most[k], V(loadu_ps)(next + i + LANES * k));
        }
        sums = widened_sum(sums, e);
    }
    double sum = double_sum_of(sums);
    for (; i < n; i += LANES) {
        const lanes some = first_lanes(n - i);
        const vec x = load_first(some, from + i);
        const vec e = exp_below(V(sub_ps)(x, wide(shift)));
        store_first(to + i, some, e);
        sum += (double)sum_of(only_first(some, e));
        most[0] = pick_first(some, LARGER(most[0], load_first(some, next + i)), most[0]);
    }
    *next_max =
        largest_of(V(max_ps)(V(max_ps)(most[0], most[1]), V(max_ps)(most[2], most[3])));
    return sum;
}

/* A line of a page ahead, so that the address is translated when that page's turn comes. */
INLINED void pages_ahead(const void *from, int pages)
{
    _mm_prefetch((const char *)from + 4096 * pages, _MM_HINT_T0);
}

INLINED void send(const float *from, float scale, float *to)
{
    V(stream_ps)(to, V(mul_ps)(V(loadu_ps)(from), wide(scale)));
}

/* Numbers on their way to memory are sent one vector or `many` numbers at once: if they
 * come from memory as well, the former wait for the stores to the row between them (4096
 * rows of 4096: 16 at once take 6.4 ms, 64 4.9, 256 4.4, 1024 5.0); in the caches they do
 * not. */
INLINED double exp_sum_sending(const float *from, size_t n, float shift, float *row,
                               const float *next, float *next_max, float scale, float *out,
                               size_t many)
{
    dvec sums = V(setzero_pd)();
    vec most[4] = {wide(-INFINITY), wide(-INFINITY), wide(-INFINITY), wide(-INFINITY)};
    pages_ahead(out, 1);
    pages_ahead(next, 2);
    for (size_t i = 0; i < n; i += 4 * LANES) {
        vec e[4];
        for (size_t k = i; many && i % many == 0 && k < TW_MIN(i + many, n); k += LANES)
            send(row + k, scale, out + k);
        for (size_t k = 0; k < 4; k++) {
            const size_t at = i + LANES * k;
            const vec before = V(loadu_ps)(row + at);
            e[k] = exp_below(V(sub_ps)(V(loadu_ps)(from + at), wide(shift)));
            V(storeu_ps)(row + at, e[k]);
            ahead(next + at);
            if (!many)
                V(stream_ps)(out + at, V(mul_ps)(before, wide(scale)));
            most[k] = LARGER(most[k], V(loadu_ps)(next + at));
        }
        sums = widened_sum(sums, e);
    }
    *next_max =
        largest_of(V(max_ps)(V(max_ps)(most[0], most[1]), V(max_ps)(most[2], most[3])));
    return double_sum_of(sums);
}

#define EXP_SUM_SEND(name, many)                                                           \
    static double name(const float *from, size_t n, float shift, float *row,               \
                       const float *next, float *next_max, float scale, float *out)        \
    {                                                                                      \
        return exp_sum_sending(from, n, shift, row, next, next_max, scale, out, many);     \
    }

EXP_SUM_SEND(exp_sum_send_near, 0)
EXP_SUM_SEND(exp_sum_send_far, 256)

static double exp_sum_bf16(const uint16_t *from, size_t n, float shift, float *to,
                           const uint16_t *next, float *next_max)
{
    dvec sums = V(setzero_pd)();
    vec most[4] = {wide(-INFINITY), wide(-INFINITY), wide(-INFINITY), wide(-INFINITY)};
    size_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        vec e[4];
        for (int k = 0; k < 4; k += 2) {
            const ivec x = load_first16(ALL_LANES16, from + i + LANES * k);
            const ivec y = load_first16(ALL_LANES16, next + i + LANES * k);
            ahead(next + i + LANES * k);
            e[k] = exp_below(V(sub_ps)(even_halves(x), wide(shift)));
            e[k + 1] = exp_below(V(sub_ps)(odd_halves(x), wide(shift)));
            V(storeu_ps)(to + i + LANES * k, e[k]);
            V(storeu_ps)(to + i + LANES * k + LANES, e[k + 1]);
            most[k] = LARGER(most[k], even_halves(y));
            most[k + 1] = LARGER(most[k + 1], odd_halves(y));
        }
        sums = widened_sum(sums, e);
    }
    double sum = double_sum_of(sums);
    for (; i < n; i += 2 * LANES) {
        const ivec x = load_first16(first_lanes16(n - i), from + i);
        const ivec y = load_first16(first_lanes16(n - i), next + i);
        const vec even = exp_below(V(sub_ps)(even_halves(x), wide(shift)));
        const vec odd = exp_below(V(sub_ps)(odd_halves(x), wide(shift)));
        V(storeu_ps)(to + i, even);
        V(storeu_ps)(to + i + LANES, odd);
        sum += (double)(sum_of(only_first(even_lanes(n - i), even)) +
                        sum_of(only_first(odd_lanes(n - i), odd)));
        most[0] = pick_first(even_lanes(n - i), LARGER(most[0], even_halves(y)), most[0]);
        most[1] = pick_first(odd_lanes(n - i), LARGER(most[1], odd_halves(y)), most[1]);
    }
    *next_max =
        largest_of(V(max_ps)(V(max_ps)(most[0], most[1]), V(max_ps)(most[2], most[3])));
    return sum;
}

static float max_bf16(const uint16_t *from, size_t n)
{
    vec acc[4] = {wide(-INFINITY), wide(-INFINITY), wide(-INFINITY), wide(-INFINITY)};
    size_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES)
        for (int k = 0; k < 4; k += 2) {
            const ivec x = load_first16(ALL_LANES16, from + i + LANES * k);
            acc[k] = LARGER(acc[k], even_halves(x));
            acc[k + 1] = LARGER(acc[k + 1], odd_halves(x));
        }
    for (; i < n; i += 2 * LANES) {
        const ivec x = load_first16(first_lanes16(n - i), from + i);
        const vec even = LARGER(acc[0], even_halves(x));
        const vec odd = LARGER(acc[1], odd_halves(x));
        acc[0] = pick_first(even_lanes(n - i), even, acc[0]);
        acc[1] = pick_first(odd_lanes(n - i), odd, acc[1]);
    }
    return largest_of(V(max_ps)(V(max_ps)(acc[0], acc[1]), V(max_ps)(acc[2], acc[3])));
}

static void scale_to_bf16(const float *from, size_t n, float scale, uint16_t *to)
{
    for (size_t i = 0; i < n; i += 2 * LANES) {
        const vec even = V(mul_ps)(V(loadu_ps)(from + i), wide(scale));
        const vec odd = V(mul_ps)(V(loadu_ps)(from + i + LANES), wide(scale));
        store_first16(to + i, first_lanes16(n - i), round_halves(even, odd));
    }
}

/* ---- norms ---- */

INLINED vec norm_v(vec x, lanes some, float scale, float shift, const float *weight,
                   const float *bias)
{
    x = V(fmadd_ps)(x, wide(scale), wide(shift));
    if (weight && bias)
        return V(fmadd_ps)(x, load_first(some, weight), load_first(some, bias));
    if (weight)
        return V(mul_ps)(x, load_first(some, weight));
    return bias ? V(add_ps)(x, load_first(some, bias)) : x;
}

static void norm_bf16(const float *from, size_t n, float scale, float shift,
                      const float *weight, const float *bias, uint16_t *to)
{
    for (size_t i = 0; i < n; i += LANES) {
        const lanes some = first_lanes(n - i);
        const float *w = weight ? weight + i : NULL, *b = bias ? bias + i : NULL;
        const vec x = load_first(some, from + i);
        const ivec bits = bf16_bits_v(norm_v(x, some, scale, shift, w, b));
        store_first_bf16(to + i, some, bits);
    }
}

static void norm_of_bf16(const uint16_t *from, size_t n, float scale, float shift,
                         const float *weight, const float *bias, uint16_t *to)
{
    for (size_t i = 0; i < n; i += 2 * LANES) {
        const lanes16 some = first_lanes16(n - i);
        const ivec x = load_first16(some, from + i);
        const float *w = weight ? weight + i : NULL, *b = bias ? bias + i : NULL;
        const vec even = norm_v(even_halves(x), ALL, scale, shift, w, b);
        const vec odd = norm_v(odd_halves(x), ALL, scale, shift, w ? w + LANES : NULL,
                               b ? b + LANES : NULL);
        store_first16(to + i, some, round_halves(even, odd));
    }
}

static void norm_stream(const float *from, size_t n, float scale, float shift,
                        const float *weight, const float *bias, float *to)
{
    /* up to the next line of the cache, then whole lines, then the rest */
    size_t i = TW_MIN((-(uintptr_t)to & 63) / sizeof *to, n);
    norm(from, i, scale, shift, weight, bias, to);
    for (; i + LANES <= n; i += LANES)
        V(stream_ps)
    (to + i, norm_v(V(loadu_ps)(from + i), ALL, scale, shift, weight ? weight + i : NULL,
                    bias ? bias + i : NULL));
    norm(from + i, n - i, scale, shift, weight ? weight + i : NULL, bias ? bias + i : NULL,
         to + i);
}

/* norm, and meanwhile the moments of the next row, which memory brings. */
#define NORM_NEXT(name, store)                                                             \
    static void name(const float *from, size_t n, float scale, float shift,                \
                     const float *weight, const float *bias, float *to, const float *next, \
                     double *mean, double *square)                                         \
    {                                                                                      \
        const float pivot = pivot_of_moments(next, n);                                     \
        double about[2] = {0, 0};                                                          \
        for (size_t block = 0; block < n; block += MOMENT_BLOCK) {                         \
            const size_t end = TW_MIN(n, block + MOMENT_BLOCK);                            \
            vec sum[4] = {0}, square4[4] = {0};                                            \
            for (size_t i = block; i < end; i += 4 * LANES) {                              \
                vec y[4];                                                                  \
                for (size_t k = 0; k < 4; k++) {                                           \
                    const size_t at = i + LANES * k;                                       \
                    y[k] = norm_v(V(loadu_ps)(from + at), ALL, scale, shift,               \
                                  weight ? weight + at : NULL, bias ? bias + at : NULL);   \
                    take_moments(V(sub_ps)(V(loadu_ps)(next + at), wide(pivot)), &sum[k],  \
                                 &square4[k]);                                             \
                }                                                                          \
                for (size_t k = 0; k < 4; k++)                                             \
                    store(to + i + LANES * k, y[k]);                                       \
            }                                                                              \
            about[0] += four_sums(sum);                                                    \
            about[1] += four_sums(square4);                                                \
        }                                                                                  \
        judge_moments(next, n, pivot, about, mean, square);                                \
    }

NORM_NEXT(norm_next, V(storeu_ps))
NORM_NEXT(norm_next_stream, V(stream_ps))

#endif
