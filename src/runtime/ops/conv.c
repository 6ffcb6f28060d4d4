/* conv.c: convolutions over one, two and three axes, and transposed ones over two, on
 * the kernels of host/conv/conv.h.
 *
 * Activations are channels last ([1, 1, N*H*W, C] where TTNN flattens them), weights
 * [O, C/G, taps] ([C, O/G, taps] transposed) or as rt_prepare_conv*_weights leaves them. */
#include "host/conv/conv.h"
#include "runtime/activation.h"
#include "runtime/joins.h"
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

enum { AXES = KRN_CONV_MAX_SPATIAL };

typedef struct conv {
    krn_conv_desc desc;
    krn_conv_plan plan;
    rt_activation activation;
    const rt_value *bias;
    void *scratch, *packed;
    float *scale, *shift; /* of the output channels, from a norm that this step includes */
    bool normed, scaled;  /* it includes one; each run scales, the weights are not */
    struct conv *joined;  /* room for the state of a step that includes others */
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

static void run_conv(const rt_step *step)
{
    const conv *c = step->state;
    const krn_gemm_args args = {.a = c->replicate ? repeat_edges(step, c)
                                                  : rt_data(step->in[0]),
                                .b = c->constant ? c->packed : unblock(step, c),
                                .bias = c->normed ? c->shift
                                        : c->bias ? rt_data(c->bias)
                                                  : NULL,
                                .scale = c->scaled ? c->scale : NULL,
                                .c = rt_data(step->out),
                                .act = rt_activation_apply,
                                .act_context = (void *)(uintptr_t)&c->activation,
                                .scratch = c->scratch};
    krn_conv_run(&c->plan, &args, step->pool);
}

static void finalize_conv(rt_step *step)
{
    conv *c = step->state;
    c->constant = step->in[1]->buffer->constant && !step->constant;
    c->desc.constant_weights = c->constant;
    tw_status status = krn_conv_prepare(&c->desc, &c->plan);
    assert(status == TW_SUCCESS); /* prepare checked the same description */
    tw_status_free(status);
    if (c->constant)
        krn_conv_pack_weights(&c->plan, unblock(step, c), c->packed, step->pool);
}

static bool join_norm(const rt_step *b, conv *c)
{
    const float *scale, *shift;
    const int64_t n = c->plan.groups * c->plan.outputs;
    if (c->normed || c->activation.act != KRN_GEMM_NONE || !c->constant ||
        c->plan.path == KRN_CONV_EXACT || (c->bias && !c->bias->buffer->constant) ||
        !rt_norm_of_channels(b, &scale, &shift) || rt_dim(b->in[0], -1) != n)
        return false;
    memcpy(c->scale, scale, (size_t)n * sizeof *scale);
    memcpy(c->shift, shift, (size_t)n * sizeof *shift);
    for (int64_t i = 0; c->bias && i < n; i++)
        c->shift[i] += rt_real_at(c->bias, i) * scale[i];
    c->scaled = !krn_conv_scale_weights(&c->plan, c->scale, c->packed);
    c->normed = true;
    c->desc.bias = true;
    c->desc.bias_dtype = TW_F32;
    return true;
}

static bool join_activation(const rt_step *b, conv *c)
{
    const krn_strip_id id = rt_group_single(b);
    if (c->activation.act != KRN_GEMM_NONE || c->plan.path == KRN_CONV_EXACT ||
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
    tw_status status = krn_conv_prepare(&c.desc, &c.plan);
    assert(status == TW_SUCCESS); /* but for bias and activation it is the same */
    tw_status_free(status);
    conv *joined = c.joined;
    *joined = c;
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

static tw_status take_room(rt_plan *plan, rt_step *step, conv *c)
{
    krn_conv_plan packing;
    krn_conv_desc d = c->desc;
    d.constant_weights = true;
    if (!d.bias && c->plan.path != KRN_CONV_EXACT) { /* a norm may bring one */
        d.bias = true;
        d.bias_dtype = TW_F32;
    }
    TW_TRY(krn_conv_prepare(&d, &packing));
    const size_t channels = (size_t)(packing.groups * packing.outputs + 1) * sizeof(float);
    c->scale = rt_scratch_alloc(plan, channels);
    c->shift = rt_scratch_alloc(plan, channels);
    c->joined = TW_ARENA_NEW(&plan->arena, conv);
    c->scratch =
        rt_scratch_alloc(plan, TW_MAX(c->plan.scratch_bytes, packing.scratch_bytes));
    c->packed = rt_scratch_alloc(plan, packing.packed_weights_bytes);
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
    if (f->transposed)
        krn_conv_transpose_desc(d, output_padding);
    const int64_t per_result =
        step->in[1]->count / TW_MAX(ir_op_int(op, "out_channels", 0), 1);
    d->threads = rt_product_threads(plan->pool, step->out->count, per_result);
    tw_status status = krn_conv_prepare(d, &c->plan);
    if (status)
        return tw_annotate(status, "'%s'", op->def->name);
    if (step->out->count != krn_count(2 + f->axes, c->plan.desc.out_shape))
        return tw_error(TW_INVALID, "'%s': the result has another size than declared",
                        op->def->name);
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
