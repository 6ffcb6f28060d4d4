/* gemm_tile_plain.h: the epilogue of a tile for instruction sets without masks. */
#ifndef TILEWRIGHT_HOST_GEMM_GEMM_TILE_PLAIN_H
#define TILEWRIGHT_HOST_GEMM_GEMM_TILE_PLAIN_H

#include "host/gemm/gemm_kernel.h"
#include "support/bf16_f16.h"

/* sums: t->rows rows of nr floats. */
static inline void krn_tile_finish(const krn_gemm_tile *t, const float *sums, int nr)
{
    for (int i = 0; i < t->rows; i++) {
        for (int j = 0; j < t->columns; j++) {
            float v = sums[i * nr + j];
            if (t->flags & KRN_TILE_ADD)
                v += t->c[i * t->c_row + j];
            if (t->flags & KRN_TILE_SCALE)
                v *= t->scale[j];
            if (t->flags & KRN_TILE_BIAS)
                v += t->bias[j];
            if (t->flags & KRN_TILE_RELU)
                v = v < 0 ? 0 : v;
            if (t->flags & KRN_TILE_SIX)
                v = v > 6 ? 6 : v;
            if (t->flags & KRN_TILE_BF16)
                t->c16[i * t->c16_row + j] = tw_bf16_nearest_even(v);
            else
                t->c[i * t->c_row + j] = v;
        }
    }
}

#endif
