/* quant.c: quantized integers (codes) and their real values: x = (q - zero point) * scale.
 *
 * Computed in f32, like StableHLO's interpreter: a code is x / scale rounded to f32, then
 * to the nearest integer, ties to even. */
#include "mlir/quant/quant.h"
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

#include <math.h>

/* Scales and zero points: one for all, or one for each index along an axis. */
typedef struct grid {
    const rt_value *scale, *zero;
} grid;

typedef struct quant {
    grid in, out; /* absent for unquantized values */
    int64_t length, inner;
    int64_t low, high; /* range of the result's codes */
} quant;

/* Buffers for a few hundred elements. */
enum { STRIP = 256 };

typedef struct strip {
    float reals[STRIP];
    int64_t codes[STRIP];
} strip;

static float scale_at(const grid *g, int64_t k)
{
    return rt_real_at(g->scale, g->scale->count == 1 ? 0 : k);
}

static int64_t zero_at(const grid *g, int64_t k)
{
    k = g->zero->count == 1 ? 0 : k;
    return rt_is_float(g->zero->dtype) ? (int64_t)rt_real_at(g->zero, k)
                                       : rt_int_at(g->zero, k);
}

static void to_reals(const grid *g, int64_t k, size_t n, strip *s)
{
    const float scale = scale_at(g, k);
    const int64_t zero = zero_at(g, k);
    for (size_t i = 0; i < n; i++)
        s->reals[i] = (float)((double)(s->codes[i] - zero) * scale);
}

/* Ties to even; NaN becomes code 0, or the nearest one in range. */
static void to_codes(const quant *q, int64_t k, size_t n, strip *s)
{
    const float scale = scale_at(&q->out, k);
    const double zero = (double)zero_at(&q->out, k);
    const double low = (double)q->low, high = (double)q->high;
    for (size_t i = 0; i < n; i++) {
        double v = nearbyint((double)(s->reals[i] / scale)) + zero;
        v = v != v ? 0 : v;
        s->codes[i] = (int64_t)(v < low ? low : v > high ? high : v);
    }
}

/* n elements that share the scales at index k. */
static void run_part(const rt_step *step, int64_t k, size_t at, size_t n)
{
    const quant *q = step->state;
    const rt_value *x = step->in[0], *out = step->out;
    strip s;
    for (size_t end = at + n; at < end; at += n) {
        n = TW_MIN(end - at, (size_t)STRIP);
        if (q->in.scale) {
            rt_load_i64(x->dtype, rt_data(x), at, n, s.codes);
            to_reals(&q->in, k, n, &s);
        } else {
            rt_load_f32(x->dtype, rt_data(x), at, n, s.reals);
        }
        if (!q->out.scale) {
            rt_store_f32(out->dtype, s.reals, n, rt_data(out), at);
            continue;
        }
        to_codes(q, k, n, &s);
        rt_store_i64(out->dtype, s.codes, n, rt_data(out), at);
    }
}

static void run_quant(const rt_step *step)
{
    const quant *q = step->state;
    const size_t count = (size_t)step->in[0]->count;
    const size_t part = q->length == 1 ? count : (size_t)q->inner;
    for (size_t at = 0, k = 0; at < count; at += part, k++)
        run_part(step, (int64_t)k % q->length, at, part);
}

static bool fits(const grid *g, int64_t length)
{
    return (g->scale->count == 1 || g->scale->count == length) &&
           (g->zero->count == 1 || g->zero->count == length);
}

/* Codes of a quantized type are limited to its storage range, others to their integer
 * type's. */
static void find_range(const ir_op *op, tw_dtype dtype, quant *q)
{
    static const struct {
        tw_dtype dtype;
        int64_t low, high;
    } ranges[] = {{TW_I8, INT8_MIN, INT8_MAX},    {TW_I16, INT16_MIN, INT16_MAX},
                  {TW_U8, 0, UINT8_MAX},          {TW_U16, 0, UINT16_MAX},
                  {TW_I32, INT32_MIN, INT32_MAX}, {TW_U32, 0, UINT32_MAX}};
    ir_type element = op->results[0].type->element;
    for (size_t i = 0; i < TW_COUNT(ranges); i++)
        if (ranges[i].dtype == dtype)
            q->low = ranges[i].low, q->high = ranges[i].high;
    if (quant_is_uniform(element)) {
        q->low = TW_MAX(q->low, ir_attr_int(element->params[QUANT_STORAGE_MIN], q->low));
        q->high = TW_MIN(q->high, ir_attr_int(element->params[QUANT_STORAGE_MAX], q->high));
    }
}

tw_status rt_prepare_quant(rt_plan *plan, ir_op *op, rt_step *step)
{
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
    find_range(op, step->out->dtype, q);
    if (x->count != step->out->count || (q->in.scale && !fits(&q->in, q->length)) ||
        (q->out.scale && (!fits(&q->out, q->length) || rt_is_float(step->out->dtype))))
        return rt_misfit(op);
    step->state = q;
    step->run = run_quant;
    return TW_SUCCESS;
}
