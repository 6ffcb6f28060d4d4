/* pool_loops.h: channel loops of depthwise convolution and pooling, built once per
 * instruction set.
 *
 * Each takes `taps` pointers to `channels` contiguous values and combines them channel by
 * channel. */
#ifndef TILEWRIGHT_HOST_POOL_POOL_LOOPS_H
#define TILEWRIGHT_HOST_POOL_POOL_LOOPS_H

#include "support/base.h"

typedef enum krn_loop_kind { KRN_LOOP_SUM, KRN_LOOP_MAX, KRN_LOOP_MIN } krn_loop_kind;

typedef struct krn_pool_loops {
    /* out[c] = start[c] + sum over t of in[t][c] * weights[t][c]; start may be NULL. */
    void (*weighted_f32)(float *out, const float *const *in, const float *const *weights,
                         int64_t taps, int64_t channels, const float *start, bool relu);
    void (*weighted_bf16)(float *out, const uint16_t *const *in,
                          const float *const *weights, int64_t taps, int64_t channels,
                          const float *start, bool relu);
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
