/* pool.h: window reductions and upsampling.
 *
 * krn_window: reduce_window on any rank up to 8 (StableHLO's, with base dilation), which
 * also covers max_pool2d, avg_pool2d, sum pooling and cumulative sums; NHWC pooling is the
 * fast path. Plans are plain values; run allocates nothing; in and out may not overlap. */
#ifndef TILEWRIGHT_HOST_POOL_POOL_H
#define TILEWRIGHT_HOST_POOL_POOL_H

#include "host/shape.h"
#include "support/status.h"
#include "tilewright/dtype.h"

struct tw_threadpool;

typedef enum krn_window_kind {
    KRN_WINDOW_SUM,
    KRN_WINDOW_MAX, /* NaN propagates */
    KRN_WINDOW_MIN,
    KRN_WINDOW_MUL,
    KRN_WINDOW_AND, /* bitwise for integers; bool */
    KRN_WINDOW_OR,
    KRN_WINDOW_MEAN,        /* floats: sum / window elements, padding counted */
    KRN_WINDOW_MEAN_INSIDE, /* floats: sum / window elements that are not padding */
} krn_window_kind;

typedef struct krn_window_desc {
    tw_dtype dtype; /* f32, bf16, f16 (computed in f32), f64, integers, bool */
    krn_window_kind kind;
    int rank;
    int64_t shape[KRN_MAX_RANK];
    int64_t window[KRN_MAX_RANK];
    int64_t stride[KRN_MAX_RANK];
    int64_t dilation[KRN_MAX_RANK];
    int64_t base_dilation[KRN_MAX_RANK];
    int64_t pad_low[KRN_MAX_RANK], pad_high[KRN_MAX_RANK]; /* negative crops */
    bool ceil_mode; /* torch's rule: round the output size up, drop a last window that would
                       start beyond in + pad_low; MEAN counts padding up to pad_high only */
    /* Start value: the kind's identity (-inf for float max, ...) unless has_init. */
    bool has_init;
} krn_window_desc;

/* Strides, dilations 1, window 1, padding 0. */
void krn_window_desc_init(krn_window_desc *out_desc, tw_dtype dtype, krn_window_kind kind,
                          int rank, const int64_t *shape);

typedef struct krn_window_plan {
    krn_window_desc desc;
    int64_t out_shape[KRN_MAX_RANK];
    int64_t out_count;
    int path; /* internal */
} krn_window_plan;

TW_NODISCARD tw_status krn_window_prepare(const krn_window_desc *desc,
                                          krn_window_plan *out_plan);

/* init: one element of the dtype if desc.has_init, else NULL. */
void krn_window_run(const krn_window_plan *plan, const void *in, const void *init,
                    void *out, struct tw_threadpool *pool);

/* max_pool2d with the flat position h * w_size + w of the first maximum (int32) in the
 * unpadded plane; a plan of kind MAX, rank 4 (NHWC), window on axes 1 and 2. */
void krn_max_pool2d_indices(const krn_window_plan *plan, const void *in, void *out,
                            int32_t *out_indices, struct tw_threadpool *pool);

/* Mean over the middle axis of [outer][inner][channels] (global average pooling of NHWC has
 * inner = h * w). f32, bf16; TW_UNSUPPORTED otherwise. */
TW_NODISCARD tw_status krn_mean_middle(tw_dtype dtype, int64_t outer, int64_t inner,
                                       int64_t channels, const void *in, void *out,
                                       struct tw_threadpool *pool);

typedef enum krn_upsample_mode {
    KRN_UPSAMPLE_NEAREST,
    KRN_UPSAMPLE_BILINEAR
} krn_upsample_mode;

typedef struct krn_upsample_plan {
    tw_dtype dtype;
    krn_upsample_mode mode;
    int64_t n, h, w, c, scale_h, scale_w;
} krn_upsample_plan;

/* NHWC by integer factors; bilinear samples at (i + 0.5) / s - 0.5, clamped (align_corners
 * false); nearest takes any element type, bilinear f32, bf16, f16. */
TW_NODISCARD tw_status krn_upsample_prepare(tw_dtype dtype, krn_upsample_mode mode,
                                            int64_t n, int64_t h, int64_t w, int64_t c,
                                            int64_t scale_h, int64_t scale_w,
                                            krn_upsample_plan *out_plan);
void krn_upsample_run(const krn_upsample_plan *plan, const void *in, void *out,
                      struct tw_threadpool *pool);

#endif
