/* gemm_avx512.c: f32 micro-kernel for AVX-512. */
#include <immintrin.h>

/* Nearest even; NaN keeps its sign and becomes quiet. */
static inline __attribute__((always_inline)) __m256i to_bf16(__m512 v)
{
    const __m512i bits = _mm512_castps_si512(v);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i near =
        _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    const __m512i quiet = _mm512_mask_or_epi32(near, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q),
                                               bits, _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(quiet, 16));
}

#define CELL 1
#define MULTIPLY_ADD(a, b, c) _mm512_fmadd_ps(a, b, c)
#define TO_BF16(v) to_bf16(v)
#define STORE_BF16(to, low, high)                                                          \
    do {                                                                                   \
        _mm256_storeu_si256((__m256i *)(to), to_bf16(low));                                \
        _mm256_storeu_si256((__m256i *)((to) + LANES), to_bf16(high));                     \
    } while (0)
#include "host/gemm/gemm_avx512_tile.h"

const krn_gemm_kernels krn_gemm_avx512 = {.name = "avx512",
                                          .mr = MR,
                                          .nr = NR,
                                          .cell = CELL,
                                          .masked = true,
                                          .tile = tile_run,
                                          .across = across,
                                          .along = along};
