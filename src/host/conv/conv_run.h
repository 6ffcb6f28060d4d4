/* conv_run.h: the paths of krn_conv_run. */
#ifndef TILEWRIGHT_HOST_CONV_CONV_RUN_H
#define TILEWRIGHT_HOST_CONV_CONV_RUN_H

#include "host/conv/conv.h"
#include "support/number.h"

/* Maximum taps of a depthwise window; larger windows use the matrix product. */
#define KRN_CONV_DEPTHWISE_TAPS 256

/* Batch index and output position of a row of the product. */
typedef struct krn_conv_position {
    int64_t batch, at[KRN_CONV_MAX_SPATIAL];
} krn_conv_position;

static inline krn_conv_position krn_conv_locate(const krn_conv_plan *p, int64_t row)
{
    krn_conv_position position;
    const int64_t inner = row;
    if (p->batch_inside)
        row /= p->batch;
    for (int i = KRN_CONV_MAX_SPATIAL - 1; i >= 0; i--) {
        position.at[i] = row % p->out_size[i];
        row /= p->out_size[i];
    }
    position.batch = p->batch_inside ? inner % p->batch : row;
    return position;
}

/* Input position of a tap on an axis, -1 if it is padding. */
static inline int64_t krn_conv_source(const krn_conv_plan *p, int axis, int64_t at,
                                      int64_t tap)
{
    const int64_t t = p->reverse[axis] ? p->taps[axis] - 1 - tap : tap;
    const int64_t dilated = at * p->stride[axis] + t * p->dilation[axis] - p->pad[axis];
    if (p->input_dilation[axis] == 1) /* the usual case, without a division */
        return dilated >= 0 && dilated < p->in_size[axis] ? dilated : -1;
    if (dilated < 0 || dilated % p->input_dilation[axis] != 0)
        return -1;
    const int64_t from = dilated / p->input_dilation[axis];
    return from < p->in_size[axis] ? from : -1;
}

static inline int64_t krn_conv_offset(const krn_conv_view *v,
                                      const krn_conv_position *position)
{
    int64_t offset = position->batch * v->batch;
    for (int i = 0; i < KRN_CONV_MAX_SPATIAL; i++)
        offset += position->at[i] * v->spatial[i];
    return offset;
}

/* Element t, c, o of group g's weights, with t in memory order. */
static inline int64_t krn_conv_weight_at(const krn_conv_plan *p, int64_t group,
                                         const int64_t *tap, int64_t channel,
                                         int64_t output)
{
    int64_t offset =
        group * p->weights_step + channel * p->weights.batch + output * p->weights.feature;
    for (int i = 0; i < KRN_CONV_MAX_SPATIAL; i++)
        offset += tap[i] * p->weights.spatial[i];
    return offset;
}

/* Offset of group g's first output channel. */
static inline int64_t krn_conv_group_out(const krn_conv_plan *p, int64_t group)
{
    return group * p->outputs * p->out.feature;
}

void krn_conv_depthwise_pack(const krn_conv_plan *plan, const void *weights, void *packed);
void krn_conv_depthwise_run(const krn_conv_plan *plan, const krn_gemm_args *args,
                            struct tw_threadpool *pool);

/* Returns the floats from one of 16 matrices of `floats` to the next: a line more than a
 * multiple of lines, since a tile is written to all 16 and those of an even distance share
 * a set of the cache. */
static inline int64_t krn_winograd_step(int64_t floats)
{
    enum { LINE = 16 };
    return (tw_ceil_div(floats, LINE) | 1) * LINE;
}

/* True if the window steps over every position of an axis and is not dilated. */
static inline bool krn_conv_is_plain_axis(const krn_conv_plan *p, int axis)
{
    return p->stride[axis] == 1 && p->dilation[axis] == 1 && p->input_dilation[axis] == 1;
}

/* 3x3 windows in f32, where that pays. */
bool krn_conv_winograd_fits(const krn_conv_plan *plan);
void krn_conv_winograd_plan(krn_conv_plan *plan);
void krn_conv_winograd_pack(const krn_conv_plan *plan, const void *weights, void *packed,
                            struct tw_threadpool *pool);
/* scratch: plan->image_bytes; weights: packed. */
void krn_conv_winograd_run(const krn_conv_plan *plan, const krn_gemm_args *args,
                           char *scratch, const float *bias, const void *weights,
                           struct tw_threadpool *pool);

/* 3x3 results of large windows in f32. It reads the image, with the batch inside, and the
 * packed weights of KRN_CONV_PRODUCT. scratch: plan->gradient_bytes. False: a result is not
 * finite, and all are to be computed as a product. */
bool krn_conv_winograd_gradient_fits(const krn_conv_plan *plan);
void krn_conv_winograd_gradient_plan(krn_conv_plan *plan);
bool krn_conv_winograd_gradient_run(const krn_conv_plan *plan, const krn_gemm_args *args,
                                    const void *image, const void *weights, char *scratch,
                                    struct tw_threadpool *pool);

/* f64 and integers. */
TW_NODISCARD tw_status krn_conv_exact_check(const krn_conv_desc *desc);
void krn_conv_exact_run(const krn_conv_plan *plan, const krn_gemm_args *args,
                        struct tw_threadpool *pool);

#endif
