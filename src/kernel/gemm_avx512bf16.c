/* gemm_avx512bf16.c: bf16 micro-kernel for AVX-512 with vdpbf16ps: two products a cell,
 * summed in f32. */
#define MULTIPLY_ADD(a, b, c) _mm512_dpbf16_ps(c, (__m512bh)(a), (__m512bh)(b))
#include "kernel/gemm_avx512_tile.h"

const krn_gemm_kernels krn_gemm_avx512bf16 = {.name = "avx512bf16",
                                              .mr = MR,
                                              .nr = NR,
                                              .cell = 2,
                                              .tile = tile_run,
                                              .across = across};
