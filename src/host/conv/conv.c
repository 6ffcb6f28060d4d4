/* conv.c: descriptions and plans of convolutions (see conv.h). */
#include "host/conv/conv.h"

#include "host/conv/conv_run.h"
#include "host/gemm/gemm_core.h"
#include "support/number.h"

#define ALIGN 64
/* Bytes of a batch's images that a second-level cache does not hold. */
#define LARGE_IMAGES (1024 * 1024)
/* Tiles of rows that each thread gets at least of one image. */
#define IMAGE_TILES 256

void krn_conv_desc_nhwc(krn_conv_desc *out_desc, int64_t n, int64_t h, int64_t w, int64_t c,
                        int64_t o, int64_t kh, int64_t kw)
{
    *out_desc = (krn_conv_desc){
        .spatial_rank = 2,
        .in_shape = {n, h, w, c},
        .weights_shape = {o, c, kh, kw},
        .in_layout = {.batch = 0, .feature = 3, .spatial = {1, 2}},
        .weights_layout = {.batch = 1, .feature = 0, .spatial = {2, 3}},
        .out_layout = {.batch = 0, .feature = 3, .spatial = {1, 2}},
        .stride = {1, 1},
        .dilation = {1, 1},
        .input_dilation = {1, 1},
        .feature_groups = 1,
        .batch_groups = 1,
    };
}

void krn_conv_transpose_desc(krn_conv_desc *d, const int64_t *output_padding)
{
    for (int i = 0; i < d->spatial_rank; i++) {
        const int64_t reach =
            d->dilation[i] * (d->weights_shape[d->weights_layout.spatial[i]] - 1);
        d->input_dilation[i] = d->stride[i];
        d->stride[i] = 1;
        d->pad_low[i] = reach - d->pad_low[i];
        d->pad_high[i] = reach - d->pad_high[i] + (output_padding ? output_padding[i] : 0);
        d->reverse[i] = !d->reverse[i];
    }
    d->grouped_inputs = true;
}

/* ---- planning */

static tw_status check_layout(const char *what, const krn_conv_layout *layout,
                              int spatial_rank)
{
    const int rank = spatial_rank + 2;
    unsigned seen = 0;

    for (int i = -2; i < spatial_rank; i++) {
        const int dim = i == -2   ? layout->batch
                        : i == -1 ? layout->feature
                                  : layout->spatial[i];
        if (dim < 0 || dim >= rank || (seen >> dim & 1))
            return tw_error(TW_INVALID, "convolution: dimension numbers of %s: %d", what,
                            dim);
        seen |= 1u << dim;
    }
    return TW_SUCCESS;
}

/* Sizes by role: [batch, feature, spatial...] with spatial axes aligned at the end of
 * three. */
typedef struct roles {
    int64_t batch, feature, spatial[KRN_CONV_MAX_SPATIAL];
} roles;

static tw_status read_shape(const char *what, const int64_t *shape,
                            const int64_t *given_strides, const krn_conv_layout *layout,
                            int spatial_rank, roles *out_sizes, krn_conv_view *out_view)
{
    const int rank = spatial_rank + 2, first = KRN_CONV_MAX_SPATIAL - spatial_rank;
    int64_t strides[KRN_CONV_MAX_SPATIAL + 2];

    for (int i = 0; i < rank; i++)
        if (shape[i] < 0 || shape[i] > INT64_C(1) << 40)
            return tw_error(TW_INVALID, "convolution: axis %d of %s has size %lld", i, what,
                            (long long)shape[i]);
    krn_dense_strides(rank, shape, strides);
    for (int i = 0; given_strides && i < rank; i++)
        if (given_strides[i])
            memcpy(strides, given_strides, (size_t)rank * sizeof *strides);
    *out_sizes = (roles){shape[layout->batch], shape[layout->feature], {1, 1, 1}};
    *out_view = (krn_conv_view){strides[layout->batch], strides[layout->feature], {0}};
    for (int i = 0; i < spatial_rank; i++) {
        out_sizes->spatial[first + i] = shape[layout->spatial[i]];
        out_view->spatial[first + i] = strides[layout->spatial[i]];
    }
    return TW_SUCCESS;
}

static tw_status check_windows(const krn_conv_desc *d)
{
    if (d->spatial_rank < 0 || d->spatial_rank > KRN_CONV_MAX_SPATIAL)
        return tw_error(TW_UNSUPPORTED,
                        "convolution over %d spatial axes: at most %d are possible",
                        d->spatial_rank, KRN_CONV_MAX_SPATIAL);
    for (int i = 0; i < d->spatial_rank; i++)
        if (d->stride[i] < 1 || d->dilation[i] < 1 || d->input_dilation[i] < 1)
            return tw_error(
                TW_INVALID,
                "convolution: spatial axis %d has stride %lld, dilation %lld, input "
                "dilation %lld; all must be at least 1",
                i, (long long)d->stride[i], (long long)d->dilation[i],
                (long long)d->input_dilation[i]);
    TW_TRY(check_layout("the input", &d->in_layout, d->spatial_rank));
    TW_TRY(check_layout("the weights", &d->weights_layout, d->spatial_rank));
    return check_layout("the result", &d->out_layout, d->spatial_rank);
}

/* Window arithmetic of every axis, and the size of the result. */
static tw_status plan_windows(krn_conv_plan *p, const roles *in, const roles *weights)
{
    const krn_conv_desc *d = &p->desc;
    const int first = KRN_CONV_MAX_SPATIAL - d->spatial_rank;

    for (int i = 0; i < KRN_CONV_MAX_SPATIAL; i++) {
        const int from = i - first;
        const bool given = from >= 0;
        p->in_size[i] = in->spatial[i];
        p->taps[i] = weights->spatial[i];
        p->stride[i] = given ? d->stride[from] : 1;
        p->dilation[i] = given ? d->dilation[from] : 1;
        p->input_dilation[i] = given ? d->input_dilation[from] : 1;
        p->pad[i] = given ? d->pad_low[from] : 0;
        p->reverse[i] = given && d->reverse[from];
        const int64_t high = given ? d->pad_high[from] : 0;
        const int64_t dilated =
            p->in_size[i] > 0 ? (p->in_size[i] - 1) * p->input_dilation[i] + 1 : 0;
        const int64_t padded = dilated + p->pad[i] + high;
        const int64_t reach = p->taps[i] > 0 ? p->dilation[i] * (p->taps[i] - 1) + 1 : 0;
        if (padded < 0)
            return tw_error(
                TW_INVALID,
                "convolution: spatial axis %d of size %lld cannot lose %lld and %lld", from,
                (long long)p->in_size[i], -(long long)p->pad[i], -(long long)high);
        p->out_size[i] =
            padded >= reach && reach > 0 ? (padded - reach) / p->stride[i] + 1 : 0;
    }
    return TW_SUCCESS;
}

static tw_status plan_groups(krn_conv_plan *p, const roles *in, const roles *weights)
{
    krn_conv_desc *d = &p->desc;
    d->feature_groups = TW_MAX(d->feature_groups, 1);
    d->batch_groups = TW_MAX(d->batch_groups, 1);
    const int64_t fg = d->feature_groups, bg = d->batch_groups;

    p->groups = fg * bg;
    if (fg > 1 && bg > 1)
        return tw_error(TW_INVALID,
                        "convolution: %lld feature groups and %lld batch groups at once",
                        (long long)fg, (long long)bg);
    p->channels = in->feature / fg;
    p->batch = in->batch / bg;
    if (in->feature % fg != 0 || in->batch % bg != 0)
        return tw_error(
            TW_INVALID,
            "convolution: %lld input channels in %lld groups, a batch of %lld in %lld",
            (long long)in->feature, (long long)fg, (long long)in->batch, (long long)bg);
    const int64_t weights_in = d->grouped_inputs ? weights->batch / fg : weights->batch;
    if (weights_in != p->channels || (d->grouped_inputs && weights->batch % fg != 0))
        return tw_error(
            TW_INVALID,
            "convolution: weights have %lld input channels, the input has %lld in %lld "
            "groups",
            (long long)weights->batch, (long long)in->feature, (long long)fg);
    if (!d->grouped_inputs && weights->feature % p->groups != 0)
        return tw_error(TW_INVALID, "convolution: %lld output channels in %lld groups",
                        (long long)weights->feature, (long long)p->groups);
    p->outputs = d->grouped_inputs ? weights->feature : weights->feature / p->groups;
    p->weights_step = d->grouped_inputs ? p->channels * p->weights.batch
                                        : p->outputs * p->weights.feature;
    p->in_step = bg > 1 ? p->batch * p->in.batch : p->channels * p->in.feature;
    return TW_SUCCESS;
}

static tw_status plan_out(krn_conv_plan *p)
{
    krn_conv_desc *d = &p->desc;
    const int first = KRN_CONV_MAX_SPATIAL - d->spatial_rank;
    int64_t shape[KRN_CONV_MAX_SPATIAL + 2];
    roles out;
    bool given = false;

    shape[d->out_layout.batch] = p->batch;
    shape[d->out_layout.feature] = p->groups * p->outputs;
    for (int i = 0; i < d->spatial_rank; i++)
        shape[d->out_layout.spatial[i]] = p->out_size[first + i];
    for (int i = 0; i < d->spatial_rank + 2; i++)
        given |= d->out_shape[i] != 0;
    for (int i = 0; i < d->spatial_rank + 2; i++) {
        if (given && d->out_shape[i] != shape[i])
            return tw_error(TW_INVALID,
                            "convolution: axis %d of the result has size %lld, not %lld", i,
                            (long long)shape[i], (long long)d->out_shape[i]);
        d->out_shape[i] = shape[i];
    }
    for (int i = 0; i < d->spatial_rank; i++)
        if (d->out_gap[i])
            shape[d->out_layout.spatial[i]] = d->out_full[i];
    TW_TRY(read_shape("the result", shape, NULL, &d->out_layout, d->spatial_rank, &out,
                      &p->out));
    for (int i = 0; i < d->spatial_rank; i++)
        p->out.spatial[first + i] *= TW_MAX(d->out_gap[i], 1);
    return TW_SUCCESS;
}

static bool is_float32ish(tw_dtype t)
{
    return t == TW_F32 || t == TW_BF16 || t == TW_F16;
}

/* Computes how many rows of a view, counted over batch and positions, have one common
 * stride (the batch may be any length), and that stride. step: distance of adjacent
 * positions. */
static int64_t uniform_rows(const krn_conv_view *v, int64_t batch, const int64_t *size,
                            const int64_t *step, int64_t *out_stride)
{
    int64_t stride = 0, count = 1;
    for (int i = KRN_CONV_MAX_SPATIAL - 1; i >= -1; i--) {
        const int64_t n = i >= 0 ? size[i] : batch;
        const int64_t s = i >= 0 ? v->spatial[i] * step[i] : v->batch;
        if (n <= 1)
            continue;
        if (count > 1 && s != stride * count)
            break;
        if (count == 1)
            stride = s;
        count *= n;
    }
    *out_stride = stride;
    return count;
}

static bool any_padding(const krn_conv_plan *p)
{
    const krn_conv_desc *d = &p->desc;
    for (int i = 0; i < d->spatial_rank; i++)
        if (d->pad_low[i] != 0 || d->pad_high[i] != 0 || d->input_dilation[i] != 1)
            return true;
    return false;
}

/* Plans the copy of the input: [group][batch][padded, dilated spatial][even channels], or
 * with the batch inside. */
static tw_status plan_copy(krn_conv_plan *p, tw_dtype native)
{
    const int element = (int)tw_dtype_size(native);
    const int64_t padded = p->channels_padded;
    int64_t size[6] = {p->groups, p->image_batch}, src[6] = {p->in_step, p->in.batch};
    int64_t full[6] = {p->groups, p->image_batch}, dst[6], from = 0, to = 0;

    for (int i = 0; i < KRN_CONV_MAX_SPATIAL; i++) {
        const int64_t by = p->input_dilation[i];
        /* inside: positions that the windows reach after cropping */
        const int64_t extent = p->out_size[i] > 0
                                   ? (p->out_size[i] - 1) * p->stride[i] +
                                         (p->taps[i] - 1) * p->dilation[i] + 1
                                   : 0;
        const int64_t skip = p->pad[i] < 0 ? tw_ceil_div(-p->pad[i], by) : 0;
        const int64_t first = p->pad[i] + skip * by;
        const int64_t room = extent > first ? tw_ceil_div(extent - first, by) : 0;
        full[2 + i] = p->full_size[i] = extent;
        size[2 + i] = p->inner_size[i] = TW_MAX(TW_MIN(p->in_size[i] - skip, room), 0);
        p->inner_first[i] = TW_MIN(first, extent);
        src[2 + i] = p->in.spatial[i];
        from += skip * p->in.spatial[i];
    }
    full[5] = padded;
    size[5] = p->channels;
    src[5] = p->in.feature;
    if (p->batch_inside) {
        const int64_t inside[6] = {full[0], full[2], full[3], full[4], full[5], full[1]};
        int64_t s[6];
        krn_dense_strides(6, inside, s);
        memcpy(dst, (int64_t[]){s[0], s[5], s[1], s[2], s[3], s[4]}, sizeof dst);
    } else {
        krn_dense_strides(6, full, dst);
    }
    p->image = (krn_conv_view){dst[1], dst[5], {dst[2], dst[3], dst[4]}};
    if (p->image_batch < p->batch)
        p->image.batch = 0; /* they are at one address after each other */
    p->image_step = dst[0];
    for (int i = 0; i < KRN_CONV_MAX_SPATIAL; i++) {
        const int64_t skip =
            p->pad[i] < 0 ? tw_ceil_div(-p->pad[i], p->input_dilation[i]) : 0;
        to += (p->pad[i] + skip * p->input_dilation[i]) * dst[2 + i];
        dst[2 + i] *= p->input_dilation[i];
    }
    p->image_bytes = tw_align_up((size_t)krn_count(6, full) * (size_t)element, ALIGN);
    p->zeroed = krn_count(6, full) != krn_count(6, size);
    p->margins_only = !p->batch_inside && padded == p->channels && p->groups == 1;
    for (int i = 0; i < KRN_CONV_MAX_SPATIAL; i++)
        p->margins_only &= p->input_dilation[i] == 1;
    return krn_plan_copy(element, 6, size, src, from, dst, to, &p->copy);
}

/* Rows of a tile, in tenths, if lines of `line` rows are split evenly. */
static int64_t filling(const krn_conv_plan *p, int64_t line)
{
    return 10 * line / tw_ceil_div(line, p->kernels->mr);
}

/* The weights' gradient is a convolution whose window is the whole image: the results have
 * few positions (9), the batch (the layer's channels) is large. */
static bool wants_batch_inside(const krn_conv_plan *p, int64_t line)
{
    const int64_t positions = p->out_size[0] * p->out_size[1] * p->out_size[2];
    return p->is_gradient ||
           (p->kernels->cell == 1 && line > 0 && p->batch > 1 &&
            filling(p, p->batch) >= 2 * filling(p, line) && p->outputs * positions >= 16);
}

/* Elements of the image between runs of the depth: that of the one axis whose taps they
 * are; 0 if they are those of several, or there is one run. */
static int64_t step_of_runs(const krn_conv_plan *p)
{
    const int64_t runs = p->k / TW_MAX(p->run, 1);
    const int axes = KRN_CONV_MAX_SPATIAL - (p->run > p->channels_padded);
    for (int i = 0; i < axes; i++)
        if (p->taps[i] > 1 && p->taps[i] == runs)
            return p->dilation[i] * p->image.spatial[i];
    return 0;
}

/* Elements of k in a block: a part of a run, or several where their step is known. */
static int64_t block_of_k(const krn_conv_plan *p)
{
    const int64_t run = TW_MAX(p->run / p->kernels->cell, 1),
                  cells = p->k / p->kernels->cell;
    const int64_t runs = TW_MAX(cells / run, 1);
    const int64_t at_once = p->run_step ? TW_MAX(KRN_GEMM_KC_CELLS / run, 1) : 1;
    if (at_once > 1)
        return tw_ceil_div(runs, tw_ceil_div(runs, at_once)) * run * p->kernels->cell;
    return tw_ceil_div(run, tw_ceil_div(run, KRN_GEMM_KC_CELLS)) * p->kernels->cell;
}

/* Images that are copied one after the other stay in the cache between their copy and the
 * product, if each alone is work enough for all threads. */
static int64_t images_at_once(const krn_conv_plan *p, tw_dtype native)
{
    const int64_t positions = p->out_size[0] * p->out_size[1] * p->out_size[2];
    const int64_t bytes = p->in_size[0] * p->in_size[1] * p->in_size[2] * p->groups *
                          p->channels_padded * (int64_t)tw_dtype_size(native);
    const bool large = bytes * p->batch > LARGE_IMAGES &&
                       positions >= IMAGE_TILES * p->desc.threads * p->kernels->mr;
    return large && !p->is_gradient ? 1 : p->batch;
}

static tw_status plan_image(krn_conv_plan *p)
{
    const krn_conv_desc *d = &p->desc;
    const tw_dtype native = p->kernels->cell == 2 ? TW_BF16 : TW_F32;
    const int w = KRN_CONV_MAX_SPATIAL - 1;

    p->converted = d->in != native;
    p->copied = any_padding(p) || p->converted || p->in.feature != 1 ||
                p->channels != p->channels_padded;
    if (p->converted)
        p->converted_bytes = tw_align_up(
            (size_t)krn_count(d->spatial_rank + 2, d->in_shape) * tw_dtype_size(native),
            ALIGN);
    p->image_batch = p->batch;
    if (p->copied) {
        p->image_batch = images_at_once(p, native);
        TW_TRY(plan_copy(p, native));
    } else {
        p->image = p->in;
        p->image_step = p->in_step;
    }
    p->line = uniform_rows(&p->image, p->batch, p->out_size, p->stride, &p->image_row);
    if (wants_batch_inside(p, p->line)) {
        p->batch_inside = p->copied = true;
        p->image_batch = p->batch;
        TW_TRY(plan_copy(p, native));
        p->line = p->batch;
        p->image_row = 1;
    }
    /* Taps of the last axis and their channels are contiguous if adjacent taps are. */
    p->run = p->channels_padded;
    if (p->dilation[w] == 1 &&
        (p->image.spatial[w] == p->channels_padded * p->image.feature || p->taps[w] == 1))
        p->run *= p->taps[w];
    p->run_step = step_of_runs(p);
    return TW_SUCCESS;
}

/* Decides where the product's sums go. A result with gaps, as of a transposed convolution's
 * phases, is written by lines that are uniform on both sides, if they fill tiles. */
static void plan_store(krn_conv_plan *p)
{
    static const int64_t ones[KRN_CONV_MAX_SPATIAL] = {1, 1, 1};
    const krn_conv_desc *d = &p->desc;
    const int64_t line = uniform_rows(&p->out, p->batch, p->out_size, ones, &p->out_row);
    const bool lines = !p->batch_inside && p->out.feature == 1;
    const bool by_tile = (d->out == TW_F32 || d->out == TW_BF16) && d->act != KRN_GEMM_CALL;

    p->dense_out = lines && line == TW_MAX(p->m, 1);
    if (p->dense_out) {
        p->into_out = by_tile || d->out == TW_F32; /* in f32 a callback reads it there */
    } else if (lines && by_tile && line >= p->kernels->mr / 2) {
        p->into_out = true;
        p->line = TW_MIN(p->line, line);
    }
}

static tw_status plan_product(krn_conv_plan *p)
{
    const krn_conv_desc *d = &p->desc;

    p->path = KRN_CONV_PRODUCT;
    if (d->in == TW_BF16 && d->weights == TW_BF16)
        p->kernels = krn_gemm_kernels_bf16();
    if (!p->kernels)
        p->kernels = krn_gemm_kernels_f32();
    const int64_t cell = p->kernels->cell, nr = p->kernels->nr;
    p->channels_padded = tw_ceil_div(p->channels, cell) * cell;
    p->k = p->taps[0] * p->taps[1] * p->taps[2] * p->channels_padded;
    if (krn_conv_winograd_fits(p)) {
        krn_conv_winograd_plan(p);
        return TW_SUCCESS;
    }
    p->is_gradient = krn_conv_winograd_gradient_fits(p);
    TW_TRY(plan_image(p));
    plan_store(p);
    bool block_c = !p->into_out || d->out != TW_F32;
    const int64_t rows = p->batch ? p->m / p->batch * p->image_batch : 0;
    const krn_gemm_cut cut = krn_gemm_choose_cut(p->kernels, p->groups, rows, p->outputs,
                                                 p->k, d->threads, block_c);
    p->mc = cut.mc;
    p->nc = cut.nc;
    p->kc = block_of_k(p);
    if (p->into_out && p->k <= p->kc)
        block_c = false;
    p->weights_group_bytes = tw_ceil_div(p->outputs, nr) * nr * (p->k / cell) * 4;
    p->c_block_bytes =
        block_c ? tw_align_up((size_t)(p->mc * TW_MIN(p->nc, p->outputs)) * 4, ALIGN) : 0;
    if (p->is_gradient)
        krn_conv_winograd_gradient_plan(p);
    return TW_SUCCESS;
}

/* One channel in and out per group, channels last in input and result. */
static bool is_depthwise(const krn_conv_plan *p)
{
    return p->groups > 1 &&
           p->taps[0] * p->taps[1] * p->taps[2] <= KRN_CONV_DEPTHWISE_TAPS &&
           p->desc.batch_groups == 1 && p->channels == 1 && p->outputs == 1 &&
           p->in.feature == 1 && p->out.feature == 1 && p->desc.in != TW_F16;
}

static void plan_depthwise(krn_conv_plan *p)
{
    p->path = KRN_CONV_DEPTHWISE;
    p->weights_group_bytes = p->taps[0] * p->taps[1] * p->taps[2] * 4; /* of one channel */
}

static void plan_memory(krn_conv_plan *p)
{
    const krn_conv_desc *d = &p->desc;
    size_t packed = tw_align_up((size_t)(p->groups * p->weights_group_bytes), ALIGN);

    if (p->path == KRN_CONV_EXACT)
        packed = (size_t)krn_count(d->spatial_rank + 2, d->weights_shape) *
                 tw_dtype_size(d->weights);
    p->packed_weights_bytes = d->constant_weights ? packed : 0;
    if (p->path == KRN_CONV_EXACT)
        return;
    p->scratch_bytes =
        TW_MAX((size_t)d->threads * p->c_block_bytes, p->gradient_bytes) + p->image_bytes +
        p->converted_bytes +
        (d->bias ? tw_align_up((size_t)(p->groups * p->outputs) * 4, ALIGN) : 0) +
        (d->constant_weights ? 0 : packed);
}

static tw_status check_types(const krn_conv_desc *d)
{
    if (!is_float32ish(d->in) || !is_float32ish(d->weights) || !is_float32ish(d->out))
        return krn_conv_exact_check(d);
    if (d->bias && !is_float32ish(d->bias_dtype))
        return tw_error(TW_UNSUPPORTED, "convolution: bias of type %s",
                        tw_dtype_name(d->bias_dtype));
    return TW_SUCCESS;
}

tw_status krn_conv_prepare(const krn_conv_desc *desc, krn_conv_plan *out_plan)
{
    krn_conv_plan p = {.desc = *desc};
    krn_conv_desc *d = &p.desc;
    roles in, weights;

    TW_TRY(check_types(d));
    TW_TRY(check_windows(d));
    TW_TRY(read_shape("the input", d->in_shape, d->in_strides, &d->in_layout,
                      d->spatial_rank, &in, &p.in));
    TW_TRY(read_shape("the weights", d->weights_shape, d->weights_strides,
                      &d->weights_layout, d->spatial_rank, &weights, &p.weights));
    TW_TRY(plan_windows(&p, &in, &weights));
    TW_TRY(plan_groups(&p, &in, &weights));
    TW_TRY(plan_out(&p));
    d->threads = TW_MAX(d->threads, 1);
    p.m = p.batch * p.out_size[0] * p.out_size[1] * p.out_size[2];
    if (!is_float32ish(d->in))
        p.path = KRN_CONV_EXACT;
    else if (is_depthwise(&p))
        plan_depthwise(&p);
    else
        TW_TRY(plan_product(&p));
    plan_memory(&p);
    *out_plan = p;
    return TW_SUCCESS;
}
