/* gemm_plain.c: the micro-kernel in vectors of four floats that gcc and clang compile to
 * SSE2, NEON or the target's equivalent: 8 x 8 with 32 registers, 4 x 8 with 16. */
#include "host/gemm/gemm_tile_plain.h"

#if defined(__aarch64__)
#define MR 8
#else
#define MR 4
#endif
#define NR 8

typedef float v4 __attribute__((vector_size(16), aligned(4), may_alias));

static inline __attribute__((always_inline)) void tile_body(const krn_gemm_tile *t,
                                                            int rows)
{
    v4 acc[MR][2] = {{{0}}};
    const char *a = t->a, *b = t->b;

    for (int64_t left = t->k; left > 0; left -= t->run, a += t->a_jump)
        for (int64_t k = t->run; k > 0; k--, a += t->a_step, b += t->b_step) {
            const v4 b0 = *(const v4 *)b, b1 = *(const v4 *)(b + 16);
            for (int i = 0; i < rows; i++) {
                const float x = *(const float *)(a + i * t->a_row);
                acc[i][0] += x * b0;
                acc[i][1] += x * b1;
            }
        }
    krn_tile_finish(t, (const float *)acc, NR);
}

static void tile_run(const krn_gemm_tile *t)
{
    if (t->rows == MR)
        tile_body(t, MR);
    else
        tile_body(t, t->rows);
}

static void across(uint32_t *dst, int width, const uint32_t *const *rows, int count,
                   int64_t k)
{
    for (int64_t j = 0; j < k; j++, dst += width) {
        for (int i = 0; i < count; i++)
            memcpy(dst + i, rows[i] + j, sizeof *dst);
        for (int i = count; i < width; i++)
            dst[i] = 0;
    }
}

const krn_gemm_kernels krn_gemm_plain = {
    .name = "plain", .mr = MR, .nr = NR, .cell = 1, .tile = tile_run, .across = across};
