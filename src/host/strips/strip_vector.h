/* strip_vector.h: vectors of sixteen (AVX-512) or eight floats (AVX2 with FMA) under one
 * set of names, for strip_hand.h and strip_rows_hand.h.
 *
 * V(add_ps) is the instruction of that name; what the two sets do in different ways has a
 * function here.  `lanes` says which of a vector's first lanes count, `test` what a
 * comparison found; ALL is known when compiling and costs nothing. */
#ifndef TILEWRIGHT_HOST_STRIPS_STRIP_VECTOR_H
#define TILEWRIGHT_HOST_STRIPS_STRIP_VECTOR_H

#include "host/strips/strip_math.h"

#include <immintrin.h>

/* A call would load every constant again. */
#define INLINED static inline __attribute__((always_inline))

#ifdef __AVX512F__
#define V(name) _mm512_##name
#define BITS(name) _mm512_##name##_si512
typedef __m512 vec;
typedef __m512i ivec;
typedef __m512d dvec;
typedef __mmask16 lanes, test;
typedef __mmask32 lanes16; /* the same of a vector of bf16 */
enum { LANES = 16 };
#define ALL ((lanes)0xFFFF)
#define ALL_LANES16 ((lanes16)0xFFFFFFFFu)
#else
#define V(name) _mm256_##name
#define BITS(name) _mm256_##name##_si256
typedef __m256 vec, test;
typedef __m256i ivec;
typedef __m256d dvec;
typedef size_t lanes, lanes16; /* how many */
enum { LANES = 8 };
#define ALL ((lanes)LANES)
#define ALL_LANES16 ((lanes16)(2 * LANES))
#endif

INLINED vec wide(float f)
{
    return V(set1_ps)(f);
}

#ifdef __AVX512F__
INLINED ivec bits_of(vec x)
{
    return _mm512_castps_si512(x);
}

INLINED vec floats_of(ivec x)
{
    return _mm512_castsi512_ps(x);
}

INLINED lanes first_lanes(size_t n)
{
    return n >= 16 ? ALL : (lanes)((1u << n) - 1);
}

INLINED lanes16 first_lanes16(size_t n)
{
    return n >= 32 ? ALL_LANES16 : (lanes16)((1u << n) - 1);
}

/* Zero elsewhere; nothing is read there. */
INLINED vec load_first(lanes some, const float *from)
{
    return some == ALL ? _mm512_loadu_ps(from) : _mm512_maskz_loadu_ps(some, from);
}

INLINED void store_first(float *to, lanes some, vec x)
{
    if (some == ALL)
        _mm512_storeu_ps(to, x);
    else
        _mm512_mask_storeu_ps(to, some, x);
}

INLINED ivec load_first16(lanes16 some, const uint16_t *from)
{
    return some == ALL_LANES16 ? _mm512_loadu_si512(from)
                               : _mm512_maskz_loadu_epi16(some, from);
}

INLINED void store_first16(uint16_t *to, lanes16 some, ivec x)
{
    if (some == ALL_LANES16)
        _mm512_storeu_si512(to, x);
    else
        _mm512_mask_storeu_epi16(to, some, x);
}

INLINED void stream_halves(uint16_t *to, ivec x)
{
    _mm512_stream_si512((void *)to, x);
}

/* Numbers of bf16 in their order. */
INLINED vec load_first_bf16(lanes some, const uint16_t *from)
{
    const __m256i x = some == ALL ? _mm256_loadu_si256((const __m256i *)(const void *)from)
                                  : _mm256_maskz_loadu_epi16(some, from);
    return floats_of(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}

/* The upper 16 bits of the lanes. */
INLINED void store_first_bf16(uint16_t *to, lanes some, ivec bits)
{
    _mm256_mask_storeu_epi16(to, some, _mm512_cvtepi32_epi16(_mm512_srli_epi32(bits, 16)));
}

/* The upper 16 bits of two vectors, one after the other. */
INLINED ivec upper_halves(ivec low, ivec high)
{
    static const uint16_t picked[32] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21,
                                        23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43,
                                        45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    return _mm512_permutex2var_epi16(low, _mm512_loadu_si512(picked), high);
}

/* The upper 16 bits of both, those of `even` in the even lanes. */
INLINED ivec join_halves(ivec even, ivec odd)
{
    return _mm512_mask_blend_epi16(0xAAAAAAAA, _mm512_srli_epi32(even, 16), odd);
}

/* NaN of bf16 made quiet, as rounding makes it. */
INLINED ivec quiet_halves(ivec x)
{
    const ivec size = _mm512_and_si512(x, _mm512_set1_epi16(0x7FFF));
    const __mmask32 nan = _mm512_cmpgt_epi16_mask(size, _mm512_set1_epi16(0x7F80));
    return _mm512_mask_blend_epi16(nan, x, _mm512_or_si512(x, _mm512_set1_epi16(0x0040)));
}

INLINED vec even_places(vec low, vec high)
{
    static const uint32_t picked[16] = {0,  2,  4,  6,  8,  10, 12, 14,
                                        16, 18, 20, 22, 24, 26, 28, 30};
    return _mm512_permutex2var_ps(low, _mm512_loadu_si512(picked), high);
}

INLINED vec odd_places(vec low, vec high)
{
    static const uint32_t picked[16] = {1,  3,  5,  7,  9,  11, 13, 15,
                                        17, 19, 21, 23, 25, 27, 29, 31};
    return _mm512_permutex2var_ps(low, _mm512_loadu_si512(picked), high);
}

#define TEST(a, b, how) _mm512_cmp_ps_mask(a, b, how)

INLINED uint32_t lanes_of(test t)
{
    return t;
}

INLINED test either(test a, test b)
{
    return a | b;
}

INLINED vec pick(test t, vec yes, vec no)
{
    return _mm512_mask_mov_ps(no, t, yes);
}

INLINED vec pick_first(lanes some, vec yes, vec no)
{
    return _mm512_mask_mov_ps(no, some, yes);
}

INLINED vec only_first(lanes some, vec x)
{
    return _mm512_maskz_mov_ps(some, x);
}

/* To bf16 in the upper half of each lane, to nearest even, something below; not for NaN. */
INLINED ivec round_there(vec x)
{
    const ivec bits = bits_of(x);
    const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
    const ivec up = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF));
    return _mm512_mask_add_epi32(up, odd, up, _mm512_set1_epi32(1));
}

INLINED ivec quiet_where(test nan, ivec bits, ivec others)
{
    return _mm512_mask_or_epi32(others, nan, bits, _mm512_set1_epi32(0x00400000));
}

INLINED float sum_of(vec x)
{
    return _mm512_reduce_add_ps(x);
}

INLINED float largest_of(vec x)
{
    return _mm512_reduce_max_ps(x);
}

INLINED float smallest_of(vec x)
{
    return _mm512_reduce_min_ps(x);
}

INLINED double double_sum_of(dvec x)
{
    return _mm512_reduce_add_pd(x);
}

/* sum and x, whose lanes are added to it in pairs. */
INLINED dvec add_widened(dvec sum, vec x)
{
    sum = _mm512_add_pd(sum, _mm512_cvtps_pd(_mm512_castps512_ps256(x)));
    return _mm512_add_pd(sum, _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)));
}

/* ---- 2^k exp(r) / 2^less, where k + TO_PARTS is `shifted` ----
 *
 * k is a multiple of 1/16, so that |r| <= log(2)/32: the low bits of `shifted` look the
 * sixteenths up, and scaling takes the whole ones alone.  exp(r) - 1 is r + r^2/2 + r^3/6
 * to 1e-8. */

#define TO_PARTS 786432.0f /* 1.5 * 2^23 / 16 */

INLINED vec exp_of_parts(vec shifted, vec k, vec r, int less, bool below)
{
    static const float powers[16] = {1.0f,        1.04427378f, 1.09050773f, 1.13878863f,
                                     1.18920712f, 1.24185781f, 1.29683955f, 1.35425555f,
                                     1.41421356f, 1.47682615f, 1.54221083f, 1.61049033f,
                                     1.68179283f, 1.75625216f, 1.83400809f, 1.91520656f};
    const vec power = _mm512_permutexvar_ps(bits_of(shifted), _mm512_loadu_ps(powers));
    const vec p = _mm512_fmadd_ps(r, wide(1.0f / 6), wide(0.5f));
    const vec u = _mm512_fmadd_ps(_mm512_mul_ps(r, r), p, r);
    (void)below;
    if (less)
        k = _mm512_sub_ps(k, wide((float)less));
    return _mm512_scalef_ps(_mm512_fmadd_ps(power, u, power), k);
}
#else
INLINED ivec bits_of(vec x)
{
    return _mm256_castps_si256(x);
}

INLINED vec floats_of(ivec x)
{
    return _mm256_castsi256_ps(x);
}

INLINED lanes first_lanes(size_t n)
{
    return TW_MIN(n, ALL);
}

INLINED lanes16 first_lanes16(size_t n)
{
    return TW_MIN(n, ALL_LANES16);
}

INLINED ivec mask_of(lanes some)
{
    static const int32_t edge[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_loadu_si256((const __m256i *)(const void *)(edge + 8 - some));
}

/* Zero elsewhere; nothing is read there. */
INLINED vec load_first(lanes some, const float *from)
{
    return some == ALL ? _mm256_loadu_ps(from) : _mm256_maskload_ps(from, mask_of(some));
}

INLINED void store_first(float *to, lanes some, vec x)
{
    if (some == ALL)
        _mm256_storeu_ps(to, x);
    else
        _mm256_maskstore_ps(to, mask_of(some), x);
}

INLINED ivec load_first16(lanes16 some, const uint16_t *from)
{
    uint16_t room[2 * LANES] = {0};
    if (some == ALL_LANES16)
        return _mm256_loadu_si256((const __m256i *)(const void *)from);
    memcpy(room, from, some * sizeof *room);
    return _mm256_loadu_si256((const __m256i *)(const void *)room);
}

INLINED void store_first16(uint16_t *to, lanes16 some, ivec x)
{
    uint16_t room[2 * LANES];
    if (some == ALL_LANES16) {
        _mm256_storeu_si256((__m256i *)(void *)to, x);
        return;
    }
    _mm256_storeu_si256((__m256i *)(void *)room, x);
    memcpy(to, room, some * sizeof *room);
}

INLINED void stream_halves(uint16_t *to, ivec x)
{
    _mm256_stream_si256((__m256i *)(void *)to, x);
}

/* Numbers of bf16 in their order. */
INLINED vec load_first_bf16(lanes some, const uint16_t *from)
{
    uint16_t room[LANES] = {0};
    if (some != ALL) {
        memcpy(room, from, some * sizeof *room);
        from = room;
    }
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from);
    return floats_of(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16));
}

/* The upper 16 bits of two vectors, one after the other. */
INLINED ivec upper_halves(ivec low, ivec high)
{
    const ivec mixed =
        _mm256_packus_epi32(_mm256_srli_epi32(low, 16), _mm256_srli_epi32(high, 16));
    return _mm256_permute4x64_epi64(mixed, 0xD8);
}

/* The upper 16 bits of the lanes. */
INLINED void store_first_bf16(uint16_t *to, lanes some, ivec bits)
{
    store_first16(to, some, upper_halves(bits, bits));
}

/* The upper 16 bits of both, those of `even` in the even lanes. */
INLINED ivec join_halves(ivec even, ivec odd)
{
    return _mm256_blend_epi16(_mm256_srli_epi32(even, 16), odd, 0xAA);
}

/* NaN of bf16 made quiet, as rounding makes it. */
INLINED ivec quiet_halves(ivec x)
{
    const ivec size = _mm256_and_si256(x, _mm256_set1_epi16(0x7FFF));
    const ivec nan = _mm256_cmpgt_epi16(size, _mm256_set1_epi16(0x7F80));
    return _mm256_or_si256(x, _mm256_and_si256(nan, _mm256_set1_epi16(0x0040)));
}

INLINED vec places_of(vec mixed)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(mixed), 0xD8));
}

INLINED vec even_places(vec low, vec high)
{
    return places_of(_mm256_shuffle_ps(low, high, 0x88));
}

INLINED vec odd_places(vec low, vec high)
{
    return places_of(_mm256_shuffle_ps(low, high, 0xDD));
}

#define TEST(a, b, how) _mm256_cmp_ps(a, b, how)

INLINED uint32_t lanes_of(test t)
{
    return (uint32_t)_mm256_movemask_ps(t);
}

INLINED test either(test a, test b)
{
    return _mm256_or_ps(a, b);
}

INLINED vec pick(test t, vec yes, vec no)
{
    return _mm256_blendv_ps(no, yes, t);
}

INLINED vec pick_first(lanes some, vec yes, vec no)
{
    return pick(floats_of(mask_of(some)), yes, no);
}

INLINED vec only_first(lanes some, vec x)
{
    return _mm256_and_ps(floats_of(mask_of(some)), x);
}

/* To bf16 in the upper half of each lane, to nearest even, something below; not for NaN. */
INLINED ivec round_there(vec x)
{
    const ivec bits = bits_of(x);
    const ivec odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    return _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
}

INLINED ivec quiet_where(test nan, ivec bits, ivec others)
{
    const ivec quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x00400000));
    return bits_of(pick(nan, floats_of(quiet), floats_of(others)));
}

#define FOLD(name, step)                                                                   \
    INLINED float name(vec x)                                                              \
    {                                                                                      \
        __m128 y = step(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));           \
        y = step(y, _mm_movehl_ps(y, y));                                                  \
        return _mm_cvtss_f32(step(y, _mm_movehdup_ps(y)));                                 \
    }

FOLD(sum_of, _mm_add_ps)
FOLD(largest_of, _mm_max_ps)
FOLD(smallest_of, _mm_min_ps)

INLINED double double_sum_of(dvec x)
{
    const __m128d y = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_add_sd(y, _mm_unpackhi_pd(y, y)));
}

/* sum and x, whose lanes are added to it in pairs. */
INLINED dvec add_widened(dvec sum, vec x)
{
    sum = _mm256_add_pd(sum, _mm256_cvtps_pd(_mm256_castps256_ps128(x)));
    return _mm256_add_pd(sum, _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)));
}

/* ---- 2^k exp(r) / 2^less, where k + TO_PARTS is `shifted` ----
 *
 * k is a multiple of 1/8, so that |r| <= log(2)/16: the low bits of `shifted` look the
 * eighths up; shifted left by 20 they are where the exponent is, with the eighths below,
 * which the table has taken off.  exp(r) - 1 is r + r^2/2 + r^3/6 + r^4/24 to 2e-9.
 *
 * The power is scaled in two steps, so that what is subnormal is rounded last and what
 * overflows does so: by half of the exponent and the rest, or, where x is known to be
 * `below` 0, by 2^64 more than it should and by 2^-64. */

#define TO_PARTS 1572864.0f /* 1.5 * 2^23 / 8 */

INLINED vec exp_of_parts(vec shifted, vec k, vec r, int less, bool below)
{
    /* the bits of 2^(j/8), less j << 20 */
    static const uint32_t powers[8] = {0x3F800000, 0x3F7B95C2, 0x3F7837F0, 0x3F75FED7,
                                       0x3F7504F3, 0x3F75672A, 0x3F7744FD, 0x3F7AC0C7};
    const ivec whole = _mm256_slli_epi32(bits_of(shifted), 20);
    const ivec table = _mm256_permutevar8x32_epi32(
        _mm256_loadu_si256((const __m256i *)(const void *)powers), bits_of(shifted));
    vec p = _mm256_fmadd_ps(r, wide(1.0f / 24), wide(1.0f / 6));
    p = _mm256_fmadd_ps(p, r, wide(0.5f));
    const vec u = _mm256_fmadd_ps(_mm256_mul_ps(r, r), p, r);
    ivec power = _mm256_add_epi32(table, whole), rest;
    (void)k;
    if (below) {
        power = _mm256_add_epi32(power, _mm256_set1_epi32(64 << 23));
        rest = _mm256_set1_epi32((127 - 64 - less) << 23);
    } else {
        const ivec half = _mm256_slli_epi32(_mm256_srai_epi32(whole, 24), 23);
        power = _mm256_sub_epi32(power, half);
        rest = _mm256_add_epi32(half, _mm256_set1_epi32((127 - less) << 23));
    }
    const vec e = _mm256_fmadd_ps(floats_of(power), u, floats_of(power));
    return _mm256_mul_ps(e, floats_of(rest));
}
#endif

#endif
