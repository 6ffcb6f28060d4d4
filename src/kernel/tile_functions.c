/* tile_functions.c: the functions of tile.h, compiled once for each instruction set
 * (KRN_TILE_SET names the table); plain loops that the compiler turns into vector code,
 * and the compiler's own vectors where it would not. */
#include "kernel/tile.h"

#define EACH for (size_t i = 0; i < KRN_TILE; i++)

static inline uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static inline float value_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* Subnormal numbers become zeros of their sign. */
static inline uint32_t flushed(uint32_t bits)
{
    return bits & 0x7F800000 ? bits : bits & 0x80000000;
}

static void load_bf16(const uint16_t *restrict from, float *restrict to)
{
    EACH to[i] = value_of((uint32_t)from[i] << 16);
}

static void store_bf16_cut(const float *restrict from, uint16_t *restrict to)
{
    EACH to[i] = (uint16_t)(bits_of(from[i]) >> 16);
}

static void store_bf16_away(const float *restrict from, uint16_t *restrict to)
{
    EACH
    {
        uint32_t bits = bits_of(from[i]), exponent = bits & 0x7F800000;
        uint32_t rounded = exponent == 0x7F800000 ? bits & 0xFF800000 : bits + 0x8000;
        to[i] = (uint16_t)(exponent ? rounded >> 16 : 0);
    }
}

static uint32_t cut_to_bf16(uint32_t all)
{
    uint32_t bits = flushed(all), cut = bits & 0xFFFF0000;
    uint32_t nan = (bits & 0x7FFFFFFF) > 0x7F800000; /* must not become infinity */
    return nan ? cut | 0x400000 : cut;
}

static void cut_tf32(float *x)
{
    EACH x[i] = value_of(flushed(bits_of(x[i])) & 0xFFFFE000);
}

static void round_bf16(float *x)
{
    EACH
    {
        uint32_t bits = flushed(bits_of(x[i]));
        uint32_t special = (bits & 0x7F800000) == 0x7F800000;
        x[i] = value_of(special ? bits : (bits + 0x8000) & 0xFFFF0000);
    }
}

static void cut_bf16(float *x)
{
    EACH x[i] = value_of(cut_to_bf16(bits_of(x[i])));
}

static void load_tf32(const void *from, float *restrict to)
{
    const char *bytes = from;
    EACH
    {
        uint32_t bits;
        memcpy(&bits, bytes + 4 * i, 4);
        to[i] = value_of(flushed(bits) & 0xFFFFE000);
    }
}

static void sum_bf16(const float *restrict tile, uint16_t *restrict page)
{
    EACH
    {
        float sum = tile[i] + value_of((uint32_t)page[i] << 16);
        uint32_t bits = bits_of(sum), rounded = bits + 0x7fff + (bits >> 16 & 1);
        page[i] = (uint16_t)((sum != sum ? bits | 0x400000 : rounded) >> 16);
    }
}

/* Two at a time, as they lie in a word.  NaN that an operation makes is a quiet one:
 * cutting it makes no infinity of it. */
#define BF16(name, operator)                                                               \
    static void name(const uint16_t *restrict a, const uint16_t *restrict b,               \
                     uint16_t *restrict out)                                               \
    {                                                                                      \
        for (size_t i = 0; i < KRN_TILE; i += 2) {                                         \
            uint32_t x, y;                                                                 \
            memcpy(&x, a + i, 4);                                                          \
            memcpy(&y, b + i, 4);                                                          \
            const float low = value_of(x << 16) operator value_of(y << 16),                \
                        high = value_of(x & 0xFFFF0000) operator value_of(y & 0xFFFF0000); \
            x = (flushed(bits_of(high)) & 0xFFFF0000) | flushed(bits_of(low)) >> 16;       \
            memcpy(out + i, &x, 4);                                                        \
        }                                                                                  \
    }
BF16(add_bf16, +)
BF16(subtract_bf16, -)
BF16(multiply_bf16, *)

static void add(const float *a, const float *b, float *out)
{
    EACH out[i] = a[i] + b[i];
}

static void subtract(const float *a, const float *b, float *out)
{
    EACH out[i] = a[i] - b[i];
}

static void multiply(const float *a, const float *b, float *out)
{
    EACH out[i] = a[i] * b[i];
}

/* ---- faces ------------------------------------------------------------------------- */

enum { FACE = 16, FACE_SIZE = FACE * FACE };

typedef float row __attribute__((vector_size(64), aligned(4)));
typedef float row_register __attribute__((vector_size(64)));

/* Eight rows of two faces side by side: with 32 vector registers they stay there. */
#ifdef __AVX512F__
enum { ROWS = 8 };
#else
enum { ROWS = 2 };
#endif

/* Half a line of each of the next operands in each of 128 steps of a product (64 of one of
 * pairs, which are half as long): as many loads as are free then. */
static inline void fetch(const krn_next *next, int step)
{
    enum { PART = 32 };
    __builtin_prefetch((const char *)next->a + step * PART);
    __builtin_prefetch((const char *)next->b + step * PART);
    __builtin_prefetch((const char *)next->out + step * PART);
}

static inline void product_rows(const float *restrict a0, const float *restrict a1,
                                const float *restrict b, bool onto, float *restrict out,
                                const krn_next *next, int step)
{
    row_register left[ROWS] = {0}, right[ROWS] = {0};
    for (int half = 0; half < 2; half++) {
        const float *a = half ? a1 : a0, *first = b + half * 2 * FACE_SIZE;
        for (int k = 0; k < FACE; k++) {
            if (ROWS == 8)
                fetch(next, step + half * FACE + k);
            const row_register l = *(const row *)(first + k * FACE),
                               r = *(const row *)(first + FACE_SIZE + k * FACE);
#pragma GCC unroll 8
            for (int i = 0; i < ROWS; i++) {
                const row_register x = a[i * FACE + k] - (row_register){}; /* +0: no work */
                left[i] += x * l;
                right[i] += x * r;
            }
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++) {
        row *to_left = (row *)(out + i * FACE),
            *to_right = (row *)(out + FACE_SIZE + i * FACE);
        *to_left = onto ? left[i] + *to_left : left[i];
        *to_right = onto ? right[i] + *to_right : right[i];
    }
}

static inline void product_to(const float *restrict a, const float *restrict b, bool onto,
                              float *restrict out, const krn_next *next)
{
    for (int fr = 0; fr < 2; fr++)
        for (int top = 0; top < FACE; top += ROWS)
            product_rows(a + fr * 2 * FACE_SIZE + top * FACE,
                         a + (fr * 2 + 1) * FACE_SIZE + top * FACE, b, onto,
                         out + fr * 2 * FACE_SIZE + top * FACE, next,
                         (fr * FACE + top) / ROWS * 2 * FACE);
}

static void product(const float *a, const float *b, float *out)
{
    product_to(a, b, false, out, &(krn_next){a, b, out});
}

static void product_on_page(const float *a, const float *b, bool adds, float *page,
                            const krn_next *next)
{
    product_to(a, b, adds, page, next);
}

#ifdef __AVX512BF16__
#include <immintrin.h>

/* Zeros, and numbers from 2^-40 up: of their products no sum is subnormal.  Bits without
 * the sign, doubled; zero becomes the largest when one is taken away. */
static bool in_range(const uint16_t *x)
{
    enum { LEAST = (127 - 40) << 8, INFINITE = 0x7F80 << 1 };
    const __m512i one = _mm512_set1_epi16(1);
    __m512i most = _mm512_setzero_si512(), least = _mm512_set1_epi16(-1);
    for (int i = 0; i < KRN_TILE; i += 32) {
        __m512i bits = _mm512_loadu_si512(x + i);
        bits = _mm512_add_epi16(bits, bits);
        most = _mm512_max_epu16(most, bits);
        least = _mm512_min_epu16(least, _mm512_sub_epi16(bits, one));
    }
    return !_mm512_cmpge_epu16_mask(most, _mm512_set1_epi16((short)INFINITE)) &&
           !_mm512_cmplt_epu16_mask(least, _mm512_set1_epi16(LEAST - 1));
}

/* Pairs of neighbours change places: the instruction takes the upper product first, and
 * sums are in the order of the inner index. */
static bool pair_left(const uint16_t *from, uint32_t *to)
{
    for (int i = 0; i < KRN_TILE / 32; i++)
        _mm512_storeu_si512(to + i * 16,
                            _mm512_rol_epi32(_mm512_loadu_si512(from + i * 32), 16));
    return in_range(from);
}

/* Two rows of a face become 16 pairs, the lower row in the upper half. */
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
    return in_range(from);
}

/* The same of sums that cannot be subnormal; infinity, zero and the NaN that instructions
 * make stay what they are. */
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

static inline __m512 widened(__m256i halves)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

/* To nearest even, as the conversion's instruction rounds; it would lose subnormals. */
static __m256i narrowed(__m512 x)
{
    __m512i bits = _mm512_castps_si512(x), one = _mm512_set1_epi32(1);
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), one);
    __m512i up = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    up = _mm512_mask_or_epi32(up, nan, bits, _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(up, 16));
}

/* Adds to 32 bf16 numbers of a page, as sum_bf16 does. */
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

enum { STRIP = 8, PAIRS = FACE / 2 }; /* rows of a result at a time, both its faces wide */

/* Into `out`, or rounded onto the page where that is not NULL. */
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

static void transpose(const float *restrict from, float *restrict to)
{
    for (int f = 0; f < 4; f++) {
        const float *in = from + f * FACE_SIZE;
        float *out = to + (f == 1 ? 2 : f == 2 ? 1 : f) * FACE_SIZE;
        for (int r = 0; r < FACE; r++)
            for (int c = 0; c < FACE; c++)
                out[r * FACE + c] = in[c * FACE + r];
    }
}

static bool all(const uint32_t *words, size_t n, uint32_t word)
{
    uint32_t different = 0;
    for (size_t i = 0; i < n; i++)
        different |= words[i] ^ word;
    return different == 0;
}

static void fill(uint32_t *words, size_t n, uint32_t word)
{
    for (size_t i = 0; i < n; i++)
        words[i] = word;
}

extern const krn_tile_set KRN_TILE_SET;
const krn_tile_set KRN_TILE_SET = {
    .isa = KRN_TILE_ISA,
    .load_bf16 = load_bf16,
    .store_bf16_cut = store_bf16_cut,
    .store_bf16_away = store_bf16_away,
    .cut_tf32 = cut_tf32,
    .round_bf16 = round_bf16,
    .cut_bf16 = cut_bf16,
    .add = add,
    .subtract = subtract,
    .multiply = multiply,
    .product = product,
    .product_on_page = product_on_page,
#ifdef __AVX512BF16__
    .product_bf16 = product_bf16,
    .pair_left = pair_left,
    .pair_right = pair_right,
    .product_pairs = product_pairs,
    .product_pairs_onto = product_pairs_onto,
#endif
    .load_tf32 = load_tf32,
    .sum_bf16 = sum_bf16,
    .add_bf16 = add_bf16,
    .subtract_bf16 = subtract_bf16,
    .multiply_bf16 = multiply_bf16,
    .transpose = transpose,
    .all = all,
    .fill = fill,
};
