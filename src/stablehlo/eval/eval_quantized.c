/* eval_quantized.c: quantized elements of eval.h: x = (q - zero point) * scale.
 *
 * Arithmetic on quantized tensors is done on the floats that they express; results are
 * quantized again: divided by the scale, rounded to nearest even, shifted by the zero
 * point, clamped to the storage range. */
#include "stablehlo/eval/eval.h"

#include "mlir/quant/quant.h"
#include "stablehlo/stablehlo.h"

#include <math.h>

bool hlo_is_quantized(ir_type element)
{
    return quant_is_uniform(element) && element->params[QUANT_EXPRESSED_TYPE];
}

ir_type hlo_storage(ir_type quantized)
{
    return quant_storage(quantized);
}

static ir_type expressed(ir_type element)
{
    return element->params[QUANT_EXPRESSED_TYPE]->type;
}

ir_type hlo_result_element(const hlo_eval *e, const ir_op *op, size_t i)
{
    ir_type element = ir_type_element(op->results[i].type);
    return e->dequantized && hlo_is_quantized(element) ? expressed(element) : element;
}

/* The scale and zero point of element i. */
static double scale_of(ir_type element, const hlo_value *v, size_t i, int64_t *out_zero)
{
    ir_attr scale = element->params[QUANT_SCALE], zero = element->params[QUANT_ZERO_POINT];
    if (element->def == QUANT_TYPE(uniform_per_axis)) {
        size_t axis = (size_t)ir_attr_int(element->params[QUANT_DIMENSION], 0), inner = 1;
        for (size_t d = axis + 1; d < v->rank; d++)
            inner *= (size_t)v->dims[d];
        size_t k = axis < v->rank ? i / inner % (size_t)v->dims[axis] : 0;
        if (k >= scale->count || k >= zero->count)
            k = 0;
        scale = scale->items[k];
        zero = zero->items[k];
    }
    *out_zero = zero->value;
    return scale->real;
}

static const hlo_value *dequantize(hlo_eval *e, ir_op *op, const hlo_value *v)
{
    ir_type to = expressed(v->element);
    hlo_value *out = hlo_new(e, op, to, v->dims, v->rank);
    for (size_t i = 0; out && i < v->n; i++) {
        int64_t zero;
        double scale = hlo_round(to, (hlo_num){.re = scale_of(v->element, v, i, &zero)}).re;
        out->at[i] = hlo_round(to, (hlo_num){.re = (double)(v->at[i].i - zero) * scale});
    }
    return out;
}

static const hlo_value *quantize(hlo_eval *e, ir_op *op, const hlo_value *v, ir_type to)
{
    ir_type float_type = expressed(to);
    int64_t min = ir_attr_int(to->params[QUANT_STORAGE_MIN], 0);
    int64_t max = ir_attr_int(to->params[QUANT_STORAGE_MAX], 0);
    hlo_value *out = hlo_new(e, op, to, v->dims, v->rank);
    for (size_t i = 0; out && i < v->n; i++) {
        int64_t zero;
        double scale = hlo_round(float_type, (hlo_num){.re = scale_of(to, v, i, &zero)}).re;
        double q = hlo_round(float_type, (hlo_num){.re = v->at[i].re / scale}).re;
        q = rint(q) + (double)zero;
        out->at[i].i = isnan(q)          ? 0
                       : q < (double)min ? min
                       : q > (double)max ? max
                                         : (int64_t)q;
    }
    return out;
}

/* uniform_quantize and uniform_dequantize: only the conversions around it apply. */
static bool eval_same(hlo_eval *e, ir_op *op)
{
    return hlo_set(e, op, 0, hlo_operand(e, op, 0));
}

hlo_fn *hlo_find_quantized(const ir_op_def *def)
{
    return def == STABLEHLO_OP(uniform_quantize) || def == STABLEHLO_OP(uniform_dequantize)
               ? eval_same
               : NULL;
}

bool hlo_run_dequantized(hlo_eval *e, ir_op *op, hlo_fn *fn)
{
    enum { CAPACITY = 64 };
    const hlo_value *before[CAPACITY];
    bool outer = e->dequantized, ok = op->n_operands <= CAPACITY && op->n_regions == 0;
    if (!ok)
        return hlo_stuck(e, op, "quantized elements");
    for (uint32_t i = 0; i < op->n_operands; i++)
        before[i] = hlo_operand(e, op, i);
    for (uint32_t i = 0; ok && i < op->n_operands; i++) {
        const hlo_value *v = hlo_operand(e, op, i);
        if (!v->element || !hlo_is_quantized(v->element))
            continue;
        v = dequantize(e, op, v);
        ok = v != NULL;
        if (ok)
            ir_mapping_set(e->values, op->operands[i].value, (void *)(uintptr_t)v);
    }
    e->dequantized = true;
    ok = ok && fn(e, op);
    e->dequantized = outer;
    for (uint32_t i = 0; i < op->n_operands; i++)
        ir_mapping_set(e->values, op->operands[i].value, (void *)(uintptr_t)before[i]);
    for (uint32_t i = 0; ok && i < op->n_results; i++) {
        ir_type to = ir_type_element(op->results[i].type);
        if (hlo_is_quantized(to))
            ok = hlo_set(e, op, i,
                         quantize(e, op, ir_mapping_get(e->values, &op->results[i]), to));
    }
    return ok;
}
