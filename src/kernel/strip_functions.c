/* strip_functions.c: the functions of strip.h, compiled once for each instruction set
 * (KRN_STRIP_SET names the table).  Everything is written without branches so that the
 * compiler turns each loop into vector code.
 *
 * Reductions and polynomials: exp and log after Cody and Waite with the minimax
 * coefficients of the Cephes library's single-precision functions; erf is the rational
 * approximation x P(x^2) / Q(x^2) on [-4, 4] with published single-precision
 * coefficients. */
#include "kernel/strip.h"

#include <math.h>

static inline float from_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline uint32_t to_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

/* ---- exp, log ---------------------------------------------------------------------------
 */

/* 2^n for n in [-126, 127]. */
static inline float power_of_two(int32_t n)
{
    return from_bits((uint32_t)(n + 127) << 23);
}

static inline float exp_f(float x)
{
    /* beyond these the result is infinite or zero; NaN compares false and stays */
    x = x > 89.0f ? 89.0f : x;
    x = x < -104.0f ? -104.0f : x;
    float shifted = x * 1.44269504088896341f + 12582912.0f; /* rounds to a whole number */
    int32_t n = (int32_t)(to_bits(shifted) - 0x4B400000u);
    float k = shifted - 12582912.0f;
    float r = fmaf(k, -0.693359375f, x);
    r = fmaf(k, 2.12194440e-4f, r);
    float p = 1.9875691500e-4f;
    p = fmaf(p, r, 1.3981999507e-3f);
    p = fmaf(p, r, 8.3334519073e-3f);
    p = fmaf(p, r, 4.1665795894e-2f);
    p = fmaf(p, r, 1.6666665459e-1f);
    p = fmaf(p, r, 5.0000001201e-1f);
    p = fmaf(p * r, r, r) + 1.0f;
    /* in two steps, so that subnormal results round once and 2^128 overflows */
    int32_t half = n >> 1; /* n is in [-150, 128] */
    return p * power_of_two(half) * power_of_two(n - half);
}

static inline float log_f(float x)
{
    bool tiny = x < 1.17549435e-38f;
    float scaled = tiny ? x * 8388608.0f : x;
    uint32_t bits = to_bits(scaled);
    /* mantissa in [sqrt(1/2), sqrt(2)) */
    uint32_t shifted = bits - 0x3F3504F3u;
    int32_t e = (int32_t)shifted >> 23;
    float m = from_bits((shifted & 0x007FFFFFu) + 0x3F3504F3u) - 1.0f;
    float k = (float)e - (tiny ? 23.0f : 0.0f);
    float z = m * m;
    float p = 7.0376836292e-2f;
    p = fmaf(p, m, -1.1514610310e-1f);
    p = fmaf(p, m, 1.1676998740e-1f);
    p = fmaf(p, m, -1.2420140846e-1f);
    p = fmaf(p, m, 1.4249322787e-1f);
    p = fmaf(p, m, -1.6668057665e-1f);
    p = fmaf(p, m, 2.0000714765e-1f);
    p = fmaf(p, m, -2.4999993993e-1f);
    p = fmaf(p, m, 3.3333331174e-1f);
    float y = p * m * z;
    y = fmaf(k, -2.12194440e-4f, y);
    y = fmaf(z, -0.5f, y);
    float r = fmaf(k, 0.693359375f, m + y);
    r = x == INFINITY ? INFINITY : r;
    r = x == 0.0f ? -INFINITY : r;
    r = x < 0.0f ? NAN : r;
    return x != x ? x : r;
}

/* ---- sin, cos: |x| <= 8192 by three-part reduction
 * --------------------------------------------- */

enum { TRIG_LIMIT = 8192 };

static inline float trig(float x, uint32_t quarter)
{
    float shifted = x * 0.63661977236758134f + 12582912.0f;
    uint32_t q = to_bits(shifted) - 0x4B400000u + quarter;
    float k = shifted - 12582912.0f;
    float r = fmaf(k, -1.5707962513e+00f, x);
    r = fmaf(k, -7.5497894159e-08f, r);
    r = fmaf(k, -5.3903029534e-15f, r);
    float z = r * r;
    float s = -1.9515295891e-4f;
    s = fmaf(s, z, 8.3321608736e-3f);
    s = fmaf(s, z, -1.6666654611e-1f);
    s = fmaf(s * z, r, r);
    float c = 2.443315711809948e-5f;
    c = fmaf(c, z, -1.388731625493765e-3f);
    c = fmaf(c, z, 4.166664568298827e-2f);
    c = fmaf(c * z, z, fmaf(z, -0.5f, 1.0f));
    float v = q & 1 ? c : s;
    return from_bits(to_bits(v) ^ (q & 2) << 30);
}

static bool all_small(const float *x, size_t n)
{
    /* bits of non-negative floats are ordered as the numbers are, NaN above all */
    uint32_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = to_bits(x[i]) & 0x7FFFFFFFu;
        largest = bits > largest ? bits : largest;
    }
    return largest <= to_bits((float)TRIG_LIMIT);
}

static void strip_sin(const float *const *in, float *out, size_t n, const float *args)
{
    (void)args;
    const float *a = in[0];
    if (all_small(a, n)) {
        for (size_t i = 0; i < n; i++)
            out[i] = a[i] == 0 ? a[i] : trig(a[i], 0);
        return;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = sinf(a[i]);
}

static void strip_cos(const float *const *in, float *out, size_t n, const float *args)
{
    (void)args;
    const float *a = in[0];
    if (all_small(a, n)) {
        for (size_t i = 0; i < n; i++)
            out[i] = trig(a[i], 1);
        return;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = cosf(a[i]);
}

/* ---- tanh, sigmoid, erf
 * ------------------------------------------------------------------------------ */

static inline float tanh_f(float x)
{
    float a = fabsf(x), z = x * x;
    float small = -5.70498872745e-3f;
    small = fmaf(small, z, 2.06390887954e-2f);
    small = fmaf(small, z, -5.37397155531e-2f);
    small = fmaf(small, z, 1.33314422036e-1f);
    small = fmaf(small, z, -3.33332819422e-1f);
    small = fmaf(small * z, x, x);
    small = x == 0 ? x : small;
    float large = 1.0f - 2.0f / (exp_f(2.0f * a) + 1.0f);
    large = x < 0 ? -large : large;
    return a < 0.625f ? small : large;
}

static inline float sigmoid_f(float x)
{
    float e = exp_f(-fabsf(x));
    float r = 1.0f / (1.0f + e);
    return x < 0 ? e * r : r;
}

static inline float erf_f(float x)
{
    x = x > 4.0f ? 4.0f : x;
    x = x < -4.0f ? -4.0f : x;
    float z = x * x;
    float p = -2.72614225801306e-10f;
    p = fmaf(p, z, 2.77068142495902e-08f);
    p = fmaf(p, z, -2.10102402082508e-06f);
    p = fmaf(p, z, -5.69250639462346e-05f);
    p = fmaf(p, z, -7.34990630326855e-04f);
    p = fmaf(p, z, -2.95459980854025e-03f);
    p = fmaf(p, z, -1.60960333262415e-02f);
    float q = -1.45660718464996e-05f;
    q = fmaf(q, z, -2.13374055278905e-04f);
    q = fmaf(q, z, -1.68282697438203e-03f);
    q = fmaf(q, z, -7.37332916720468e-03f);
    q = fmaf(q, z, -1.42647390514189e-02f);
    return x * (p / q);
}

/* ---- the table
 * --------------------------------------------------------------------------------------------
 */

static inline float max_nan(float a, float b)
{
    float m = a > b ? a : b;
    return a != a ? a : m;
}

static inline float min_nan(float a, float b)
{
    float m = a < b ? a : b;
    return a != a ? a : m;
}

static inline float bf16_round(float f)
{
    uint32_t bits = to_bits(f);
    uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000u;
    return from_bits((bits & 0x7FFFFFFF) > 0x7F800000 ? (bits | 0x00400000) & 0xFFFF0000u
                                                      : rounded);
}

#define STRIP_FN(name, expr)                                                               \
    static void strip_##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        const float *a = in[0], *b = in[1], *c = in[2];                                    \
        (void)a, (void)b, (void)c, (void)args;                                             \
        for (size_t i = 0; i < n; i++)                                                     \
            out[i] = expr;                                                                 \
    }

STRIP_FN(abs, fabsf(a[i]))
STRIP_FN(acos, acosf(a[i]))
STRIP_FN(add, a[i] + b[i])
STRIP_FN(asin, asinf(a[i]))
STRIP_FN(asinh, asinhf(a[i]))
STRIP_FN(atan, atanf(a[i]))
STRIP_FN(atan2, atan2f(a[i], b[i]))
STRIP_FN(cbrt, cbrtf(a[i]))
STRIP_FN(ceil, ceilf(a[i]))
STRIP_FN(clamp_scalar, min_nan(max_nan(a[i], args[0]), args[1]))
STRIP_FN(clamp, min_nan(max_nan(a[i], b[i]), c[i]))
STRIP_FN(copy, a[i])
STRIP_FN(div, a[i] / b[i])
STRIP_FN(eq, a[i] == b[i] ? 1.0f : 0.0f)
STRIP_FN(erf, erf_f(a[i]))
STRIP_FN(erfc, erfcf(a[i]))
STRIP_FN(exp, exp_f(a[i]))
STRIP_FN(expm1, expm1f(a[i]))
STRIP_FN(floor, floorf(a[i]))
STRIP_FN(ge, a[i] >= b[i] ? 1.0f : 0.0f)
STRIP_FN(gelu, 0.5f * a[i] * (1.0f + erf_f(a[i] * 0.70710678118654752f)))
STRIP_FN(gt, a[i] > b[i] ? 1.0f : 0.0f)
STRIP_FN(hardsigmoid, min_nan(max_nan(a[i] / 6.0f + 0.5f, 0.0f), 1.0f))
STRIP_FN(isfinite, fabsf(a[i]) <= 3.402823466e38f ? 1.0f : 0.0f)
STRIP_FN(le, a[i] <= b[i] ? 1.0f : 0.0f)
STRIP_FN(leaky_relu, a[i] > 0 ? a[i] : a[i] * args[0])
STRIP_FN(log, log_f(a[i]))
STRIP_FN(log1p, log1pf(a[i]))
STRIP_FN(logical_and, (a[i] != 0) & (b[i] != 0) ? 1.0f : 0.0f)
STRIP_FN(logical_not, a[i] == 0 ? 1.0f : 0.0f)
STRIP_FN(logical_or, (a[i] != 0) | (b[i] != 0) ? 1.0f : 0.0f)
STRIP_FN(logical_xor, (a[i] != 0) != (b[i] != 0) ? 1.0f : 0.0f)
STRIP_FN(lt, a[i] < b[i] ? 1.0f : 0.0f)
STRIP_FN(maximum, b[i] != b[i] ? b[i] : max_nan(a[i], b[i]))
STRIP_FN(minimum, b[i] != b[i] ? b[i] : min_nan(a[i], b[i]))
STRIP_FN(mish, a[i] * tanhf(log1pf(expf(a[i]))))
STRIP_FN(multiply, a[i] * b[i])
STRIP_FN(ne, a[i] != b[i] ? 1.0f : 0.0f)
STRIP_FN(neg, -a[i])
STRIP_FN(pow, powf(a[i], b[i]))
STRIP_FN(reciprocal, 1.0f / a[i])
STRIP_FN(relu, a[i] <= 0 ? 0.0f : a[i])
STRIP_FN(relu6, min_nan(a[i] <= 0 ? 0.0f : a[i], 6.0f))
STRIP_FN(remainder, fmodf(a[i], b[i]))
STRIP_FN(round_bf16, bf16_round(a[i]))
STRIP_FN(rsqrt, 1.0f / sqrtf(a[i]))
STRIP_FN(sigmoid, sigmoid_f(a[i]))
STRIP_FN(sign, a[i] != a[i] ? a[i] : (a[i] > 0 ? 1.0f : 0.0f) - (a[i] < 0 ? 1.0f : 0.0f))
STRIP_FN(silu, a[i] * sigmoid_f(a[i]))
STRIP_FN(sqrt, sqrtf(a[i]))
STRIP_FN(subtract, a[i] - b[i])
STRIP_FN(tan, tanf(a[i]))
STRIP_FN(tanh, tanh_f(a[i]))
STRIP_FN(where, a[i] != 0 ? b[i] : c[i])

static void load_bf16(const uint16_t *from, size_t n, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from_bits((uint32_t)from[i] << 16);
}

static void store_bf16(const float *from, size_t n, uint16_t *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint16_t)(to_bits(bf16_round(from[i])) >> 16);
}

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

static void scale_strip(const float *from, size_t n, float scale, float shift, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = fmaf(from[i], scale, shift);
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

extern const krn_strip_set KRN_STRIP_SET;
const krn_strip_set KRN_STRIP_SET = {
    .isa = KRN_STRIP_ISA,
    .fn =
        {
#define X(name) [KRN_STRIP_##name] = strip_##name,
            KRN_STRIP_FUNCTIONS(X)
#undef X
        },
    .load_bf16 = load_bf16,
    .store_bf16 = store_bf16,
    .sum = sum_strip,
    .max = max_strip,
    .square_sum = square_sum,
    .exp_minus = exp_minus,
    .scale = scale_strip,
};
