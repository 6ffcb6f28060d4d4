/* strip_hand.h: the strip functions that gain from being written for AVX-512 and AVX2 by
 * hand: powers of two looked up in exp, half the polynomials in sin and cos, whole vectors
 * of bf16.  Included by strip_functions.c only; the bounds of strip.h hold for these as for
 * the portable ones.
 *
 * Polynomials without another source were fitted by iteratively reweighted least squares
 * (Lawson) at 4,000 Chebyshev points: sin by relative, the normal distribution by absolute
 * error. */
#ifndef TILEWRIGHT_HOST_STRIPS_STRIP_HAND_H
#define TILEWRIGHT_HOST_STRIPS_STRIP_HAND_H

#include "host/strips/strip_vector.h"

/* exp(x) / 2^less; max and min keep NaN, their second operand. */
INLINED vec exp_less(vec x, int less, bool below)
{
    x = V(max_ps)(wide(-112.0f), x);
    if (!below)
        x = V(min_ps)(wide(90.0f), x);
    const vec shifted = V(fmadd_ps)(x, wide(1.44269504088896341f), wide(TO_PARTS));
    const vec k = V(sub_ps)(shifted, wide(TO_PARTS));
    vec r = V(fmadd_ps)(k, wide(-0.693359375f), x);
    r = V(fmadd_ps)(k, wide(2.12194440e-4f), r);
    return exp_of_parts(shifted, k, r, less, below);
}

INLINED vec exp_v(vec x)
{
    return exp_less(x, 0, false);
}

/* exp(x) and exp(-x), bit by bit as exp_v gives them: the reduction is symmetric, and what
 * lies beyond 90 is infinite. */
INLINED void exp_both(vec x, vec *up, vec *down)
{
    x = V(min_ps)(wide(112.0f), V(max_ps)(wide(-112.0f), x));
    const vec shifted = V(fmadd_ps)(x, wide(1.44269504088896341f), wide(TO_PARTS));
    const vec k = V(sub_ps)(shifted, wide(TO_PARTS));
    vec r = V(fmadd_ps)(k, wide(-0.693359375f), x);
    r = V(fmadd_ps)(k, wide(2.12194440e-4f), r);
    *up = exp_of_parts(shifted, k, r, 0, false);
    *down = exp_of_parts(V(sub_ps)(wide(TO_PARTS), k), V(xor_ps)(k, wide(-0.0f)),
                         V(xor_ps)(r, wide(-0.0f)), 0, false);
}

INLINED vec neg_v(vec x)
{
    return V(xor_ps)(x, wide(-0.0f));
}

INLINED vec abs_v(vec x)
{
    return V(andnot_ps)(wide(-0.0f), x);
}

/* sin(r) for |r| <= pi/2, its sign turned where `turn` is odd. Of the coefficients near
 * the best ones these leave the smallest error of those that make the sine of pi/2, and so
 * the cosine of 0, one. */
INLINED vec sin_core(vec r, ivec turn)
{
    const vec z = V(mul_ps)(r, r);
    vec p = wide(2.600378820716287e-06f);
    p = V(fmadd_ps)(p, z, wide(-1.9807771604973823e-4f));
    p = V(fmadd_ps)(p, z, wide(8.333053439855576e-3f));
    p = V(fmadd_ps)(p, z, wide(-1.6666659712791443e-1f));
    p = V(fmadd_ps)(V(mul_ps)(p, z), r, r);
    return floats_of(BITS(xor)(bits_of(p), V(slli_epi32)(turn, 31)));
}

/* x - k pi, pi in three parts; exact enough while |x| <= 8192. */
INLINED vec less_pi(vec x, vec k)
{
    x = V(fmadd_ps)(k, wide(-3.1415925026e+00f), x);
    x = V(fmadd_ps)(k, wide(-1.50995788318e-07f), x);
    return V(fmadd_ps)(k, wide(-1.07806059068e-14f), x);
}

INLINED vec sin_v(vec x)
{
    const vec shifted = V(fmadd_ps)(x, wide(0.318309886183790672f), wide(12582912.0f));
    const vec r = less_pi(x, V(sub_ps)(shifted, wide(12582912.0f)));
    const vec v = sin_core(r, bits_of(shifted));
    return pick(TEST(x, wide(0), _CMP_EQ_OQ), x, v);
}

/* cos(x) = -sin(x - (k + 1/2) pi), turned by k. */
INLINED vec cos_v(vec x)
{
    const vec turns = V(fmadd_ps)(x, wide(0.318309886183790672f), wide(-0.5f));
    const vec shifted = V(add_ps)(turns, wide(12582912.0f));
    const vec k = V(sub_ps)(shifted, wide(12582912.0f));
    const vec half = V(add_ps)(k, wide(0.5f));
    const ivec odd = V(add_epi32)(bits_of(shifted), V(set1_epi32)(1));
    return sin_core(less_pi(x, half), odd);
}

INLINED vec cosh_v(vec x)
{
    const vec e = exp_less(abs_v(x), 1, false);
    return V(add_ps)(e, V(div_ps)(wide(0.25f), e));
}

INLINED vec sigmoid_v(vec x)
{
    const vec e = exp_less(V(or_ps)(x, wide(-0.0f)), 0, true);
    const vec r = V(div_ps)(wide(1.0f), V(add_ps)(wide(1.0f), e));
    return pick(TEST(x, wide(0), _CMP_LT_OQ), V(mul_ps)(r, e), r);
}

INLINED vec silu_v(vec x)
{
    return V(mul_ps)(x, sigmoid_v(x));
}

INLINED vec tanh_v(vec x)
{
    const vec a = abs_v(x), z = V(mul_ps)(x, x);
    vec near = wide(-5.70498872745e-3f);
    near = V(fmadd_ps)(near, z, wide(2.06390887954e-2f));
    near = V(fmadd_ps)(near, z, wide(-5.37397155531e-2f));
    near = V(fmadd_ps)(near, z, wide(1.33314422036e-1f));
    near = V(fmadd_ps)(near, z, wide(-3.33332819422e-1f));
    near = V(fmadd_ps)(V(mul_ps)(near, z), a, a);
    const vec e = exp_v(V(add_ps)(a, a));
    vec v = V(div_ps)(wide(2.0f), V(add_ps)(e, wide(1.0f)));
    v = V(sub_ps)(wide(1.0f), v);
    v = pick(TEST(a, wide(0.625f), _CMP_LT_OQ), near, v);
    return V(or_ps)(v, V(and_ps)(x, wide(-0.0f)));
}

#ifdef __AVX512F__
/* x P(x), P the normal distribution: x / 2 + |x| f(|x|).  f, P less 1/2, is a polynomial of
 * the fourth degree in each of sixteen pieces around the multiples of 1 / 2.90625, up to
 * 5.33, where P is 1 or 0 to 5e-8; looking coefficients up takes other units of the
 * processor than multiplying: one polynomial for all takes twice as long. */
INLINED vec gelu_v(vec x)
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
    const vec a = abs_v(x);
    const vec shifted = V(fmadd_ps)(a, wide(2.90625f), wide(12582912.0f));
    const vec k = V(sub_ps)(shifted, wide(12582912.0f));
    const vec t = V(fmsub_ps)(a, wide(2.90625f), k);
    const ivec piece = bits_of(shifted);
    vec p = _mm512_permutexvar_ps(piece, V(loadu_ps)(f[0]));
    for (int i = 1; i < 5; i++)
        p = V(fmadd_ps)(p, t, _mm512_permutexvar_ps(piece, V(loadu_ps)(f[i])));
    const vec v = V(fmadd_ps)(a, p, V(mul_ps)(x, wide(0.5f)));
    const test far = TEST(a, wide(5.3333f), _CMP_GT_OQ);
    return _mm512_mask_max_ps(v, far, x, wide(0));
}
#endif

/* The bits below the upper half are left as they come. */
INLINED ivec bf16_bits_v(vec x)
{
    return quiet_where(TEST(x, x, _CMP_UNORD_Q), bits_of(x), round_there(x));
}

INLINED ivec upper(ivec x)
{
    return BITS(and)(x, V(set1_epi32)((int)0xFFFF0000));
}

INLINED vec round_bf16_v(vec x)
{
    return floats_of(upper(bf16_bits_v(x)));
}

/* `step` for each vector from `i` on, of which `some` lanes count. */
#define EACH_VECTOR(i, n, step)                                                            \
    do {                                                                                   \
        size_t i = 0;                                                                      \
        for (; i + LANES <= (n); i += LANES) {                                             \
            const lanes some = ALL;                                                        \
            step;                                                                          \
        }                                                                                  \
        if (i < (n)) {                                                                     \
            const lanes some = first_lanes((n)-i);                                         \
            step;                                                                          \
        }                                                                                  \
    } while (0)

/* The same for vectors of bf16. */
#define EACH_HALVES(i, n, step)                                                            \
    do {                                                                                   \
        size_t i = 0;                                                                      \
        for (; i + 2 * LANES <= (n); i += 2 * LANES) {                                     \
            const lanes16 some = ALL_LANES16;                                              \
            step;                                                                          \
        }                                                                                  \
        if (i < (n)) {                                                                     \
            const lanes16 some = first_lanes16((n)-i);                                     \
            step;                                                                          \
        }                                                                                  \
    } while (0)

#define STRIP_V_AS(prefix, round, name)                                                    \
    static void prefix##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        const float *a = in[0];                                                            \
        (void)args;                                                                        \
        EACH_VECTOR(i, n,                                                                  \
                    store_first(out + i, some, round(name##_v(load_first(some, a + i))))); \
    }
#define STRIP_V(name)                                                                      \
    STRIP_V_AS(strip_, , name)                                                             \
    STRIP_V_AS(rounded_, round_bf16_v, name)

/* Of |x| and of -x. */
#define STRIP_V_OF_SIGNS(name)                                                             \
    INLINED vec name##_of_abs_v(vec x)                                                     \
    {                                                                                      \
        return name##_v(abs_v(x));                                                         \
    }                                                                                      \
    INLINED vec name##_of_neg_v(vec x)                                                     \
    {                                                                                      \
        return name##_v(neg_v(x));                                                         \
    }                                                                                      \
    STRIP_V(name##_of_abs)                                                                 \
    STRIP_V(name##_of_neg)

STRIP_V(cosh)
STRIP_V(exp)
STRIP_V(sigmoid)
STRIP_V(silu)
STRIP_V(tanh)
STRIP_V_OF_SIGNS(exp)
STRIP_V_OF_SIGNS(sigmoid)
STRIP_V_OF_SIGNS(tanh)
#ifdef __AVX512F__
STRIP_V(gelu)
#endif

/* exp(a) + exp(-a), both rounded by `between` and so is the sum, times args[0]. */
#define EXP_PAIR_OF(prefix, round, name, between)                                          \
    INLINED vec prefix##name##_v(vec x, const float *args)                                 \
    {                                                                                      \
        vec up, down;                                                                      \
        exp_both(x, &up, &down);                                                           \
        const vec sum = between(V(add_ps)(between(up), between(down)));                    \
        return round(V(mul_ps)(sum, wide(args[0])));                                       \
    }
#define EXP_PAIR_AS(prefix, round, name, between)                                          \
    EXP_PAIR_OF(prefix, round, name, between)                                              \
    static void prefix##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        const float *a = in[0];                                                            \
        EACH_VECTOR(                                                                       \
            i, n,                                                                          \
            store_first(out + i, some, prefix##name##_v(load_first(some, a + i), args)));  \
    }

EXP_PAIR_AS(strip_, , exp_pair, )
EXP_PAIR_AS(rounded_, round_bf16_v, exp_pair, )
EXP_PAIR_AS(strip_, , exp_pair_bf16, round_bf16_v)
EXP_PAIR_AS(rounded_, round_bf16_v, exp_pair_bf16, round_bf16_v)

/* Lanes beyond the range of the reduction, NaN among them, one by one. */
static __attribute__((noinline)) void far_lanes(const float *x, float *out, uint32_t far,
                                                float (*slow)(float))
{
    for (; far; far &= far - 1) {
        const int i = __builtin_ctz(far);
        out[i] = slow(x[i]);
    }
}

#define STRIP_V_NEAR(name, slow, turned)                                                   \
    INLINED void name##_at(const float *from, float *out, lanes some)                      \
    {                                                                                      \
        const vec x = turned(load_first(some, from));                                      \
        const uint32_t far = lanes_of(TEST(abs_v(x), wide(TRIG_LIMIT), _CMP_NLE_UQ));      \
        store_first(out, some, name##_v(x));                                               \
        if (__builtin_expect(far != 0, 0)) {                                               \
            float kept[LANES];                                                             \
            V(storeu_ps)(kept, x);                                                         \
            far_lanes(kept, out, far, slow);                                               \
        }                                                                                  \
    }                                                                                      \
    static void strip_##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        const float *a = in[0];                                                            \
        (void)args;                                                                        \
        EACH_VECTOR(i, n, name##_at(a + i, out + i, some));                                \
    }

#define sin_of_abs_v sin_v
#define sin_of_neg_v sin_v
#define cos_of_abs_v cos_v
#define cos_of_neg_v cos_v
STRIP_V_NEAR(sin, sinf, )
STRIP_V_NEAR(sin_of_abs, sinf, abs_v)
STRIP_V_NEAR(sin_of_neg, sinf, neg_v)
STRIP_V_NEAR(cos, cosf, )
STRIP_V_NEAR(cos_of_abs, cosf, abs_v)
STRIP_V_NEAR(cos_of_neg, cosf, neg_v)

/* ---- bf16 ---- */

static void strip_round_bf16(const float *const *in, float *out, size_t n,
                             const float *args)
{
    const float *a = in[0];
    (void)args;
    EACH_VECTOR(i, n, store_first(out + i, some, round_bf16_v(load_first(some, a + i))));
}

static void load_bf16(const uint16_t *from, size_t n, float *to)
{
    EACH_VECTOR(i, n, store_first(to + i, some, load_first_bf16(some, from + i)));
}

static void store_bf16(const float *from, size_t n, uint16_t *to)
{
    size_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        const ivec low = bf16_bits_v(V(loadu_ps)(from + i));
        const ivec high = bf16_bits_v(V(loadu_ps)(from + i + LANES));
        store_first16(to + i, ALL_LANES16, upper_halves(low, high));
    }
    for (; i < n; i += LANES) {
        const lanes some = first_lanes(n - i);
        store_first_bf16(to + i, some, bf16_bits_v(load_first(some, from + i)));
    }
}

/* ---- sums of four ---- */

INLINED vec two_of(const float *a, const float *b, lanes some)
{
    return V(add_ps)(load_first(some, a), load_first(some, b));
}

#define ADD_4(name, between)                                                               \
    static void strip_##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        const float *a = in[0], *b = in[1], *c = in[2], *d = in[3];                        \
        (void)args;                                                                        \
        EACH_VECTOR(i, n,                                                                  \
                    store_first(out + i, some,                                             \
                                V(add_ps)(between(two_of(a + i, b + i, some)),             \
                                          between(two_of(c + i, d + i, some)))));          \
    }

ADD_4(add4, )
ADD_4(add4_bf16, round_bf16_v)

/* ---- sums of eight ---- */

/* Asks for what is read next: eight streams are more than the processor foresees.  Six
 * lines of the cache are the best distance (1M f32: none 1,395 us, four 1,172, six 1,110,
 * sixteen 1,304), for streams that begin at the same offset in their pages drive one
 * another out. */
INLINED void soon(const void *from)
{
    _mm_prefetch((const char *)from + 384, _MM_HINT_T0);
}

INLINED void whenever(const void *from)
{
    (void)from;
}

/* `whole` stores a vector where all lanes count; asked for is a line of the cache. */
#define ADD_8(name, between, whole, ask)                                                   \
    INLINED void name##_at(const float *const *in, float *out, size_t i, lanes some)       \
    {                                                                                      \
        vec two[4];                                                                        \
        for (int k = 0; k < 8 && i % 16 == 0; k++)                                         \
            ask(in[k] + i);                                                                \
        for (int k = 0; k < 4; k++)                                                        \
            two[k] = between(two_of(in[2 * k] + i, in[2 * k + 1] + i, some));              \
        const vec left = between(V(add_ps)(two[0], two[1]));                               \
        const vec right = between(V(add_ps)(two[2], two[3]));                              \
        if (some == ALL)                                                                   \
            whole(out + i, V(add_ps)(left, right));                                        \
        else                                                                               \
            store_first(out + i, some, V(add_ps)(left, right));                            \
    }                                                                                      \
    static void name(const float *const *in, float *out, size_t n, const float *args)      \
    {                                                                                      \
        (void)args;                                                                        \
        EACH_VECTOR(i, n, name##_at(in, out, i, some));                                    \
    }

ADD_8(strip_add8, , V(storeu_ps), whenever)
ADD_8(streamed_add8, , V(stream_ps), soon)
ADD_8(strip_add8_bf16, round_bf16_v, V(storeu_ps), whenever)

/* Of bf16 in the upper 16 bits of their lanes.  NaN needs no care: those of arithmetic on
 * bf16 have their payload in the upper half, where rounding does not reach. */
INLINED ivec add_halves(ivec a, ivec b)
{
    return round_there(V(add_ps)(floats_of(a), floats_of(b)));
}

/* Numbers of the even and of the odd lanes, rounded, in one vector. */
INLINED ivec round_halves(vec even, vec odd)
{
    return join_halves(round_there(even), round_there(odd));
}

INLINED ivec sum_of_four_halves(const ivec *x)
{
    return add_halves(upper(add_halves(x[0], x[1])), upper(add_halves(x[2], x[3])));
}

INLINED void store_halves(uint16_t *to, ivec x)
{
    store_first16(to, ALL_LANES16, x);
}

/* A vector of bf16 at a time: the even ones are shifted up, the odd ones lie right. */
INLINED ivec sum_of_eight(const uint16_t *const *in, size_t i, lanes16 some)
{
    ivec even[4], odd[4];
    for (int k = 0; k < 4; k++) {
        const ivec x = load_first16(some, in[2 * k] + i);
        const ivec y = load_first16(some, in[2 * k + 1] + i);
        even[k] = upper(add_halves(V(slli_epi32)(x, 16), V(slli_epi32)(y, 16)));
        odd[k] = upper(add_halves(upper(x), upper(y)));
    }
    return join_halves(sum_of_four_halves(even), sum_of_four_halves(odd));
}

/* `sum` of vectors where all lanes count, which `whole` stores. */
#define ADD_8_OF_BF16(target, name, sum, whole, ask)                                       \
    target static void name(const uint16_t *const *in, size_t n, uint16_t *to)             \
    {                                                                                      \
        size_t i = 0;                                                                      \
        for (; i + 2 * LANES <= n; i += 2 * LANES) {                                       \
            for (int k = 0; k < 8 && i % 32 == 0; k++)                                     \
                ask(in[k] + i);                                                            \
            whole(to + i, sum(in, i, ALL_LANES16));                                        \
        }                                                                                  \
        if (i < n) {                                                                       \
            const lanes16 some = first_lanes16(n - i);                                     \
            store_first16(to + i, some, sum_of_eight(in, i, some));                        \
        }                                                                                  \
    }

ADD_8_OF_BF16(, near_add8_of_bf16, sum_of_eight, store_halves, whenever)
ADD_8_OF_BF16(, far_add8_of_bf16, sum_of_eight, stream_halves, soon)

#ifdef __AVX512F__
/* ---- the same by the instruction for dot products of bf16 ---- */

#define BF16_DOTS __attribute__((target("avx512bf16")))

/* a + b, rounded, of which the second fours of each eight elements come behind the first
 * ones: after three such sums all are in order again. */
BF16_DOTS INLINED ivec dot_sum(ivec a, ivec b)
{
    const __m512bh one = (__m512bh)_mm512_set1_epi16(0x3F80);
    const ivec low = _mm512_unpacklo_epi16(a, b), high = _mm512_unpackhi_epi16(a, b);
    return (ivec)_mm512_cvtne2ps_pbh(_mm512_dpbf16_ps(wide(-0.0f), (__m512bh)high, one),
                                     _mm512_dpbf16_ps(wide(-0.0f), (__m512bh)low, one));
}

/* The instruction takes numbers below 2^-126 as zero, in operands and results, and chooses
 * among NaN in its own way. Operands of 2^-119 and more have no sums below 2^-126 but 0:
 * vectors with others (0 among them), and those with NaN, are added as above. */
BF16_DOTS INLINED ivec dot_sum_of_eight(const uint16_t *const *in, size_t i, lanes16 all)
{
    const ivec exponent = _mm512_set1_epi16(0x7C00), size = _mm512_set1_epi16(0x7FFF);
    __mmask32 special = 0;
    ivec sums[4];
    for (int k = 0; k < 4; k++) {
        const ivec x = load_first16(all, in[2 * k] + i);
        const ivec y = load_first16(all, in[2 * k + 1] + i);
        special |= _mm512_testn_epi16_mask(x, exponent);
        special |= _mm512_testn_epi16_mask(y, exponent);
        sums[k] = dot_sum(x, y);
    }
    const ivec sum = dot_sum(dot_sum(sums[0], sums[1]), dot_sum(sums[2], sums[3]));
    special |=
        _mm512_cmpgt_epi16_mask(_mm512_and_si512(sum, size), _mm512_set1_epi16(0x7F80));
    return __builtin_expect(special != 0, 0) ? sum_of_eight(in, i, all) : sum;
}

ADD_8_OF_BF16(BF16_DOTS, near_dots, dot_sum_of_eight, store_halves, soon)
ADD_8_OF_BF16(BF16_DOTS, far_dots, dot_sum_of_eight, stream_halves, soon)

INLINED bool has_dots(void)
{
    return krn_isa_chosen() >= KRN_ISA_AVX512BF16;
}
#else
#define near_dots near_add8_of_bf16
#define far_dots far_add8_of_bf16
INLINED bool has_dots(void)
{
    return false;
}
#endif

static void add8_of_bf16(const uint16_t *const *in, size_t n, uint16_t *to,
                         const float *args)
{
    (void)args;
    (has_dots() ? near_dots : near_add8_of_bf16)(in, n, to);
}

static void streamed_add8_of_bf16(const uint16_t *const *in, size_t n, uint16_t *to,
                                  const float *args)
{
    (void)args;
    (has_dots() ? far_dots : far_add8_of_bf16)(in, n, to);
}

/* ---- from bf16 to bf16 ---- */

INLINED vec even_halves(ivec x)
{
    return floats_of(V(slli_epi32)(x, 16));
}

INLINED vec odd_halves(ivec x)
{
    return floats_of(upper(x));
}

#define HALVES_V(name)                                                                     \
    INLINED ivec halves_of_##name(ivec x)                                                  \
    {                                                                                      \
        return round_halves(name##_v(even_halves(x)), name##_v(odd_halves(x)));            \
    }                                                                                      \
    static void halves_##name(const uint16_t *const *in, size_t n, uint16_t *to,           \
                              const float *args)                                           \
    {                                                                                      \
        const uint16_t *a = in[0];                                                         \
        (void)args;                                                                        \
        EACH_HALVES(                                                                       \
            i, n,                                                                          \
            store_first16(to + i, some, halves_of_##name(load_first16(some, a + i))));     \
    }

HALVES_V(cosh)
HALVES_V(exp)

/* NaN needs no care here either. */
INLINED vec round_number(vec x)
{
    return floats_of(upper(round_there(x)));
}

EXP_PAIR_OF(halves_, , exp_pair_bf16, round_number)

static void halves_exp_pair_bf16(const uint16_t *const *in, size_t n, uint16_t *to,
                                 const float *args)
{
    const uint16_t *a = in[0];
    EACH_HALVES(i, n, {
        const ivec x = load_first16(some, a + i);
        store_first16(to + i, some,
                      round_halves(halves_exp_pair_bf16_v(even_halves(x), args),
                                   halves_exp_pair_bf16_v(odd_halves(x), args)));
    });
}

HALVES_V(sigmoid)
HALVES_V(silu)
HALVES_V(tanh)
#ifdef __AVX512F__
HALVES_V(gelu)
#endif

INLINED vec reciprocal_v(vec x)
{
    return V(div_ps)(wide(1), x);
}

INLINED vec rsqrt_v(vec x)
{
    return reciprocal_v(V(sqrt_ps)(x));
}

INLINED vec sqrt_v(vec x)
{
    return V(sqrt_ps)(x);
}

HALVES_V(reciprocal)
HALVES_V(rsqrt)
HALVES_V(sqrt)

/* Of the same bits, but for the sign: quiet NaN is all that rounding would change. */
#define HALVES_BITS(name, how, mask)                                                       \
    static void halves_##name(const uint16_t *const *in, size_t n, uint16_t *to,           \
                              const float *args)                                           \
    {                                                                                      \
        const uint16_t *a = in[0];                                                         \
        (void)args;                                                                        \
        EACH_HALVES(i, n,                                                                  \
                    store_first16(to + i, some,                                            \
                                  quiet_halves(BITS(how)(load_first16(some, a + i),        \
                                                         V(set1_epi16)((short)(mask)))))); \
    }

HALVES_BITS(abs, and, 0x7FFF)
HALVES_BITS(copy, and, 0xFFFF)
HALVES_BITS(neg, xor, 0x8000)

INLINED ivec choose_halves(vec even, vec odd)
{
    return quiet_halves(join_halves(bits_of(even), bits_of(odd)));
}

INLINED vec relu_v(vec x)
{
    return pick(TEST(x, wide(0), _CMP_LE_OQ), wide(0), x);
}

static void halves_relu(const uint16_t *const *in, size_t n, uint16_t *to,
                        const float *args)
{
    const uint16_t *a = in[0];
    (void)args;
    EACH_HALVES(
        i, n,
        store_first16(to + i, some,
                      choose_halves(relu_v(even_halves(load_first16(some, a + i))),
                                    relu_v(odd_halves(load_first16(some, a + i))))));
}

INLINED vec add_v(vec a, vec b)
{
    return V(add_ps)(a, b);
}

INLINED vec subtract_v(vec a, vec b)
{
    return V(sub_ps)(a, b);
}

INLINED vec multiply_v(vec a, vec b)
{
    return V(mul_ps)(a, b);
}

INLINED vec div_v(vec a, vec b)
{
    return V(div_ps)(a, b);
}

INLINED vec nan_of_either(vec a, vec b, vec other)
{
    const vec left = pick(TEST(a, a, _CMP_UNORD_Q), a, other);
    return pick(TEST(b, b, _CMP_UNORD_Q), b, left);
}

INLINED vec maximum_v(vec a, vec b)
{
    return nan_of_either(a, b, pick(TEST(a, b, _CMP_GT_OQ), a, b));
}

INLINED vec minimum_v(vec a, vec b)
{
    return nan_of_either(a, b, pick(TEST(a, b, _CMP_LT_OQ), a, b));
}

/* round: of the vectors of even and of odd elements into one vector. */
#define HALVES_2_AS(name, round)                                                           \
    INLINED ivec halves_of_##name(ivec x, ivec y)                                          \
    {                                                                                      \
        return round(name##_v(even_halves(x), even_halves(y)),                             \
                     name##_v(odd_halves(x), odd_halves(y)));                              \
    }                                                                                      \
    static void halves_##name(const uint16_t *const *in, size_t n, uint16_t *to,           \
                              const float *args)                                           \
    {                                                                                      \
        const uint16_t *a = in[0], *b = in[1];                                             \
        (void)args;                                                                        \
        EACH_HALVES(i, n,                                                                  \
                    store_first16(to + i, some,                                            \
                                  halves_of_##name(load_first16(some, a + i),              \
                                                   load_first16(some, b + i))));           \
    }

HALVES_2_AS(add, round_halves)
HALVES_2_AS(subtract, round_halves)
HALVES_2_AS(multiply, round_halves)
HALVES_2_AS(div, round_halves)
HALVES_2_AS(maximum, choose_halves)
HALVES_2_AS(minimum, choose_halves)

#endif
