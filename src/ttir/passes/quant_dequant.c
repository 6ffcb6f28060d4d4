/* quant_dequant.c: ttir-quant-dequant-conversion: operations on dequantized values compute
 * on the quantized ones, and the dequantization moves behind them.
 *
 * Sums of one scale, convolutions and maxima of windows have such a form. Others stay as
 * they are between a dequantization and a quantization of the operand's scale, so that what
 * comes after them can still be computed on quantized values. */
#include "mlir/quant/quant.h"
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

#include <math.h>
#include <stdlib.h>

enum { QUANTIZED_BITS = 8, SUM_BITS = 32, MAX_OPERANDS = 8 };

/* What operands are before their dequantization. */
typedef struct sources {
    ir_value *at[MAX_OPERANDS];
    ir_type element; /* of the operand that is to be commuted */
} sources;

static ir_type quantized_element(const ir_value *v)
{
    ir_type e = ir_type_element(v->type);
    return quant_is_uniform(e) && e->params[QUANT_EXPRESSED_TYPE] ? e : NULL;
}

static ir_value *quantize(ir_builder *b, ir_value *v, ir_type element)
{
    return ir_build1(b, TTIR_OP(quantize), ir_type_with_element(v->type, element),
                     IR_VALUES(v), NULL, 0);
}

static ir_value *dequantize(ir_builder *b, ir_value *v, ir_type type)
{
    return ir_build1(b, TTIR_OP(dequantize), type, IR_VALUES(v), NULL, 0);
}

/* An axis of scales must be one of the tensor's, with as many indices. */
static bool fits(ir_type element, ir_type tensor)
{
    if (element->def != QUANT_TYPE(uniform_per_axis))
        return element->def == QUANT_TYPE(uniform);
    int64_t axis = element->params[QUANT_DIMENSION]->value;
    return axis >= 0 && axis < tensor->count &&
           tensor->dims[axis] == element->params[QUANT_SCALE]->count;
}

/* ---- sums --------------------------------------------------------------------------- */

/* Codes of x + y are the sum of the codes where both have one scale and zero is code 0. */
static bool has_zero_at_zero(ir_type element)
{
    ir_attr zero = element->params[QUANT_ZERO_POINT];
    if (element->def == QUANT_TYPE(uniform))
        return zero->value == 0;
    for (uint32_t i = 0; i < zero->count; i++)
        if (zero->items[i]->value != 0)
            return false;
    return true;
}

static ir_value *add_quantized(ir_op *op, const sources *s, rw_rewriter *rw)
{
    ir_type to = op->results[0].type, element = s->element;
    ir_value *operands[2];
    if (!has_zero_at_zero(element) || !fits(element, to))
        return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        ir_value *v = s->at[i];
        ir_type from = ir_type_element(v->type);
        operands[i] = v;
        if (quantized_element(v))
            continue;
        if (from != element->params[QUANT_EXPRESSED_TYPE]->type || !fits(element, v->type))
            return NULL;
        operands[i] = quantize(&rw->b, v, element);
    }
    return ir_op_result(
        ttir_build_like(&rw->b, op, operands, ir_type_with_element(to, element)), 0);
}

static bool aligned(const ir_op *op, const sources *s)
{
    ir_type first = NULL;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type e = quantized_element(s->at[i]);
        if (e && first && e != first)
            return false;
        first = e ? e : first;
    }
    return true;
}

/* ---- convolutions ------------------------------------------------------------------- */

/* The type of products of codes: a scale is the product of scales. NULL if the zeros differ
 * or the scales of the weights are not those of the output's channels. */
static ir_type product_element(ir_type input, ir_type weight, int64_t channel, int64_t n)
{
    ir_context *ctx = input->ctx;
    ir_attr params[QUANT_DIMENSION + 1] = {0};
    bool per_axis = weight->def == QUANT_TYPE(uniform_per_axis);
    if (input->def != QUANT_TYPE(uniform))
        return NULL;
    ir_attr scales = weight->params[QUANT_SCALE], zeros = weight->params[QUANT_ZERO_POINT];
    int64_t zero = input->params[QUANT_ZERO_POINT]->value;
    if (per_axis && (weight->params[QUANT_DIMENSION]->value != 0 || scales->count != n))
        return NULL;
    for (uint32_t i = 0; i < (per_axis ? zeros->count : 1); i++)
        if ((per_axis ? zeros->items[i] : zeros)->value != zero)
            return NULL;
    double scale = input->params[QUANT_SCALE]->real;
    ir_type f64 = ir_float_type(ctx, IR_F64);
    params[QUANT_FLAGS] = ir_raw_int(ctx, 1);
    params[QUANT_STORAGE_TYPE] = ir_type_attr(ir_integer_type(ctx, SUM_BITS, IR_SIGNLESS));
    params[QUANT_EXPRESSED_TYPE] = input->params[QUANT_EXPRESSED_TYPE];
    params[QUANT_STORAGE_MIN] = ir_raw_int(ctx, INT32_MIN);
    params[QUANT_STORAGE_MAX] = ir_raw_int(ctx, INT32_MAX);
    params[QUANT_ZERO_POINT] = zeros;
    if (!per_axis) {
        params[QUANT_SCALE] = ir_float_attr(f64, scale * scales->real);
        return ir_dialect_type(ctx, QUANT_TYPE(uniform), params, QUANT_ZERO_POINT + 1);
    }
    ir_attr *products = tw_xmalloc(scales->count * sizeof *products);
    for (uint32_t i = 0; i < scales->count; i++)
        products[i] = ir_float_attr(f64, scale * scales->items[i]->real);
    params[QUANT_SCALE] = ir_array_attr(ctx, products, scales->count);
    params[QUANT_DIMENSION] = ir_raw_int(ctx, channel);
    free(products);
    return ir_dialect_type(ctx, QUANT_TYPE(uniform_per_axis), params, QUANT_DIMENSION + 1);
}

/* Both the input and the weights are codes of 8 bits. */
static bool are_codes(const ir_op *op, const sources *s)
{
    for (uint32_t i = 0; i < 2 && i < op->n_operands; i++) {
        ir_type e = quantized_element(s->at[i]);
        if (!e || e->params[QUANT_STORAGE_TYPE]->type->width != QUANTIZED_BITS)
            return false;
    }
    return op->def == TTIR_OP(conv2d) || op->n_operands == 2;
}

/* The bias is quantized as the sums are, in 32 bits: 8 would not hold it. */
static ir_value *convolve_quantized(ir_op *op, const sources *s, rw_rewriter *rw)
{
    ir_type to = op->results[0].type;
    int64_t channel = ir_op_int(op, "channel_dim", 3);
    if (channel < 0 || channel >= to->count || ir_op_attr(op, "flattened_compat_info"))
        return NULL;
    ir_type element =
        product_element(quantized_element(s->at[0]), quantized_element(s->at[1]), channel,
                        to->dims[channel]);
    if (!element || element->params[QUANT_EXPRESSED_TYPE]->type != to->element)
        return NULL;
    ir_value *operands[3] = {s->at[0], s->at[1], NULL};
    if (op->n_operands == 3) {
        if (!fits(element, s->at[2]->type))
            return NULL;
        operands[2] = quantize(&rw->b, s->at[2], element);
    }
    return ir_op_result(
        ttir_build_like(&rw->b, op, operands, ir_type_with_element(to, element)), 0);
}

/* ---- maxima ------------------------------------------------------------------------- */

static ir_value *pool_quantized(ir_op *op, const sources *s, rw_rewriter *rw)
{
    ir_type to = op->results[0].type;
    if (s->element->def != QUANT_TYPE(uniform))
        return NULL;
    return ir_op_result(
        ttir_build_like(&rw->b, op, s->at, ir_type_with_element(to, s->element)), 0);
}

/* ---- the patterns ------------------------------------------------------------------- */

static const struct form {
    uint16_t row;
    bool (*may)(const ir_op *op, const sources *s); /* NULL: always */
    ir_value *(*build)(ir_op *op, const sources *s, rw_rewriter *rw);
} forms[] = {
    {TTIR_add, aligned, add_quantized},
    {TTIR_conv2d, are_codes, convolve_quantized},
    {TTIR_conv_transpose2d, are_codes, convolve_quantized},
    {TTIR_max_pool2d, NULL, pool_quantized},
};

static const struct form *form_of(const ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(forms); i++)
        if (op->def == &ttir_ops[forms[i].row])
            return &forms[i];
    return NULL;
}

/* The first operand that is dequantized for this operation alone, not once for all. */
static ir_op *find_dequantize(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ttir_only_producer(op->operands[i].value, TTIR_OP(dequantize));
        if (def && quantized_element(def->operands[0].value) &&
            !ttir_traces_to_constants(op->operands[i].value))
            return def;
    }
    return NULL;
}

static const char SKIP[] = "ttir.stays_dequantized"; /* while the pass runs */

static bool commute(ir_op *op, rw_rewriter *rw)
{
    if (!ttir_is_op(op) || op->n_results != 1 || op->n_operands > MAX_OPERANDS ||
        ir_op_is_unused(op) || !ir_def_has(op->def, "QuantizableOpInterface") ||
        !ir_type_is_tensor(op->results[0].type) || ir_op_attr(op, SKIP))
        return false;
    ir_op *dq = find_dequantize(op);
    const struct form *form = form_of(op);
    ir_type to = op->results[0].type;
    if (!dq)
        return false;
    sources s = {.element = quantized_element(dq->operands[0].value)};
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        ir_op *def = ttir_producer(v, TTIR_OP(dequantize));
        s.at[i] =
            def && quantized_element(def->operands[0].value) ? def->operands[0].value : v;
    }
    if (form && form->may && !form->may(op, &s))
        return false;
    ir_value *codes = form ? form->build(op, &s, rw) : NULL;
    if (!codes) { /* the operation itself, its result rounded to the operand's codes */
        if (to->element != s.element->params[QUANT_EXPRESSED_TYPE]->type ||
            !fits(s.element, to))
            return false;
        ir_op *copy = rw_copy(rw, op);
        ir_op_set_attr(copy, SKIP, ir_unit_attr(op->ctx));
        codes = quantize(&rw->b, ir_op_result(copy, 0), s.element);
    }
    rw_replace1(rw, op, dequantize(&rw->b, codes, to));
    return true;
}

/* quantize(dequantize(x)) */
static bool requantize(ir_op *op, rw_rewriter *rw)
{
    ir_op *dq = ttir_producer(op->operands[0].value, TTIR_OP(dequantize));
    if (!dq)
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, TTIR_OP(requantize), op->results[0].type,
                          IR_VALUES(dq->operands[0].value), NULL, 0));
    return true;
}

static ir_walk clean(ir_op *op, void *user)
{
    (void)user;
    if (op->attrs)
        ir_op_set_attr(op, SKIP, NULL);
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    const rw_pattern patterns[] = {{NULL, commute, NULL},
                                   {TTIR_OP(quantize), requantize, NULL}};
    (void)run;
    rw_greedy(module, patterns, TW_COUNT(patterns), NULL);
    ir_walk_pre(module, clean, NULL);
    return true;
}

const pass_def ttir_quant_dequant_pass = {
    .name = "ttir-quant-dequant-conversion",
    .summary = "Compute on quantized values in place of dequantized ones",
    .anchor = "builtin.module",
    .run = run,
};
