/* stablehlo_quantized.c: verifies quantized element types of operations: storage,
 * expressed type, scales and zero points, and the quantized dimension. */
#include "mlir/quant/quant.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_verify.h"
#include "support/strbuf.h"

#define FAIL(...) ir_error(op->ctx, op->loc, __VA_ARGS__)

static ir_type element_of(ir_type t)
{
    return ir_type_is_shaped(t) ? t->element : t;
}

static ir_type operand(const ir_op *op, size_t i)
{
    return op->operands[i].value->type;
}

static bool is_per_axis(ir_type element)
{
    return element->kind == IR_TYPE_DIALECT && element->def == QUANT_TYPE(uniform_per_axis);
}

static bool is_per_tensor(ir_type element)
{
    return element->kind == IR_TYPE_DIALECT && element->def == QUANT_TYPE(uniform);
}

static ir_type storage(ir_type element)
{
    return element->params[QUANT_STORAGE_TYPE]->type;
}

static ir_attr expressed(ir_type element)
{
    return ir_type_param(element, "expressedType");
}

static int64_t axis(ir_type element)
{
    return ir_attr_int(element->params[QUANT_DIMENSION], 0);
}

/* ---- element-wise ------------------------------------------------------------------- */

static bool check_axis(ir_op *op, ir_type side, ir_type result, const char *name)
{
    if (!is_per_axis(side) || axis(side) == axis(result))
        return true;
    return FAIL("quantization_dimension of %s and result are not same '%s' vs '%s'", name,
                ir_type_text(op->ctx, side), ir_type_text(op->ctx, result));
}

bool stablehlo_verify_add(ir_op *op)
{
    ir_type lhs = element_of(operand(op, 0)), rhs = element_of(operand(op, 1));
    ir_type result = element_of(op->results[0].type);
    int n = stablehlo_is_quantized(lhs) + stablehlo_is_quantized(rhs) +
            stablehlo_is_quantized(result);
    if (n == 0)
        return (lhs == rhs && lhs == result) ||
               FAIL("op requires the same element type for all operands and results");
    if (n != 3)
        return FAIL(
            "expects  all operands and results to be either quantized or non-quantized");
    if (storage(lhs) != storage(rhs) || storage(lhs) != storage(result))
        return FAIL("mismatched operands and result quantization storage types");
    if (expressed(lhs) != expressed(rhs) || expressed(lhs) != expressed(result))
        return FAIL("mismatched operands and result quantization expressed types");
    if (!is_per_axis(lhs) && !is_per_axis(rhs))
        return !is_per_axis(result) || FAIL("result per_axis quantized but none from rhs "
                                            "and lhs are per_axis quantized");
    if (!is_per_axis(result))
        return FAIL("result is not per_axis quantized but lhs or rhs are");
    return check_axis(op, lhs, result, "lhs") && check_axis(op, rhs, result, "rhs");
}

/* ---- shapes ------------------------------------------------------------------------- */

/* Compares up to the shorter list: lengths are checked against the dimension. */
static bool same_params(ir_type a, ir_type b)
{
    for (size_t k = QUANT_SCALE; k <= QUANT_ZERO_POINT; k++) {
        ir_attr x = a->params[k], y = b->params[k];
        for (uint32_t i = 0; i < x->count && i < y->count; i++)
            if (x->items[i] != y->items[i])
                return false;
    }
    return true;
}

/* Per tensor: equal on both sides; per axis: equal lists. */
static bool check_scales(ir_op *op, bool along_axis)
{
    ir_type from = operand(op, 0), to = op->results[0].type;
    ir_type a = element_of(from), b = element_of(to);
    const char *what = NULL;
    if (is_per_tensor(a) && is_per_tensor(b) && a != b)
        what = "expect same quantization scale and zero_point but got";
    if (along_axis && is_per_axis(a) && is_per_axis(b) && !same_params(a, b))
        what = "expect same quantization scales and zero_points but got";
    return !what || FAIL("%s '%s' vs '%s'", what, ir_type_text(op->ctx, from),
                         ir_type_text(op->ctx, to));
}

bool stablehlo_verify_same_scale(ir_op *op)
{
    return check_scales(op, false);
}

static uint64_t count_before(ir_type t, int64_t dim)
{
    uint64_t n = 1;
    for (int64_t i = 0; i < dim && i < t->count; i++)
        n *= (uint64_t)t->dims[i];
    return n;
}

bool stablehlo_verify_quantized_shape(ir_op *op)
{
    ir_type from = operand(op, 0), to = op->results[0].type;
    ir_type a = element_of(from), b = element_of(to);
    if (!stablehlo_is_quantized(a) && !stablehlo_is_quantized(b))
        return true;
    if (!check_scales(op, true))
        return false;
    if (!is_per_axis(a) || !is_per_axis(b) || axis(a) >= from->count ||
        axis(b) >= to->count)
        return true;
    if (!stablehlo_sizes_fit(from->dims[axis(a)], to->dims[axis(b)]))
        return FAIL("expect same quantization dimension size for operand and result '%s' "
                    "and '%s'",
                    ir_type_text(op->ctx, from), ir_type_text(op->ctx, to));
    uint64_t before = count_before(from, axis(a)), after = count_before(to, axis(b));
    return before == after || !ir_type_has_static_shape(from) ||
           !ir_type_has_static_shape(to) ||
           FAIL("product of dimensions before quantization dimension must match between "
                "operand and result for %llu and %llu",
                (unsigned long long)before, (unsigned long long)after);
}

bool stablehlo_verify_quantized_transpose(ir_op *op)
{
    int64_t order[64];
    ir_type a = element_of(operand(op, 0)), b = element_of(op->results[0].type);
    int64_t n = ir_attr_ints(ir_op_attr(op, "permutation"), order, 64);
    if (!check_scales(op, true))
        return false;
    if (!is_per_axis(a) || !is_per_axis(b) || axis(b) >= TW_MIN(n, 64) ||
        order[axis(b)] == axis(a))
        return true;
    return FAIL("operand quantization_dimension %lld is not same as permutation[%lld] = "
                "%lld",
                (long long)axis(a), (long long)axis(b), (long long)order[axis(b)]);
}

/* A unit dimension has one scale; after a broadcast, all scales must equal it. */
static bool check_broadcast_scales(ir_op *op, ir_type a, ir_type b)
{
    ir_attr from = a->params[QUANT_SCALE], to = b->params[QUANT_SCALE];
    ir_attr zero = a->params[QUANT_ZERO_POINT], zeros = b->params[QUANT_ZERO_POINT];
    for (uint32_t i = 0; from->count && i < to->count; i++)
        if (to->items[i]->real != from->items[0]->real)
            return FAIL("mismatch result scale %u (%e) and operand scale 0 (%e)", i,
                        to->items[i]->real, from->items[0]->real);
    for (uint32_t i = 0; zero->count && i < zeros->count; i++)
        if (zeros->items[i]->value != zero->items[0]->value)
            return FAIL("mismatch result zero_point %u (%lld) and operand zero_point 0 "
                        "(%lld)",
                        i, (long long)zeros->items[i]->value,
                        (long long)zero->items[0]->value);
    return true;
}

bool stablehlo_verify_quantized_broadcast(ir_op *op)
{
    int64_t dims[64];
    ir_type from = operand(op, 0);
    ir_type a = element_of(from), b = element_of(op->results[0].type);
    int64_t n = ir_attr_ints(ir_op_attr(op, "broadcast_dimensions"), dims, 64);
    if (!is_per_axis(a) || !is_per_axis(b) || axis(a) >= TW_MIN(n, 64))
        return true;
    if (dims[axis(a)] != axis(b))
        return FAIL("result quantization_dimension %lld not same as "
                    "broadcast_dimensions[%lld] = %lld",
                    (long long)axis(b), (long long)axis(a), (long long)dims[axis(a)]);
    return from->dims[axis(a)] != 1 || check_broadcast_scales(op, a, b);
}

/* ---- dot products ------------------------------------------------------------------- */

static bool check_product(ir_op *op, ir_type lhs, ir_type rhs, ir_type result)
{
    if (!stablehlo_is_quantized(rhs) ||
        stablehlo_is_quantized(lhs) != stablehlo_is_quantized(result))
        return FAIL("rhs should be quantized for quantized operations and "
                    "is_quantized(lhs)=is_quantized(result) should hold");
    if (!stablehlo_is_quantized(lhs))
        return (ir_attr_is(expressed(rhs), IR_ATTR_TYPE) && lhs == expressed(rhs)->type &&
                lhs == result) ||
               FAIL("mismatched rhs quantization expressed type and lhs and result element "
                    "type");
    if (storage(lhs) != storage(rhs))
        return FAIL("mismatched lhs and rhs quantization storage types");
    if (expressed(lhs) != expressed(rhs) || expressed(lhs) != expressed(result))
        return FAIL("mismatched lhs, rhs and result quantization expressed types");
    return !is_per_tensor(rhs) || is_per_tensor(result) ||
           FAIL("mismatched rhs and result quantization granularity");
}

static bool check_dot_weights(ir_op *op, ir_type rhs)
{
    ir_attr zero = rhs->params[QUANT_ZERO_POINT];
    if (is_per_tensor(rhs))
        return zero->value == 0 || FAIL("Zero point of rhs should be 0");
    if (!is_per_axis(rhs))
        return true;
    for (uint32_t i = 0; i < zero->count; i++)
        if (zero->items[i]->value)
            return FAIL("Zero points of rhs should be 0");
    ir_attr numbers = ir_op_attr(op, "dot_dimension_numbers");
    ir_attr contracting = ir_attr_param(numbers, "rhsContractingDimensions");
    for (uint32_t i = 0; contracting && i < contracting->count; i++)
        if (contracting->items[i]->value == axis(rhs))
            return FAIL("Quantization dimension of rhs should not be in the contracting "
                        "dimension of rhs");
    return true;
}

static bool check_conv_axes(ir_op *op, ir_type rhs, ir_type result)
{
    ir_attr numbers = ir_op_attr(op, "dimension_numbers");
    ir_attr features = ir_attr_param(numbers, "kernelOutputFeatureDimension");
    if (is_per_axis(rhs) && axis(rhs) != ir_attr_int(features, -1))
        return FAIL("quantization dimension of rhs should be same with "
                    "kernel_output_feature_dimension");
    features = ir_attr_param(numbers, "outputFeatureDimension");
    return !is_per_axis(result) || axis(result) == ir_attr_int(features, -1) ||
           FAIL("quantization dimension of result should be same with "
                "output_feature_dimension");
}

/* dot_general and both kinds of convolution */
bool stablehlo_verify_quantized_product(ir_op *op)
{
    ir_type lhs = element_of(operand(op, 0)), rhs = element_of(operand(op, 1));
    ir_type result = element_of(op->results[0].type);
    if (!stablehlo_is_quantized(lhs) && !stablehlo_is_quantized(rhs) &&
        !stablehlo_is_quantized(result))
        return true;
    bool dot = op->def == STABLEHLO_OP(dot_general);
    bool ok = dot ? !stablehlo_is_quantized(rhs) || check_dot_weights(op, rhs)
                  : check_conv_axes(op, rhs, result);
    return ok && check_product(op, lhs, rhs, result);
}

/* ---- conversions -------------------------------------------------------------------- */

bool stablehlo_verify_uniform_quantize(ir_op *op)
{
    ir_type from = element_of(operand(op, 0)), to = element_of(op->results[0].type);
    ir_attr found = expressed(to);
    ir_type wanted = from;
    if (stablehlo_is_quantized(from))
        wanted = expressed(from) ? expressed(from)->type : NULL;
    if (!ir_attr_is(found, IR_ATTR_TYPE) || !wanted || found->type == wanted)
        return true;
    return FAIL("Expressed type of result expected to be '%s', but got '%s'",
                ir_type_text(op->ctx, wanted), ir_type_text(op->ctx, found->type));
}
