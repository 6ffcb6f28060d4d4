/* quant_cast_verify.c: verifies casts to and from quantized types.  Messages are MLIR's. */
#include "mlir/quant/quant.h"
#include "mlir/quant/quant_hooks.h"

static ir_type element_of(ir_type t)
{
    return ir_type_is_tensor(t) ? t->element : t;
}

static bool is_quantized(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def->traits &&
           strcmp(t->def->traits, "QuantizedType") == 0;
}

/* True for two scalars, two tensors of one shape, or two unranked tensors. */
static bool same_shape(ir_type a, ir_type b)
{
    if (!ir_type_is_tensor(a) || !ir_type_is_tensor(b))
        return !ir_type_is_tensor(a) && !ir_type_is_tensor(b);
    if (!ir_type_is_ranked(a) || !ir_type_is_ranked(b))
        return !ir_type_is_ranked(a) && !ir_type_is_ranked(b);
    return a->count == b->count &&
           memcmp(a->dims, b->dims, a->count * sizeof *a->dims) == 0;
}

static bool verify_axis(ir_op *op, ir_type container, ir_type quantized)
{
    int64_t axis = quantized->params[QUANT_DIMENSION]->value;
    if (!ir_type_is_tensor(container))
        return ir_error_at_op(op, "scalar types may not use per-axis quantization");
    if (!ir_type_is_ranked(container))
        return true;
    if (axis >= container->count)
        return ir_error_at_op(op, "quantized dimension must be less than tensor rank");
    return container->dims[axis] == IR_DYNAMIC ||
           container->dims[axis] == quantized->params[QUANT_SCALE]->count ||
           ir_error_at_op(op, "quantized dimension size does not match number of scales");
}

/* The number of blocks along an axis: one if it is not quantized, IR_DYNAMIC if unknown. */
static int64_t blocks_of(ir_type container, ir_type quantized, uint32_t axis)
{
    ir_attr dims = quantized->params[QUANT_DIMENSIONS];
    int64_t blocks = 1;
    for (uint32_t i = 0; i < dims->count; i++)
        if (dims->items[i]->value == axis)
            blocks = container->dims[axis] == IR_DYNAMIC
                         ? IR_DYNAMIC
                         : container->dims[axis] /
                               quantized->params[QUANT_BLOCK_SIZES]->items[i]->value;
    return blocks;
}

static bool verify_blocks(ir_op *op, ir_type container, ir_type quantized)
{
    ir_attr dims = quantized->params[QUANT_DIMENSIONS];
    ir_attr shape = quantized->params[QUANT_SHAPE];
    if (!ir_type_is_tensor(container))
        return ir_error_at_op(op, "scalar types may not use sub-channel quantization");
    if (!ir_type_is_ranked(container))
        return ir_error_at_op(
            op, "tensor containing the sub-channel quantized type must be ranked");
    for (uint32_t i = 0; i < dims->count; i++) {
        int64_t axis = dims->items[i]->value;
        int64_t size = quantized->params[QUANT_BLOCK_SIZES]->items[i]->value;
        if (axis >= container->count)
            return ir_error_at_op(
                op, "quantized dimension %lld must be less than tensor rank %u",
                (long long)axis, container->count);
        if (container->dims[axis] != IR_DYNAMIC && container->dims[axis] % size)
            return ir_error_at_op(
                op,
                "tensor dimension size %lld at axis %lld must be divisible by "
                "the corresponding block size %lld",
                (long long)container->dims[axis], (long long)axis, (long long)size);
    }
    if (shape->count != container->count)
        return ir_error_at_op(op, "Rank of scales %u must match the rank of the tensor %u",
                              shape->count, container->count);
    for (uint32_t axis = 0; axis < shape->count; axis++) {
        int64_t blocks = blocks_of(container, quantized, axis);
        if (blocks != IR_DYNAMIC && blocks != shape->items[axis]->value)
            return ir_error_at_op(
                op,
                "dimension size %lld of scales tensor at axis %u should match "
                "(tensor dimension at axis / block sizes at axis) = %lld",
                (long long)shape->items[axis]->value, axis,
                (long long)blocks); /* MLIR prints the second value twice */
    }
    return true;
}

/* Checks that the plain side's type is the quantized type's expressed or storage type. */
static bool verify_quantized(ir_op *op, ir_type container, ir_type quantized, ir_type plain)
{
    bool calibrated = quantized->def == QUANT_TYPE(calibrated);
    bool stored = plain->kind == IR_TYPE_INTEGER;
    ir_attr made = quantized->params[calibrated ? 0 : QUANT_EXPRESSED_TYPE];
    if (stored)
        made = calibrated ? NULL : quantized->params[QUANT_STORAGE_TYPE];
    if (!made || made->type != plain)
        return ir_error_at_op(op, "%s type in quantized type expected to match %s type",
                              stored ? "storage" : "expressed",
                              stored ? "integer" : "float");
    if (quantized->def == QUANT_TYPE(uniform_per_axis))
        return verify_axis(op, container, quantized);
    return quantized->def != QUANT_TYPE(uniform_sub_channel) ||
           verify_blocks(op, container, quantized);
}

bool quant_cast_verify(ir_op *op)
{
    ir_type from = ir_op_operand(op, 0)->type, to = op->results[0].type;
    ir_type a = element_of(from), b = element_of(to);
    if (!same_shape(from, to))
        return ir_op_error(op, "failed to verify that input and result are both scalars or "
                               "both tensors with matching shape");
    if (is_quantized(a) == is_quantized(b))
        return ir_op_error(op,
                           "failed to verify that input must be integer and result must "
                           "be quantized, or vice versa");
    return is_quantized(a) ? verify_quantized(op, from, a, b)
                           : verify_quantized(op, to, b, a);
}
