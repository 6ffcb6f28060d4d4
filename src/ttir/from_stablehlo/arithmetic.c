/* arithmetic.c: element-wise operations that TTIR lacks or defines differently. */
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

#include <math.h>

static ir_value *unary(ir_builder *b, const ir_op_def *def, ir_value *x)
{
    return ir_build1(b, def, x->type, IR_VALUES(x), NULL, 0);
}

static ir_value *binary(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

static ir_value *compare(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    ir_type i1 = ir_tensor_type(ir_integer_type(b->ctx, 1, IR_SIGNLESS), x->type->dims,
                                x->type->count, NULL);
    return ir_build1(b, def, i1, IR_VALUES(x, y), NULL, 0);
}

static ir_value *where(ir_builder *b, ir_value *pick, ir_value *yes, ir_value *no)
{
    return ir_build1(b, TTIR_OP(where), yes->type, IR_VALUES(pick, yes, no), NULL, 0);
}

/* Rounds to the nearest integer, ties to even: by the distance to the floor. */
bool s2t_round_even(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    ir_type t = x->type;
    ir_value *half = s2t_splat(b, t, 0.5), *one = s2t_splat(b, t, 1);
    ir_value *low = unary(b, TTIR_OP(floor), x), *high = binary(b, TTIR_OP(add), low, one);
    ir_value *rest = binary(b, TTIR_OP(subtract), x, low);
    ir_value *halved = unary(b, TTIR_OP(floor), binary(b, TTIR_OP(multiply), low, half));
    ir_value *even = compare(b, TTIR_OP(eq), binary(b, TTIR_OP(add), halved, halved), low);
    ir_value *tie = where(b, even, low, high);
    ir_value *up = compare(b, TTIR_OP(gt), rest, half);
    ir_value *is_tie = compare(b, TTIR_OP(eq), rest, half);
    return s2t_done(op, where(b, up, high, where(b, is_tie, tie, low)));
}

/* Values whose highest bit is set, of unsigned types too, are shifted as their complement,
 * so that ones are shifted in. */
bool s2t_shift_arithmetic(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value, *n = op->operands[1].value;
    ir_type t = ir_type_element(x->type);
    ir_value *negative =
        t->kind == IR_TYPE_INTEGER && t->sign == IR_UNSIGNED
            ? compare(b, TTIR_OP(ge), x, s2t_splat(b, x->type, ldexp(1, t->width - 1)))
            : compare(b, TTIR_OP(lt), x, s2t_splat(b, x->type, 0));
    ir_value *bits = where(b, negative, unary(b, TTIR_OP(bitwise_not), x), x);
    ir_value *moved = binary(b, TTIR_OP(logical_right_shift), bits, n);
    return s2t_done(op, where(b, negative, unary(b, TTIR_OP(bitwise_not), moved), moved));
}

/* StableHLO's has the sign of the dividend, TTIR's that of the divisor.  On absolute
 * values of floats both are equal. */
bool s2t_remainder(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value, *y = op->operands[1].value;
    ir_type element = ir_type_element(x->type);
    if (element->kind == IR_TYPE_INTEGER &&
        (element->sign == IR_UNSIGNED || element->width == 1))
        return s2t_done(op, binary(b, TTIR_OP(remainder), x, y));
    if (element->kind == IR_TYPE_INTEGER) { /* minimum has no abs: x - x / y * y */
        ir_value *whole = binary(b, TTIR_OP(multiply), binary(b, TTIR_OP(div), x, y), y);
        return s2t_done(op, binary(b, TTIR_OP(subtract), x, whole));
    }
    ir_value *negative = compare(b, TTIR_OP(lt), x, s2t_splat(b, x->type, 0));
    ir_value *size = unary(b, TTIR_OP(abs), y);
    ir_value *rest = binary(b, TTIR_OP(remainder), unary(b, TTIR_OP(abs), x), size);
    return s2t_done(op, where(b, negative, unary(b, TTIR_OP(neg), rest), rest));
}

/* Casts to the formats that the device rounds to, and back. */
bool s2t_reduce_precision(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    int64_t exponent = ir_op_int(op, "exponent_bits", 0);
    int64_t mantissa = ir_op_int(op, "mantissa_bits", 0);
    ir_type e = ir_type_element(x->type);
    static const struct {
        uint32_t sign;
        int64_t exponent, mantissa;
    } formats[] = {{IR_F32, 8, 23}, {IR_F64, 11, 52}, {IR_F16, 5, 10}, {IR_BF16, 8, 7}};
    bool single = e->sign == IR_F32;
    for (size_t i = 0; i < TW_COUNT(formats); i++)
        if (ir_type_is_float(e, (uint8_t)formats[i].sign) &&
            exponent >= formats[i].exponent && mantissa >= formats[i].mantissa)
            return s2t_done(op, x);
    bool to_half = exponent == 5 && mantissa == 10,
         to_brain = exponent == 8 && mantissa == 7;
    if (!single || (!to_half && !to_brain))
        return false;
    ir_type narrow = ir_tensor_type(ir_float_type(b->ctx, to_half ? IR_F16 : IR_BF16),
                                    x->type->dims, x->type->count, NULL);
    ir_attr keep = ir_bool_attr(b->ctx, true); /* the pair of casts must not cancel */
    ir_value *v = ir_build1(b, TTIR_OP(typecast), narrow, IR_VALUES(x),
                            IR_ATTRS({"conservative_folding", keep}));
    return s2t_done(op, ir_build1(b, TTIR_OP(typecast), x->type, IR_VALUES(v),
                                  IR_ATTRS({"conservative_folding", keep})));
}

bool s2t_dimension_size(ir_op *op, ir_builder *b)
{
    ir_type t = op->operands[0].value->type, type = op->results[0].type;
    int64_t dim = ir_op_int(op, "dimension", -1);
    if (dim < 0 || dim >= t->count || t->dims[dim] == IR_DYNAMIC)
        return false;
    ir_attr size = ir_dense_splat_int(type, t->dims[dim]);
    return s2t_done(
        op, ir_build1(b, TTIR_OP(constant), type, NULL, 0, IR_ATTRS({"value", size})));
}

/* Between floats and quantized values, and between quantized types. */
bool s2t_quantize(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    bool from = ir_type_element(x->type)->kind == IR_TYPE_DIALECT;
    const ir_op_def *def = op->def == STABLEHLO_OP(uniform_dequantize) ? TTIR_OP(dequantize)
                           : from                                      ? TTIR_OP(requantize)
                                                                       : TTIR_OP(quantize);
    return s2t_done(op, ir_build1(b, def, op->results[0].type, IR_VALUES(x), NULL, 0));
}

bool s2t_rng(ir_op *op, ir_builder *b)
{
    double low, high;
    ir_type t = op->results[0].type;
    if (ir_enum_value(ir_op_attr(op, "rng_distribution"), -1) !=
            STABLEHLO_RngDistribution_UNIFORM ||
        !s2t_splat_value(op->operands[0].value, &low) ||
        !s2t_splat_value(op->operands[1].value, &high) || !(low < high))
        return false;
    return s2t_done(
        op, ir_build1(b, TTIR_OP(rand), t, NULL, 0,
                      IR_ATTRS({"size", ir_i32_array_attr(b->ctx, t->dims, t->count)},
                               {"low", ir_f32_attr(b->ctx, low)},
                               {"high", ir_f32_attr(b->ctx, high)})));
}

/* Uniform bits from the device's own generator, whose state is not accessible.
 * Algorithms with specified results are not supported. */
bool s2t_rng_bits(ir_op *op, ir_builder *b)
{
    ir_type t = op->results[1].type, f32 = ir_float_type(b->ctx, IR_F32);
    ir_type element = ir_type_element(t);
    if (ir_enum_value(ir_op_attr(op, "rng_algorithm"), -1) !=
            STABLEHLO_RngAlgorithm_DEFAULT ||
        element->kind != IR_TYPE_INTEGER || element->width > 32)
        return false;
    ir_value *drawn =
        ir_build1(b, TTIR_OP(rand), ir_type_with_element(t, f32), NULL, 0,
                  IR_ATTRS({"size", ir_i32_array_attr(b->ctx, t->dims, t->count)},
                           {"low", ir_f32_attr(b->ctx, 0)},
                           {"high", ir_f32_attr(b->ctx, ldexp(1, (int)element->width))}));
    ir_value_replace_uses(&op->results[0], op->operands[0].value);
    ir_value_replace_uses(&op->results[1],
                          ir_build1(b, TTIR_OP(typecast), t, IR_VALUES(drawn), NULL, 0));
    ir_op_erase(op);
    return true;
}

/* Running statistics start at 0 and 1 and are replaced by the batch's (momentum 1). */
bool s2t_batch_norm_training(ir_op *op, ir_builder *b)
{
    ir_type mean = op->results[1].type, variance = op->results[2].type;
    ir_type types[] = {op->results[0].type, mean, variance};
    ir_value *zeros =
        ir_build1(b, TTIR_OP(zeros), mean, NULL, 0,
                  IR_ATTRS({"shape", s2t_d32(b->ctx, mean->dims, mean->count)}));
    ir_value *ones =
        ir_build1(b, TTIR_OP(ones), variance, NULL, 0,
                  IR_ATTRS({"shape", s2t_d32(b->ctx, variance->dims, variance->count)}));
    ir_value *operands[] = {op->operands[0].value, op->operands[1].value,
                            op->operands[2].value, zeros, ones};
    ir_op *made = ir_build_op(
        b, TTIR_OP(batch_norm_training), types, 3, operands, 5,
        IR_ATTRS({"dimension", ir_i32_attr(b->ctx, ir_op_int(op, "feature_index", 0))},
                 {"epsilon", ir_op_attr(op, "epsilon")},
                 {"momentum", ir_f32_attr(b->ctx, 1)}),
        0);
    for (uint32_t i = 0; i < 3; i++)
        ir_value_replace_uses(&op->results[i], ir_op_result(made, i));
    ir_op_erase(op);
    return true;
}
