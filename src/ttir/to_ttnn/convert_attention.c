/* ttnn_convert_attention.c: attention: one query at a time has an operation of its own,
 * masks and sinks get the shapes and scale that TTNN reads. */
#include "ttir/to_ttnn/convert_impl.h"

#include <math.h>

/* The kernels multiply sinks, and masks when decoding, by the scale: they come divided by
 * it. */
static ir_value *descaled(ir_op *op, ir_builder *b, ir_value *logits)
{
    int64_t size = op->operands[0].value->type->dims[3];
    double scale = ir_op_real(op, "scale", 1 / sqrt((double)size));
    if (!logits || scale == 1 || scale == 0)
        return logits;
    ir_value *factor =
        tnb_full(b, NULL, logits->type, ir_f32_attr(b->ctx, 1 / scale), tnb_device(b, op));
    return tnb_op(b, NULL, TTNN_OP(multiply), logits->type, IR_VALUES(logits, factor), NULL,
                  0);
}

static ir_value *repeat_dim2(ir_builder *b, ir_value *mask, int64_t to)
{
    int64_t times[] = {1, 1, mask->type->dims[2] == to ? 1 : to, 1};
    return tnb_repeat(b, NULL, mask, times);
}

static ir_attr_by_name copied(const ir_op *op, const char *name)
{
    return (ir_attr_by_name){name, ir_op_attr(op, name)};
}

static bool decode(ir_op *op, ir_builder *b, ir_value *mask, ir_value *sink)
{
    static const int64_t forward[] = {2, 0, 1, 3}, back[] = {1, 2, 0, 3};
    static const int64_t of_mask[] = {0, 2, 1, 3};
    ir_value *query = op->operands[0].value;
    int64_t heads = query->type->dims[1];
    query = tnb_permute(b, NULL, query, forward);
    if (mask) {
        mask = tnb_permute(b, NULL, descaled(op, b, mask), of_mask);
        if (heads > 1)
            mask = repeat_dim2(b, mask, heads);
    }
    ir_value *y = tnb_op(
        b, NULL, TTNN_OP(scaled_dot_product_attention_decode), query->type,
        IR_VALUES(query, op->operands[1].value, op->operands[2].value, mask, NULL, sink),
        IR_ATTRS(copied(op, "is_causal"), copied(op, "scale"),
                 copied(op, "sliding_window_size")));
    return ttnn_replace_one(op, tnb_permute(b, NULL, y, back));
}

bool ttnn_convert_attention(ir_op *op, ir_builder *b)
{
    ir_value *mask = ir_op_operand_named(op, "attention_mask");
    ir_value *sink = ir_op_operand_named(op, "attention_sink");
    ir_type query = op->operands[0].value->type;
    if (query->count != 4 || (mask && mask->type->count != 4))
        return false;
    int64_t length = query->dims[2];
    sink = descaled(op, b, sink);
    if (length == 1)
        return decode(op, b, mask, sink);
    if (mask && mask->type->dims[2] == 1)
        mask = repeat_dim2(b, mask, length);
    ir_value *y =
        tnb_op(b, NULL, TTNN_OP(scaled_dot_product_attention), op->results[0].type,
               IR_VALUES(op->operands[0].value, op->operands[1].value,
                         op->operands[2].value, mask, sink),
               IR_ATTRS(copied(op, "is_causal"), copied(op, "scale"),
                        copied(op, "sliding_window_size")));
    return ttnn_replace_one(op, y);
}
