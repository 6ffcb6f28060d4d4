/* conv.c: convolutions over one, two and three axes, and transposed ones over two, on
 * the kernels of host/conv/conv.h.
 *
 * Activations are channels last ([1, 1, N*H*W, C] where TTNN flattens them), weights
 * [O, C/G, taps] ([C, O/G, taps] transposed) or as rt_prepare_conv*_weights leaves them. */
#include "host/conv/conv.h"
#include "runtime/activation.h"
#include "runtime/joins.h"
#include "runtime/steps.h"
#include "runtime/views.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

enum { AXES = KRN_CONV_MAX_SPATIAL };

/* One product: the whole convolution, or (transposed, with strides) the results of one
 * remainder of their positions by the strides, which see their own part of the window. */
typedef struct part {
    krn_conv_desc desc;
    krn_conv_plan plan;
    void *packed;
    int64_t tap[2]; /* first tap of the window */
    int64_t out_at; /* first result, in elements */
} part;

enum { PHASES = 16 };

typedef struct conv {
    krn_conv_desc desc;
    part *parts; /* the whole, then the phases */
    int n_phases;
    int64_t stride[2];
    rt_activation activation;
    const rt_value *bias;
    const rt_buffer *scratch; /* shared with other steps */
    rt_plan *owner;
    float *scale, *shift; /* of the output channels, from a norm that this step includes */
    bool normed, scaled;  /* it includes one; each run scales, the weights are not */
    struct conv *joined;  /* room for the state of a step that includes others, */
    part *spare;          /* and for its parts */
    bool constant;        /* the weights are constant, and packed */
    bool block_order;     /* 3-D weights in the device's block order */
    int64_t block;        /* input channels per block */
    void *weights;        /* weights in plain order */
    bool replicate;       /* the padding replicates the edge */
    void *padded;         /* the padded input */
    int64_t edge[AXES];
} conv;

/* ---- running ---- */

/* [block][tap][channel of the block][O] to [O][channel][tap]. */
static const void *unblock(const rt_step *step, const conv *c)
{
    const rt_value *v = step->in[1];
    const size_t size = tw_dtype_size(v->dtype);
    const int64_t *shape = c->desc.weights_shape, o = shape[0], channels = shape[1];
    const int64_t taps = shape[2] * shape[3] * shape[4];
    const char *from = rt_data(v);
    if (!c->block_order)
        return from;
    for (int64_t k = 0; k < o; k++)
        for (int64_t ch = 0; ch < channels; ch++)
            for (int64_t t = 0; t < taps; t++) {
                const int64_t row = (ch / c->block * taps + t) * c->block + ch % c->block;
                memcpy((char *)c->weights + (size_t)((k * channels + ch) * taps + t) * size,
                       from + (size_t)(row * o + k) * size, size);
            }
    return c->weights;
}

static int64_t inside(int64_t at, int64_t size)
{
    return at < 0 ? 0 : at < size ? at : size - 1;
}

/* [n, d, h, w, c] with replicated edges. */
static const void *repeat_edges(const rt_step *step, const conv *c)
{
    const int64_t *full = c->desc.in_shape, *e = c->edge;
    const int64_t size[AXES] = {full[1] - 2 * e[0], full[2] - 2 * e[1], full[3] - 2 * e[2]};
    const size_t pixel = (size_t)full[4] * tw_dtype_size(step->in[0]->dtype);
    const char *from = rt_data(step->in[0]);
    char *to = c->padded;
    for (int64_t n = 0; n < full[0]; n++)
        for (int64_t z = 0; z < full[1]; z++)
            for (int64_t y = 0; y < full[2]; y++)
                for (int64_t x = 0; x < full[3]; x++, to += pixel) {
                    const int64_t plane = n * size[0] + inside(z - e[0], size[0]);
                    const int64_t row = plane * size[1] + inside(y - e[1], size[1]);
                    const int64_t at = row * size[2] + inside(x - e[2], size[2]);
                    memcpy(to, from + (size_t)at * pixel, pixel);
                }
    return c->padded;
}

static part *first_part(const conv *c)
{
    return c->parts + (c->constant && c->n_phases ? 1 : 0);
}

static int part_count(const conv *c)
{
    return c->constant && c->n_phases ? c->n_phases : 1;
}

static void run_conv(const rt_step *step)
{
    const conv *c = step->state;
    const part *parts = first_part(c);
    krn_gemm_args args = {.a = c->replicate ? repeat_edges(step, c) : rt_data(step->in[0]),
                          .bias = c->normed ? c->shift
                                  : c->bias ? rt_data(c->bias)
                                            : NULL,
                          .scale = c->scaled ? c->scale : NULL,
                          .act = rt_activation_apply,
                          .act_context = (void *)(uintptr_t)&c->activation,
                          .scratch = c->scratch->data};
    for (int i = 0; i < part_count(c); i++) {
        args.b = c->constant ? parts[i].packed : unblock(step, c);
        args.c = (char *)rt_data(step->out) +
                 (size_t)parts[i].out_at * tw_dtype_size(step->out->dtype);
        krn_conv_run(&parts[i].plan, &args, step->pool);
    }
}

static void plan_parts(const conv *c)
{
    part *parts = first_part(c);
    for (int i = 0; i < part_count(c); i++) {
        parts[i].desc.constant_weights = c->constant;
        parts[i].desc.bias = c->desc.bias;
        parts[i].desc.bias_dtype = c->desc.bias_dtype;
        parts[i].desc.act = c->desc.act;
        tw_status status = krn_conv_prepare(&parts[i].desc, &parts[i].plan);
        assert(status == TW_SUCCESS); /* prepare checked the same description */
        tw_status_free(status);
    }
}

/* The taps of a phase are every stride-th one of the two last axes of the window. */
static const void *taps_of(const rt_step *step, const conv *c, const part *part, char *to)
{
    const char *from = unblock(step, c);
    const size_t size = tw_dtype_size(step->in[1]->dtype);
    const krn_conv_layout *l = &part->desc.weights_layout;
    const int64_t *own = part->desc.weights_shape, *whole = c->desc.weights_shape;
    int64_t at[4];
    if (part == c->parts)
        return from;
    for (at[0] = 0; at[0] < own[0]; at[0]++)
        for (at[1] = 0; at[1] < own[1]; at[1]++)
            for (at[2] = 0; at[2] < own[2]; at[2]++)
                for (at[3] = 0; at[3] < own[3]; at[3]++, to += size) {
                    int64_t source[4], flat = 0;
                    memcpy(source, at, sizeof source);
                    for (int i = 0; i < 2; i++)
                        source[l->spatial[i]] =
                            part->tap[i] + at[l->spatial[i]] * c->stride[i];
                    for (int d = 0; d < 4; d++)
                        flat = flat * whole[d] + source[d];
                    memcpy(to, from + (size_t)flat * size, size);
                }
    return to - (size_t)krn_count(4, own) * size;
}

static void finalize_conv(rt_step *step)
{
    conv *c = step->state;
    c->constant =
        step->in[1]->buffer->constant && !step->in[1]->buffer->written && !step->constant;
    step->packed = c->constant;
    plan_parts(c);
    part *parts = first_part(c);
    char *taps = c->constant && c->n_phases
                     ? tw_malloc_lines((size_t)step->in[1]->count *
                                       tw_dtype_size(step->in[1]->dtype))
                     : NULL;
    if (c->constant && c->n_phases && !taps)
        c->owner->lacking = (size_t)step->in[1]->count;
    for (int i = 0; c->constant && i < part_count(c); i++) {
        if (!parts[i].packed)
            parts[i].packed =
                rt_scratch_alloc(c->owner, parts[i].plan.packed_weights_bytes);
        if (!c->owner->lacking)
            krn_conv_pack_weights(&parts[i].plan, taps_of(step, c, &parts[i], taps),
                                  parts[i].packed, step->pool);
    }
    free(taps);
}

static bool join_norm(const rt_step *b, conv *c)
{
    const float *scale, *shift;
    const part *parts = first_part(c);
    const int64_t n = parts->plan.groups * parts->plan.outputs;
    if (c->normed || c->activation.act != KRN_GEMM_NONE || !c->constant ||
        parts->plan.path == KRN_CONV_EXACT || (c->bias && !c->bias->buffer->constant) ||
        !rt_norm_of_channels(b, &scale, &shift) || rt_dim(b->in[0], -1) != n)
        return false;
    memcpy(c->scale, scale, (size_t)n * sizeof *scale);
    memcpy(c->shift, shift, (size_t)n * sizeof *shift);
    for (int64_t i = 0; c->bias && i < n; i++)
        c->shift[i] += rt_real_at(c->bias, i) * scale[i];
    for (int i = 0; i < part_count(c); i++)
        c->scaled = !krn_conv_scale_weights(&parts[i].plan, c->scale, parts[i].packed);
    c->normed = true;
    c->desc.bias = true;
    c->desc.bias_dtype = TW_F32;
    return true;
}

static bool join_activation(const rt_step *b, conv *c)
{
    const krn_strip_id id = rt_group_single(b);
    if (c->activation.act != KRN_GEMM_NONE || first_part(c)->plan.path == KRN_CONV_EXACT ||
        (id != KRN_STRIP_relu && id != KRN_STRIP_relu6))
        return false;
    c->activation.act = id == KRN_STRIP_relu ? KRN_GEMM_RELU : KRN_GEMM_RELU6;
    c->desc.act = c->activation.act;
    return true;
}

bool rt_conv_join(const rt_step *a, const rt_step *b, rt_step *out)
{
    conv c;
    if (a->run != run_conv || b->n_in == 0 || b->in[0]->buffer != a->out->buffer ||
        b->in[0]->count != a->out->count || b->out->count != a->out->count ||
        b->out->dtype != a->out->dtype)
        return false;
    c = *(const conv *)a->state;
    if (!join_norm(b, &c) && !join_activation(b, &c))
        return false;
    conv *joined = c.joined;
    const part *parts = c.parts;
    *joined = c;
    joined->parts = c.spare;
    memmove(joined->parts, parts, (size_t)(c.n_phases + 1) * sizeof *parts);
    plan_parts(joined);
    *out = *a;
    out->state = joined;
    out->out = b->out;
    out->joined = true;
    return true;
}

/* ---- reading the attributes ---- */

/* Reads one value per axis: a single integer, or an array. */
static bool read_axes(const ir_op *op, const char *name, int axes, int64_t *out)
{
    ir_attr a = ir_op_attr(op, name);
    for (int i = 0; i < axes && ir_attr_is(a, IR_ATTR_INTEGER); i++)
        out[i] = a->value;
    return ir_attr_is(a, IR_ATTR_INTEGER) || ir_attr_ints(a, out, (size_t)axes) == axes;
}

/* Reads the padding: equal on both sides, or low and high of every axis in turn. */
static bool read_padding(const ir_op *op, krn_conv_desc *d)
{
    int64_t sides[2 * AXES];
    const int axes = d->spatial_rank;
    if (read_axes(op, "padding", axes, d->pad_low)) {
        memcpy(d->pad_high, d->pad_low, sizeof d->pad_high);
        return true;
    }
    if (ir_attr_ints(ir_op_attr(op, "padding"), sides, (size_t)axes * 2) != axes * 2)
        return false;
    for (int i = 0; i < axes; i++) {
        d->pad_low[i] = sides[2 * i];
        d->pad_high[i] = sides[2 * i + 1];
    }
    return true;
}

typedef struct form {
    uint16_t row;
    int axes;
    bool transposed;
    const char *sizes[AXES], *config;
} form;

static const form forms[] = {
    {TTNN_conv1d, 1, false, {"input_length"}, "conv2d_config"},
    {TTNN_conv2d, 2, false, {"input_height", "input_width"}, "conv2d_config"},
    {TTNN_conv3d, 3, false, {"input_depth", "input_height", "input_width"}, ""},
    {TTNN_conv_transpose2d, 2, true, {"input_height", "input_width"}, "conv2d_config"},
};

static bool read_windows(const ir_op *op, const form *f, krn_conv_desc *d, int64_t *kernel)
{
    d->spatial_rank = f->axes;
    for (int i = 0; i < f->axes; i++) {
        d->dilation[i] = d->input_dilation[i] = 1;
        d->in_shape[1 + i] = ir_op_int(op, f->sizes[i], 0);
        d->in_layout.spatial[i] = d->out_layout.spatial[i] = 1 + i;
        d->weights_layout.spatial[i] = 2 + i;
    }
    d->in_shape[0] = ir_op_int(op, "batch_size", 0);
    d->in_shape[1 + f->axes] = ir_op_int(op, "in_channels", 0);
    d->in_layout.feature = d->out_layout.feature = 1 + f->axes;
    d->weights_layout.feature = f->transposed;
    d->weights_layout.batch = !f->transposed;
    d->feature_groups = ir_op_int(op, "groups", 1);
    d->batch_groups = 1;
    return read_axes(op, "kernel_size", f->axes, kernel) &&
           read_axes(op, "stride", f->axes, d->stride) && read_padding(op, d) &&
           (!ir_op_attr(op, "dilation") || read_axes(op, "dilation", f->axes, d->dilation));
}

/* ---- planning ---- */

/* Prepared weights of two axes are rows of (channel, ky, kx), columns of O. */
static bool is_prepared(const rt_value *w, const form *f)
{
    return f->axes == 2 && w->rank == 4 && w->dims[0] == 1 && w->dims[1] == 1;
}

static bool read_weights(const ir_op *op, const form *f, const rt_value *w,
                         const int64_t *kernel, conv *c)
{
    krn_conv_desc *d = &c->desc;
    const int64_t in = d->in_shape[1 + f->axes], out = ir_op_int(op, "out_channels", 0);
    const int64_t groups = d->feature_groups;
    if (groups < 1 || in % groups || out % groups)
        return false;
    d->weights_shape[0] = f->transposed ? in : out;
    d->weights_shape[1] = f->transposed ? out / groups : in / groups;
    for (int i = 0; i < f->axes; i++)
        d->weights_shape[2 + i] = kernel[i];
    if (f->axes == 3 && w->rank == 2) {
        const int64_t taps = kernel[0] * kernel[1] * kernel[2];
        ir_attr config = ir_op_attr(op, "conv3d_config");
        c->block_order = true;
        c->block = ir_attr_int(config ? ir_attr_param(config, "c_in_block") : NULL, 0);
        if (c->block == 0 && taps > 0)
            c->block = w->dims[0] / taps;
        return groups == 1 && taps > 0 && c->block > 0 && w->dims[1] == out &&
               w->dims[0] % (taps * c->block) == 0 && w->dims[0] / taps >= in;
    }
    if (is_prepared(w, f)) {
        const int64_t first = f->transposed ? in : in / groups;
        const int64_t shape[] = {first, kernel[0], kernel[1],
                                 f->transposed ? out / groups : out};
        memcpy(d->weights_shape, shape, sizeof shape);
        d->weights_layout = (krn_conv_layout){.batch = 0, .feature = 3, .spatial = {1, 2}};
    }
    return w->count == krn_count(2 + f->axes, d->weights_shape);
}

static bool read_edges(const ir_op *op, conv *c)
{
    krn_conv_desc *d = &c->desc;
    ir_attr mode = ir_op_attr(op, "padding_mode");
    if (!mode || !tw_str_is(ir_attr_str(mode), "replicate"))
        return true;
    c->replicate = true;
    for (int i = 0; i < AXES; i++) {
        if (d->pad_low[i] < 0 || d->in_shape[1 + i] < 1)
            return false;
        c->edge[i] = d->pad_low[i];
        d->in_shape[1 + i] += 2 * c->edge[i];
        d->pad_low[i] = d->pad_high[i] = 0;
    }
    return true;
}

/* Splits a transposed convolution of two axes with strides: results whose positions leave
 * the remainders `rest` by the strides form a convolution of stride 1 by every stride-th
 * tap. */
static bool make_phase(const conv *c, const int64_t *kernel, const int64_t *padding,
                       const int64_t *full, const int64_t *rest, part *out)
{
    krn_conv_desc *d = &out->desc;
    *d = c->desc;
    out->out_at = 0;
    for (int i = 0; i < 2; i++) {
        const int64_t stride = c->stride[i], at = rest[i] + padding[i];
        const int64_t tap = at % stride;
        const int64_t taps = (kernel[i] - tap + stride - 1) / stride;
        const int64_t results = (full[i] - rest[i] + stride - 1) / stride;
        if (taps < 1 || results < 1)
            return false;
        out->tap[i] = tap;
        d->weights_shape[d->weights_layout.spatial[i]] = taps;
        d->input_dilation[i] = 1;
        d->pad_low[i] = taps - 1 - at / stride;
        d->pad_high[i] = results - d->in_shape[1 + i] - d->pad_low[i] + taps - 1;
        d->out_gap[i] = stride;
        d->out_full[i] = full[i];
        out->out_at = out->out_at * full[i] + rest[i];
    }
    const int64_t groups = d->feature_groups;
    out->out_at *= d->weights_shape[d->weights_layout.feature] * groups;
    memset(d->out_shape, 0, sizeof d->out_shape);
    return true;
}

/* `before`: the description as the attributes give it. Without phases the convolution runs
 * as a whole. */
static void make_phases(const krn_conv_desc *before, const int64_t *kernel, conv *c)
{
    const int64_t *s = before->stride;
    const int64_t full[2] = {c->parts->plan.desc.out_shape[1],
                             c->parts->plan.desc.out_shape[2]};
    int64_t rest[2];
    int n = 0;
    memcpy(c->stride, s, sizeof c->stride);
    if (s[0] * s[1] < 2 || s[0] * s[1] > PHASES || before->dilation[0] != 1 ||
        before->dilation[1] != 1 || c->parts->plan.path == KRN_CONV_EXACT)
        return;
    for (rest[0] = 0; rest[0] < s[0]; rest[0]++)
        for (rest[1] = 0; rest[1] < s[1]; rest[1]++)
            if (!make_phase(c, kernel, before->pad_low, full, rest, &c->parts[++n]))
                return;
    c->n_phases = n;
}

/* Replaces a tensor by the one that it is a view of, from its first element on. */
static bool read_view(const rt_plan *plan, int rank, const int64_t *dims, rt_value **v,
                      int64_t *strides)
{
    rt_view view;
    if (!rt_view_of(plan, *v, rank, dims, &view) || view.at)
        return false;
    *v = view.base;
    memcpy(strides, view.strides, (size_t)rank * sizeof *strides);
    return true;
}

/* Reads the operands through the permutations that make them, where the kernel copies the
 * input and packs the weights anyway. */
static tw_status read_views(const rt_plan *plan, rt_step *step, conv *c)
{
    const krn_conv_plan *dense = &c->parts->plan;
    const bool product =
        dense->path == KRN_CONV_PRODUCT || dense->path == KRN_CONV_WINOGRAD_GRADIENT;
    const int rank = c->desc.spatial_rank + 2;
    krn_conv_desc d = c->desc;
    rt_value *in = step->in[0], *weights = step->in[1];
    bool any = false;

    if (product && dense->copied && !c->replicate)
        any |= read_view(plan, rank, d.in_shape, &in, d.in_strides);
    if ((product || dense->path == KRN_CONV_WINOGRAD) && !c->block_order)
        any |= read_view(plan, rank, d.weights_shape, &weights, d.weights_strides);
    if (!any)
        return TW_SUCCESS;
    krn_conv_plan viewed;
    TW_TRY(krn_conv_prepare(&d, &viewed));
    if (viewed.path != dense->path)
        return TW_SUCCESS;
    c->desc = c->parts->desc = d;
    c->parts->plan = viewed;
    step->in[0] = in;
    step->in[1] = weights;
    return TW_SUCCESS;
}

/* Plans once with packed weights and with the bias that a norm may bring: the scratch
 * memory must be enough for all. */
static tw_status take_room(rt_plan *plan, rt_step *step, conv *c)
{
    size_t bytes = c->parts->plan.scratch_bytes;
    for (int i = 0; i <= c->n_phases; i++) {
        krn_conv_plan packing;
        krn_conv_desc d = c->parts[i].desc;
        d.constant_weights = true;
        if (!d.bias && c->parts->plan.path != KRN_CONV_EXACT) {
            d.bias = true;
            d.bias_dtype = TW_F32;
        }
        TW_TRY(krn_conv_prepare(&d, &packing));
        bytes = TW_MAX(bytes, packing.scratch_bytes);
    }
    const krn_conv_desc d = c->desc;
    const size_t channels =
        (size_t)(c->parts->plan.groups * c->parts->plan.outputs + 1) * sizeof(float);
    c->scale = rt_scratch_alloc(plan, channels);
    c->shift = rt_scratch_alloc(plan, channels);
    c->joined = TW_ARENA_NEW(&plan->arena, conv);
    c->spare = TW_ARENA_ARRAY(&plan->arena, part, (size_t)c->n_phases + 1);
    c->scratch = rt_shared_scratch(plan, bytes);
    c->owner = plan;
    if (c->block_order)
        c->weights = rt_scratch_alloc(plan, (size_t)krn_count(5, d.weights_shape) *
                                                tw_dtype_size(step->in[1]->dtype));
    if (c->replicate)
        c->padded = rt_scratch_alloc(plan, (size_t)krn_count(5, d.in_shape) *
                                               tw_dtype_size(step->in[0]->dtype));
    return TW_SUCCESS;
}

tw_status rt_prepare_conv(rt_plan *plan, ir_op *op, rt_step *step)
{
    conv *c = TW_ARENA_NEW(&plan->arena, conv);
    krn_conv_desc *d = &c->desc;
    const form *f = forms;
    int64_t kernel[AXES], output_padding[2] = {0};
    while (&ttnn_ops[f->row] != op->def)
        f++;
    if (!read_windows(op, f, d, kernel) || !read_weights(op, f, step->in[1], kernel, c) ||
        (f->transposed && !read_axes(op, "output_padding", 2, output_padding)) ||
        step->in[0]->count != krn_count(2 + f->axes, d->in_shape) || !read_edges(op, c))
        return tw_error(TW_INVALID,
                        "'%s': window, channels, groups or sizes do not fit the operands",
                        op->def->name);
    if (step->n_in > 2) {
        c->bias = step->in[2];
        d->bias = true;
        d->bias_dtype = c->bias->dtype;
        if (c->bias->count != ir_op_int(op, "out_channels", 0))
            return tw_error(TW_INVALID, "'%s': the bias has %lld numbers", op->def->name,
                            (long long)c->bias->count);
    }
    d->in = step->in[0]->dtype;
    d->weights = step->in[1]->dtype;
    d->out = step->out->dtype;
    ir_attr config = ir_op_attr(op, f->config);
    TW_TRY(rt_activation_read(op, config ? ir_attr_param(config, "activation") : NULL,
                              &c->activation));
    d->act = c->activation.act;
    const krn_conv_desc before = *d;
    if (f->transposed)
        krn_conv_transpose_desc(d, output_padding);
    const int64_t per_result =
        step->in[1]->count / TW_MAX(ir_op_int(op, "out_channels", 0), 1);
    d->threads = rt_product_threads(plan->pool, step->out->count, per_result);
    c->parts = TW_ARENA_ARRAY(&plan->arena, part, f->transposed ? PHASES + 1 : 1);
    c->parts->desc = *d;
    tw_status status = krn_conv_prepare(d, &c->parts->plan);
    if (status)
        return tw_annotate(status, "'%s'", op->def->name);
    if (step->out->count != krn_count(2 + f->axes, c->parts->plan.desc.out_shape))
        return tw_error(TW_INVALID, "'%s': the result has another size than declared",
                        op->def->name);
    if (f->transposed)
        make_phases(&before, kernel, c);
    else
        TW_TRY(read_views(plan, step, c));
    TW_TRY(take_room(plan, step, c));
    step->state = c;
    step->run = run_conv;
    step->finalize = finalize_conv;
    return TW_SUCCESS;
}

/* ---- preparation of weights and biases ---- */

typedef struct ready {
    int64_t outer, middle, taps, last; /* of the result: [outer][taps][middle][last] */
    int64_t strides[4];                /* of the weights, in this order */
    int64_t channels;                  /* middle times outer; zero beyond */
} ready;

static void run_ready(const rt_step *step)
{
    const ready *r = step->state;
    const rt_value *w = step->in[0], *out = step->out;
    int64_t to = 0;
    for (int64_t a = 0; a < r->outer; a++)
        for (int64_t t = 0; t < r->taps; t++)
            for (int64_t m = 0; m < r->middle; m++)
                for (int64_t o = 0; o < r->last; o++, to++) {
                    const int64_t from = a * r->strides[0] + t * r->strides[1] +
                                         m * r->strides[2] + o * r->strides[3];
                    const bool given = a * r->middle + m < r->channels;
                    const float x = given ? rt_real_at(w, from) : 0;
                    rt_store_f32(out->dtype, &x, 1, rt_data(out), (size_t)to);
                }
}

/* Rearranges OIHW (IOHW transposed) to rows of I, ky, kx and columns of O; OIDHW to rows of
 * block, kd, ky, kx, channel. */
tw_status rt_prepare_weights(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *w = step->in[0];
    const bool flipped = op->def == TTNN_OP(prepare_conv_transpose2d_weights);
    const bool blocks = op->def == TTNN_OP(prepare_conv3d_weights);
    ready *r = TW_ARENA_NEW(&plan->arena, ready);
    if (w->rank != (blocks ? 5 : 4))
        return rt_misfit(op);
    const int64_t o = w->dims[flipped], channels = w->dims[!flipped];
    r->taps = 1;
    for (int d = 2; d < w->rank; d++)
        r->taps *= w->dims[d];
    const int64_t step_o = flipped ? r->taps : channels * r->taps;
    const int64_t step_c = flipped ? o * r->taps : r->taps;
    r->channels = channels;
    r->last = o;
    r->outer = channels;
    r->middle = 1;
    if (blocks) {
        const int64_t align = TW_MAX(ir_op_int(op, "alignment", 1), 1);
        const int64_t padded = (channels + align - 1) / align * align;
        r->middle = ir_op_int(op, "c_in_block", 0);
        r->middle = r->middle > 0 ? r->middle : padded;
        r->outer = r->middle ? padded / r->middle : 0;
        if (r->outer * r->middle != padded)
            return rt_misfit(op);
    }
    const int64_t strides[] = {r->middle * step_c, 1, step_c, step_o};
    memcpy(r->strides, strides, sizeof strides);
    if (step->out->count != r->outer * r->taps * r->middle * r->last)
        return rt_misfit(op);
    step->state = r;
    step->run = run_ready;
    return TW_SUCCESS;
}

static void run_bias(const rt_step *step)
{
    rt_convert_into(step->in[0]->dtype, rt_data(step->in[0]), step->out);
}

tw_status rt_prepare_bias(rt_plan *plan, ir_op *op, rt_step *step)
{
    (void)plan;
    if (step->in[0]->count != step->out->count)
        return rt_misfit(op);
    step->run = run_bias;
    return TW_SUCCESS;
}
