/* strip_avx512.h: the strip functions that gain from being written for AVX-512 by hand:
 * one rounding scale instead of two products in exp, half the polynomials in sin and cos,
 * masks at the end of a strip.  Included by strip_functions.c only; the bounds of strip.h
 * hold for these as for the portable ones.
 *
 * Polynomials without another source were fitted by iteratively reweighted least squares
 * (Lawson) at 4,000 Chebyshev points: sin by relative, the normal distribution by absolute
 * error. */
#ifndef TILEWRIGHT_KERNEL_STRIP_AVX512_H
#define TILEWRIGHT_KERNEL_STRIP_AVX512_H

#include "kernel/strip_math.h"

#include <immintrin.h>

static inline __m512 wide(float f)
{
    return _mm512_set1_ps(f);
}

/* The first n of sixteen lanes. */
static inline __mmask16 first_lanes(size_t n)
{
    return n >= 16 ? 0xFFFF : (__mmask16)((1u << n) - 1);
}

/* 2^(j/16) for j = 0..15. */
static inline __m512 sixteenths_of_two(void)
{
    static const float powers[16] = {1.0f,        1.04427378f, 1.09050773f, 1.13878863f,
                                     1.18920712f, 1.24185781f, 1.29683955f, 1.35425555f,
                                     1.41421356f, 1.47682615f, 1.54221083f, 1.61049033f,
                                     1.68179283f, 1.75625216f, 1.83400809f, 1.91520656f};
    return _mm512_loadu_ps(powers);
}

/* 2^k exp(r), |r| <= log(2)/32: `shifted` has the sixteenths of k as its low bits, and
 * scaling takes the whole ones alone.  exp(r) - 1 is r + r^2/2 + r^3/6 to 1e-8. */
static inline __m512 exp_of_parts(__m512 shifted, __m512 k, __m512 r)
{
    const __m512 power =
        _mm512_permutexvar_ps(_mm512_castps_si512(shifted), sixteenths_of_two());
    const __m512 p = _mm512_fmadd_ps(r, wide(1.0f / 6), wide(0.5f));
    const __m512 u = _mm512_fmadd_ps(_mm512_mul_ps(r, r), p, r);
    return _mm512_scalef_ps(_mm512_fmadd_ps(power, u, power), k);
}

/* Added to a number it leaves sixteenths: 1.5 * 2^23 / 16. */
#define TO_SIXTEENTHS 786432.0f

/* exp(x) / 2^less; max and min keep NaN, their second operand. */
static inline __m512 exp16_less(__m512 x, float less)
{
    x = _mm512_min_ps(wide(90.0f), _mm512_max_ps(wide(-112.0f), x));
    const __m512 shifted =
        _mm512_fmadd_ps(x, wide(1.44269504088896341f), wide(TO_SIXTEENTHS));
    const __m512 k = _mm512_sub_ps(shifted, wide(TO_SIXTEENTHS));
    __m512 r = _mm512_fmadd_ps(k, wide(-0.693359375f), x);
    r = _mm512_fmadd_ps(k, wide(2.12194440e-4f), r);
    return exp_of_parts(shifted, less != 0 ? _mm512_sub_ps(k, wide(less)) : k, r);
}

static inline __m512 exp16(__m512 x)
{
    return exp16_less(x, 0);
}

static inline __m512 abs16(__m512 x)
{
    return _mm512_andnot_ps(wide(-0.0f), x);
}

/* sin(r) for |r| <= pi/2, its sign turned where `turn` is odd. Of the coefficients near
 * the best ones these leave the smallest error of those that make the sine of pi/2, and so
 * the cosine of 0, one. */
static inline __m512 sin_core(__m512 r, __m512i turn)
{
    const __m512 z = _mm512_mul_ps(r, r);
    __m512 p = wide(2.600378820716287e-06f);
    p = _mm512_fmadd_ps(p, z, wide(-1.9807771604973823e-4f));
    p = _mm512_fmadd_ps(p, z, wide(8.333053439855576e-3f));
    p = _mm512_fmadd_ps(p, z, wide(-1.6666659712791443e-1f));
    p = _mm512_fmadd_ps(_mm512_mul_ps(p, z), r, r);
    return _mm512_castsi512_ps(
        _mm512_xor_si512(_mm512_castps_si512(p), _mm512_slli_epi32(turn, 31)));
}

/* x - k pi, pi in three parts; exact enough while |x| <= 8192. */
static inline __m512 less_pi(__m512 x, __m512 k)
{
    x = _mm512_fmadd_ps(k, wide(-3.1415925026e+00f), x);
    x = _mm512_fmadd_ps(k, wide(-1.50995788318e-07f), x);
    return _mm512_fmadd_ps(k, wide(-1.07806059068e-14f), x);
}

static inline __m512 sin16(__m512 x)
{
    const __m512 shifted =
        _mm512_fmadd_ps(x, wide(0.318309886183790672f), wide(12582912.0f));
    const __m512 r = less_pi(x, _mm512_sub_ps(shifted, wide(12582912.0f)));
    const __m512 v = sin_core(r, _mm512_castps_si512(shifted));
    return _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(x, wide(0), _CMP_EQ_OQ), x);
}

/* cos(x) = -sin(x - (k + 1/2) pi), turned by k. */
static inline __m512 cos16(__m512 x)
{
    const __m512 turns = _mm512_fmadd_ps(x, wide(0.318309886183790672f), wide(-0.5f));
    const __m512 shifted = _mm512_add_ps(turns, wide(12582912.0f));
    const __m512 k = _mm512_sub_ps(shifted, wide(12582912.0f));
    const __m512 half = _mm512_add_ps(k, wide(0.5f));
    const __m512i odd =
        _mm512_add_epi32(_mm512_castps_si512(shifted), _mm512_set1_epi32(1));
    return sin_core(less_pi(x, half), odd);
}

static inline __m512 cosh16(__m512 x)
{
    const __m512 e = exp16_less(abs16(x), 1);
    return _mm512_add_ps(e, _mm512_div_ps(wide(0.25f), e));
}

static inline __m512 sigmoid16(__m512 x)
{
    const __m512 e = exp16(_mm512_or_ps(x, wide(-0.0f)));
    const __m512 r = _mm512_div_ps(wide(1.0f), _mm512_add_ps(wide(1.0f), e));
    const __mmask16 below = _mm512_cmp_ps_mask(x, wide(0), _CMP_LT_OQ);
    return _mm512_mask_mul_ps(r, below, r, e);
}

static inline __m512 silu16(__m512 x)
{
    return _mm512_mul_ps(x, sigmoid16(x));
}

static inline __m512 tanh16(__m512 x)
{
    const __m512 a = abs16(x), z = _mm512_mul_ps(x, x);
    __m512 near = wide(-5.70498872745e-3f);
    near = _mm512_fmadd_ps(near, z, wide(2.06390887954e-2f));
    near = _mm512_fmadd_ps(near, z, wide(-5.37397155531e-2f));
    near = _mm512_fmadd_ps(near, z, wide(1.33314422036e-1f));
    near = _mm512_fmadd_ps(near, z, wide(-3.33332819422e-1f));
    near = _mm512_fmadd_ps(_mm512_mul_ps(near, z), a, a);
    const __m512 e = exp16(_mm512_add_ps(a, a));
    __m512 v = _mm512_div_ps(wide(2.0f), _mm512_add_ps(e, wide(1.0f)));
    v = _mm512_sub_ps(wide(1.0f), v);
    v = _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(a, wide(0.625f), _CMP_LT_OQ), near);
    return _mm512_or_ps(v, _mm512_and_ps(x, wide(-0.0f)));
}

/* x P(x), P the normal distribution: x / 2 + |x| f(|x|).  f, P less 1/2, is a polynomial of
 * the fourth degree in each of sixteen pieces around the multiples of 1 / 2.90625, up to
 * 5.33, where P is 1 or 0 to 5e-8; looking coefficients up takes other units of the
 * processor than multiplying: one polynomial for all takes twice as long. */
static inline __m512 gelu16(__m512 x)
{
    static const float f[5][16] = {
        {5.96322279e-05f, 0.000215954919f, 0.000317429454f, 0.000271771889f,
         0.000137595445f, 4.57590568e-06f, -7.11468456e-05f, -8.59515058e-05f,
         -6.63415194e-05f, -3.94424897e-05f, -1.9170966e-05f, -7.82982625e-06f,
         -2.72841226e-06f, -8.18906074e-07f, -2.13052729e-07f, -4.82644893e-08f},
        {-0.00273466785f, -0.00223989482f, -0.00112376141f, 9.76298907e-05f,
         0.000930273032f, 0.00120170554f, 0.0010462947f, 0.000715604983f, 0.000404792052f,
         0.000193994725f, 7.98304609e-05f, 2.84428279e-05f, 8.82279164e-06f,
         2.39199244e-06f, 5.68425889e-07f, 1.18655223e-07f},
        {4.62465096e-06f, -0.00765879033f, -0.0128252441f, -0.0143091893f, -0.0126064969f,
         -0.00924967416f, -0.00578774884f, -0.0031277847f, -0.00147090969f,
         -0.000604881032f, -0.000218238216f, -6.92461836e-05f, -1.93563155e-05f,
         -4.77293361e-06f, -1.03927198e-06f, -1.99988861e-07f},
        {0.137270167f, 0.129379556f, 0.108327813f, 0.0805743113f, 0.0532395989f,
         0.0312502347f, 0.0162948612f, 0.00754788192f, 0.00310580572f, 0.00113526126f,
         0.000368626614f, 0.000106327017f, 2.72435045e-05f, 6.20069886e-06f,
         1.25363795e-06f, 2.251399e-07f},
        {2.87760415e-09f, 0.134609193f, 0.254327774f, 0.349024385f, 0.41564244f,
         0.457322866f, 0.480515599f, 0.491993129f, 0.497044593f, 0.499021798f, 0.499710053f,
         0.49992314f, 0.499981791f, 0.499996156f, 0.499999285f, 0.499999881f},
    };
    const __m512 a = abs16(x);
    const __m512 shifted = _mm512_fmadd_ps(a, wide(2.90625f), wide(12582912.0f));
    const __m512 k = _mm512_sub_ps(shifted, wide(12582912.0f));
    const __m512 t = _mm512_fmsub_ps(a, wide(2.90625f), k);
    const __m512i piece = _mm512_castps_si512(shifted);
    __m512 p = _mm512_permutexvar_ps(piece, _mm512_loadu_ps(f[0]));
    for (int i = 1; i < 5; i++)
        p = _mm512_fmadd_ps(p, t, _mm512_permutexvar_ps(piece, _mm512_loadu_ps(f[i])));
    const __m512 v = _mm512_fmadd_ps(a, p, _mm512_mul_ps(x, wide(0.5f)));
    const __mmask16 far = _mm512_cmp_ps_mask(a, wide(5.3333f), _CMP_GT_OQ);
    return _mm512_mask_max_ps(v, far, x, wide(0));
}

/* To nearest even; the bits below the upper half are left as they come. */
static inline __m512i bf16_bits16(__m512 x)
{
    const __m512i bits = _mm512_castps_si512(x);
    const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
    const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    const __m512i up = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF));
    const __m512i rounded = _mm512_mask_add_epi32(up, odd, up, _mm512_set1_epi32(1));
    return _mm512_mask_or_epi32(rounded, nan, bits, _mm512_set1_epi32(0x00400000));
}

static inline __m512 round_bf16_16(__m512 x)
{
    return _mm512_castsi512_ps(
        _mm512_and_si512(bf16_bits16(x), _mm512_set1_epi32((int)0xFFFF0000)));
}

#define STRIP_16_AS(prefix, round, name)                                                   \
    static void prefix##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        const float *a = in[0];                                                            \
        size_t i = 0;                                                                      \
        (void)args;                                                                        \
        for (; i + 16 <= n; i += 16)                                                       \
            _mm512_storeu_ps(out + i, round(name##16(_mm512_loadu_ps(a + i))));            \
        if (i < n) {                                                                       \
            const __mmask16 rest = first_lanes(n - i);                                     \
            const __m512 x = _mm512_maskz_loadu_ps(rest, a + i);                           \
            _mm512_mask_storeu_ps(out + i, rest, round(name##16(x)));                      \
        }                                                                                  \
    }
#define STRIP_16(name)                                                                     \
    STRIP_16_AS(strip_, , name)                                                            \
    STRIP_16_AS(rounded_, round_bf16_16, name)

STRIP_16(cosh)
STRIP_16(exp)
STRIP_16(gelu)
STRIP_16(sigmoid)
STRIP_16(silu)
STRIP_16(tanh)

/* Lanes beyond the range of the reduction, NaN among them, one by one. */
static __attribute__((noinline)) void far_lanes(const float *x, float *out, __mmask16 lanes,
                                                float (*slow)(float))
{
    for (; lanes; lanes &= (__mmask16)(lanes - 1)) {
        const int i = __builtin_ctz(lanes);
        out[i] = slow(x[i]);
    }
}

#define STRIP_16_NEAR_AS(prefix, round, round_one, name, slow)                             \
    static float prefix##slow(float x)                                                     \
    {                                                                                      \
        return round_one(slow(x));                                                         \
    }                                                                                      \
    static void prefix##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        (void)args;                                                                        \
        for (size_t i = 0; i < n; i += 16) {                                               \
            const __mmask16 lanes = first_lanes(n - i);                                    \
            const __m512 x = _mm512_maskz_loadu_ps(lanes, in[0] + i);                      \
            const __mmask16 far =                                                          \
                _mm512_cmp_ps_mask(abs16(x), wide(TRIG_LIMIT), _CMP_NLE_UQ);               \
            _mm512_mask_storeu_ps(out + i, lanes, round(name##16(x)));                     \
            if (__builtin_expect(far != 0, 0)) {                                           \
                float kept[16];                                                            \
                _mm512_storeu_ps(kept, x);                                                 \
                far_lanes(kept, out + i, far, prefix##slow);                               \
            }                                                                              \
        }                                                                                  \
    }
#define STRIP_16_NEAR(name, slow)                                                          \
    STRIP_16_NEAR_AS(strip_, , , name, slow)                                               \
    STRIP_16_NEAR_AS(rounded_, round_bf16_16, bf16_round, name, slow)

STRIP_16_NEAR(sin, sinf)
STRIP_16_NEAR(cos, cosf)

/* ---- bf16 ---- */

static void strip_round_bf16(const float *const *in, float *out, size_t n,
                             const float *args)
{
    (void)args;
    for (size_t i = 0; i < n; i += 16) {
        const __mmask16 lanes = first_lanes(n - i);
        const __m512 x = _mm512_maskz_loadu_ps(lanes, in[0] + i);
        _mm512_mask_storeu_ps(out + i, lanes, round_bf16_16(x));
    }
}

static void load_bf16(const uint16_t *from, size_t n, float *to)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m256i half = _mm256_loadu_si256((const __m256i *)(const void *)(from + i));
        const __m512i bits = _mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16);
        _mm512_storeu_ps(to + i, _mm512_castsi512_ps(bits));
    }
    for (; i < n; i++)
        to[i] = from_bits((uint32_t)from[i] << 16);
}

static void store_bf16(const float *from, size_t n, uint16_t *to)
{
    size_t i = 0;
    static const uint16_t upper_halves[32] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21,
                                              23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43,
                                              45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    const __m512i halves = _mm512_loadu_si512(upper_halves);
    for (; i + 32 <= n; i += 32) {
        const __m512i low = bf16_bits16(_mm512_loadu_ps(from + i));
        const __m512i high = bf16_bits16(_mm512_loadu_ps(from + i + 16));
        _mm512_storeu_si512(to + i, _mm512_permutex2var_epi16(low, halves, high));
    }
    for (; i < n; i += 16) {
        const __mmask16 lanes = first_lanes(n - i);
        const __m512i bits = bf16_bits16(_mm512_maskz_loadu_ps(lanes, from + i));
        const __m256i half = _mm512_cvtepi32_epi16(_mm512_srli_epi32(bits, 16));
        _mm256_mask_storeu_epi16(to + i, lanes, half);
    }
}

/* ---- sums of four ---- */

#define ADD_4(name, between)                                                               \
    static void strip_##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        const float *a = in[0], *b = in[1], *c = in[2], *d = in[3];                        \
        (void)args;                                                                        \
        for (size_t i = 0; i < n; i += 16) {                                               \
            const __mmask16 lanes = first_lanes(n - i);                                    \
            const __m512 left = _mm512_add_ps(_mm512_maskz_loadu_ps(lanes, a + i),         \
                                              _mm512_maskz_loadu_ps(lanes, b + i));        \
            const __m512 right = _mm512_add_ps(_mm512_maskz_loadu_ps(lanes, c + i),        \
                                               _mm512_maskz_loadu_ps(lanes, d + i));       \
            _mm512_mask_storeu_ps(out + i, lanes,                                          \
                                  _mm512_add_ps(between(left), between(right)));           \
        }                                                                                  \
    }

ADD_4(add4, )
ADD_4(add4_bf16, round_bf16_16)

/* ---- sums of eight ---- */

/* Asks for what is read next: eight streams are more than the processor foresees.  Six
 * lines of the cache are the best distance (1M f32: none 1,395 us, four 1,172, six 1,110,
 * sixteen 1,304), for streams that begin at the same place of their pages drive one another
 * out. */
static inline void soon(const void *from)
{
    _mm_prefetch((const char *)from + 384, _MM_HINT_T0);
}

static inline void whenever(const void *from)
{
    (void)from;
}

/* `whole` stores a vector where all sixteen lanes count. */
#define ADD_8(name, between, whole, ask)                                                   \
    static void name(const float *const *in, float *out, size_t n, const float *args)      \
    {                                                                                      \
        (void)args;                                                                        \
        for (size_t i = 0; i < n; i += 16) {                                               \
            const __mmask16 lanes = first_lanes(n - i);                                    \
            __m512 two[4];                                                                 \
            for (int k = 0; k < 8; k++)                                                    \
                ask(in[k] + i);                                                            \
            for (int k = 0; k < 4; k++)                                                    \
                two[k] = between(                                                          \
                    _mm512_add_ps(_mm512_maskz_loadu_ps(lanes, in[2 * k] + i),             \
                                  _mm512_maskz_loadu_ps(lanes, in[2 * k + 1] + i)));       \
            const __m512 left = between(_mm512_add_ps(two[0], two[1]));                    \
            const __m512 right = between(_mm512_add_ps(two[2], two[3]));                   \
            if (lanes == 0xFFFF)                                                           \
                whole(out + i, _mm512_add_ps(left, right));                                \
            else                                                                           \
                _mm512_mask_storeu_ps(out + i, lanes, _mm512_add_ps(left, right));         \
        }                                                                                  \
    }

ADD_8(strip_add8, , _mm512_storeu_ps, whenever)
ADD_8(streamed_add8, , _mm512_stream_ps, soon)
ADD_8(strip_add8_bf16, round_bf16_16, _mm512_storeu_ps, whenever)

/* Rounded to bf16 in the upper half of each lane, something below.  NaN needs no care:
 * those of arithmetic on bf16 have their payload in the upper half, where rounding does not
 * reach. */
static inline __m512i round_there(__m512 x)
{
    const __m512i bits = _mm512_castps_si512(x);
    const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
    const __m512i up = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF));
    return _mm512_mask_add_epi32(up, odd, up, _mm512_set1_epi32(1));
}

/* Of bf16 in the upper halves of their lanes. */
static inline __m512i add_halves(__m512i a, __m512i b)
{
    return round_there(_mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)));
}

/* The upper halves of both, those of `even` in the even places. */
static inline __m512i join_halves(__m512i even, __m512i odd)
{
    return _mm512_mask_blend_epi16(0xAAAAAAAA, _mm512_srli_epi32(even, 16), odd);
}

/* Numbers of the even and of the odd places, rounded, in one vector. */
static inline __m512i round_halves(__m512 even, __m512 odd)
{
    return join_halves(round_there(even), round_there(odd));
}

static inline __m512i upper(__m512i x)
{
    return _mm512_and_si512(x, _mm512_set1_epi32((int)0xFFFF0000));
}

static inline __m512i tree_of_halves(const __m512i *x)
{
    __m512i two[4];
    for (int k = 0; k < 4; k++)
        two[k] = upper(add_halves(x[2 * k], x[2 * k + 1]));
    return add_halves(upper(add_halves(two[0], two[1])), upper(add_halves(two[2], two[3])));
}

static inline __mmask32 first_halves(size_t n)
{
    return n >= 32 ? 0xFFFFFFFFu : (__mmask32)((1u << n) - 1);
}

/* Thirty-two at a time: the even ones are shifted up, the odd ones lie right. */
#define ADD_8_OF_BF16(name, whole, ask)                                                    \
    static void name(const uint16_t *const *in, size_t n, uint16_t *to)                    \
    {                                                                                      \
        for (size_t i = 0; i < n; i += 32) {                                               \
            const __mmask32 lanes = first_halves(n - i);                                   \
            __m512i even[8], odd[8];                                                       \
            for (int k = 0; k < 8; k++) {                                                  \
                const __m512i x = _mm512_maskz_loadu_epi16(lanes, in[k] + i);              \
                ask(in[k] + i);                                                            \
                even[k] = _mm512_slli_epi32(x, 16);                                        \
                odd[k] = upper(x);                                                         \
            }                                                                              \
            const __m512i both = join_halves(tree_of_halves(even), tree_of_halves(odd));   \
            if (lanes == 0xFFFFFFFFu)                                                      \
                whole((void *)(to + i), both);                                             \
            else                                                                           \
                _mm512_mask_storeu_epi16(to + i, lanes, both);                             \
        }                                                                                  \
    }

ADD_8_OF_BF16(add8_of_bf16, _mm512_storeu_si512, whenever)
ADD_8_OF_BF16(streamed_add8_of_bf16, _mm512_stream_si512, soon)

/* ---- from bf16 to bf16 ---- */

#define HALVES_16(name)                                                                    \
    static void halves_##name(const uint16_t *const *in, size_t n, uint16_t *to)           \
    {                                                                                      \
        for (size_t i = 0; i < n; i += 32) {                                               \
            const __mmask32 lanes = first_halves(n - i);                                   \
            const __m512i x = _mm512_maskz_loadu_epi16(lanes, in[0] + i);                  \
            const __m512 even = _mm512_castsi512_ps(_mm512_slli_epi32(x, 16));             \
            const __m512 odd = _mm512_castsi512_ps(upper(x));                              \
            const __m512i both = round_halves(name##16(even), name##16(odd));              \
            if (lanes == 0xFFFFFFFFu)                                                      \
                _mm512_storeu_si512(to + i, both);                                         \
            else                                                                           \
                _mm512_mask_storeu_epi16(to + i, lanes, both);                             \
        }                                                                                  \
    }

HALVES_16(cosh)
HALVES_16(exp)
HALVES_16(gelu)
HALVES_16(sigmoid)
HALVES_16(silu)
HALVES_16(tanh)

#endif
