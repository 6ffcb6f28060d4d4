/* conv_winograd_loops.h: the transformations of Winograd's convolution F(2x2, 3x3), built
 * once per instruction set.
 *
 * A tile of 2x2 results needs 4x4 inputs. Both sides are transformed so that 16 products
 * replace 36 (Lavin and Gray, "Fast algorithms for convolutional neural networks", 2016):
 *
 *     results = A' [(G w G') * (B' in B)] A
 *
 * The sum of the same products over all results is the gradient of the weights, so that,
 * for 2x2 parts p of a window, 3x3 results are
 *
 *     results = G' [(A p A') * (B' in B)] G
 *
 * Index 4 * row + column numbers the 16 elements of a transformed tile. */
#ifndef TILEWRIGHT_HOST_CONV_CONV_WINOGRAD_LOOPS_H
#define TILEWRIGHT_HOST_CONV_CONV_WINOGRAD_LOOPS_H

#include "support/base.h"

/* Elements along a side: of transformed tiles, of windows and the gradient's results, of
 * tiles of results and the gradient's parts. */
enum { KRN_WINOGRAD_SIDE = 4, KRN_WINOGRAD_WINDOW = 3, KRN_WINOGRAD_TILE = 2 };

typedef struct krn_winograd_finish {
    const float *scale, *bias; /* of the channels; NULL: 1, 0 */
    float floor, ceiling;      /* of results; NaN stays */
} krn_winograd_finish;

typedef struct krn_winograd_loops {
    /* to[i * to_step + c] = element i of B' in B, for in[4 * y + x][c], c < n. */
    void (*input)(const float *const *in, float *to, int64_t to_step, int64_t n);
    /* to[i * to_step + j] = element i of G w G', for tap 3 * y + x at w[(3 * y + x) *
     * w_step
     * + j], j < n. */
    void (*weights)(const float *w, int64_t w_step, float *to, int64_t to_step, int64_t n);
    /* out[2 * y + x][c] = element (y, x) of A' m A, for m[i * m_step + c], then scaled,
     * shifted and limited. Returns false if a result is infinite or no number. */
    bool (*output)(const krn_winograd_finish *finish, const float *m, int64_t m_step,
                   float *const *out, int64_t n);
    /* to[i * to_step + c] = element i of A p A', for part[2 * y + x][c], c < n. */
    void (*part)(const float *const *part, float *to, int64_t to_step, int64_t n);
    /* to[(3 * y + x) * to_step + c] = element (y, x) of G' m G, for m[i * m_step + c], c <
     * n, a multiple of 16. Returns false if a result is infinite or no number. */
    bool (*part_results)(const float *m, int64_t m_step, float *to, int64_t to_step,
                         int64_t n);
} krn_winograd_loops;

extern const krn_winograd_loops krn_winograd_loops_plain;
extern const krn_winograd_loops krn_winograd_loops_avx2;
extern const krn_winograd_loops krn_winograd_loops_avx512;

/* The best for this machine. */
const krn_winograd_loops *krn_winograd_loops_best(void);

#endif
