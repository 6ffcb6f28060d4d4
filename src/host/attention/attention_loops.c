/* attention_loops.c: see attention_loops.h. Vectors of 16 floats, which the compiler splits
 * to the target's width; KRN_ATTENTION_LOOPS names the table that this build fills. */
#include "host/attention/attention_loops.h"

#include <math.h>

#ifndef KRN_ATTENTION_LOOPS
#define KRN_ATTENTION_LOOPS krn_attention_loops_plain
#endif

#define LANES 16

typedef float vf __attribute__((vector_size(64)));
typedef int32_t vi __attribute__((vector_size(64)));
typedef uint32_t vu __attribute__((vector_size(64)));
typedef float vf_any __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint16_t vh_any __attribute__((vector_size(32), aligned(2), may_alias));

/* Macros, since functions that take wide vectors cause notes about calling conventions. */
#define LOAD_F32(p) ((vf) * (const vf_any *)(p))
#define LOAD_BF16(p) ((vf)(__builtin_convertvector(*(const vh_any *)(p), vu) << 16))
#define PICK(mask, a, b) ((vf)(((mask) & (vi)(a)) | (~(mask) & (vi)(b))))
#define LARGER(acc, x) PICK(((x) > (acc)) | ((x) != (x)), x, acc)
#if defined(__clang__)
#define EVENS(a, b)                                                                        \
    __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODDS(a, b)                                                                         \
    __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#else
#define EVENS(a, b)                                                                        \
    __builtin_shuffle(a, b, (vi){0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30})
#define ODDS(a, b)                                                                         \
    __builtin_shuffle(a, b, (vi){1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31})
#endif
#define JOIN(a, b) (EVENS(a, b) + ODDS(a, b))

#define INLINE static inline __attribute__((always_inline))

INLINE float one_f32(const float *p)
{
    return *p;
}

INLINE float one_bf16(const uint16_t *p)
{
    const uint32_t bits = (uint32_t)*p << 16;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

INLINE float larger(float acc, float x)
{
    return x > acc || x != x ? x : acc;
}

#define SCALE_MAX(addend, one)                                                             \
    for (; j + LANES <= n; j += LANES) {                                                   \
        const vf x = LOAD_F32(row + j) * scale + addend;                                   \
        *(vf_any *)(row + j) = x;                                                          \
        all = LARGER(all, x);                                                              \
    }                                                                                      \
    for (; j < n; j++) {                                                                   \
        row[j] = row[j] * scale + one;                                                     \
        most = larger(most, row[j]);                                                       \
    }

static float scale_max(float *row, int64_t n, float scale, float shift, const float *mask,
                       const uint16_t *mask_bf16)
{
    vf all = (vf){0} - INFINITY;
    float most = -INFINITY;
    int64_t j = 0;
    if (mask) {
        SCALE_MAX(LOAD_F32(mask + j), one_f32(mask + j))
    } else if (mask_bf16) {
        SCALE_MAX(LOAD_BF16(mask_bf16 + j), one_bf16(mask_bf16 + j))
    } else {
        SCALE_MAX(shift, shift)
    }
    for (int k = 0; k < LANES; k++)
        most = larger(most, all[k]);
    return most;
}

static void scale_row(float *row, int64_t n, float factor)
{
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES)
        *(vf_any *)(row + j) = LOAD_F32(row + j) * factor;
    for (; j < n; j++)
        row[j] *= factor;
}

/* Sixteen keys at a time: their sums of lanes are added in a tree of shuffles. Keys past
 * the end repeat the last one, and their sums are dropped. */
#define DOTS(name, type, load, one)                                                        \
    static void name(const float *q, const type *keys, int64_t stride, int64_t n,          \
                     int64_t depth, float *out)                                            \
    {                                                                                      \
        for (int64_t j = 0; j < n; j += LANES) {                                           \
            vf s[LANES];                                                                   \
            float rest[LANES] = {0};                                                       \
            for (int g = 0; g < LANES; g += 4) {                                           \
                const type *k[4];                                                          \
                vf acc[4] = {{0}};                                                         \
                int64_t d = 0;                                                             \
                for (int i = 0; i < 4; i++)                                                \
                    k[i] = keys + TW_MIN(j + g + i, n - 1) * stride;                       \
                for (; d + LANES <= depth; d += LANES) {                                   \
                    const vf x = LOAD_F32(q + d);                                          \
                    for (int i = 0; i < 4; i++)                                            \
                        acc[i] += x * load(k[i] + d);                                      \
                }                                                                          \
                for (; d < depth; d++)                                                     \
                    for (int i = 0; i < 4; i++)                                            \
                        rest[g + i] += q[d] * one(k[i] + d);                               \
                for (int i = 0; i < 4; i++)                                                \
                    s[g + i] = acc[i];                                                     \
            }                                                                              \
            for (int width = LANES; width > 1; width /= 2)                                 \
                for (int i = 0; i < width / 2; i++)                                        \
                    s[i] = JOIN(s[2 * i], s[2 * i + 1]);                                   \
            s[0] += LOAD_F32(rest);                                                        \
            if (j + LANES <= n)                                                            \
                *(vf_any *)(out + j) = s[0];                                               \
            else                                                                           \
                memcpy(out + j, &s[0], (size_t)(n - j) * sizeof *out);                     \
        }                                                                                  \
    }

/* Two vectors of the depth for up to four rows. */
#define WEIGH_ROWS(type, load, rows, vectors)                                              \
    {                                                                                      \
        vf acc[4][2];                                                                      \
        for (int r = 0; r < (rows); r++)                                                   \
            for (int s = 0; s < (vectors); s++)                                            \
                acc[r][s] = LOAD_F32(out + r * out_stride + d + s * LANES);                \
        for (int64_t j = 0; j < n; j++) {                                                  \
            const type *v = values + j * stride + d;                                       \
            for (int s = 0; s < (vectors); s++) {                                          \
                const vf x = load(v + s * LANES);                                          \
                for (int r = 0; r < (rows); r++)                                           \
                    acc[r][s] += x * p[r * p_stride + j];                                  \
            }                                                                              \
        }                                                                                  \
        for (int r = 0; r < (rows); r++)                                                   \
            for (int s = 0; s < (vectors); s++)                                            \
                *(vf_any *)(out + r * out_stride + d + s * LANES) = acc[r][s];             \
    }

#define WEIGH(name, type, load, one)                                                       \
    INLINE void name##_rows(int rows, const float *p, int64_t p_stride,                    \
                            const type *values, int64_t stride, int64_t n, int64_t depth,  \
                            float *out, int64_t out_stride)                                \
    {                                                                                      \
        int64_t d = 0;                                                                     \
        for (; d + 2 * LANES <= depth; d += 2 * LANES)                                     \
            WEIGH_ROWS(type, load, rows, 2)                                                \
        for (; d + LANES <= depth; d += LANES)                                             \
            WEIGH_ROWS(type, load, rows, 1)                                                \
        for (; d < depth; d++)                                                             \
            for (int r = 0; r < rows; r++)                                                 \
                for (int64_t j = 0; j < n; j++)                                            \
                    out[r * out_stride + d] +=                                             \
                        p[r * p_stride + j] * one(values + j * stride + d);                \
    }                                                                                      \
    static void name(int rows, const float *p, int64_t p_stride, const type *values,       \
                     int64_t stride, int64_t n, int64_t depth, float *out,                 \
                     int64_t out_stride)                                                   \
    {                                                                                      \
        if (rows == 1)                                                                     \
            name##_rows(1, p, p_stride, values, stride, n, depth, out, out_stride);        \
        else if (rows == 2)                                                                \
            name##_rows(2, p, p_stride, values, stride, n, depth, out, out_stride);        \
        else if (rows == 3)                                                                \
            name##_rows(3, p, p_stride, values, stride, n, depth, out, out_stride);        \
        else                                                                               \
            name##_rows(4, p, p_stride, values, stride, n, depth, out, out_stride);        \
    }

DOTS(dots_f32, float, LOAD_F32, one_f32)
DOTS(dots_bf16, uint16_t, LOAD_BF16, one_bf16)
WEIGH(weigh_f32, float, LOAD_F32, one_f32)
WEIGH(weigh_bf16, uint16_t, LOAD_BF16, one_bf16)

const krn_attention_loops KRN_ATTENTION_LOOPS = {scale_max, scale_row, dots_f32,
                                                 dots_bf16, weigh_f32, weigh_bf16};
