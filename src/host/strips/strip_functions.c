/* strip_functions.c: the functions of strip.h, compiled once for each instruction set
 * (KRN_STRIP_SET names the table).  Everything is written without branches so that the
 * compiler turns each loop into vector code; strip_math.h has the formulas. */
#include "host/strips/strip.h"
#include "host/strips/strip_math.h"

#ifdef __x86_64__
#include <emmintrin.h>
#endif

/* ---- functions whose formula does not hold everywhere: a strip with such a number goes
 * through libm ---- */

/* Bits of non-negative floats are ordered as the numbers are, NaN above all. */
static bool all_small(const float *x, size_t n, float limit)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = to_bits(x[i]) & 0x7FFFFFFFu;
        largest = bits > largest ? bits : largest;
    }
    return largest <= to_bits(limit);
}

static bool any_zero(const float *x, size_t n)
{
    uint32_t zeros = 0;
    for (size_t i = 0; i < n; i++)
        zeros |= x[i] == 0;
    return zeros != 0;
}

static bool ratios_small(const float *a, const float *b, size_t n)
{
    uint32_t large = 0;
    for (size_t i = 0; i < n; i++)
        large |= !(fabsf(a[i]) < fabsf(b[i]) * 4194304.0f);
    return !large;
}

#define FINITE 3.402823466e38f /* the largest finite number */
/* Reduction by three parts of pi/2 is exact enough up to here. */
#define TRIG_LIMIT 8192.0f

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#define KRN_STRIP_BY_HAND 1
#include "host/strips/strip_hand.h"
#else
#define KRN_STRIP_BY_HAND 0
#endif

/* An element's result depends on its own operands only: in a strip where the formula does
 * not hold, it is chosen for each. */
#define GUARDED_FN(name, holds, fast, slow)                                                \
    static bool name##_holds(const float *a, const float *b, size_t n)                     \
    {                                                                                      \
        (void)b;                                                                           \
        return holds;                                                                      \
    }                                                                                      \
    static void strip_##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        const float *a = in[0], *b = in[1];                                                \
        (void)b, (void)args;                                                               \
        if (name##_holds(a, b, n))                                                         \
            for (size_t i = 0; i < n; i++)                                                 \
                out[i] = fast;                                                             \
        else                                                                               \
            for (size_t i = 0; i < n; i++)                                                 \
                out[i] = name##_holds(a + i, b ? b + i : b, 1) ? fast : slow;              \
    }

#if !KRN_STRIP_BY_HAND
GUARDED_FN(sin, all_small(a, n, TRIG_LIMIT), a[i] == 0 ? a[i] : trig(a[i], 0), sinf(a[i]))
GUARDED_FN(cos, all_small(a, n, TRIG_LIMIT), trig(a[i], 1), cosf(a[i]))
#define TRIG_OF(name, x)                                                                   \
    GUARDED_FN(sin_of_##name, all_small(a, n, TRIG_LIMIT), (x) == 0 ? (x) : trig(x, 0),    \
               sinf(x))                                                                    \
    GUARDED_FN(cos_of_##name, all_small(a, n, TRIG_LIMIT), trig(x, 1), cosf(x))
TRIG_OF(abs, fabsf(a[i]))
TRIG_OF(neg, -a[i])
#endif
GUARDED_FN(tan, all_small(a, n, TRIG_LIMIT), tan_f(a[i]), tanf(a[i]))
GUARDED_FN(atan2, all_small(a, n, FINITE) && all_small(b, n, FINITE) && !any_zero(b, n),
           atan2_f(a[i], b[i]), atan2f(a[i], b[i]))
GUARDED_FN(pow, all_small(a, n, FINITE) && all_small(b, n, FINITE) && !any_zero(a, n),
           pow_f(a[i], b[i]), powf(a[i], b[i]))
/* The square is rounded once. */
static void strip_pow_scalar(const float *const *in, float *out, size_t n,
                             const float *args)
{
    float exponents[KRN_STRIP];
    if (args[0] == 2)
        for (size_t i = 0; i < n; i++)
            out[i] = in[0][i] * in[0][i];
    for (size_t i = 0; i < KRN_STRIP && args[0] != 2; i++)
        exponents[i] = args[0];
    for (size_t i = 0; i < n && args[0] != 2; i += KRN_STRIP) {
        const float *two[4] = {in[0] + i, exponents, NULL, NULL};
        strip_pow(two, out + i, TW_MIN((size_t)KRN_STRIP, n - i), NULL);
    }
}

GUARDED_FN(remainder, all_small(b, n, FINITE) && ratios_small(a, b, n),
           like_divisor(fmod_f(a[i], b[i]), b[i]), like_divisor(fmodf(a[i], b[i]), b[i]))

/* ---- the table ---- */

#define PLAIN(prefix, round, name, expr)                                                   \
    static void prefix##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        const float *a = in[0], *b = in[1], *c = in[2];                                    \
        (void)a, (void)b, (void)c, (void)args;                                             \
        for (size_t i = 0; i < n; i++)                                                     \
            out[i] = round(expr);                                                          \
    }
#define STRIP_ONCE(name, ...) PLAIN(strip_, , name, __VA_ARGS__)
#define STRIP_FN(name, ...)                                                                \
    STRIP_ONCE(name, __VA_ARGS__)                                                          \
    PLAIN(rounded_, bf16_round, name, __VA_ARGS__)
#define STRIP STRIP_FN
#define STRIP_BIT STRIP_ONCE
#define STRIP_LONG STRIP_ONCE
#include "host/strips/strips.def"

#if !KRN_STRIP_BY_HAND
#define STRIP_FN_4(name, expr)                                                             \
    static void strip_##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        const float *a = in[0], *b = in[1], *c = in[2], *d = in[3];                        \
        (void)args;                                                                        \
        for (size_t i = 0; i < n; i++)                                                     \
            out[i] = expr;                                                                 \
    }

#define STRIP_FN_8(name, round)                                                            \
    static void strip_##name(const float *const *in, float *out, size_t n,                 \
                             const float *args)                                            \
    {                                                                                      \
        (void)args;                                                                        \
        for (size_t i = 0; i < n; i++)                                                     \
            out[i] = round(round(in[0][i] + in[1][i]) + round(in[2][i] + in[3][i])) +      \
                     round(round(in[4][i] + in[5][i]) + round(in[6][i] + in[7][i]));       \
    }

STRIP_FN_8(add8, )
STRIP_FN_8(add8_bf16, bf16_round)
STRIP_FN_4(add4, (a[i] + b[i]) + (c[i] + d[i]))
STRIP_FN_4(add4_bf16, bf16_round(a[i] + b[i]) + bf16_round(c[i] + d[i]))
STRIP_FN(round_bf16, bf16_round(a[i]))
STRIP_FN(cosh, cosh_f(a[i]))
STRIP_FN(exp, exp_f(a[i]))
STRIP_FN(exp_of_abs, exp_f(fabsf(a[i])))
STRIP_FN(exp_of_neg, exp_f(-a[i]))
STRIP_FN(exp_pair, (exp_f(a[i]) + exp_f(-a[i])) * args[0])
STRIP_FN(exp_pair_bf16,
         bf16_round(bf16_round(exp_f(a[i])) + bf16_round(exp_f(-a[i]))) * args[0])
STRIP_FN(sigmoid, sigmoid_f(a[i]))
STRIP_FN(sigmoid_of_abs, sigmoid_f(fabsf(a[i])))
STRIP_FN(sigmoid_of_neg, sigmoid_f(-a[i]))
STRIP_FN(silu, a[i] * sigmoid_f(a[i]))
STRIP_FN(tanh, tanh_f(a[i]))
STRIP_FN(tanh_of_abs, tanh_f(fabsf(a[i])))
STRIP_FN(tanh_of_neg, tanh_f(-a[i]))
#endif
#ifndef __AVX512F__
STRIP_FN(gelu, gelu_f(a[i]))
#endif

#if !KRN_STRIP_BY_HAND
static float pair_of_bf16(const uint16_t *a, const uint16_t *b, size_t i)
{
    return bf16_round(from_bits((uint32_t)a[i] << 16) + from_bits((uint32_t)b[i] << 16));
}

static void add8_of_bf16(const uint16_t *const *in, size_t n, uint16_t *to,
                         const float *args)
{
    (void)args;
    for (size_t i = 0; i < n; i++) {
        const float left =
            bf16_round(pair_of_bf16(in[0], in[1], i) + pair_of_bf16(in[2], in[3], i));
        const float right =
            bf16_round(pair_of_bf16(in[4], in[5], i) + pair_of_bf16(in[6], in[7], i));
        to[i] = (uint16_t)(to_bits(bf16_round(left + right)) >> 16);
    }
}

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

#endif

/* One loop for each of the forms that occur: a weight and a bias, a weight, neither. */
#define NORM(name, type, round)                                                            \
    static void name(const float *from, size_t n, float scale, float shift,                \
                     const float *weight, const float *bias, type *to)                     \
    {                                                                                      \
        if (weight && bias)                                                                \
            for (size_t i = 0; i < n; i++)                                                 \
                to[i] = round(fmaf(fmaf(from[i], scale, shift), weight[i], bias[i]));      \
        else if (weight)                                                                   \
            for (size_t i = 0; i < n; i++)                                                 \
                to[i] = round(fmaf(from[i], scale, shift) * weight[i]);                    \
        else                                                                               \
            for (size_t i = 0; i < n; i++)                                                 \
                to[i] = round(fmaf(from[i], scale, shift) + (bias ? bias[i] : 0));         \
    }

NORM(norm, float, )

#if KRN_STRIP_BY_HAND
#include "host/strips/strip_rows_hand.h"
#else
#define TO_HALF(x) ((uint16_t)(to_bits(bf16_round(x)) >> 16))
NORM(norm_bf16, uint16_t, TO_HALF)
#include "host/strips/strip_rows.h"
#endif

static void add_to(const float *from, size_t n, double *sums)
{
    for (size_t i = 0; i < n; i++)
        sums[i] += (double)from[i];
}

/* ---- past the caches ---- */

#ifdef __x86_64__
static void stream(const void *from, size_t bytes, void *to)
{
    const size_t head = TW_MIN(-(uintptr_t)to & 63, bytes);
    const char *x = from;
    char *y = to;
    size_t i = head;
    memcpy(y, x, head);
    for (; i + 64 <= bytes; i += 64) {
#ifdef __AVX512F__
        _mm512_stream_si512((void *)(y + i), _mm512_loadu_si512(x + i));
#else
        for (size_t k = 0; k < 64; k += 16)
            _mm_stream_si128((__m128i *)(void *)(y + i + k),
                             _mm_loadu_si128((const __m128i *)(const void *)(x + i + k)));
#endif
    }
    memcpy(y + i, x + i, bytes - i);
}

static void fence(void)
{
    _mm_sfence();
}
#else
static void stream(const void *from, size_t bytes, void *to)
{
    memcpy(to, from, bytes);
}

static void fence(void)
{
}
#endif

/* These are rounded in a pass of its own. */
#define rounded_atan2 NULL
#define rounded_cos NULL
#define rounded_cos_of_abs NULL
#define rounded_cos_of_neg NULL
#define rounded_pow NULL
#define rounded_remainder NULL
#define rounded_sin NULL
#define rounded_sin_of_abs NULL
#define rounded_sin_of_neg NULL
#define rounded_tan NULL
#define rounded_add4 NULL
#define rounded_add4_bf16 NULL
#define rounded_add8 NULL
#define rounded_add8_bf16 NULL
#define rounded_pow_scalar NULL
#if KRN_STRIP_BY_HAND
#define rounded_round_bf16 NULL
#endif

extern const krn_strip_set KRN_STRIP_SET;
const krn_strip_set KRN_STRIP_SET = {
    .isa = KRN_STRIP_ISA,
    .fn =
        {
#define STRIP(name, ...) [KRN_STRIP_##name] = strip_##name,
#define STRIP_OWN(name) STRIP(name)
#include "host/strips/strips.def"
        },
    .rounded =
        {
#define STRIP(name, ...) [KRN_STRIP_##name] = rounded_##name,
#define STRIP_BIT(name, ...) [KRN_STRIP_##name] = strip_##name,
#define STRIP_LONG(name, ...) [KRN_STRIP_##name] = NULL,
#define STRIP_OWN(name) STRIP(name)
#include "host/strips/strips.def"
        },
    .load_bf16 = load_bf16,
    .store_bf16 = store_bf16,
    .sum = sum_strip,
    .max = max_strip,
    .most = most,
    .least = least,
    .add_to = add_to,
    .moments = moments,
    .moments_bf16 = moments_bf16,
    .squares = squares,
    .squares_bf16 = squares_bf16,
    .max_bf16 = max_bf16,
    .exp_sum = exp_sum,
    .exp_sum_bf16 = exp_sum_bf16,
    .scale_to_bf16 = scale_to_bf16,
    .norm_of_bf16 = norm_of_bf16,
    .arrange = arrange,
    .bf16 =
        {
            [KRN_STRIP_add8_bf16] = add8_of_bf16,
#if KRN_STRIP_BY_HAND
#define OF_BF16(name) [KRN_STRIP_##name] = halves_##name
            OF_BF16(abs),
            OF_BF16(add),
            OF_BF16(copy),
            OF_BF16(cosh),
            OF_BF16(div),
            OF_BF16(exp),
            OF_BF16(exp_pair_bf16),
            OF_BF16(maximum),
            OF_BF16(minimum),
            OF_BF16(multiply),
            OF_BF16(neg),
            OF_BF16(reciprocal),
            OF_BF16(relu),
            OF_BF16(rsqrt),
            OF_BF16(sigmoid),
            OF_BF16(silu),
            OF_BF16(sqrt),
            OF_BF16(subtract),
            OF_BF16(tanh),
#endif
#ifdef __AVX512F__
            [KRN_STRIP_gelu] = halves_gelu,
#endif
        },
#if KRN_STRIP_BY_HAND
    .streamed = {[KRN_STRIP_add8] = streamed_add8},
    .streamed_halves = {[KRN_STRIP_add8_bf16] = streamed_add8_of_bf16},
#endif
    .norm = norm,
    .norm_bf16 = norm_bf16,
#if KRN_STRIP_BY_HAND
    .norm_stream = norm_stream,
    .exp_sum_send = {exp_sum_send_near, exp_sum_send_far},
    .norm_next = norm_next,
    .norm_next_stream = norm_next_stream,
#else
    .norm_stream = norm,
#endif
    .stream = stream,
    .fence = fence,
};
