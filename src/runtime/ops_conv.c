/* ops_conv.c: conv2d as a matrix product over patches, and pooling.  Activations are
 * [1, 1, N*H*W, C], as TTNN flattens them. */
#include "dialect/ttnn/ttnn.h"
#include "kernel/gemm.h"
#include "runtime/plan.h"

#include <math.h>

typedef struct window {
    int64_t n, h, w, c, kh, kw, sh, sw, dh, dw, top, left, bottom, right, oh, ow;
} window;

static int64_t out_size(int64_t in, int64_t low, int64_t high, int64_t kernel,
                        int64_t dilation, int64_t stride, bool ceil)
{
    int64_t span = in + low + high - dilation * (kernel - 1) - 1;
    if (span < 0)
        return 0;
    int64_t n = span / stride + 1;
    if (ceil && span % stride && (n * stride < in + low))
        n++;
    return n;
}

static tw_status read_window(ir_op *op, window *w)
{
    int64_t two[2], four[4];
    w->n = ir_op_int(op, "batch_size", 0);
    w->h = ir_op_int(op, "input_height", 0);
    w->w = ir_op_int(op, "input_width", 0);
    bool ok = ir_attr_ints(ir_op_attr(op, "kernel_size"), two, 2) == 2;
    w->kh = two[0];
    w->kw = two[1];
    ok &= ir_attr_ints(ir_op_attr(op, "stride"), two, 2) == 2;
    w->sh = two[0];
    w->sw = two[1];
    ok &= ir_attr_ints(ir_op_attr(op, "dilation"), two, 2) == 2;
    w->dh = two[0];
    w->dw = two[1];
    int64_t n = ir_attr_ints(ir_op_attr(op, "padding"), four, 4);
    ok &= n == 2 || n == 4;
    w->top = four[0];
    w->left = four[1];
    w->bottom = n == 4 ? four[2] : four[0];
    w->right = n == 4 ? four[3] : four[1];
    if (!ok || w->sh < 1 || w->sw < 1 || w->kh < 1 || w->kw < 1 || w->dh < 1 || w->dw < 1)
        return tw_error(TW_INVALID,
                        "'%s': kernel, stride, padding or dilation out of range",
                        op->def->name);
    bool ceil = ir_op_bool(op, "ceil_mode");
    w->oh = out_size(w->h, w->top, w->bottom, w->kh, w->dh, w->sh, ceil);
    w->ow = out_size(w->w, w->left, w->right, w->kw, w->dw, w->sw, ceil);
    return TW_SUCCESS;
}

/* ---- pooling
 * ---------------------------------------------------------------------------------- */

typedef struct pool {
    window w;
    bool average, include_pad;
    float *sum, *row;
} pool;

static void pool_pixel(const rt_step *step, const pool *p, int64_t n, int64_t oy,
                       int64_t ox)
{
    const window *w = &p->w;
    int64_t count = 0, padded = 0;
    for (int64_t c = 0; c < w->c; c++)
        p->sum[c] = p->average ? 0 : -INFINITY;
    for (int64_t ky = 0; ky < w->kh; ky++)
        for (int64_t kx = 0; kx < w->kw; kx++) {
            int64_t y = oy * w->sh - w->top + ky * w->dh,
                    x = ox * w->sw - w->left + kx * w->dw;
            padded += y < w->h + w->bottom && x < w->w + w->right;
            if (y < 0 || y >= w->h || x < 0 || x >= w->w)
                continue;
            count++;
            rt_load_f32(step->in[0]->dtype, rt_data(step->in[0]),
                        (size_t)(((n * w->h + y) * w->w + x) * w->c), (size_t)w->c, p->row);
            for (int64_t c = 0; c < w->c; c++)
                if (p->average)
                    p->sum[c] += p->row[c];
                else if (p->row[c] > p->sum[c] || p->row[c] != p->row[c])
                    p->sum[c] = p->row[c];
        }
    int64_t divisor = p->include_pad ? padded : count;
    for (int64_t c = 0; c < w->c && p->average; c++)
        p->sum[c] /= (float)divisor;
    rt_store_f32(step->out->dtype, p->sum, (size_t)w->c, rt_data(step->out),
                 (size_t)(((n * w->oh + oy) * w->ow + ox) * w->c));
}

static void run_pool(const rt_step *step)
{
    const pool *p = step->state;
    for (int64_t n = 0; n < p->w.n; n++)
        for (int64_t y = 0; y < p->w.oh; y++)
            for (int64_t x = 0; x < p->w.ow; x++)
                pool_pixel(step, p, n, y, x);
}

static tw_status prepare_pool(rt_plan *plan, ir_op *op, rt_step *step)
{
    pool *p = TW_ARENA_NEW(&plan->arena, pool);
    TW_TRY(read_window(op, &p->w));
    p->w.c = ir_op_int(op, "channels", 0);
    p->average = op->def == TTNN_OP(avg_pool2d);
    p->include_pad = ir_op_bool(op, "count_include_pad");
    if (step->in[0]->count != p->w.n * p->w.h * p->w.w * p->w.c ||
        step->out->count != p->w.n * p->w.oh * p->w.ow * p->w.c)
        return tw_error(TW_INVALID, "'%s': input or result has another size than declared",
                        op->def->name);
    p->sum = rt_scratch_alloc(plan, (size_t)TW_MAX(p->w.c, 1) * sizeof(float));
    p->row = rt_scratch_alloc(plan, (size_t)TW_MAX(p->w.c, 1) * sizeof(float));
    step->state = p;
    step->run = run_pool;
    return TW_SUCCESS;
}

/* ---- convolution
 * ------------------------------------------------------------------------------------- */

/* Patches of one image are rows [oh*ow, kh*kw*cg]; weights are [og, cg*kh*kw] in the order
 * c, ky, kx, brought to ky, kx, c when they are settled. */
typedef struct conv {
    window w;
    int64_t groups, cg, o, og;
    krn_gemm_plan plan;
    float *patches, *weights, *packed, *result, *row;
    void *scratch;
    size_t packed_bytes; /* of one group */
    const rt_value *bias;
    bool weights_ready;
} conv;

static void load_weights(const rt_step *step, conv *c)
{
    const rt_value *v = step->in[1];
    int64_t taps = c->w.kh * c->w.kw;
    float *all = c->patches; /* large enough: checked in prepare */
    rt_load_f32(v->dtype, rt_data(v), 0, (size_t)v->count, all);
    for (int64_t o = 0; o < c->o; o++)
        for (int64_t ch = 0; ch < c->cg; ch++)
            for (int64_t t = 0; t < taps; t++)
                c->weights[(o * taps + t) * c->cg + ch] = all[(o * c->cg + ch) * taps + t];
    for (int64_t g = 0; g < c->groups; g++)
        krn_gemm_pack_b(&c->plan, c->weights + g * c->og * taps * c->cg,
                        (char *)c->packed + (size_t)g * c->packed_bytes);
}

static void gather_patches(const rt_step *step, const conv *c, int64_t n, int64_t group)
{
    const window *w = &c->w;
    float *to = c->patches;
    for (int64_t oy = 0; oy < w->oh; oy++)
        for (int64_t ox = 0; ox < w->ow; ox++)
            for (int64_t ky = 0; ky < w->kh; ky++)
                for (int64_t kx = 0; kx < w->kw; kx++, to += c->cg) {
                    int64_t y = oy * w->sh - w->top + ky * w->dh;
                    int64_t x = ox * w->sw - w->left + kx * w->dw;
                    if (y < 0 || y >= w->h || x < 0 || x >= w->w)
                        memset(to, 0, (size_t)c->cg * sizeof *to);
                    else
                        rt_load_f32(
                            step->in[0]->dtype, rt_data(step->in[0]),
                            (size_t)(((n * w->h + y) * w->w + x) * w->c + group * c->cg),
                            (size_t)c->cg, to);
                }
}

static void store_result(const rt_step *step, const conv *c, int64_t n, int64_t group)
{
    int64_t pixels = c->w.oh * c->w.ow;
    for (int64_t i = 0; i < pixels; i++) {
        float *row = c->result + i * c->og;
        if (c->bias) {
            rt_load_f32(c->bias->dtype, rt_data(c->bias), (size_t)(group * c->og),
                        (size_t)c->og, c->row);
            for (int64_t o = 0; o < c->og; o++)
                row[o] += c->row[o];
        }
        rt_store_f32(step->out->dtype, row, (size_t)c->og, rt_data(step->out),
                     (size_t)((n * pixels + i) * c->o + group * c->og));
    }
}

static void run_conv(const rt_step *step)
{
    conv *c = step->state;
    if (!c->weights_ready)
        load_weights(step, c);
    c->weights_ready = step->in[1]->buffer->constant;
    for (int64_t n = 0; n < c->w.n; n++)
        for (int64_t g = 0; g < c->groups; g++) {
            gather_patches(step, c, n, g);
            krn_gemm_args args = {.a = c->patches,
                                  .b = (char *)c->packed + (size_t)g * c->packed_bytes,
                                  .c = c->result,
                                  .scratch = c->scratch};
            krn_gemm_run(&c->plan, &args, NULL);
            store_result(step, c, n, g);
        }
}

static void settle_conv(rt_step *step)
{
    ((conv *)step->state)->weights_ready = false;
}

static tw_status prepare_conv(rt_plan *plan, ir_op *op, rt_step *step)
{
    conv *c = TW_ARENA_NEW(&plan->arena, conv);
    TW_TRY(read_window(op, &c->w));
    c->w.c = ir_op_int(op, "in_channels", 0);
    c->o = ir_op_int(op, "out_channels", 0);
    c->groups = ir_op_int(op, "groups", 1);
    const window *w = &c->w;
    const rt_value *weight = step->in[1];
    if (c->groups < 1 || w->c % c->groups || c->o % c->groups || weight->rank != 4)
        return tw_error(TW_INVALID, "'%s': %lld and %lld channels in %lld groups",
                        op->def->name, (long long)w->c, (long long)c->o,
                        (long long)c->groups);
    c->cg = w->c / c->groups;
    c->og = c->o / c->groups;
    if (step->in[0]->count != w->n * w->h * w->w * w->c ||
        step->out->count != w->n * w->oh * w->ow * c->o ||
        weight->count != c->o * c->cg * w->kh * w->kw)
        return tw_error(TW_INVALID,
                        "'%s': input, weight or result has another size than declared",
                        op->def->name);
    c->bias = step->n_in > 2 ? step->in[2] : NULL;
    int64_t pixels = w->oh * w->ow, taps = w->kh * w->kw * c->cg;
    krn_gemm_desc desc = {.m = pixels,
                          .n = c->og,
                          .k = taps,
                          .a = TW_F32,
                          .b = TW_F32,
                          .c = TW_F32,
                          .transpose_b = true,
                          .constant_b = true,
                          .threads = 1};
    TW_TRY(krn_gemm_prepare(&desc, &c->plan));
    size_t patches = (size_t)TW_MAX(pixels * taps, weight->count);
    c->patches = rt_scratch_alloc(plan, patches * sizeof(float));
    c->weights = rt_scratch_alloc(plan, (size_t)weight->count * sizeof(float));
    c->packed_bytes = tw_align_up(c->plan.packed_b_bytes, 64);
    c->packed = rt_scratch_alloc(plan, c->packed_bytes * (size_t)c->groups);
    c->result = rt_scratch_alloc(plan, (size_t)(pixels * c->og) * sizeof(float));
    c->row = rt_scratch_alloc(plan, (size_t)c->og * sizeof(float));
    c->scratch = rt_scratch_alloc(plan, c->plan.scratch_bytes);
    step->state = c;
    step->run = run_conv;
    step->settle = settle_conv;
    return TW_SUCCESS;
}

const rt_kernel rt_conv_kernels[] = {
    {TTNN_avg_pool2d, prepare_pool},
    {TTNN_conv2d, prepare_conv},
    {TTNN_max_pool2d, prepare_pool},
    {0, NULL},
};
