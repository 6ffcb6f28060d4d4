/* gemm_pack.c: packing of matrix operands (see gemm_pack.h), portable; the transposition
 * itself comes from the instruction set. */
#include "host/gemm/gemm_pack.h"

#include "host/strips/strip.h"
#include "support/bf16_f16.h"

/* Cells converted or copied per iteration when a line cannot be read in place. */
#define STEP 64

void krn_to_f32(const void *src, tw_dtype dtype, int64_t count, float *dst)
{
    const uint16_t *h = src;
    switch (dtype) {
    case TW_F32:
        memcpy(dst, src, (size_t)count * sizeof *dst);
        return;
    case TW_BF16:
        krn_strips()->load_bf16(h, (size_t)count, dst);
        return;
    default:
        assert(dtype == TW_F16);
        for (int64_t i = 0; i < count; i++)
            dst[i] = tw_f16_value(h[i]);
    }
}

void krn_from_f32(const float *src, int64_t count, tw_dtype dtype, void *dst)
{
    uint16_t *h = dst;
    switch (dtype) {
    case TW_F32:
        memmove(dst, src, (size_t)count * sizeof *src);
        return;
    case TW_BF16:
        krn_strips()->store_bf16(src, (size_t)count, h);
        return;
    default:
        assert(dtype == TW_F16);
        for (int64_t i = 0; i < count; i++)
            h[i] = tw_f16_nearest_even(src[i]);
    }
}

/* Converts a run of `count` elements to cells [0, cells), zero-filling the last cell. */
static void run_to_cells(const krn_gemm_kernels *kernels, const void *src, tw_dtype dtype,
                         int64_t count, uint32_t *dst)
{
    if (kernels->cell == 1) {
        krn_to_f32(src, dtype, count, (float *)dst);
        return;
    }
    assert(dtype == TW_BF16);
    if (count & 1)
        dst[count / 2] = 0;
    memcpy(dst, src, (size_t)count * 2);
}

static const char *element_at(const krn_lines *lines, int64_t line, int64_t position)
{
    return (const char *)lines->base +
           (line * lines->line_stride + position) * (int64_t)tw_dtype_size(lines->dtype);
}

void krn_pack_across(const krn_gemm_kernels *kernels, uint32_t *dst, int width,
                     const krn_lines *lines, int64_t first, int count, int64_t k0,
                     int64_t k_end)
{
    const uint32_t *rows[KRN_GEMM_MAX_NR];
    uint32_t copy[KRN_GEMM_MAX_NR][STEP];
    const int cell = kernels->cell;
    const bool native = lines->dtype == (cell == 1 ? TW_F32 : TW_BF16);

    if (native && (k_end - k0) % cell == 0) {
        for (int i = 0; i < count; i++)
            rows[i] = (const void *)element_at(lines, first + i, k0);
        kernels->across(dst, width, rows, count, (k_end - k0) / cell);
        return;
    }
    for (int64_t k = k0; k < k_end; k += STEP * cell) {
        const int64_t n = TW_MIN(STEP * cell, k_end - k);
        for (int i = 0; i < count; i++) {
            run_to_cells(kernels, element_at(lines, first + i, k), lines->dtype, n,
                         copy[i]);
            rows[i] = copy[i];
        }
        kernels->across(dst, width, rows, count, (n + cell - 1) / cell);
        dst += STEP * width;
    }
}

static void interleave(uint32_t *restrict dst, const uint16_t *restrict low,
                       const uint16_t *restrict high, int count)
{
    for (int i = 0; i < count; i++)
        dst[i] = low[i] | (uint32_t)high[i] << 16;
}

void krn_pack_along(const krn_gemm_kernels *kernels, uint32_t *dst, int width,
                    const krn_lines *lines, int64_t first, int count, int64_t k0,
                    int64_t k_end)
{
    const int64_t step = lines->line_stride * (int64_t)tw_dtype_size(lines->dtype);
    const char *src = element_at(lines, k0, first);
    const bool native = lines->dtype == (kernels->cell == 1 ? TW_F32 : TW_BF16);

    if (kernels->along && native && width == kernels->nr && count == width) {
        const int64_t whole = (k_end - k0) / kernels->cell;
        kernels->along(dst, src, step, whole);
        k0 += whole * kernels->cell;
        src += whole * kernels->cell * step;
        dst += whole * width;
    }
    if (kernels->cell == 2) {
        static const uint16_t zero[KRN_GEMM_MAX_NR];
        for (int64_t k = k0; k < k_end; k += 2, src += 2 * step, dst += width) {
            const char *high = k + 1 < k_end ? src + step : (const char *)zero;
            interleave(dst, (const uint16_t *)src, (const uint16_t *)high, count);
            memset(dst + count, 0, (size_t)(width - count) * sizeof *dst);
        }
    } else {
        for (int64_t k = k0; k < k_end; k++, src += step, dst += width) {
            krn_to_f32(src, lines->dtype, count, (float *)dst);
            memset(dst + count, 0, (size_t)(width - count) * sizeof *dst);
        }
    }
}
