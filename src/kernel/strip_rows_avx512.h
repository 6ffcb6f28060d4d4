/* strip_rows_avx512.h: rows (softmax, norms) for AVX-512.  Included by strip_functions.c
 * only, behind strip_avx512.h.
 *
 * Rows of bf16 are taken 32 numbers at a time: the even ones are shifted up, the odd ones
 * lie right.  What lies between two passes over such a row, and weights and biases, is
 * kept in that order: 16 even ones, 16 odd ones. */
#ifndef TILEWRIGHT_KERNEL_STRIP_ROWS_AVX512_H
#define TILEWRIGHT_KERNEL_STRIP_ROWS_AVX512_H

#include "kernel/strip_avx512.h"

/* ---- four vectors side by side hide the latency of an addition ---- */

#define ROW_16(name, start, step, join, finish)                                            \
    static float name(const float *from, size_t n)                                         \
    {                                                                                      \
        __m512 acc[4] = {start, start, start, start};                                      \
        size_t i = 0;                                                                      \
        for (; i + 64 <= n; i += 64)                                                       \
            for (int k = 0; k < 4; k++) {                                                  \
                const __m512 x = _mm512_loadu_ps(from + i + 16 * k);                       \
                acc[k] = step(acc[k], x);                                                  \
            }                                                                              \
        for (int k = 0; i < n; i += 16, k++) {                                             \
            const __mmask16 lanes = first_lanes(n - i);                                    \
            const __m512 x = _mm512_maskz_loadu_ps(lanes, from + i);                       \
            acc[k] = _mm512_mask_mov_ps(acc[k], lanes, step(acc[k], x));                   \
        }                                                                                  \
        return finish(join(join(acc[0], acc[1]), join(acc[2], acc[3])));                   \
    }

#define LARGER(acc, x) _mm512_max_ps(x, acc) /* the second where either is NaN */
ROW_16(sum_strip, wide(0), _mm512_add_ps, _mm512_add_ps, _mm512_reduce_add_ps)
ROW_16(max_strip, wide(-INFINITY), LARGER, _mm512_max_ps, _mm512_reduce_max_ps)
/* The largest and smallest of all, NaN where there is one: it is looked for beside. */
#define EXTREME_16(name, start, step, finish)                                              \
    static float name(const float *from, size_t n)                                         \
    {                                                                                      \
        __m512 acc[4] = {wide(start), wide(start), wide(start), wide(start)};              \
        __mmask16 odd = 0;                                                                 \
        size_t i = 0;                                                                      \
        for (; i + 64 <= n; i += 64)                                                       \
            for (int k = 0; k < 4; k++) {                                                  \
                const __m512 x = _mm512_loadu_ps(from + i + 16 * k);                       \
                odd |= _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);                             \
                acc[k] = step(acc[k], x);                                                  \
            }                                                                              \
        for (int k = 0; i < n; i += 16, k++) {                                             \
            const __mmask16 lanes = first_lanes(n - i);                                    \
            const __m512 x = _mm512_maskz_loadu_ps(lanes, from + i);                       \
            odd |= _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);                                 \
            acc[k] = _mm512_mask_mov_ps(acc[k], lanes, step(acc[k], x));                   \
        }                                                                                  \
        return odd ? NAN : finish(step(step(acc[0], acc[1]), step(acc[2], acc[3])));       \
    }

EXTREME_16(most, -INFINITY, _mm512_max_ps, _mm512_reduce_max_ps)
EXTREME_16(least, INFINITY, _mm512_min_ps, _mm512_reduce_min_ps)

/* ---- numbers of bf16 ---- */

static inline __m512 even_halves(__m512i x)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(x, 16));
}

static inline __m512 odd_halves(__m512i x)
{
    return _mm512_castsi512_ps(upper(x));
}

/* How many of the first n of 32 are even, and odd. */
static inline __mmask16 even_lanes(size_t n)
{
    return first_lanes((n + 1) / 2);
}

static inline __mmask16 odd_lanes(size_t n)
{
    return first_lanes(n / 2);
}

/* NaN becomes the one that rounding keeps. */
static void arrange(const float *from, size_t n, float *to)
{
    static const uint32_t places[32] = {0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20,
                                        22, 24, 26, 28, 30, 1,  3,  5,  7,  9,  11,
                                        13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
    for (size_t i = 0; i < n; i += 32) {
        __m512 x[2];
        for (size_t k = 0; k < 2; k++) {
            const __mmask16 lanes = n - i > 16 * k ? first_lanes(n - i - 16 * k) : 0;
            x[k] = _mm512_maskz_loadu_ps(lanes, from + i + 16 * k);
            const __mmask16 nan = _mm512_cmp_ps_mask(x[k], x[k], _CMP_UNORD_Q);
            x[k] = _mm512_mask_mov_ps(x[k], nan, wide(NAN));
        }
        for (size_t k = 0; k < 2; k++)
            _mm512_storeu_ps(
                to + i + 16 * k,
                _mm512_permutex2var_ps(x[0], _mm512_loadu_si512(places + 16 * k), x[1]));
    }
}

/* ---- mean, and squares about it, in one pass ----
 *
 * Differences from a number near the mean, that of the first numbers, are summed and
 * squared; where that number is so far off that the squares would cancel, a second pass
 * looks from the mean. */

enum { MOMENT_BLOCK = 1024 }; /* so many are summed in f32 */

static inline void take_moments(__m512 d, __m512 *sum, __m512 *square)
{
    *sum = _mm512_add_ps(*sum, d);
    *square = _mm512_fmadd_ps(d, d, *square);
}

static inline double four_sums(const __m512 *s)
{
    return (double)_mm512_reduce_add_ps(
        _mm512_add_ps(_mm512_add_ps(s[0], s[1]), _mm512_add_ps(s[2], s[3])));
}

static void sums_about(const float *from, size_t n, float pivot, double out[2])
{
    out[0] = out[1] = 0;
    for (size_t block = 0; block < n; block += MOMENT_BLOCK) {
        const size_t end = TW_MIN(n, block + MOMENT_BLOCK);
        __m512 sum[4] = {0}, square[4] = {0};
        size_t i = block;
        for (; i + 64 <= end; i += 64)
            for (int k = 0; k < 4; k++)
                take_moments(_mm512_sub_ps(_mm512_loadu_ps(from + i + 16 * k), wide(pivot)),
                             &sum[k], &square[k]);
        for (; i < end; i += 16) {
            const __mmask16 lanes = first_lanes(end - i);
            const __m512 x = _mm512_maskz_loadu_ps(lanes, from + i);
            take_moments(_mm512_maskz_sub_ps(lanes, x, wide(pivot)), &sum[0], &square[0]);
        }
        out[0] += four_sums(sum);
        out[1] += four_sums(square);
    }
}

static void sums_of_bf16_about(const uint16_t *from, size_t n, float pivot, double out[2])
{
    out[0] = out[1] = 0;
    for (size_t block = 0; block < n; block += MOMENT_BLOCK) {
        const size_t end = TW_MIN(n, block + MOMENT_BLOCK);
        __m512 sum[4] = {0}, square[4] = {0};
        size_t i = block;
        for (; i + 64 <= end; i += 64)
            for (int k = 0; k < 4; k += 2) {
                const __m512i x = _mm512_loadu_si512(from + i + 16 * k);
                take_moments(_mm512_sub_ps(even_halves(x), wide(pivot)), &sum[k],
                             &square[k]);
                take_moments(_mm512_sub_ps(odd_halves(x), wide(pivot)), &sum[k + 1],
                             &square[k + 1]);
            }
        for (; i < end; i += 32) {
            const __m512i x = _mm512_maskz_loadu_epi16(first_halves(end - i), from + i);
            take_moments(
                _mm512_maskz_sub_ps(even_lanes(end - i), even_halves(x), wide(pivot)),
                &sum[0], &square[0]);
            take_moments(
                _mm512_maskz_sub_ps(odd_lanes(end - i), odd_halves(x), wide(pivot)),
                &sum[1], &square[1]);
        }
        out[0] += four_sums(sum);
        out[1] += four_sums(square);
    }
}

#define MOMENTS(name, type, sums, first_of)                                                \
    static float pivot_of_##name(const type *from, size_t n)                               \
    {                                                                                      \
        const __mmask16 lanes = first_lanes(n);                                            \
        const float count = (float)TW_MIN(n, (size_t)16);                                  \
        return _mm512_mask_reduce_add_ps(lanes, _mm512_mul_ps(first_of, wide(1 / count))); \
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

MOMENTS(moments, float, sums_about, _mm512_maskz_loadu_ps(lanes, from))
MOMENTS(moments_bf16, uint16_t, sums_of_bf16_about,
        _mm512_castsi512_ps(_mm512_slli_epi32(
            _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, from)), 16)))

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
static inline __m512 exp16_below(__m512 x)
{
    x = _mm512_max_ps(wide(-112.0f), x);
    const __m512 shifted =
        _mm512_fmadd_ps(x, wide(1.44269504088896341f), wide(TO_SIXTEENTHS));
    const __m512 k = _mm512_sub_ps(shifted, wide(TO_SIXTEENTHS));
    return exp_of_parts(shifted, k, _mm512_fmadd_ps(k, wide(-0.693147180559945f), x));
}

static inline __m512d widened_sum(__m512d sum, const __m512 *e)
{
    const __m512 four = _mm512_add_ps(_mm512_add_ps(e[0], e[1]), _mm512_add_ps(e[2], e[3]));
    sum = _mm512_add_pd(sum, _mm512_cvtps_pd(_mm512_castps512_ps256(four)));
    return _mm512_add_pd(sum, _mm512_cvtps_pd(_mm512_extractf32x8_ps(four, 1)));
}

/* Asks for what is read some iterations later: exp keeps the processor so busy that it does
 * not look that far by itself.  4 KiB ahead was the best of 1, 4 and 8 (10.9 to 8.0 ms for
 * 4096 rows of 4096). */
static inline void ahead(const void *from)
{
    _mm_prefetch((const char *)from + 4096, _MM_HINT_T0);
}

static double exp_sum(const float *from, size_t n, float shift, float *to,
                      const float *next, float *next_max)
{
    __m512d sums = _mm512_setzero_pd();
    __m512 most[4] = {wide(-INFINITY), wide(-INFINITY), wide(-INFINITY), wide(-INFINITY)};
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        __m512 e[4];
        for (int k = 0; k < 4; k++) {
            const __m512 x = _mm512_loadu_ps(from + i + 16 * k);
            e[k] = exp16_below(_mm512_sub_ps(x, wide(shift)));
            _mm512_storeu_ps(to + i + 16 * k, e[k]);
            most[k] = LARGER(most[k], _mm512_loadu_ps(next + i + 16 * k));
        }
        sums = widened_sum(sums, e);
    }
    double sum = _mm512_reduce_add_pd(sums);
    for (; i < n; i += 16) {
        const __mmask16 lanes = first_lanes(n - i);
        const __m512 x = _mm512_maskz_loadu_ps(lanes, from + i);
        const __m512 e = exp16_below(_mm512_sub_ps(x, wide(shift)));
        _mm512_mask_storeu_ps(to + i, lanes, e);
        sum += (double)_mm512_mask_reduce_add_ps(lanes, e);
        most[0] = _mm512_mask_mov_ps(
            most[0], lanes, LARGER(most[0], _mm512_maskz_loadu_ps(lanes, next + i)));
    }
    *next_max = _mm512_reduce_max_ps(
        _mm512_max_ps(_mm512_max_ps(most[0], most[1]), _mm512_max_ps(most[2], most[3])));
    return sum;
}

/* A line of a page ahead, so that the address is translated when that page's turn comes. */
static inline void pages_ahead(const void *from, int pages)
{
    _mm_prefetch((const char *)from + 4096 * pages, _MM_HINT_T0);
}

static inline void send(const float *from, float scale, float *to)
{
    _mm512_stream_ps(to, _mm512_mul_ps(_mm512_loadu_ps(from), wide(scale)));
}

/* Numbers on their way to memory are sent one vector or `many` numbers at once: if they
 * come from memory as well, the former wait for the stores to the row between them (4096
 * rows of 4096: 16 at once take 6.4 ms, 64 4.9, 256 4.4, 1024 5.0); in the caches they do
 * not. */
static inline double exp_sum_sending(const float *from, size_t n, float shift, float *row,
                                     const float *next, float *next_max, float scale,
                                     float *out, size_t many)
{
    __m512d sums = _mm512_setzero_pd();
    __m512 most[4] = {wide(-INFINITY), wide(-INFINITY), wide(-INFINITY), wide(-INFINITY)};
    pages_ahead(out, 1);
    pages_ahead(next, 2);
    for (size_t i = 0; i < n; i += 64) {
        __m512 e[4];
        for (size_t k = i; many && i % many == 0 && k < TW_MIN(i + many, n); k += 16)
            send(row + k, scale, out + k);
        for (size_t k = 0; k < 4; k++) {
            const size_t at = i + 16 * k;
            const __m512 before = _mm512_loadu_ps(row + at);
            e[k] = exp16_below(_mm512_sub_ps(_mm512_loadu_ps(from + at), wide(shift)));
            _mm512_storeu_ps(row + at, e[k]);
            ahead(next + at);
            if (!many)
                _mm512_stream_ps(out + at, _mm512_mul_ps(before, wide(scale)));
            most[k] = LARGER(most[k], _mm512_loadu_ps(next + at));
        }
        sums = widened_sum(sums, e);
    }
    *next_max = _mm512_reduce_max_ps(
        _mm512_max_ps(_mm512_max_ps(most[0], most[1]), _mm512_max_ps(most[2], most[3])));
    return _mm512_reduce_add_pd(sums);
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
    __m512d sums = _mm512_setzero_pd();
    __m512 most[4] = {wide(-INFINITY), wide(-INFINITY), wide(-INFINITY), wide(-INFINITY)};
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        __m512 e[4];
        for (int k = 0; k < 4; k += 2) {
            const __m512i x = _mm512_loadu_si512(from + i + 16 * k);
            const __m512i y = _mm512_loadu_si512(next + i + 16 * k);
            ahead(next + i + 16 * k);
            e[k] = exp16_below(_mm512_sub_ps(even_halves(x), wide(shift)));
            e[k + 1] = exp16_below(_mm512_sub_ps(odd_halves(x), wide(shift)));
            _mm512_storeu_ps(to + i + 16 * k, e[k]);
            _mm512_storeu_ps(to + i + 16 * k + 16, e[k + 1]);
            most[k] = LARGER(most[k], even_halves(y));
            most[k + 1] = LARGER(most[k + 1], odd_halves(y));
        }
        sums = widened_sum(sums, e);
    }
    double sum = _mm512_reduce_add_pd(sums);
    for (; i < n; i += 32) {
        const __m512i x = _mm512_maskz_loadu_epi16(first_halves(n - i), from + i);
        const __m512i y = _mm512_maskz_loadu_epi16(first_halves(n - i), next + i);
        const __m512 even = exp16_below(_mm512_sub_ps(even_halves(x), wide(shift)));
        const __m512 odd = exp16_below(_mm512_sub_ps(odd_halves(x), wide(shift)));
        _mm512_storeu_ps(to + i, even);
        _mm512_storeu_ps(to + i + 16, odd);
        sum += (double)(_mm512_mask_reduce_add_ps(even_lanes(n - i), even) +
                        _mm512_mask_reduce_add_ps(odd_lanes(n - i), odd));
        most[0] =
            _mm512_mask_mov_ps(most[0], even_lanes(n - i), LARGER(most[0], even_halves(y)));
        most[1] =
            _mm512_mask_mov_ps(most[1], odd_lanes(n - i), LARGER(most[1], odd_halves(y)));
    }
    *next_max = _mm512_reduce_max_ps(
        _mm512_max_ps(_mm512_max_ps(most[0], most[1]), _mm512_max_ps(most[2], most[3])));
    return sum;
}

static float max_bf16(const uint16_t *from, size_t n)
{
    __m512 acc[4] = {wide(-INFINITY), wide(-INFINITY), wide(-INFINITY), wide(-INFINITY)};
    size_t i = 0;
    for (; i + 64 <= n; i += 64)
        for (int k = 0; k < 4; k += 2) {
            const __m512i x = _mm512_loadu_si512(from + i + 16 * k);
            acc[k] = LARGER(acc[k], even_halves(x));
            acc[k + 1] = LARGER(acc[k + 1], odd_halves(x));
        }
    for (; i < n; i += 32) {
        const __m512i x = _mm512_maskz_loadu_epi16(first_halves(n - i), from + i);
        const __m512 even = LARGER(acc[0], even_halves(x));
        const __m512 odd = LARGER(acc[1], odd_halves(x));
        acc[0] = _mm512_mask_mov_ps(acc[0], even_lanes(n - i), even);
        acc[1] = _mm512_mask_mov_ps(acc[1], odd_lanes(n - i), odd);
    }
    return _mm512_reduce_max_ps(
        _mm512_max_ps(_mm512_max_ps(acc[0], acc[1]), _mm512_max_ps(acc[2], acc[3])));
}

static void scale_to_bf16(const float *from, size_t n, float scale, uint16_t *to)
{
    for (size_t i = 0; i < n; i += 32) {
        const __m512 even = _mm512_mul_ps(_mm512_loadu_ps(from + i), wide(scale));
        const __m512 odd = _mm512_mul_ps(_mm512_loadu_ps(from + i + 16), wide(scale));
        _mm512_mask_storeu_epi16(to + i, first_halves(n - i), round_halves(even, odd));
    }
}

/* ---- norms ---- */

static inline __m512 norm16(__m512 x, __mmask16 lanes, float scale, float shift,
                            const float *weight, const float *bias)
{
    x = _mm512_fmadd_ps(x, wide(scale), wide(shift));
    if (weight && bias)
        return _mm512_fmadd_ps(x, _mm512_maskz_loadu_ps(lanes, weight),
                               _mm512_maskz_loadu_ps(lanes, bias));
    if (weight)
        return _mm512_mul_ps(x, _mm512_maskz_loadu_ps(lanes, weight));
    return bias ? _mm512_add_ps(x, _mm512_maskz_loadu_ps(lanes, bias)) : x;
}

static void norm_bf16(const float *from, size_t n, float scale, float shift,
                      const float *weight, const float *bias, uint16_t *to)
{
    for (size_t i = 0; i < n; i += 16) {
        const __mmask16 lanes = first_lanes(n - i);
        const float *w = weight ? weight + i : NULL, *b = bias ? bias + i : NULL;
        const __m512 x = _mm512_maskz_loadu_ps(lanes, from + i);
        const __m512i bits = bf16_bits16(norm16(x, lanes, scale, shift, w, b));
        _mm256_mask_storeu_epi16(to + i, lanes,
                                 _mm512_cvtepi32_epi16(_mm512_srli_epi32(bits, 16)));
    }
}

static void norm_of_bf16(const uint16_t *from, size_t n, float scale, float shift,
                         const float *weight, const float *bias, uint16_t *to)
{
    for (size_t i = 0; i < n; i += 32) {
        const __mmask32 lanes = first_halves(n - i);
        const __m512i x = _mm512_maskz_loadu_epi16(lanes, from + i);
        const float *w = weight ? weight + i : NULL, *b = bias ? bias + i : NULL;
        const __m512 even = norm16(even_halves(x), 0xFFFF, scale, shift, w, b);
        const __m512 odd = norm16(odd_halves(x), 0xFFFF, scale, shift, w ? w + 16 : NULL,
                                  b ? b + 16 : NULL);
        _mm512_mask_storeu_epi16(to + i, lanes, round_halves(even, odd));
    }
}

static void norm_stream(const float *from, size_t n, float scale, float shift,
                        const float *weight, const float *bias, float *to)
{
    /* up to the next line of the cache, then whole lines, then the rest */
    size_t i = TW_MIN((-(uintptr_t)to & 63) / sizeof *to, n);
    norm(from, i, scale, shift, weight, bias, to);
    for (; i + 16 <= n; i += 16)
        _mm512_stream_ps(to + i,
                         norm16(_mm512_loadu_ps(from + i), 0xFFFF, scale, shift,
                                weight ? weight + i : NULL, bias ? bias + i : NULL));
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
            __m512 sum[4] = {0}, square4[4] = {0};                                         \
            for (size_t i = block; i < end; i += 64) {                                     \
                __m512 y[4];                                                               \
                for (size_t k = 0; k < 4; k++) {                                           \
                    const size_t at = i + 16 * k;                                          \
                    y[k] = norm16(_mm512_loadu_ps(from + at), 0xFFFF, scale, shift,        \
                                  weight ? weight + at : NULL, bias ? bias + at : NULL);   \
                    take_moments(_mm512_sub_ps(_mm512_loadu_ps(next + at), wide(pivot)),   \
                                 &sum[k], &square4[k]);                                    \
                }                                                                          \
                for (size_t k = 0; k < 4; k++)                                             \
                    store(to + i + 16 * k, y[k]);                                          \
            }                                                                              \
            about[0] += four_sums(sum);                                                    \
            about[1] += four_sums(square4);                                                \
        }                                                                                  \
        judge_moments(next, n, pivot, about, mean, square);                                \
    }

NORM_NEXT(norm_next, _mm512_storeu_ps)
NORM_NEXT(norm_next_stream, _mm512_stream_ps)

#endif
