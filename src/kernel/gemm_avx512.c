/* gemm_avx512.c: f32 micro-kernel for AVX-512. */
#define MULTIPLY_ADD(a, b, c) _mm512_fmadd_ps(a, b, c)
#include "kernel/gemm_avx512_tile.h"

const krn_gemm_kernels krn_gemm_avx512 = {
    .name = "avx512", .mr = MR, .nr = NR, .cell = 1, .tile = tile_run, .across = across};
