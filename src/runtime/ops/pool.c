/* pool.c: pooling over windows. Activations are [1, 1, N*H*W, C], as TTNN flattens them;
 * the padding is top, left, bottom, right. */
#include "host/pool/pool.h"
#include "runtime/plan.h"
#include "ttnn/ttnn.h"

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

static void run_pool(const rt_step *step)
{
    krn_window_run(step->state, rt_data(step->in[0]), NULL, rt_data(step->out), step->pool);
}

tw_status rt_prepare_pool(rt_plan *plan, ir_op *op, rt_step *step)
{
    window w;
    krn_window_desc d;
    krn_window_plan *p = TW_ARENA_NEW(&plan->arena, krn_window_plan);
    TW_TRY(read_window(op, &w));
    w.c = ir_op_int(op, "channels", 0);
    if (step->in[0]->count != w.n * w.h * w.w * w.c ||
        step->out->count != w.n * w.oh * w.ow * w.c ||
        step->in[0]->dtype != step->out->dtype)
        return tw_error(TW_INVALID, "'%s': input or result has another size than declared",
                        op->def->name);
    const int64_t shape[] = {w.n, w.h, w.w, w.c};
    krn_window_desc_init(&d, step->in[0]->dtype,
                         op->def != TTNN_OP(avg_pool2d)        ? KRN_WINDOW_MAX
                         : ir_op_bool(op, "count_include_pad") ? KRN_WINDOW_MEAN
                                                               : KRN_WINDOW_MEAN_INSIDE,
                         4, shape);
    const int64_t sizes[2][5] = {{w.kh, w.sh, w.dh, w.top, w.bottom},
                                 {w.kw, w.sw, w.dw, w.left, w.right}};
    for (int i = 0; i < 2; i++) {
        d.window[1 + i] = sizes[i][0];
        d.stride[1 + i] = sizes[i][1];
        d.dilation[1 + i] = sizes[i][2];
        d.pad_low[1 + i] = sizes[i][3];
        d.pad_high[1 + i] = sizes[i][4];
    }
    d.ceil_mode = ir_op_bool(op, "ceil_mode");
    tw_status status = krn_window_prepare(&d, p);
    if (status)
        return tw_annotate(status, "'%s'", op->def->name);
    if (p->out_shape[1] != w.oh || p->out_shape[2] != w.ow)
        return tw_error(TW_INVALID, "'%s': input or result has another size than declared",
                        op->def->name);
    step->state = p;
    step->run = run_pool;
    return TW_SUCCESS;
}
