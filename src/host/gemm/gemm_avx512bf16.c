/* gemm_avx512bf16.c: bf16 micro-kernel for AVX-512 with vdpbf16ps: two products per cell,
 * summed in f32. */
#define CELL 2
#define MULTIPLY_ADD(a, b, c) _mm512_dpbf16_ps(c, (__m512bh)(a), (__m512bh)(b))
#define TO_BF16(v) ((__m256i)_mm512_cvtneps_pbh(v))
#define STORE_BF16(to, low, high)                                                          \
    _mm512_storeu_si512(to, (__m512i)_mm512_cvtne2ps_pbh(high, low))
#include "host/gemm/gemm_avx512_tile.h"

const krn_gemm_kernels krn_gemm_avx512bf16 = {.name = "avx512bf16",
                                              .mr = MR,
                                              .nr = NR,
                                              .cell = CELL,
                                              .masked = true,
                                              .tile = tile_run,
                                              .across = across,
                                              .along = along};
