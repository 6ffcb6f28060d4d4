/* gemm_kernel.h: the interface between an instruction set and the packed matrix product.
 *
 * A micro-kernel multiplies 32-bit cells: one float, or two bf16 of adjacent k. "k" below
 * counts cells. B is in panels of nr columns, cell (k, j) of a panel at k * nr + j (or as
 * rows of the caller's matrix); A is in panels of up to mr rows, cell (i, k) at k * rows +
 * i (or as rows of the caller's matrix): the kernel takes both strides. */
#ifndef TILEWRIGHT_HOST_GEMM_GEMM_KERNEL_H
#define TILEWRIGHT_HOST_GEMM_GEMM_KERNEL_H

#include "support/base.h"

#define KRN_GEMM_MAX_MR 14
#define KRN_GEMM_MAX_NR 64

enum {
    KRN_TILE_ADD = 1,    /* add to the contents of c */
    KRN_TILE_BIAS = 2,   /* then add bias[j] */
    KRN_TILE_RELU = 4,   /* then max(x, 0) */
    KRN_TILE_BF16 = 8,   /* then round to bf16 into c16 instead of c */
    KRN_TILE_SCALE = 16, /* before the bias: multiply by scale[j] */
    KRN_TILE_SIX = 32,   /* after RELU: min(x, 6) */
};

typedef struct krn_gemm_tile {
    const char *a;
    ptrdiff_t a_row, a_step; /* bytes between rows and between cells of k */
    int64_t run;             /* cells of k, after each of which A goes a_jump bytes on */
    ptrdiff_t a_jump;
    const char *b;
    ptrdiff_t b_step; /* bytes between cells of k */
    int64_t k;
    const char *ahead; /* prefetched meanwhile: ahead_step bytes per cell of k */
    ptrdiff_t ahead_step;
    float *c; /* may be NULL if neither read nor written */
    ptrdiff_t c_row;
    uint16_t *c16;
    ptrdiff_t c16_row; /* elements */
    const float *bias, *scale;
    int rows, columns; /* 1..mr, 1..nr */
    unsigned flags;
} krn_gemm_tile;

/* Transposes: dst[j * width + i] = cell j of rows[i], j < k; i in [count, width) becomes
 * zero. */
typedef void (*krn_cells_across_fn)(uint32_t *dst, int width, const uint32_t *const *rows,
                                    int count, int64_t k);

/* One panel of nr columns: dst[k * nr + j] = cell (k, j) of rows in the kernels' element
 * type, `step` bytes apart; k cells, each of `cell` rows. */
typedef void (*krn_cells_along_fn)(uint32_t *dst, const char *src, ptrdiff_t step,
                                   int64_t k);

typedef struct krn_gemm_kernels {
    const char *name;
    int mr, nr;
    int cell;          /* elements of k in a cell: 1 (f32) or 2 (bf16) */
    bool masked;       /* reads only the requested columns, also from rows that end there */
    int rows_in_place; /* rows of B at a time if they are not packed; 0: any number */
    void (*tile)(const krn_gemm_tile *tile);
    krn_cells_across_fn across;
    krn_cells_along_fn along; /* NULL: uses portable code */
} krn_gemm_kernels;

/* NULL if the build's target lacks the instructions. */
extern const krn_gemm_kernels krn_gemm_plain;
extern const krn_gemm_kernels krn_gemm_avx2;
extern const krn_gemm_kernels krn_gemm_avx512;
extern const krn_gemm_kernels krn_gemm_avx512bf16;

#endif
