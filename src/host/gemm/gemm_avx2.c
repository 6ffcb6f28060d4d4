/* gemm_avx2.c: 6 x 16 f32 micro-kernel for AVX2 with FMA: twelve accumulators, two vectors
 * of B, a cell of A. */
#include <immintrin.h>

#include "host/gemm/gemm_tile_plain.h"

#define MR 6
#define NR 16
#define LANES 8

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

static inline __attribute__((always_inline)) void tile_body(const krn_gemm_tile *t,
                                                            int rows)
{
    __m256 acc[MR][2];
    const char *a = t->a, *a3 = a + 3 * t->a_row, *b = t->b;
    const ptrdiff_t a_row = t->a_row, a_step = t->a_step, b_step = t->b_step;

    UNROLL
    for (int i = 0; i < rows; i++)
        acc[i][0] = acc[i][1] = _mm256_setzero_ps();
    for (int64_t left = t->k; left > 0; left -= t->run) {
        for (int64_t k = t->run; k > 0; k--) {
            const __m256 b0 = _mm256_loadu_ps((const float *)b);
            const __m256 b1 = _mm256_loadu_ps((const float *)b + LANES);
            UNROLL
            for (int i = 0; i < rows; i++) {
                const char *p = i < 3 ? a + i * a_row : a3 + (i - 3) * a_row;
                const __m256 x = _mm256_broadcast_ss((const float *)p);
                acc[i][0] = _mm256_fmadd_ps(x, b0, acc[i][0]);
                acc[i][1] = _mm256_fmadd_ps(x, b1, acc[i][1]);
            }
            a += a_step;
            a3 += a_step;
            b += b_step;
        }
        a += t->a_jump;
        a3 += t->a_jump;
    }
    if (t->columns < NR || (t->flags & ~KRN_TILE_ADD)) {
        float sums[MR * NR];
        UNROLL
        for (int i = 0; i < rows; i++) {
            _mm256_storeu_ps(sums + i * NR, acc[i][0]);
            _mm256_storeu_ps(sums + i * NR + LANES, acc[i][1]);
        }
        krn_tile_finish(t, sums, NR);
        return;
    }
    float *c = t->c;
    UNROLL
    for (int i = 0; i < rows; i++, c += t->c_row) {
        if (t->flags & KRN_TILE_ADD) {
            acc[i][0] = _mm256_add_ps(acc[i][0], _mm256_loadu_ps(c));
            acc[i][1] = _mm256_add_ps(acc[i][1], _mm256_loadu_ps(c + LANES));
        }
        _mm256_storeu_ps(c, acc[i][0]);
        _mm256_storeu_ps(c + LANES, acc[i][1]);
    }
}

#define TILE(rows)                                                                         \
    static void tile_##rows(const krn_gemm_tile *t)                                        \
    {                                                                                      \
        tile_body(t, rows);                                                                \
    }
TILE(1)
TILE(2)
TILE(3)
TILE(4)
TILE(5)
TILE(6)

static void (*const tiles[MR])(const krn_gemm_tile *) = {tile_1, tile_2, tile_3,
                                                         tile_4, tile_5, tile_6};

static void tile_run(const krn_gemm_tile *t)
{
    tiles[t->rows - 1](t);
}

/* 8 x 8 cells: rows in, columns out. */
static inline __attribute__((always_inline)) void transpose8(__m256 r[8])
{
    __m256 t[8];
    UNROLL
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    UNROLL
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        t[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
        t[i + 4] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
    }
    UNROLL
    for (int i = 0; i < 8; i++)
        r[i] = t[i];
}

static void across8(uint32_t *dst, int width, int lanes, const uint32_t *const *rows,
                    int count, int64_t k)
{
    int64_t j = 0;
    for (; j + 8 <= k; j += 8) {
        __m256 r[8];
        UNROLL
        for (int i = 0; i < 8; i++)
            r[i] = i < count ? _mm256_loadu_ps((const float *)(rows[i] + j))
                             : _mm256_setzero_ps();
        transpose8(r);
        if (lanes == 8) {
            UNROLL
            for (int i = 0; i < 8; i++)
                _mm256_storeu_ps((float *)(dst + (j + i) * width), r[i]);
        } else {
            float kept[8][8];
            UNROLL
            for (int i = 0; i < 8; i++)
                _mm256_storeu_ps(kept[i], r[i]);
            for (int i = 0; i < 8; i++)
                memcpy(dst + (j + i) * width, kept[i], (size_t)lanes * sizeof *dst);
        }
    }
    for (; j < k; j++)
        for (int i = 0; i < lanes; i++)
            dst[j * width + i] = i < count ? rows[i][j] : 0;
}

static void across(uint32_t *dst, int width, const uint32_t *const *rows, int count,
                   int64_t k)
{
    for (int i = 0; i < width; i += 8)
        across8(dst + i, width, TW_MIN(8, width - i), rows + i,
                TW_MAX(0, TW_MIN(8, count - i)), k);
}

/* Rows of B that are not packed are a page apart or more: with sixteen rows the hardware
 * prefetcher fetches the lines of the next tiles (4096 x 4096, GFLOP/s with 512 rows and
 * with 16: one row of A 1.8 and 5.0, four 6.9 and 15, 24 21 and 36). */
const krn_gemm_kernels krn_gemm_avx2 = {.name = "avx2",
                                        .mr = MR,
                                        .nr = NR,
                                        .cell = 1,
                                        .rows_in_place = 16,
                                        .tile = tile_run,
                                        .across = across};
