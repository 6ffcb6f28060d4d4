/* gemm_avx512_tile.h: the 14 x 32 micro-kernel of AVX-512 and the transposition that packs
 * for it.
 *
 * Included by gemm_avx512.c (f32) and gemm_avx512bf16.c (bf16 pairs) with CELL,
 * MULTIPLY_ADD defined. 28 accumulators, two vectors of B and one broadcast cell of A fill
 * 31 of 32 registers. With one or two rows there would be too few accumulators to hide the
 * latency of the multiply-add (4 cycles, two per cycle on the newest machines), so k is
 * distributed over several sets that are added at the end. */
#include <immintrin.h>

#include "host/gemm/gemm_kernel.h"

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#define MR 14
#define NR 32
#define LANES 16

static inline __attribute__((always_inline)) __m512 tile_cell(const char *p)
{
    return _mm512_set1_ps(*(const float *)p);
}

/* One set's step: acc += a(cell) * b(strips). Rows go in threes so that three rows share a
 * pointer. */
static inline __attribute__((always_inline)) void
tile_step(__m512 acc[MR][2], const char *const *a, ptrdiff_t a_row, const char *b, int rows,
          int strips, const __mmask16 *mask, bool whole)
{
    __m512 bv[2];
    UNROLL
    for (int s = 0; s < strips; s++)
        bv[s] = whole ? _mm512_loadu_ps((const float *)b + s * LANES)
                      : _mm512_maskz_loadu_ps(mask[s], (const float *)b + s * LANES);
    UNROLL
    for (int i = 0; i < rows; i++) {
        const __m512 av = tile_cell(a[i / 3] + (i % 3) * a_row);
        UNROLL
        for (int s = 0; s < strips; s++)
            acc[i][s] = MULTIPLY_ADD(av, bv[s], acc[i][s]);
    }
}

static inline __attribute__((always_inline)) void tile_advance(const char **a, int rows,
                                                               ptrdiff_t step)
{
    UNROLL
    for (int g = 0; g < (rows + 2) / 3; g++)
        a[g] += step;
}

/* The epilogue of tiles that are not simply stored: out of line, from memory. */
static __attribute__((noinline)) void tile_finish(const krn_gemm_tile *t, int strips,
                                                  const __mmask16 *mask, __m512 (*acc)[2])
{
    for (int i = 0; i < t->rows; i++) {
        for (int s = 0; s < strips; s++) {
            __m512 v = acc[i][s];
            if (t->flags & KRN_TILE_ADD)
                v = _mm512_add_ps(
                    v, _mm512_maskz_loadu_ps(mask[s], t->c + i * t->c_row + s * LANES));
            if (t->flags & KRN_TILE_SCALE)
                v = _mm512_mul_ps(v, _mm512_maskz_loadu_ps(mask[s], t->scale + s * LANES));
            if (t->flags & KRN_TILE_BIAS)
                v = _mm512_add_ps(v, _mm512_maskz_loadu_ps(mask[s], t->bias + s * LANES));
            if (t->flags & KRN_TILE_RELU) /* this operand order propagates NaN */
                v = _mm512_max_ps(_mm512_setzero_ps(), v);
            if (t->flags & KRN_TILE_SIX)
                v = _mm512_min_ps(_mm512_set1_ps(6.0f), v);
            if (!(t->flags & KRN_TILE_BF16)) {
                _mm512_mask_storeu_ps(t->c + i * t->c_row + s * LANES, mask[s], v);
                continue;
            }
            _mm256_mask_storeu_epi16(t->c16 + i * t->c16_row + s * LANES, mask[s],
                                     TO_BF16(v));
        }
    }
}

static inline __attribute__((always_inline)) void
tile_store(const krn_gemm_tile *t, __m512 acc[MR][2], int rows, int strips,
           const __mmask16 *mask, bool whole)
{
    if (!whole || (t->flags & ~(KRN_TILE_ADD | KRN_TILE_BIAS | KRN_TILE_BF16))) {
        __m512 kept[MR][2];
        UNROLL
        for (int i = 0; i < rows; i++) {
            UNROLL
            for (int s = 0; s < strips; s++)
                kept[i][s] = acc[i][s];
        }
        tile_finish(t, strips, mask, kept);
        return;
    }
    float *c = t->c;
    if (t->flags & KRN_TILE_ADD) {
        UNROLL
        for (int i = 0; i < rows; i++, c += t->c_row) {
            acc[i][0] = _mm512_add_ps(acc[i][0], _mm512_loadu_ps(c));
            acc[i][1] = _mm512_add_ps(acc[i][1], _mm512_loadu_ps(c + LANES));
        }
    }
    if (t->flags & KRN_TILE_BIAS) {
        const __m512 low = _mm512_loadu_ps(t->bias),
                     high = _mm512_loadu_ps(t->bias + LANES);
        UNROLL
        for (int i = 0; i < rows; i++) {
            acc[i][0] = _mm512_add_ps(acc[i][0], low);
            acc[i][1] = _mm512_add_ps(acc[i][1], high);
        }
    }
    if (t->flags & KRN_TILE_BF16) {
        uint16_t *h = t->c16;
        UNROLL
        for (int i = 0; i < rows; i++, h += t->c16_row) {
            STORE_BF16(h, acc[i][0], acc[i][1]);
        }
        return;
    }
    c = t->c;
    UNROLL
    for (int i = 0; i < rows; i++, c += t->c_row) {
        _mm512_storeu_ps(c, acc[i][0]);
        _mm512_storeu_ps(c + LANES, acc[i][1]);
    }
}

static inline __attribute__((always_inline)) void
tile_body(const krn_gemm_tile *t, int rows, int strips, int sets, bool whole)
{
    const __mmask16 mask[2] = {
        t->columns >= LANES ? 0xffff : (__mmask16)((1u << t->columns) - 1),
        t->columns >= NR ? 0xffff
                         : (__mmask16)((1u << (TW_MAX(t->columns, LANES) - LANES)) - 1)};
    __m512 acc[4][MR][2];
    const char *a[(MR + 2) / 3], *b = t->b;
    const ptrdiff_t a_row = t->a_row, a_step = t->a_step, b_step = t->b_step;
    const char *ahead = t->ahead;
    const ptrdiff_t ahead_step = t->ahead_step * sets;

    UNROLL
    for (int set = 0; set < sets; set++) {
        UNROLL
        for (int i = 0; i < rows; i++) {
            acc[set][i][0] = _mm512_setzero_ps();
            acc[set][i][1] = _mm512_setzero_ps();
        }
    }
    UNROLL
    for (int g = 0; g < (rows + 2) / 3; g++)
        a[g] = t->a + 3 * g * a_row;
    if (t->c)
        for (const float *c = t->c, *end = c + rows * t->c_row; c != end; c += t->c_row) {
            __builtin_prefetch(c, 1);
            __builtin_prefetch(c + LANES, 1);
        }
    else
        for (const uint16_t *c = t->c16, *end = c + rows * t->c16_row; c != end;
             c += t->c16_row)
            __builtin_prefetch(c, 1);
    for (int64_t left = t->k; left > 0; left -= t->run) {
        int64_t k = t->run;
        for (; k >= sets; k -= sets) {
            UNROLL
            for (int set = 0; set < sets; set++) {
                tile_step(acc[set], a, a_row, b, rows, strips, mask, whole);
                tile_advance(a, rows, a_step);
                b += b_step;
            }
            _mm_prefetch(ahead, _MM_HINT_T1);
            ahead += ahead_step;
        }
        for (; sets > 1 && k > 0; k--) {
            tile_step(acc[0], a, a_row, b, rows, strips, mask, whole);
            tile_advance(a, rows, a_step);
            b += b_step;
        }
        tile_advance(a, rows, t->a_jump);
    }
    UNROLL
    for (int set = 1; set < sets; set++) {
        UNROLL
        for (int i = 0; i < rows; i++) {
            acc[0][i][0] = _mm512_add_ps(acc[0][i][0], acc[set][i][0]);
            if (strips > 1)
                acc[0][i][1] = _mm512_add_ps(acc[0][i][1], acc[set][i][1]);
        }
    }
    tile_store(t, acc[0], rows, strips, mask, whole);
}

/* Rows 1 and 2 distribute k over sets, see above. */
#define TILE(rows)                                                                         \
    static void tile_2x##rows(const krn_gemm_tile *t)                                      \
    {                                                                                      \
        tile_body(t, rows, 2, rows == 1 ? 4 : rows <= 3 ? 2 : 1, true);                    \
    }                                                                                      \
    static void tile_1x##rows(const krn_gemm_tile *t)                                      \
    {                                                                                      \
        tile_body(t, rows, 1, rows == 1 ? 4 : rows <= 6 ? 2 : 1, false);                   \
    }                                                                                      \
    static void tile_0x##rows(const krn_gemm_tile *t)                                      \
    {                                                                                      \
        tile_body(t, rows, 2, rows == 1 ? 4 : rows <= 3 ? 2 : 1, false);                   \
    }
TILE(1)
TILE(2)
TILE(3)
TILE(4)
TILE(5)
TILE(6)
TILE(7)
TILE(8)
TILE(9)
TILE(10)
TILE(11)
TILE(12)
TILE(13)
TILE(14)

#define ROW(rows)                                                                          \
    {                                                                                      \
        tile_1x##rows, tile_0x##rows, tile_2x##rows                                        \
    }
static void (*const tiles[MR][3])(const krn_gemm_tile *) = {
    ROW(1), ROW(2), ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),
    ROW(8), ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(14),
};

static void tile_run(const krn_gemm_tile *t)
{
    tiles[t->rows - 1][t->columns == NR ? 2 : t->columns > LANES](t);
}

/* 16 x 16 cells: rows in, columns out, in four steps of shuffles. */
static inline __attribute__((always_inline)) void transpose16(__m512i r[16])
{
    __m512i t[16];
    UNROLL
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    UNROLL
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
        r[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
        r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
        r[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
    }
}

static void across16(uint32_t *dst, int width, int lanes, const uint32_t *const *rows,
                     int count, int64_t k)
{
    const __mmask16 out = lanes >= 16 ? 0xffff : (__mmask16)((1u << lanes) - 1);
    for (int64_t j = 0; j < k; j += 16) {
        const int n = (int)TW_MIN(16, k - j);
        const __mmask16 in = n == 16 ? 0xffff : (__mmask16)((1u << n) - 1);
        __m512i r[16];
        UNROLL
        for (int i = 0; i < 16; i++)
            r[i] = i < count ? _mm512_maskz_loadu_epi32(in, rows[i] + j)
                             : _mm512_setzero_si512();
        transpose16(r);
        if (n == 16) {
            UNROLL
            for (int i = 0; i < 16; i++)
                _mm512_mask_storeu_epi32(dst + (j + i) * width, out, r[i]);
        } else {
            __m512i rest[16]; /* through memory: the count is not a compile-time constant */
            memcpy(rest, r, sizeof rest);
            for (int i = 0; i < n; i++)
                _mm512_mask_storeu_epi32(dst + (j + i) * width, out, rest[i]);
        }
    }
}

static void across(uint32_t *dst, int width, const uint32_t *const *rows, int count,
                   int64_t k)
{
    for (int i = 0; i < width; i += 16)
        across16(dst + i, width, TW_MIN(16, width - i), rows + i,
                 TW_MAX(0, TW_MIN(16, count - i)), k);
}

static void along(uint32_t *dst, const char *src, ptrdiff_t step, int64_t k)
{
    for (; k > 0; k--, src += CELL * step, dst += NR) {
#if CELL == 1
        const __m512i low = _mm512_loadu_si512(src), high = _mm512_loadu_si512(src + 64);
#else /* pairs of adjacent rows */
        const __m512i a = _mm512_loadu_si512(src), b = _mm512_loadu_si512(src + step);
        const __m512i even = _mm512_unpacklo_epi16(a, b), odd = _mm512_unpackhi_epi16(a, b);
        const __m512i first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
        const __m512i second = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
        const __m512i low = _mm512_permutex2var_epi64(even, first, odd);
        const __m512i high = _mm512_permutex2var_epi64(even, second, odd);
#endif
        _mm512_storeu_si512(dst, low);
        _mm512_storeu_si512(dst + LANES, high);
    }
}
