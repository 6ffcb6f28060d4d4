/* strip_math.h: the formulas of the strip functions, for one number each, without branches
 * so that a loop over them becomes vector code.  Included by strip_functions.c only, once
 * for each instruction set.
 *
 * exp and log after Cody and Waite with the minimax coefficients of the Cephes library's
 * single-precision functions; erf is the rational approximation x P(x^2) / Q(x^2) on
 * [-4, 4] with published single-precision coefficients. */
#ifndef TILEWRIGHT_HOST_STRIPS_STRIP_MATH_H
#define TILEWRIGHT_HOST_STRIPS_STRIP_MATH_H

#include "support/base.h"
#include "support/bf16_f16.h"

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

/* ---- exp, log ----------------------------------------------------------------------- */

/* 2^n for n in [-126, 127]. */
static inline float power_of_two(int32_t n)
{
    return from_bits((uint32_t)(n + 127) << 23);
}

/* scale * exp(x), rounded once where the product is subnormal. */
static inline float exp_scaled(float x, float scale)
{
    /* beyond these the result is infinite or zero; NaN compares false and stays */
    x = x > 90.0f ? 90.0f : x; /* halved, 89.4 is still finite */
    x = x < -112.0f ? -112.0f : x;
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
    int32_t half = n >> 1; /* n is in [-162, 130] */
    return scale * p * power_of_two(half) * power_of_two(n - half);
}

static inline float exp_f(float x)
{
    return exp_scaled(x, 1.0f);
}

/* cosh(x) = e + 1 / (4 e), e = exp(|x|) / 2, which is finite where the result is. */
static inline float cosh_f(float x)
{
    const float e = exp_scaled(fabsf(x), 0.5f);
    return e + 0.25f / e;
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

/* ---- sin, cos: |x| <= 8192 by three-part reduction ---------------------------------- */

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

/* ---- tanh, sigmoid, erf ------------------------------------------------------------- */

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
    float r = x * (p / q);
    r = r > 1.0f ? 1.0f : r;
    return r < -1.0f ? -1.0f : r;
}

/* x P(x), P the normal distribution, which is 1 or 0 to 5e-8 beyond 5.33. */
static inline float gelu_f(float x)
{
    const float v = 0.5f * x * (1.0f + erf_f(x * 0.70710678118654752f));
    const float far = x > 0 ? x : 0.0f;
    return fabsf(x) > 5.3333f ? far : v;
}

/* ---- erfc, expm1, log1p, tan ------------------------------------------------------- */

/* (1 + 2a) exp(a^2) erfc(a) - 1 for a = |x| in [0, 10.06] is smooth in q = (a-2)/(a+2):
 * a polynomial fitted at Chebyshev points.  One division serves both quotients, whose
 * errors a residual step takes out; a^2 is split so that exp(-a^2) stays accurate. */
static inline float erfc_f(float x)
{
    float a = fabsf(x);
    a = a > 10.06f ? 10.06f : a;
    float m = a - 2.0f, p = a + 2.0f, d = fmaf(2.0f, a, 1.0f), inv = 1.0f / (p * d);
    float rp = inv * d, rd = inv * p, q = m * rp;
    q = fmaf(rp, fmaf(q, -a, fmaf(q + 1.0f, -2.0f, a)), q);
    float f = -4.0953589e-4f;
    f = fmaf(f, q, -1.24144554e-3f);
    f = fmaf(f, q, 1.320682e-3f);
    f = fmaf(f, q, 8.64292774e-3f);
    f = fmaf(f, q, -8.06170609e-3f);
    f = fmaf(f, q, -5.42078018e-2f);
    f = fmaf(f, q, 1.640555412e-1f);
    f = fmaf(f, q, -1.660310775e-1f);
    f = fmaf(f, q, -9.27639902e-2f);
    f = fmaf(f, q, 2.769783735e-1f);
    float v = fmaf(f, rd, rd);
    v = fmaf(fmaf(fmaf(v, -a, 0.5f), 2.0f, f - v), rd, v);
    float s = a * a, e = exp_f(-s);
    v = fmaf(v, e, v * e * fmaf(-a, a, s));
    v = a >= 10.06f ? 0.0f : v;
    v = x < 0 ? 2.0f - v : v;
    return x != x ? x : v;
}

static inline float expm1_f(float x)
{
    float y = x > 89.0f ? 89.0f : x;
    y = y < -18.0f ? -18.0f : y;
    float shifted = y * 1.44269504088896341f + 12582912.0f;
    int32_t n = (int32_t)(to_bits(shifted) - 0x4B400000u);
    float k = shifted - 12582912.0f;
    float r = fmaf(k, -0.693359375f, y);
    r = fmaf(k, 2.12194440e-4f, r);
    float p = 1.9875691500e-4f;
    p = fmaf(p, r, 1.3981999507e-3f);
    p = fmaf(p, r, 8.3334519073e-3f);
    p = fmaf(p, r, 4.1665795894e-2f);
    p = fmaf(p, r, 1.6666665459e-1f);
    p = fmaf(p, r, 5.0000001201e-1f);
    p = fmaf(p * r, r, r);
    /* half of 2^n, for 2^128 is no number */
    float half = power_of_two(n - 1), v = 2.0f * fmaf(p, half, half - 0.5f);
    return n == 0 ? (x == 0 ? x : p) : v;
}

static inline float log1p_f(float x)
{
    float u = 1.0f + x;
    float lost = (x - (u - 1.0f)) / u; /* what the addition rounded away, to first order */
    float r = log_f(u);
    r = u > 0.0f && u < 1e9f ? r + lost : r;
    return x == 0 ? x : r;
}

/* log(1 + exp(x)) */
static inline float softplus_f(float x)
{
    const float near = log1p_f(exp_f(-fabsf(x)));
    return x > 0 ? x + near : x != x ? x : near;
}

/* Derivatives of x P(x), P the normal distribution, and of what tanh makes of it. */
static inline float gelu_slope(float x)
{
    /* Written as fma: the compiler contracts a sum of two products one way in its vectors
     * and the other way in what is left of a strip. */
    return fmaf(x * 0.39894228040143268f, exp_f(-0.5f * x * x),
                0.5f * erfc_f(x * -0.70710678118654752f));
}

static inline float gelu_tanh_slope(float x)
{
    const float b = 0.79788456080286536f, k = 0.044715f, z = x * x;
    const float t = tanh_f(b * x * fmaf(k, z, 1.0f));
    return 0.5f * (1.0f + t) +
           0.5f * x * ((1.0f - t) * (1.0f + t)) * (b * fmaf(3 * k, z, 1.0f));
}

static inline float tan_f(float x)
{
    float shifted = x * 0.63661977236758134f + 12582912.0f;
    uint32_t q = to_bits(shifted) - 0x4B400000u;
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
    float v = (q & 1 ? -c : s) / (q & 1 ? s : c);
    return x == 0 ? x : v;
}

/* ---- inverse functions, after Cephes ---------------------------------------------- */

/* asin(s) for s in [0, 1/2], s * s = z. */
static inline float asin_core(float s, float z)
{
    float p = 4.2163199048e-2f;
    p = fmaf(p, z, 2.4181311049e-2f);
    p = fmaf(p, z, 4.5470025998e-2f);
    p = fmaf(p, z, 7.4953002686e-2f);
    p = fmaf(p, z, 1.6666752422e-1f);
    return fmaf(p * z, s, s);
}

static inline float asin_f(float x)
{
    float a = fabsf(x);
    bool outer = a > 0.5f;
    float z = outer ? 0.5f * (1.0f - a) : a * a, s = outer ? sqrtf(z) : a;
    float v = asin_core(s, z);
    v = outer ? fmaf(-2.0f, v, 1.5707963267948966f) : v;
    return copysignf(v, x);
}

static inline float acos_f(float x)
{
    float a = fabsf(x);
    bool outer = a > 0.5f;
    float z = outer ? 0.5f * (1.0f - a) : a * a, s = outer ? sqrtf(z) : a;
    float v = asin_core(s, z);
    float inner = 1.57079637f - (copysignf(v, x) + 4.37113883e-8f);
    float far = x < 0 ? 3.14159274f - (2.0f * v + 8.74227766e-8f) : 2.0f * v;
    return outer ? far : inner;
}

/* atan(t) for t in [0, 1]. */
static inline float atan_core(float t)
{
    bool upper = t > 0.4142135623730950f;
    float u = upper ? (t - 1.0f) / (t + 1.0f) : t, z = u * u;
    float p = 8.05374449538e-2f;
    p = fmaf(p, z, -1.38776856032e-1f);
    p = fmaf(p, z, 1.99777106478e-1f);
    p = fmaf(p, z, -3.33329491539e-1f);
    p = fmaf(p * z, u, u);
    return upper ? 0.7853981633974483f + p : p;
}

static inline float atan_f(float x)
{
    float a = fabsf(x), v = atan_core(a > 1.0f ? 1.0f / a : a);
    return copysignf(a > 1.0f ? 1.5707963267948966f - v : v, x);
}

/* Both finite and not both zero. */
static inline float atan2_f(float y, float x)
{
    float a = fabsf(x), b = fabsf(y);
    float v = atan_core((a < b ? a : b) / (a < b ? b : a));
    v = b > a ? 1.5707963267948966f - v : v;
    v = copysignf(1.0f, x) < 0 ? 3.1415926535897932f - v : v;
    return copysignf(v, y);
}

static inline float asinh_f(float x)
{
    float a = fabsf(x), z = a < 1e4f ? a * a : 0.0f;
    float near = log1p_f(a + z / (1.0f + sqrtf(z + 1.0f)));
    float v = a < 1e4f ? near : log_f(a) + 0.693147180559945f;
    return x == 0 ? x : copysignf(v, x);
}

/* x tanh(log(1 + e)) with e = exp(x) is x n / (n + 2), n = e (e + 2). */
static inline float mish_f(float x)
{
    float y = x > 20.0f ? 20.0f : x, e = exp_f(y), n = e * (e + 2.0f);
    y = y < -112.0f ? -112.0f : y; /* where it is x exp(x), all but 0 */
    float v = x < -40.0f ? exp_scaled(y, y) : x * (n / (n + 2.0f));
    return x > 20.0f ? x : x < -120.0f ? -0.0f : v;
}

/* ---- through double precision ------------------------------------------------------ */

static inline double double_from_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

static inline uint64_t double_to_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, 8);
    return bits;
}

/* x finite and not 0, y finite: exp(y log |x|), the logarithm as a series in
 * (m - 1) / (m + 1) good to 2e-12. */
static inline float pow_f(float x, float y)
{
    uint64_t bits = double_to_bits((double)fabsf(x)) - 0x3FE6A09E667F3BCDull;
    double k = (double)(int32_t)((int64_t)bits >> 52);
    double m = double_from_bits((bits & 0xFFFFFFFFFFFFFull) + 0x3FE6A09E667F3BCDull);
    double s = (m - 1) / (m + 1), z = s * s, p = 1.0 / 13;
    p = fma(p, z, 1.0 / 11);
    p = fma(p, z, 1.0 / 9);
    p = fma(p, z, 1.0 / 7);
    p = fma(p, z, 1.0 / 5);
    p = fma(p, z, 1.0 / 3);
    p = fma(p * z, 2 * s, 2 * s);
    double t = (double)y * fma(k, 0.69314718055994531, p);
    t = t > 100 ? 100 : t < -120 ? -120 : t;
    double shifted = fma(t, 1.4426950408889634, 6755399441055744.0);
    double n = shifted - 6755399441055744.0, r = fma(n, -0.69314718055994531, t);
    double e = 1.0 / 362880;
    e = fma(e, r, 1.0 / 40320);
    e = fma(e, r, 1.0 / 5040);
    e = fma(e, r, 1.0 / 720);
    e = fma(e, r, 1.0 / 120);
    e = fma(e, r, 1.0 / 24);
    e = fma(e, r, 1.0 / 6);
    e = fma(e, r, 0.5);
    e = fma(e * r, r, r) + 1;
    uint64_t power = double_to_bits(shifted) - 0x4338000000000000ull + 1023;
    float v = (float)(e * double_from_bits(power << 52));
    float whole = truncf(y), half = 0.5f * whole;
    bool odd = fabsf(y) < 16777216.0f && truncf(half) != half;
    v = x < 0 && odd ? -v : v;
    return x < 0 && whole != y ? NAN : v;
}

/* Exact while |a / b| < 2^22 and both are finite and b is not 0: the product of the
 * truncated quotient leaves at most one b too much. */
static inline float fmod_f(float a, float b)
{
    float r = fmaf(-truncf(a / b), b, a), size = fabsf(b);
    bool past = (r < 0 && a > 0) || (r > 0 && a < 0);
    r = past ? r + copysignf(size, a) : r;
    r = fabsf(r) >= size ? r - copysignf(size, a) : r;
    return copysignf(r, a);
}

/* What is left of a division, towards the divisor's side of zero. */
static inline float like_divisor(float rest, float b)
{
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline float cbrt_f(float x)
{
    float a = fabsf(x);
    bool tiny = a < 1.17549435e-38f;
    a = tiny ? a * 16777216.0f : a;
    double wide = (double)a, y = (double)from_bits(to_bits(a) / 3 + 0x2A514067u);
    for (int i = 0; i < 3; i++)
        y = y - (y - wide / (y * y)) * (1.0 / 3);
    float v = copysignf((float)(tiny ? y * (1.0 / 256) : y), x);
    return x == 0 || !(fabsf(x) <= 3.402823466e38f) ? x : v;
}

/* ---- small ones ---- */

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
    return tw_bf16_value(tw_bf16_nearest_even(f));
}

#endif
