/* pool_loops.h: channel loops of depthwise convolution and pooling, built once per
 * instruction set.
 *
 * Each takes `taps` pointers to `channels` contiguous values and combines them channel by
 * channel. */
#ifndef TILEWRIGHT_HOST_POOL_POOL_LOOPS_H
#define TILEWRIGHT_HOST_POOL_POOL_LOOPS_H

#include "support/base.h"

typedef enum krn_loop_kind { KRN_LOOP_SUM, KRN_LOOP_MAX, KRN_LOOP_MIN } krn_loop_kind;

typedef struct krn_pool_line {
    int64_t pixels, in_step, out_step, taps, channels;
    const float *start;
    float floor, ceiling;
} krn_pool_line;

typedef struct krn_pool_loops {
    /* out[x * out_step + c] = start[c] + sum over t of in[t][x * in_step + c] *
     * weights[t][c] for `pixels` values of x, limited to [floor, ceiling] (NaN stays);
     * start may be NULL. */
    void (*weighted_f32)(const krn_pool_line *line, const float *const *in,
                         const float *const *weights, float *out);
    void (*weighted_bf16)(const krn_pool_line *line, const uint16_t *const *in,
                          const float *const *weights, float *out);
    /* out[c] = scale * combination over t of in[t][c], beginning with `start`. */
    void (*pool_f32)(krn_loop_kind kind, float *out, const float *const *in, int64_t taps,
                     int64_t channels, float start, float scale);
    void (*pool_bf16)(krn_loop_kind kind, float *out, const uint16_t *const *in,
                      int64_t taps, int64_t channels, float start, float scale);
} krn_pool_loops;

extern const krn_pool_loops krn_pool_loops_plain;
extern const krn_pool_loops krn_pool_loops_avx2;
extern const krn_pool_loops krn_pool_loops_avx512;

/* The best for this machine. */
const krn_pool_loops *krn_pool_loops_best(void);

#endif
