/* gemm_core.h: blocked product of a pair of matrices, for krn_gemm_run, krn_conv_run. */
#ifndef TILEWRIGHT_HOST_GEMM_GEMM_CORE_H
#define TILEWRIGHT_HOST_GEMM_GEMM_CORE_H

#include "host/gemm/gemm.h"
#include "host/gemm/gemm_pack.h"

/* Packs elements [k0, k_end) of `count` rows from `row` on: dst[cell * count + i]. */
typedef void (*krn_pack_rows_fn)(const void *context, const krn_gemm_kernels *kernels,
                                 uint32_t *dst, int64_t row, int count, int64_t k0,
                                 int64_t k_end);
/* Maximum cells of a block of k. */
#define KRN_GEMM_KC_CELLS 512

/* Consumes a finished block of f32 sums, with `row_stride` floats per row. */
typedef void (*krn_block_fn)(const void *context, float *block, int64_t row_stride,
                             int64_t row, int64_t rows, int64_t column, int64_t columns);

typedef struct krn_gemm_core {
    const krn_gemm_kernels *kernels;
    int64_t k, kc, ks; /* in elements: all, a block, the blocks packed together; multiples
                        * of the cell */

    /* Rows read in place, a_row bytes apart, their cells a_step (0: 4). Rows are grouped in
     * lines of `line` (0: all are one line); line_at returns the address of a line's row 0
     * at element k0 of k. Without line_at: at `a`; without both: pack_rows. */
    const char *a;
    ptrdiff_t a_row, a_step;
    int64_t line;
    const char *(*line_at)(const void *context, int64_t line, int64_t k0);
    const void *line_context;
    int64_t run;     /* elements of k that lie together; 0: all do */
    ptrdiff_t a_run; /* bytes between runs; 0: they differ, so that blocks of k end there */
    krn_pack_rows_fn pack_rows;
    const void *pack_context;

    const char *b; /* panel j at b + j * b_panel, its cells b_step bytes apart */
    ptrdiff_t b_panel, b_step;

    float *c; /* of row 0, column 0; NULL: sums go to scratch and from there to `finish` or
               * c16 */
    int64_t c_row;
    uint16_t *c16; /* bf16 result rounded by the micro-kernel */
    int64_t c16_row;
    /* Rows of c (c16) are c_row (c16_row) apart within a line only: the address of a line's
     * row 0, column 0. NULL: all are. */
    char *(*out_line_at)(const void *context, int64_t line);
    krn_block_fn finish;
    const void *finish_context;

    const float *scale, *bias;        /* of columns; NULL: 1, 0 */
    bool relu, six;                   /* max(x, 0), then min(x, 6) */
    bool add;                         /* to the contents of c, which is not NULL */
    const struct tw_threadpool *pool; /* its cancellation ends a block early */
} krn_gemm_core;

/* Rows [row, row + rows) by columns [column, column + columns); column is a multiple of nr.
 * a_pack: rows * ks cells (with pack_rows); c_block: rows * columns floats (if c is NULL
 * and sums are kept between k blocks or finished). */
void krn_gemm_block(const krn_gemm_core *core, int64_t row, int64_t rows, int64_t column,
                    int64_t columns, uint32_t *a_pack, float *c_block);

/* Block sizes of a product: the largest block of rows, of columns and of k (elements), from
 * the machine's cache sizes and the number of threads. block_c: a block of sums is kept in
 * scratch. */
typedef struct krn_gemm_cut {
    int64_t mc, nc, kc, ks;
} krn_gemm_cut;
krn_gemm_cut krn_gemm_choose_cut(const krn_gemm_kernels *kernels, int64_t batches,
                                 int64_t m, int64_t n, int64_t k, int threads,
                                 bool block_c);

/* The kernels for cells of f32, or of bf16 pairs (NULL if the machine has none). */
const krn_gemm_kernels *krn_gemm_kernels_f32(void);
const krn_gemm_kernels *krn_gemm_kernels_bf16(void);

/* krn_gemm_prepare with kernels of the caller's choice, for tests: bf16 may be NULL. */
TW_NODISCARD tw_status krn_gemm_prepare_for(const krn_gemm_desc *desc,
                                            const krn_gemm_kernels *f32,
                                            const krn_gemm_kernels *bf16,
                                            krn_gemm_plan *out_plan);

/* Packs B (k lines of n, or n lines of k if transposed) into panels of k_cells * nr cells.
 */
void krn_gemm_pack_panels(const krn_gemm_kernels *kernels, const krn_lines *b,
                          bool transposed, int64_t k, int64_t n, int64_t panel,
                          int64_t panel_end, void *packed);

#endif
