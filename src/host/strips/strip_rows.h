/* strip_rows.h: rows (softmax, norms) in portable code.  Included by strip_functions.c
 * only, behind norm and norm_bf16. */
#ifndef TILEWRIGHT_HOST_STRIPS_STRIP_ROWS_H
#define TILEWRIGHT_HOST_STRIPS_STRIP_ROWS_H

#include "host/strips/strip_math.h"

/* Sixteen lanes, then a tree: the order is fixed, whatever the vector width. */
static float sum_strip(const float *from, size_t n)
{
    float lanes[16] = {0};
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t k = 0; k < 16; k++)
            lanes[k] += from[i + k];
    for (size_t k = 0; i < n; i++, k++)
        lanes[k] += from[i];
    for (size_t half = 8; half; half /= 2)
        for (size_t k = 0; k < half; k++)
            lanes[k] += lanes[k + half];
    return lanes[0];
}

static void exp_minus(const float *from, size_t n, float shift, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = exp_f(from[i] - shift);
}

static float square_sum(const float *from, size_t n, float mean)
{
    float lanes[16] = {0};
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t k = 0; k < 16; k++)
            lanes[k] += (from[i + k] - mean) * (from[i + k] - mean);
    for (size_t k = 0; i < n; i++, k++)
        lanes[k] += (from[i] - mean) * (from[i] - mean);
    for (size_t half = 8; half; half /= 2)
        for (size_t k = 0; k < half; k++)
            lanes[k] += lanes[k + half];
    return lanes[0];
}

static float max_strip(const float *from, size_t n)
{
    float lanes[16];
    size_t i = 0;
    for (size_t k = 0; k < 16; k++)
        lanes[k] = -INFINITY;
    for (; i + 16 <= n; i += 16)
        for (size_t k = 0; k < 16; k++)
            lanes[k] = from[i + k] > lanes[k] ? from[i + k] : lanes[k];
    for (size_t k = 0; i < n; i++, k++)
        lanes[k] = from[i] > lanes[k] ? from[i] : lanes[k];
    for (size_t k = 1; k < 16; k++)
        lanes[0] = lanes[k] > lanes[0] ? lanes[k] : lanes[0];
    return lanes[0];
}

static double exp_sum(const float *from, size_t n, float shift, float *to,
                      const float *next, float *next_max)
{
    double sum = 0;
    for (size_t i = 0; i < n; i += KRN_STRIP) {
        const size_t count = TW_MIN(n - i, (size_t)KRN_STRIP);
        exp_minus(from + i, count, shift, to + i);
        sum += (double)sum_strip(to + i, count);
    }
    *next_max = max_strip(next, n);
    return sum;
}

/* Sixteen lanes; `better` says which of two numbers stays. */
#define EXTREME(name, better)                                                              \
    static float name(const float *from, size_t n)                                         \
    {                                                                                      \
        float lanes[16];                                                                   \
        uint32_t odd[16] = {0};                                                            \
        size_t i = 0;                                                                      \
        for (size_t k = 0; k < 16; k++)                                                    \
            lanes[k] = from[0];                                                            \
        for (; i + 16 <= n; i += 16)                                                       \
            for (size_t k = 0; k < 16; k++) {                                              \
                lanes[k] = from[i + k] better lanes[k] ? from[i + k] : lanes[k];           \
                odd[k] |= from[i + k] != from[i + k];                                      \
            }                                                                              \
        for (size_t k = 0; i < n; i++, k++) {                                              \
            lanes[k] = from[i] better lanes[k] ? from[i] : lanes[k];                       \
            odd[k] |= from[i] != from[i];                                                  \
        }                                                                                  \
        for (size_t k = 1; k < 16; k++) {                                                  \
            lanes[0] = lanes[k] better lanes[0] ? lanes[k] : lanes[0];                     \
            odd[0] |= odd[k];                                                              \
        }                                                                                  \
        return odd[0] ? NAN : lanes[0];                                                    \
    }

EXTREME(most, >)
EXTREME(least, <)

/* ---- mean, and squares about it: sums of strips, added in double precision ---- */

static double squares_about(const float *from, size_t n, float mean)
{
    double sum = 0;
    for (size_t i = 0; i < n; i += KRN_STRIP)
        sum += (double)square_sum(from + i, TW_MIN(n - i, (size_t)KRN_STRIP), mean);
    return sum;
}

static void moments(const float *from, size_t n, double *mean, double *square)
{
    double sum = 0;
    for (size_t i = 0; i < n; i += KRN_STRIP)
        sum += (double)sum_strip(from + i, TW_MIN(n - i, (size_t)KRN_STRIP));
    *mean = sum / (double)n;
    *square = squares_about(from, n, (float)*mean);
}

static double squares(const float *from, size_t n)
{
    return squares_about(from, n, 0);
}

/* ---- rows of bf16, a strip of f32 at a time; numbers stay in their order ---- */

static void arrange(const float *from, size_t n, float *to)
{
    memcpy(to, from, n * sizeof *to);
}

#define EACH_STRIP(i, count, room)                                                         \
    for (size_t i = 0, count; i < n && (count = TW_MIN(n - i, (size_t)KRN_STRIP),          \
                                       load_bf16(from + i, count, room), true);            \
         i += KRN_STRIP)

static void moments_bf16(const uint16_t *from, size_t n, double *mean, double *square)
{
    float x[KRN_STRIP];
    double sum = 0;
    EACH_STRIP(i, count, x)
    sum += (double)sum_strip(x, count);
    *mean = sum / (double)n;
    *square = 0;
    EACH_STRIP(i, count, x)
    *square += (double)square_sum(x, count, (float)*mean);
}

static double squares_bf16(const uint16_t *from, size_t n)
{
    float x[KRN_STRIP];
    double sum = 0;
    EACH_STRIP(i, count, x)
    sum += (double)square_sum(x, count, 0);
    return sum;
}

static float max_bf16(const uint16_t *from, size_t n)
{
    float x[KRN_STRIP], largest = -INFINITY;
    EACH_STRIP(i, count, x)
    {
        const float here = max_strip(x, count);
        largest = here > largest ? here : largest;
    }
    return largest;
}

static double exp_sum_bf16(const uint16_t *from, size_t n, float shift, float *to,
                           const uint16_t *next, float *next_max)
{
    float x[KRN_STRIP];
    double sum = 0;
    EACH_STRIP(i, count, x)
    sum += exp_sum(x, count, shift, to + i, x, next_max);
    *next_max = max_bf16(next, n);
    return sum;
}

static void scale_to_bf16(const float *from, size_t n, float scale, uint16_t *to)
{
    norm_bf16(from, n, scale, 0, NULL, NULL, to);
}

static void norm_of_bf16(const uint16_t *from, size_t n, float scale, float shift,
                         const float *weight, const float *bias, uint16_t *to)
{
    float x[KRN_STRIP];
    EACH_STRIP(i, count, x)
    norm_bf16(x, count, scale, shift, weight ? weight + i : NULL, bias ? bias + i : NULL,
              to + i);
}

#endif
