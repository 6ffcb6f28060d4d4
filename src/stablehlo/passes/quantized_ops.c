/* quantized_ops.c: converts operations on quantized tensors to dequantize, compute,
 * quantize, and back: stablehlo-legalize-quantized-op-to-qdq and
 * stablehlo-legalize-qdq-to-quantized-op. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "stablehlo/eval/eval.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

static bool is_quantized(ir_type t)
{
    return ir_type_is_shaped(t) && hlo_is_quantized(ir_type_element(t));
}

static bool some_quantized(const ir_op *op)
{
    bool some = false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        some |= is_quantized(op->operands[i].value->type);
    for (uint32_t i = 0; i < op->n_results; i++)
        some |= is_quantized(op->results[i].type);
    return some;
}

/* The type that quantized values express. */
static ir_type expressed(ir_type t)
{
    if (!is_quantized(t))
        return t;
    ir_attr type = ir_type_param(ir_type_element(t), "expressedType");
    return type ? ir_type_with_element(t, type->type) : t;
}

/* Clones with other operands at the builder's position; results have those types. */
static ir_op *copy(ir_builder *b, ir_op *op, ir_value *const *operands,
                   const ir_type *types)
{
    ir_mapping *map = ir_mapping_create();
    ir_op *made = ir_op_clone(op, map);
    ir_mapping_free(map);
    for (uint32_t i = 0; i < op->n_operands; i++)
        ir_op_set_operand(made, i, operands[i]);
    for (uint32_t i = 0; i < op->n_results; i++)
        made->results[i].type = types[i];
    if (b->before)
        ir_op_insert_before(made, b->before);
    else
        ir_block_append(b->block, made);
    return made;
}

/* ---- to dequantize, compute, quantize ----------------------------------------------- */

static const uint16_t decomposed[] = {
    STABLEHLO_abs,
    STABLEHLO_add,
    STABLEHLO_atan2,
    STABLEHLO_batch_norm_grad,
    STABLEHLO_batch_norm_inference,
    STABLEHLO_batch_norm_training,
    STABLEHLO_cbrt,
    STABLEHLO_ceil,
    STABLEHLO_cholesky,
    STABLEHLO_clamp,
    STABLEHLO_compare,
    STABLEHLO_convolution,
    STABLEHLO_cosine,
    STABLEHLO_divide,
    STABLEHLO_dot,
    STABLEHLO_dot_general,
    STABLEHLO_exponential,
    STABLEHLO_exponential_minus_one,
    STABLEHLO_floor,
    STABLEHLO_log,
    STABLEHLO_log_plus_one,
    STABLEHLO_logistic,
    STABLEHLO_maximum,
    STABLEHLO_minimum,
    STABLEHLO_multiply,
    STABLEHLO_negate,
    STABLEHLO_power,
    STABLEHLO_reduce_precision,
    STABLEHLO_remainder,
    STABLEHLO_round_nearest_afz,
    STABLEHLO_round_nearest_even,
    STABLEHLO_rsqrt,
    STABLEHLO_select,
    STABLEHLO_sign,
    STABLEHLO_sine,
    STABLEHLO_sqrt,
    STABLEHLO_subtract,
    STABLEHLO_tan,
    STABLEHLO_tanh,
    STABLEHLO_triangular_solve,
};

static bool to_qdq(ir_op *op, rw_rewriter *rw)
{
    enum { CAPACITY = 16 };
    ir_value *values[CAPACITY];
    ir_type types[CAPACITY];
    bool listed = false;
    for (size_t i = 0; i < TW_COUNT(decomposed); i++)
        listed |= op->def == &stablehlo_ops[decomposed[i]];
    if (!listed || !some_quantized(op) || op->n_operands > CAPACITY ||
        op->n_results > CAPACITY)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        values[i] = is_quantized(v->type)
                        ? ir_build1(&rw->b, STABLEHLO_OP(uniform_dequantize),
                                    expressed(v->type), IR_VALUES(v), NULL, 0)
                        : v;
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = expressed(op->results[i].type);
    ir_op *made = copy(&rw->b, op, values, types);
    rw_modified(rw, made);
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type t = op->results[i].type;
        values[i] = is_quantized(t) ? ir_build1(&rw->b, STABLEHLO_OP(uniform_quantize), t,
                                                IR_VALUES(&made->results[i]), NULL, 0)
                                    : &made->results[i];
    }
    rw_replace(rw, op, values, op->n_results);
    return true;
}

static bool run_apart(ir_op *func, pass_run *run)
{
    (void)run;
    const rw_pattern pattern = {NULL, to_qdq, NULL};
    rw_greedy(func, &pattern, 1, &(rw_options){.bottom_up = true});
    return true;
}

const pass_def stablehlo_legalize_quantized_op_to_qdq_pass = {
    .name = "stablehlo-legalize-quantized-op-to-qdq",
    .title = "StablehloLegalizeQuantizedOpToQDQPass",
    .summary = "Decompose quantized StableHLO operation to (de-quantize, floating-point "
               "operation, quantize) sequence",
    .anchor = "func.func",
    .run = run_apart,
};

/* ---- and back ----------------------------------------------------------------------- */

/* Fuses quantize(op(dequantize(a), ...)) to the operation on the quantized values. */
static bool fuse(ir_op *op, rw_rewriter *rw)
{
    enum { CAPACITY = 16 };
    ir_value *values[CAPACITY];
    ir_op *middle = ir_value_def(op->operands[0].value);
    if (!middle || middle->n_regions || middle->n_results > 1 || middle->n_operands == 0 ||
        middle->n_operands > CAPACITY || some_quantized(middle))
        return false;
    for (uint32_t i = 0; i < middle->n_operands; i++) {
        ir_op *from = ir_value_def(middle->operands[i].value);
        if (!from || from->def != STABLEHLO_OP(uniform_dequantize))
            return false;
        values[i] = from->operands[0].value;
    }
    ir_type type = op->results[0].type;
    ir_builder after = ir_builder_after(middle);
    ir_op *made = copy(&after, middle, values, &type);
    rw_replace1(rw, op, &made->results[0]);
    return true;
}

static bool run_together(ir_op *func, pass_run *run)
{
    (void)run;
    const rw_pattern pattern = {STABLEHLO_OP(uniform_quantize), fuse, NULL};
    rw_greedy(func, &pattern, 1, &(rw_options){.bottom_up = true});
    return true;
}

const pass_def stablehlo_legalize_qdq_to_quantized_op_pass = {
    .name = "stablehlo-legalize-qdq-to-quantized-op",
    .title = "StablehloLegalizeQDQToQuantizedOpPass",
    .summary = "Fuse (de-quantize, floating-point operation and quantize) pattern into "
               "StableHLO quantized operation",
    .anchor = "func.func",
    .run = run_together,
};
