/* conv.h: convolutions of any rank up to 3 spatial axes, forward and transposed, as
 * StableHLO defines them; NHWC with packed weights is the fast path.
 *
 *   out[b, o, p] = act(bias[o] + sum over taps t and channels c of
 *       in[b, c, (p * stride + t * dilation - pad_low) / input_dilation] * w[o, c, t])
 *
 * with zero where the position is outside or not a multiple of input_dilation.
 * Cross-correlation; `reverse` flips a window axis. Groups: feature_groups splits input and
 * output channels; batch_groups (StableHLO) splits the batch and the output channels.
 *
 * Axes: a layout maps the dimensions of each tensor to roles, so NHWC, NCHW, HWIO, OIHW,
 * ... are all the same call. krn_conv_desc_nhwc fills the usual case. A transposed
 * convolution is input_dilation = stride with flipped weights: krn_conv_transpose_desc does
 * that arithmetic.
 *
 * Types: in and weights f32, bf16, f16 (accumulated in f32) -> f32, bf16, f16; f64 -> f64;
 * integers of one type -> that type, i32 or i64 (accumulated in 64 bits, wrapped). Plans
 * are plain values; the caller owns every buffer; running allocates nothing. */
#ifndef TILEWRIGHT_HOST_CONV_CONV_H
#define TILEWRIGHT_HOST_CONV_CONV_H

#include "host/gemm/gemm.h"
#include "host/move/move.h"

#define KRN_CONV_MAX_SPATIAL 3

/* Dimension indices of one tensor. For weights `batch` is the input feature, `feature` the
 * output feature. */
typedef struct krn_conv_layout {
    int batch, feature;
    int spatial[KRN_CONV_MAX_SPATIAL];
} krn_conv_layout;

typedef struct krn_conv_desc {
    int spatial_rank; /* 0..3 */
    tw_dtype in, weights, out, bias_dtype;
    /* Shapes in the tensors' own dimension order, rank = spatial_rank + 2. */
    int64_t in_shape[KRN_CONV_MAX_SPATIAL + 2];
    int64_t weights_shape[KRN_CONV_MAX_SPATIAL + 2];
    int64_t out_shape[KRN_CONV_MAX_SPATIAL + 2]; /* checked if set; all 0 = computed */
    /* Elements between neighbours of each dimension; all 0: dense. */
    int64_t in_strides[KRN_CONV_MAX_SPATIAL + 2], weights_strides[KRN_CONV_MAX_SPATIAL + 2];
    krn_conv_layout in_layout, weights_layout, out_layout;
    int64_t stride[KRN_CONV_MAX_SPATIAL];  /* >= 1 */
    int64_t pad_low[KRN_CONV_MAX_SPATIAL]; /* may be negative: crops */
    int64_t pad_high[KRN_CONV_MAX_SPATIAL];
    int64_t dilation[KRN_CONV_MAX_SPATIAL];       /* of the window (rhs), >= 1 */
    int64_t input_dilation[KRN_CONV_MAX_SPATIAL]; /* lhs, >= 1 */
    bool reverse[KRN_CONV_MAX_SPATIAL];
    /* Results are out_gap[i] positions apart on axes of out_full[i]; 0: 1, and the shape.
     */
    int64_t out_gap[KRN_CONV_MAX_SPATIAL], out_full[KRN_CONV_MAX_SPATIAL];
    /* Weights are [in channels][out channels / groups], not [in channels / groups][out
     * channels]. */
    bool grouped_inputs;
    int64_t feature_groups, batch_groups; /* >= 1, at most one of them > 1 */
    bool constant_weights;                /* packed ahead by krn_conv_pack_weights */
    bool bias; /* out-channel row: f32, bf16, f16 or the type of out */
    krn_gemm_act act;
    int threads;
} krn_conv_desc;

/* in [n][h][w][c], weights [o][c/groups][kh][kw] (OIHW, as torch and TTIR store them), out
 * [n][oh][ow][o]; strides and dilations 1, no padding, one group, f32. The caller may
 * change fields afterwards. */
void krn_conv_desc_nhwc(krn_conv_desc *out_desc, int64_t n, int64_t h, int64_t w, int64_t c,
                        int64_t o, int64_t kh, int64_t kw);

/* Converts a description with stride/pad/dilation in the meaning of conv_transpose (torch)
 * and weights [in channel][out channel / groups][taps] (weights_layout.batch = input
 * feature, .feature = output feature per group) to the equivalent convolution. out = (in -
 * 1) * stride - pad_low - pad_high + dilation * (k - 1) + output_padding + 1. */
void krn_conv_transpose_desc(krn_conv_desc *desc, const int64_t *output_padding);

/* Stride in elements of each axis of a tensor; spatial axes are padded in front with size
 * 1. */
typedef struct krn_conv_view {
    int64_t batch, feature, spatial[KRN_CONV_MAX_SPATIAL];
} krn_conv_view;

typedef enum krn_conv_path {
    KRN_CONV_PRODUCT,  /* implicit matrix product per group: rows are output positions */
    KRN_CONV_WINOGRAD, /* 3x3 windows in f32, by fewer multiplications */
    KRN_CONV_WINOGRAD_GRADIENT, /* 3x3 results of a large window in f32, likewise */
    KRN_CONV_DEPTHWISE,         /* one channel per group, channels last */
    KRN_CONV_EXACT,             /* f64 and integers: the definition */
} krn_conv_path;

typedef struct krn_conv_plan {
    krn_conv_desc desc;          /* out_shape filled in */
    size_t packed_weights_bytes; /* 0 unless constant_weights */
    size_t scratch_bytes;
    /* Internal to conv. */
    krn_conv_path path;
    const struct krn_gemm_kernels *kernels;
    krn_conv_view in, out, weights;
    int64_t in_size[KRN_CONV_MAX_SPATIAL], out_size[KRN_CONV_MAX_SPATIAL];
    int64_t taps[KRN_CONV_MAX_SPATIAL], stride[KRN_CONV_MAX_SPATIAL];
    int64_t pad[KRN_CONV_MAX_SPATIAL], dilation[KRN_CONV_MAX_SPATIAL];
    int64_t input_dilation[KRN_CONV_MAX_SPATIAL];
    bool reverse[KRN_CONV_MAX_SPATIAL];
    int64_t groups, batch;                      /* of the output */
    int64_t channels, channels_padded, outputs; /* of a group */
    int64_t in_step, weights_step;              /* stride of groups, in elements */
    int64_t m, k; /* rows (batch * positions) and depth of a group's product */
    int64_t mc, nc, kc, weights_group_bytes;
    size_t c_block_bytes;
    bool dense_out; /* row i of the product is at i * out_row, channels dense */
    bool
        into_out; /* the micro-kernel writes the result: rows of a line are out_row apart */
    int64_t out_row;
    /* The image that the product reads: the input itself, or a copy of it in scratch with
     * padding and with dense channels, an even number, in the kernels' element type.
     * Strides in elements. */
    krn_conv_view image;
    int64_t image_batch; /* images at a time: the batch, or 1 of several large ones */
    /* The batch is the innermost axis of the image and of rows: for windows with few
     * results, of whose positions no tile of rows could be filled. */
    bool batch_inside;
    bool is_gradient;   /* of 3x3 weights, by Winograd's algorithm */
    int64_t image_step; /* stride of groups */
    bool copied, converted, zeroed;
    bool margins_only; /* of each line of the image one piece is copied: the rest is zeroed
                        */
    int64_t full_size[KRN_CONV_MAX_SPATIAL]; /* of the image */
    int64_t inner_first[KRN_CONV_MAX_SPATIAL],
        inner_size[KRN_CONV_MAX_SPATIAL]; /* copied */
    krn_copy_plan copy;
    size_t image_bytes, converted_bytes, gradient_bytes;
    int64_t run;       /* elements of k that are contiguous in the image */
    int64_t run_step;  /* elements of the image between runs; 0: they are not all as far
                        * apart */
    int64_t line;      /* rows that have one common stride in the image */
    int64_t image_row; /* that stride */
} krn_conv_plan;

/* TW_INVALID names inconsistent sizes; TW_UNSUPPORTED the element types. */
TW_NODISCARD tw_status krn_conv_prepare(const krn_conv_desc *desc, krn_conv_plan *out_plan);

void krn_conv_pack_weights(const krn_conv_plan *plan, const void *weights, void *packed,
                           struct tw_threadpool *pool);

/* Multiplies packed weights by a number for each output channel, where that is done before
 * a run (depthwise: the packed form is f32); false: args.scale does it in each run. */
bool krn_conv_scale_weights(const krn_conv_plan *plan, const float *scale, void *packed);

/* args: a = input, b = weights (packed if constant_weights), c = output; the rest as for
 * gemm; scale not for f64 and integers. */
void krn_conv_run(const krn_conv_plan *plan, const krn_gemm_args *args,
                  struct tw_threadpool *pool);

#endif
