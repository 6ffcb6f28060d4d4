/* pool.c: pooling over windows. Activations are [1, 1, N*H*W, C], as TTNN flattens them;
 * the padding is top, left, bottom, right. */
#include "runtime/plan.h"
#include "ttnn/ttnn.h"

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

/* ---- pooling ------------------------------------------------------------------------ */

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

tw_status rt_prepare_pool(rt_plan *plan, ir_op *op, rt_step *step)
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
