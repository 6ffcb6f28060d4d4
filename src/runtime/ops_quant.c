/* ops_quant.c: codes and the numbers that they stand for: x = (q - zero point) * scale. */
#include "dialect/ttnn/ttnn.h"
#include "runtime/steps.h"

#include <math.h>

/* A scale and a zero point, one for all or one for each place along an axis. */
typedef struct grid {
    const rt_value *scale, *zero;
} grid;

typedef struct quant {
    grid in, out; /* absent where the numbers are plain */
    int64_t length, inner;
    double low, high; /* of the result's codes */
} quant;

static double at(const rt_value *v, int64_t i)
{
    int64_t k = v->count == 1 ? 0 : i;
    return rt_is_float(v->dtype) ? (double)rt_real_at(v, k) : (double)rt_int_at(v, k);
}

static void run_quant(const rt_step *step)
{
    const quant *q = step->state;
    const rt_value *x = step->in[0], *out = step->out;
    for (int64_t i = 0; i < x->count; i++) {
        int64_t k = i / q->inner % q->length;
        double v = at(x, x->count == 1 ? 0 : i);
        if (q->in.scale)
            v = (v - at(q->in.zero, k)) * at(q->in.scale, k);
        if (!q->out.scale) {
            float real = (float)v;
            rt_store_f32(out->dtype, &real, 1, rt_data(out), (size_t)i);
            continue;
        }
        v = nearbyint(v / at(q->out.scale, k)) + at(q->out.zero, k); /* half to even */
        int64_t code = v != v ? 0 : (int64_t)fmin(fmax(v, q->low), q->high);
        rt_store_i64(out->dtype, &code, 1, rt_data(out), (size_t)i);
    }
}

static bool fits(const grid *g, int64_t length)
{
    return (g->scale->count == 1 || g->scale->count == length) &&
           (g->zero->count == 1 || g->zero->count == length);
}

static tw_status prepare_quant(rt_plan *plan, ir_op *op, rt_step *step)
{
    static const struct {
        tw_dtype dtype;
        double low, high;
    } ranges[] = {{TW_I8, -128, 127},        {TW_I16, -32768, 32767},
                  {TW_U8, 0, 255},           {TW_U16, 0, 65535},
                  {TW_U32, 0, 4294967295.0}, {TW_I32, -2147483648.0, 2147483647.0}};
    const rt_value *x = step->in[0];
    quant *q = TW_ARENA_NEW(&plan->arena, quant);
    if (op->def == TTNN_OP(requantize)) {
        q->in =
            (grid){rt_operand(op, step, "in_scale"), rt_operand(op, step, "in_zero_point")};
        q->out = (grid){rt_operand(op, step, "out_scale"),
                        rt_operand(op, step, "out_zero_point")};
    } else {
        grid g = {rt_operand(op, step, "scale"), rt_operand(op, step, "zero_point")};
        if (op->def == TTNN_OP(dequantize))
            q->in = g;
        else
            q->out = g;
    }
    q->length = q->inner = 1;
    if (ir_op_attr(op, "axis")) {
        int axis = rt_axis(op, "axis", 0, x->rank);
        if (axis < 0)
            return rt_misfit(op);
        q->length = TW_MAX(x->dims[axis], 1);
        for (int d = axis + 1; d < x->rank; d++)
            q->inner *= x->dims[d];
        q->inner = TW_MAX(q->inner, 1);
    }
    for (size_t i = 0; i < TW_COUNT(ranges); i++)
        if (ranges[i].dtype == step->out->dtype)
            q->low = ranges[i].low, q->high = ranges[i].high;
    if (x->count != step->out->count || (q->in.scale && !fits(&q->in, q->length)) ||
        (q->out.scale && (!fits(&q->out, q->length) || rt_is_float(step->out->dtype))))
        return rt_misfit(op);
    step->state = q;
    step->run = run_quant;
    return TW_SUCCESS;
}

const rt_kernel rt_quant_kernels[] = {
    {TTNN_dequantize, prepare_quant},
    {TTNN_quantize, prepare_quant},
    {TTNN_requantize, prepare_quant},
    {0, NULL},
};
