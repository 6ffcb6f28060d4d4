/* spatial.c: upsampling, averages over images, and pooling with indices. */
#include "host/pool/pool.h"
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

static void run_upsample(const rt_step *step)
{
    krn_upsample_run(step->state, rt_data(step->in[0]), rt_data(step->out), step->pool);
}

tw_status rt_prepare_upsample(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0];
    krn_upsample_plan *p = TW_ARENA_NEW(&plan->arena, krn_upsample_plan);
    ir_attr factor = ir_op_attr(op, "scale_factor"), mode = ir_op_attr(op, "mode");
    int64_t scale[2];
    if (ir_attr_is(factor, IR_ATTR_INTEGER))
        scale[0] = scale[1] = factor->value;
    else if (ir_attr_ints(factor, scale, 2) != 2)
        return rt_misfit(op);
    if (x->rank != 4 || x->dtype != step->out->dtype || scale[0] < 1 || scale[1] < 1 ||
        step->out->count != x->count * scale[0] * scale[1])
        return rt_misfit(op);
    bool bilinear = mode && tw_str_is(ir_attr_str(mode), "bilinear");
    step->state = p;
    step->run = run_upsample;
    return krn_upsample_prepare(
        x->dtype, bilinear ? KRN_UPSAMPLE_BILINEAR : KRN_UPSAMPLE_NEAREST, x->dims[0],
        x->dims[1], x->dims[2], x->dims[3], scale[0], scale[1], p);
}

static void run_global_avg(const rt_step *step)
{
    const rt_value *x = step->in[0];
    tw_status status =
        krn_mean_middle(x->dtype, x->dims[0], x->dims[1] * x->dims[2], x->dims[3],
                        rt_data(x), rt_data(step->out), step->pool);
    assert(status == TW_SUCCESS); /* types and shapes were checked when planning */
    tw_status_free(status);
}

tw_status rt_prepare_global_avg(rt_plan *plan, ir_op *op, rt_step *step)
{
    (void)plan;
    const rt_value *x = step->in[0];
    if (x->rank != 4 || x->dtype != step->out->dtype ||
        step->out->count != x->dims[0] * x->dims[3])
        return rt_misfit(op);
    if (x->dtype != TW_F32 && x->dtype != TW_BF16)
        return tw_error(TW_UNSUPPORTED, "'%s' of %s is not implemented", op->def->name,
                        tw_dtype_name(x->dtype));
    step->run = run_global_avg;
    return TW_SUCCESS;
}

/* ---- max_pool2d_with_indices */

typedef struct indexed {
    krn_window_plan window;
    int32_t *positions;
} indexed;

static void run_indexed(const rt_step *step)
{
    const indexed *p = step->state;
    const rt_value *where = step->outs[1];
    krn_max_pool2d_indices(&p->window, rt_data(step->in[0]), rt_data(step->outs[0]),
                           p->positions, step->pool);
    rt_convert(TW_I32, p->positions, where->dtype, rt_data(where), (size_t)where->count);
}

tw_status rt_prepare_indexed(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0];
    indexed *p = TW_ARENA_NEW(&plan->arena, indexed);
    int64_t kernel[2], stride[2], dilation[2], padding[4];
    const int64_t shape[4] = {
        ir_op_int(op, "batch_size", 0), ir_op_int(op, "input_height", 0),
        ir_op_int(op, "input_width", 0), ir_op_int(op, "channels", 0)};
    int64_t n = ir_attr_ints(ir_op_attr(op, "padding"), padding, 4);
    if (ir_attr_ints(ir_op_attr(op, "kernel_size"), kernel, 2) != 2 ||
        ir_attr_ints(ir_op_attr(op, "stride"), stride, 2) != 2 ||
        ir_attr_ints(ir_op_attr(op, "dilation"), dilation, 2) != 2 || (n != 2 && n != 4) ||
        x->count != shape[0] * shape[1] * shape[2] * shape[3])
        return rt_misfit(op);
    krn_window_desc d;
    krn_window_desc_init(&d, x->dtype, KRN_WINDOW_MAX, 4, shape);
    for (int i = 0; i < 2; i++) { /* padding: top, left, bottom, right */
        d.window[i + 1] = kernel[i];
        d.stride[i + 1] = stride[i];
        d.dilation[i + 1] = dilation[i];
        d.pad_low[i + 1] = padding[i];
        d.pad_high[i + 1] = padding[n == 4 ? i + 2 : i];
    }
    d.ceil_mode = ir_op_bool(op, "ceil_mode");
    TW_TRY(krn_window_prepare(&d, &p->window));
    if (p->window.out_count != step->outs[0]->count || step->outs[0]->dtype != x->dtype ||
        p->window.out_count != step->outs[1]->count)
        return rt_misfit(op);
    p->positions = rt_scratch_alloc(plan, (size_t)(p->window.out_count + 1) * 4);
    step->state = p;
    step->run = run_indexed;
    return TW_SUCCESS;
}
