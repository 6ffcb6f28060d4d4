/* attention_loops.h: the vector loops of attention, built once per instruction set. */
#ifndef TILEWRIGHT_HOST_ATTENTION_ATTENTION_LOOPS_H
#define TILEWRIGHT_HOST_ATTENTION_ATTENTION_LOOPS_H

#include "support/base.h"

/* Rows that krn_attention_loops.weigh_* takes at most. */
enum { KRN_ATTENTION_TOGETHER = 4 };

typedef struct krn_attention_loops {
    /* row[j] = row[j] * scale + shift + mask[j] (at most one of the masks is not NULL);
     * returns the maximum, NaN if there is one, -infinity for n == 0. */
    float (*scale_max)(float *row, int64_t n, float scale, float shift, const float *mask,
                       const uint16_t *mask_bf16);
    /* row[j] *= factor. */
    void (*scale)(float *row, int64_t n, float factor);
    /* out[j] = dot product of q and the key at keys + j * stride. */
    void (*dots_f32)(const float *q, const float *keys, int64_t stride, int64_t n,
                     int64_t depth, float *out);
    void (*dots_bf16)(const float *q, const uint16_t *keys, int64_t stride, int64_t n,
                      int64_t depth, float *out);
    /* out[r][d] += sum over j < n of p[r][j] * values[j * stride + d] for `rows` rows, at
     * most KRN_ATTENTION_TOGETHER. */
    void (*weigh_f32)(int rows, const float *p, int64_t p_stride, const float *values,
                      int64_t stride, int64_t n, int64_t depth, float *out,
                      int64_t out_stride);
    void (*weigh_bf16)(int rows, const float *p, int64_t p_stride, const uint16_t *values,
                       int64_t stride, int64_t n, int64_t depth, float *out,
                       int64_t out_stride);
} krn_attention_loops;

extern const krn_attention_loops krn_attention_loops_plain;
extern const krn_attention_loops krn_attention_loops_avx2;
extern const krn_attention_loops krn_attention_loops_avx512;

/* The best for this machine. */
const krn_attention_loops *krn_attention_loops_best(void);

#endif
