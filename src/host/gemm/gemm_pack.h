/* gemm_pack.h: packs operands into the cells and panels that micro-kernels read, and
 * converts results back. */
#ifndef TILEWRIGHT_HOST_GEMM_GEMM_PACK_H
#define TILEWRIGHT_HOST_GEMM_GEMM_PACK_H

#include "host/gemm/gemm_kernel.h"
#include "tilewright/dtype.h"

/* One matrix operand: elements of `dtype` at base + line * line_stride + position, in
 * elements. */
typedef struct krn_lines {
    const void *base;
    tw_dtype dtype;
    int64_t line_stride;
} krn_lines;

/* dst[k * width + i] = cell k of line `first + i`; k runs along the lines. Lines past
 * `count` up to width and elements past k_end become zero. k0 is a multiple of the kernels'
 * cell. */
void krn_pack_across(const krn_gemm_kernels *kernels, uint32_t *dst, int width,
                     const krn_lines *lines, int64_t first, int count, int64_t k0,
                     int64_t k_end);

/* The same if line k holds element k of every row: dst[k * width + i] = element first + i
 * of line k. */
void krn_pack_along(const krn_gemm_kernels *kernels, uint32_t *dst, int width,
                    const krn_lines *lines, int64_t first, int count, int64_t k0,
                    int64_t k_end);

/* Cells of line elements given by pointers (implicit convolution): each of rows[i] points
 * to k elements in the kernels' type. */
void krn_to_f32(const void *src, tw_dtype dtype, int64_t count, float *dst);
/* To f32, bf16 or f16, nearest even. */
void krn_from_f32(const float *src, int64_t count, tw_dtype dtype, void *dst);

#endif
