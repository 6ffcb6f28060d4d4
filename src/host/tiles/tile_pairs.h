/* tile_pairs.h: products of bf16 tiles by the processor's instruction for pairs of bf16
 * values; part of tile_functions.c. */
#ifndef TILEWRIGHT_HOST_TILES_TILE_PAIRS_H
#define TILEWRIGHT_HOST_TILES_TILE_PAIRS_H

#include <immintrin.h>

/* Swaps adjacent values: the instruction adds the upper product first, and sums are in the
 * order of k. */
static bool pair_left(const uint16_t *from, uint32_t *to)
{
    for (int i = 0; i < KRN_TILE / 32; i++)
        _mm512_storeu_si512(to + i * 16,
                            _mm512_rol_epi32(_mm512_loadu_si512(from + i * 32), 16));
    return pairs_fit(from);
}

/* Interleaves two rows of a face to 16 pairs, the lower row in the upper half. */
static bool pair_right(const uint16_t *from, uint32_t *to)
{
    uint16_t order[32];
    for (int i = 0; i < FACE; i++) {
        order[2 * i] = (uint16_t)(FACE + i);
        order[2 * i + 1] = (uint16_t)i;
    }
    const __m512i pairs = _mm512_loadu_si512(order);
    for (int i = 0; i < KRN_TILE / 32; i++)
        _mm512_storeu_si512(to + i * 16, _mm512_permutexvar_epi16(
                                             pairs, _mm512_loadu_si512(from + i * 32)));
    return pairs_fit(from);
}

/* The same for sums that cannot be subnormal; infinity, zero and the NaN that instructions
 * produce are unchanged. */
static inline __m512 rounded_sum(__m512 x)
{
    __m512i up = _mm512_add_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(0x8000));
    return _mm512_castsi512_ps(_mm512_and_si512(up, _mm512_set1_epi32((int)0xFFFF0000)));
}

static inline __m512 rounded(__m512 x)
{
    __m512i bits = _mm512_castps_si512(x), exponent = _mm512_set1_epi32(0x7F800000);
    __mmask16 tiny = _mm512_testn_epi32_mask(bits, exponent),
              special = _mm512_cmpeq_epi32_mask(_mm512_and_si512(bits, exponent), exponent);
    __m512i up = _mm512_add_epi32(bits, _mm512_set1_epi32(0x8000));
    __m512i to = _mm512_and_si512(up, _mm512_set1_epi32((int)0xFFFF0000));
    to = _mm512_mask_and_epi32(to, tiny, bits, _mm512_set1_epi32((int)0x80000000));
    return _mm512_castsi512_ps(_mm512_mask_mov_epi32(to, special, bits));
}

static inline __m512 widened(__m256i bits)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}

/* Rounds to nearest even, like the conversion instruction, which would flush subnormals. */
static __m256i narrowed(__m512 x)
{
    __m512i bits = _mm512_castps_si512(x), one = _mm512_set1_epi32(1);
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), one);
    __m512i up = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    up = _mm512_mask_or_epi32(up, nan, bits, _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(up, 16));
}

/* Adds to 32 bf16 values of a page, like sum_bf16. */
static inline void add_to_page(__m512 x, __m512 y, uint16_t *page)
{
    enum { SUBNORMAL = 0x20 };
    __m512i old = _mm512_loadu_si512(page);
    x = _mm512_add_ps(x, widened(_mm512_castsi512_si256(old)));
    y = _mm512_add_ps(y, widened(_mm512_extracti64x4_epi64(old, 1)));
    __m512i sum = (__m512i)_mm512_cvtne2ps_pbh(y, x);
    if (__builtin_expect(
            _mm512_fpclass_ps_mask(x, SUBNORMAL) | _mm512_fpclass_ps_mask(y, SUBNORMAL), 0))
        sum = _mm512_inserti64x4(_mm512_castsi256_si512(narrowed(x)), narrowed(y), 1);
    _mm512_storeu_si512(page, sum);
}

enum {
    STRIP = 8,
    PAIRS = FACE / 2
}; /* rows of a result at a time, across both its
    * faces */

/* Prefetches half a line of each of the next operands in each of the 64 steps of a
 * product. */
static inline void fetch(const krn_next *next, int step)
{
    __builtin_prefetch((const char *)next->a + step * AHEAD);
    __builtin_prefetch((const char *)next->b + step * AHEAD);
    __builtin_prefetch((const char *)next->out + step * AHEAD);
}

/* Stores to `out`, or adds to the bf16 page if that is not NULL. */
static inline void multiply_pairs(const uint32_t *left, const uint32_t *right,
                                  const float *plus, bool round, float *out, uint16_t *page,
                                  const krn_next *next)
{
    for (int row = 0; row < 2 * FACE; row += STRIP) {
        __m512 sum[STRIP][2];
#pragma GCC unroll 8
        for (int r = 0; r < STRIP; r++)
            sum[r][0] = sum[r][1] = _mm512_setzero_ps();
        for (int half = 0; half < 2; half++) {
            const uint32_t *from =
                left + ((row >= FACE) * 2 + half) * FACE_SIZE / 2 + row % FACE * PAIRS;
            const uint32_t *first = right + half * 2 * PAIRS * FACE,
                           *second = first + PAIRS * FACE;
            for (int k = 0; k < PAIRS; k++) {
                if (page)
                    fetch(next, row / STRIP * FACE + half * PAIRS + k);
                const __m512bh x = (__m512bh)_mm512_loadu_si512(first + k * FACE),
                               y = (__m512bh)_mm512_loadu_si512(second + k * FACE);
#pragma GCC unroll 8
                for (int r = 0; r < STRIP; r++) {
                    const __m512bh l =
                        (__m512bh)_mm512_set1_epi32((int)from[r * PAIRS + k]);
                    sum[r][0] = _mm512_dpbf16_ps(sum[r][0], l, x);
                    sum[r][1] = _mm512_dpbf16_ps(sum[r][1], l, y);
                }
            }
        }
        const int at = (row >= FACE) * 2 * FACE_SIZE + row % FACE * FACE;
#pragma GCC unroll 4
        for (int r = 0; page && r < STRIP; r += 2)
            for (int side = 0; side < 2; side++)
                add_to_page(rounded_sum(sum[r][side]), rounded_sum(sum[r + 1][side]),
                            page + at + side * FACE_SIZE + r * FACE);
#pragma GCC unroll 8
        for (int r = 0; !page && r < STRIP; r++)
            for (int side = 0; side < 2; side++) {
                const int i = at + side * FACE_SIZE + r * FACE;
                __m512 x = sum[r][side];
                if (plus)
                    x = _mm512_add_ps(_mm512_loadu_ps(plus + i), x);
                if (round)
                    x = plus ? rounded(x) : rounded_sum(x);
                _mm512_storeu_ps(out + i, x);
            }
    }
}

static void product_pairs(const uint32_t *a, const uint32_t *b, const float *add,
                          bool round, float *out)
{
    multiply_pairs(a, b, add, round, out, NULL, NULL);
}

static void product_pairs_onto(const uint32_t *a, const uint32_t *b, uint16_t *page,
                               const krn_next *next)
{
    multiply_pairs(a, b, NULL, true, NULL, page, next);
}

static bool product_bf16(const uint16_t *a, const uint16_t *b, const float *add, bool round,
                         float *out)
{
    _Alignas(64) uint32_t left[KRN_TILE / 2], right[KRN_TILE / 2];
    if (!pair_left(a, left) || !pair_right(b, right))
        return false;
    multiply_pairs(left, right, add, round, out, NULL, NULL);
    return true;
}

#endif
