/* strip.h: element-wise functions on strips of f32, one set for each instruction set.
 *
 * A function reads up to eight strips and writes one; input and output may be the same
 * memory or disjoint, never overlap otherwise.  Strips are short enough to stay in the
 * first-level cache (KRN_STRIP elements).
 *
 * Accuracy (largest error over all f32 inputs, against a wide-precision reference;
 * tests/unit/test_strip.c): +, -, *, /, sqrt, comparisons: correctly rounded; remainder (of
 * the divisor's sign): exact, or rounded once;
 * cbrt, pow: 1 ulp; cosh: 3 ulp; exp, expm1, log, log1p, sin, cos: 2 ulp; tan, asin, acos,
 * atan, atan2, asinh, tanh, sigmoid, erfc, softplus: 4 ulp; mish: 6 ulp; erf: 8 ulp; gelu:
 * |x| * 2^-22; the derivatives of gelu (gelu_bw, gelu_tanh_bw): 2^-20 for a gradient of 1.
 * NaN goes through, infinities and signed zeros as C99 Annex F says; maximum and minimum
 * hand NaN on. */
#ifndef TILEWRIGHT_HOST_STRIPS_STRIP_H
#define TILEWRIGHT_HOST_STRIPS_STRIP_H

#include "host/isa.h"
#include "support/base.h"

enum { KRN_STRIP = 256, KRN_ROW_STEP = 32 };

typedef enum krn_strip_id {
    KRN_STRIP_none = -1,
#define STRIP(name, ...) KRN_STRIP_##name,
#define STRIP_OWN(name) KRN_STRIP_##name,
#include "host/strips/strips.def"
    KRN_STRIP_COUNT
} krn_strip_id;

/* args: the function's numbers (bounds of clamp_scalar, slope of leaky_relu,
 * exponent of pow_scalar, factor of exp_pair). */
typedef void krn_strip_function(const float *const *in, float *out, size_t n,
                                const float *args);

typedef void krn_norm_next(const float *from, size_t n, float scale, float shift,
                           const float *weight, const float *bias, float *to,
                           const float *next, double *mean, double *square);

typedef double krn_exp_sum_send(const float *from, size_t n, float shift, float *row,
                                const float *next, float *next_max, float scale,
                                float *out);

typedef void krn_strip_bf16(const uint16_t *const *in, size_t n, uint16_t *to,
                            const float *args);

typedef struct krn_strip_set {
    const char *isa; /* "avx512", "avx2", "plain" */
    krn_strip_function *fn[KRN_STRIP_COUNT];
    krn_strip_function *rounded[KRN_STRIP_COUNT]; /* to bf16; NULL: not at once */
    void (*load_bf16)(const uint16_t *from, size_t n, float *to);
    void (*store_bf16)(const float *from, size_t n, uint16_t *to);
    float (*sum)(const float *from, size_t n);  /* pairwise over lanes */
    float (*max)(const float *from, size_t n);  /* NaN is ignored */
    float (*most)(const float *from, size_t n); /* NaN propagates */
    float (*least)(const float *from, size_t n);
    void (*add_to)(const float *from, size_t n, double *sums); /* sums[i] += from[i] */
    /* From bf16 to bf16 without strips of f32 between; NULL: not at once. */
    krn_strip_bf16 *bf16[KRN_STRIP_COUNT];
    /* The same with results past the caches, which begin with a line of theirs (64 bytes);
     * NULL: not at once. */
    krn_strip_function *streamed[KRN_STRIP_COUNT];
    krn_strip_bf16 *streamed_halves[KRN_STRIP_COUNT];
    /* A copy past the caches; what others are to read needs the fence behind it. */
    void (*stream)(const void *from, size_t bytes, void *to);
    void (*fence)(void);
    /* Rows.  The mean, and the sum of squares about it, or about 0; the sum of exp(x -
     * shift), which is not above 1, and these numbers, each within 5 ulp.  Meanwhile the
     * largest number of the next row is found: memory brings it while exp is computed. */
    void (*moments)(const float *from, size_t n, double *mean, double *square);
    double (*squares)(const float *from, size_t n);
    double (*exp_sum)(const float *from, size_t n, float shift, float *to,
                      const float *next, float *next_max);
    /* (x * scale + shift) * weight + bias; without weight (bias) these are 1 (0). */
    void (*norm)(const float *from, size_t n, float scale, float shift, const float *weight,
                 const float *bias, float *to);
    /* The same, n being a multiple of 64, and what stood in `row` before is scaled and
     * written past the caches, from the beginning of a cache line on: for what the caches
     * hold, and for more.  NULL: not in this set. */
    krn_exp_sum_send *exp_sum_send[2];
    /* The same past the caches, where the instruction set and the address allow it. */
    void (*norm_stream)(const float *from, size_t n, float scale, float shift,
                        const float *weight, const float *bias, float *to);
    /* The same, and meanwhile the moments of the next row; n is a multiple of 64, `to` of
     * the second begins with a line of the cache.  NULL: not at once. */
    krn_norm_next *norm_next, *norm_next_stream;
    void (*norm_bf16)(const float *from, size_t n, float scale, float shift,
                      const float *weight, const float *bias, uint16_t *to);
    /* The same for rows of bf16.  What exp_sum_bf16 leaves to scale_to_bf16, and weight
     * and bias of norm_of_bf16, which `arrange` has brought there, are in an order of the
     * set's own, in room for a multiple of KRN_ROW_STEP floats. */
    void (*arrange)(const float *from, size_t n, float *to);
    float (*max_bf16)(const uint16_t *from, size_t n);
    void (*moments_bf16)(const uint16_t *from, size_t n, double *mean, double *square);
    double (*squares_bf16)(const uint16_t *from, size_t n);
    double (*exp_sum_bf16)(const uint16_t *from, size_t n, float shift, float *to,
                           const uint16_t *next, float *next_max);
    void (*scale_to_bf16)(const float *from, size_t n, float scale, uint16_t *to);
    void (*norm_of_bf16)(const uint16_t *from, size_t n, float scale, float shift,
                         const float *weight, const float *bias, uint16_t *to);
} krn_strip_set;

/* The chosen set (isa.h), and that of one instruction set. */
const krn_strip_set *krn_strips(void);
const krn_strip_set *krn_strips_of(krn_isa isa);

#endif
