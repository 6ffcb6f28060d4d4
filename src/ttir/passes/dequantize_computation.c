/* dequantize_computation.c: ttir-dequantize-computation: operations on quantized
 * tensors compute on the values that those represent, and their results are quantized
 * again, as StableHLO defines it.
 *
 * Codes that are only moved stay codes where all have the same scale. */
#include "ir/pass/pass.h"
#include "mlir/quant/quant.h"
#include "ttir/build.h"

#include <stdlib.h>

static bool is_quantized(ir_type t)
{
    return ir_type_is_tensor(t) && quant_is_uniform(t->element) &&
           t->element->params[QUANT_EXPRESSED_TYPE];
}

static ir_type expressed(ir_type t)
{
    return ir_type_with_element(t, t->element->params[QUANT_EXPRESSED_TYPE]->type);
}

/* Whether the operation moves elements that all have one scale. */
static bool moves_codes(const ir_op *op)
{
    static const uint16_t rows[] = {TTIR_broadcast, TTIR_concat,        TTIR_permute,
                                    TTIR_repeat,    TTIR_reshape,       TTIR_slice_static,
                                    TTIR_squeeze,   TTIR_slice_dynamic, TTIR_transpose,
                                    TTIR_unsqueeze};
    bool moves = false;
    ir_type element = ir_type_element(op->results[0].type);
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        moves |= op->def == &ttir_ops[rows[i]];
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = op->operands[i].value->type;
        moves &= !is_quantized(t) || t->element == element;
    }
    return moves && element->def == QUANT_TYPE(uniform);
}

static bool quantizes(const ir_op *op)
{
    static const uint16_t rows[] = {TTIR_bitcast_convert, /* between codes and integers */
                                    TTIR_quantize,        TTIR_quantize_unrolled,
                                    TTIR_dequantize,      TTIR_dequantize_unrolled,
                                    TTIR_requantize,      TTIR_requantize_unrolled};
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &ttir_ops[rows[i]])
            return true;
    return false;
}

static ir_walk visit(ir_op *op, void *user)
{
    bool any = false;
    (void)user;
    if (!ttir_is_op(op) || op->n_results == 0 || quantizes(op))
        return IR_WALK_ON;
    for (uint32_t i = 0; i < op->n_operands; i++)
        any |= is_quantized(op->operands[i].value->type);
    for (uint32_t i = 0; i < op->n_results; i++)
        any |= is_quantized(op->results[i].type);
    if (!any || moves_codes(op))
        return IR_WALK_ON;
    ir_builder b = ir_builder_before(op);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        if (is_quantized(v->type))
            ir_op_set_operand(op, i,
                              ir_build1(&b, TTIR_OP(dequantize), expressed(v->type),
                                        IR_VALUES(v), NULL, 0));
    }
    b = ir_builder_after(op);
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *v = &op->results[i];
        ir_type coded = v->type;
        if (!is_quantized(coded))
            continue;
        v->type = expressed(coded);
        ir_value *codes = ir_build1(&b, TTIR_OP(quantize), coded, IR_VALUES(v), NULL, 0);
        ir_value_replace_uses(v, codes);
        ir_op_set_operand(ir_value_def(codes), 0, v);
    }
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, visit, NULL);
    return true;
}

const pass_def ttir_dequantize_computation_pass = {
    .name = "ttir-dequantize-computation",
    .summary = "Compute on the values of quantized tensors",
    .anchor = "builtin.module",
    .run = run,
};
