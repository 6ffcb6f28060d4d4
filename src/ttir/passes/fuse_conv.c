/* fuse_conv.c: what convolutions take over from their neighbours. */
#include "ir/like.h"
#include "ttir/passes/fuse.h"

enum { WEIGHT = 1, BIAS = 2, MAX_OPERANDS = 3 };

static bool is_conv(const ir_op *op)
{
    return ir_op_is(op, TTIR_OP(conv2d)) || ir_op_is(op, TTIR_OP(conv_transpose2d)) ||
           ir_op_is(op, TTIR_OP(conv3d));
}

/* The convolution that makes v and that nothing else reads. */
static ir_op *only_conv(const ir_value *v)
{
    ir_op *def = ttir_source(v);
    return is_conv(def) && ir_value_has_one_use(v) ? def : NULL;
}

static int64_t channel_dim(const ir_op *conv)
{
    return ir_op_int(conv, "channel_dim", conv->def == TTIR_OP(conv3d) ? 4 : 3);
}

/* One number for each channel, ones everywhere else. */
static bool is_per_channel(ir_type t, const ir_op *conv)
{
    ir_type to = conv->results[0].type;
    int64_t channel = channel_dim(conv);
    if (t->count != to->count)
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->dims[i] != (i == channel ? to->dims[i] : 1))
            return false;
    return true;
}

/* The same convolution with other operands; a NULL bias is none. */
static ir_value *conv_like(ir_builder *b, const ir_op *conv, ir_value *x, ir_value *weight,
                           ir_value *bias)
{
    ir_value *operands[] = {x, weight, bias};
    const ir_op_state state = {.loc = conv->loc,
                               .operands = operands,
                               .n_operands = bias ? 3 : 2,
                               .results = &conv->results[0].type,
                               .n_results = 1};
    return ir_op_result(ir_build_like(b, conv, state), 0);
}

static ir_value *bias_of(const ir_op *conv)
{
    return conv->n_operands > BIAS ? conv->operands[BIAS].value : NULL;
}

/* Says of an argument that it is a convolution's weights: it stays on the host. */
bool ttir_tag_conv_weight(ir_op *op, rw_rewriter *rw)
{
    ir_value *weight = op->operands[WEIGHT].value;
    ir_op *cast = ttir_producer(weight, TTIR_OP(typecast));
    weight = cast ? cast->operands[0].value : weight;
    if (!weight->is_argument || ttir_argument_attr(weight, "ttir.conv2d_weight"))
        return false;
    ttir_set_argument_attr(weight, "ttir.conv2d_weight", ir_unit_attr(op->ctx));
    (void)rw;
    return true;
}

/* conv + bias */
bool ttir_fuse_conv_bias(ir_op *op, rw_rewriter *rw)
{
    for (uint32_t i = 0; i < 2; i++) {
        ir_op *conv = only_conv(op->operands[i].value);
        ir_value *bias = op->operands[1 - i].value;
        ir_op *repeated = ttir_producer(bias, TTIR_OP(broadcast));
        if (repeated)
            bias = repeated->operands[0].value;
        if (!conv || conv->results[0].type != op->results[0].type ||
            !is_per_channel(bias->type, conv))
            continue;
        ir_value *old = bias_of(conv);
        if (old)
            bias = ttir_build_binary(&rw->b, TTIR_OP(add), old, bias);
        rw_replace1(rw, op,
                    conv_like(&rw->b, conv, conv->operands[0].value,
                              conv->operands[WEIGHT].value, bias));
        return true;
    }
    return false;
}

/* Zeros around an image are padding. */
bool ttir_fuse_conv_pad(ir_op *op, rw_rewriter *rw)
{
    static const char *const dims[] = {"depth_dim", "height_dim", "width_dim"};
    int64_t around[10], padding[3];
    ir_op *pad = ttir_only_producer(op->operands[0].value, TTIR_OP(pad));
    ir_attr mode = ir_op_attr(op, "padding_mode"), given = ir_op_attr(op, "padding");
    if (!pad || (mode && !tw_str_is(ir_attr_str(mode), "zeros")) ||
        ir_op_real(pad, "value", 1) != 0 ||
        ir_attr_ints(ir_op_attr(pad, "padding"), around, 10) != 10)
        return false;
    if (ir_attr_is(given, IR_ATTR_INTEGER))
        padding[0] = padding[1] = padding[2] = given->value;
    else if (ir_attr_ints(given, padding, 3) != 3)
        return false;
    for (int i = 0; i < 3; i++) {
        int64_t d = ir_op_int(op, dims[i], i + 1);
        if (around[2 * d] != around[2 * d + 1] || around[2 * d] < 0)
            return false;
        padding[i] += around[2 * d];
        around[2 * d] = around[2 * d + 1] = 0;
    }
    for (int i = 0; i < 10; i++)
        if (around[i] != 0)
            return false;
    ir_op_set_attr(op, "padding", ir_dense_i32_array(op->ctx, padding, 3));
    ir_op_set_operand(op, 0, pad->operands[0].value);
    rw_modified(rw, op);
    return true;
}

/* conv * scale, with a scale that is known before the program runs. */
bool ttir_fuse_conv_scale(ir_op *op, rw_rewriter *rw)
{
    for (uint32_t i = 0; i < 2; i++) {
        ir_op *conv = only_conv(op->operands[i].value);
        ir_value *scale = op->operands[1 - i].value;
        ir_op *repeated = ttir_producer(scale, TTIR_OP(broadcast));
        if (repeated)
            scale = repeated->operands[0].value;
        if (!conv || conv->results[0].type != op->results[0].type ||
            !is_per_channel(scale->type, conv) || !ttir_is_known(scale))
            continue;
        int64_t dims[5] = {1, 1, 1, 1, 1};
        ir_value *weight = conv->operands[WEIGHT].value, *bias = bias_of(conv);
        dims[conv->def == TTIR_OP(conv_transpose2d)] = scale->type->dims[channel_dim(conv)];
        ir_value *factor = ttir_build_reshape(&rw->b, scale, dims, weight->type->count);
        weight = ttir_build_binary(&rw->b, TTIR_OP(multiply), weight, factor);
        if (bias)
            bias = ttir_build_binary(&rw->b, TTIR_OP(multiply), bias, scale);
        rw_replace1(rw, op, conv_like(&rw->b, conv, conv->operands[0].value, weight, bias));
        return true;
    }
    return false;
}

/* A batch norm after a convolution as a scale and an offset, which convolutions take. */
bool ttir_split_batch_norm(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value, *params[4];
    ir_op *conv = only_conv(x);
    int64_t dims[4] = {1, 1, 1, 1}, dim = ir_op_int(op, "dimension", 1);
    if (!conv || x->type->count != 4 || dim < 0 || dim > 3)
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        params[i] = op->operands[1 + i].value;
        if (params[i]->type->count != 1 && params[i]->type->count != 4)
            return false;
    }
    ir_value *scale = params[0], *offset = params[1], *mean = params[2], *var = params[3];
    ir_builder *b = &rw->b;
    ir_value *eps = ttir_build_full(b, ir_type_with_shape(var->type, dims, 1),
                                    ir_op_real(op, "epsilon", 0));
    ir_value *std =
        ttir_build_unary(b, TTIR_OP(sqrt), ttir_build_binary(b, TTIR_OP(add), var, eps));
    ir_value *alpha = ttir_build_binary(b, TTIR_OP(div), scale, std);
    ir_value *beta = ttir_build_binary(
        b, TTIR_OP(subtract), offset, ttir_build_binary(b, TTIR_OP(multiply), mean, alpha));
    dims[dim] = x->type->dims[dim];
    if (alpha->type->count != 4)
        alpha = ttir_build_reshape(b, alpha, dims, 4);
    if (beta->type->count != 4)
        beta = ttir_build_reshape(b, beta, dims, 4);
    rw_replace1(rw, op,
                ttir_build_binary(b, TTIR_OP(add),
                                  ttir_build_binary(b, TTIR_OP(multiply), x, alpha), beta));
    return true;
}

/* ---- two convolutions of one image -------------------------------------------------- */

static bool has_kernel(const ir_op *conv, int64_t size, int64_t padding)
{
    int64_t amounts[4];
    ir_type w = conv->operands[WEIGHT].value->type;
    ir_attr a = ir_op_attr(conv, "padding");
    if (w->dims[2] != size || w->dims[3] != size)
        return false;
    if (ir_attr_is(a, IR_ATTR_INTEGER))
        return a->value == padding;
    int64_t n = ir_attr_ints(a, amounts, 4);
    for (int64_t i = 0; i < n && i < 4; i++)
        if (amounts[i] != padding)
            return false;
    return n == 2 || n == 4;
}

static bool same_attr(const ir_op *a, const ir_op *b, const char *name)
{
    return ir_op_attr(a, name) == ir_op_attr(b, name);
}

/* A 3x3 and a 1x1 convolution added: the small kernel is the middle of the large one. */
bool ttir_fuse_two_convs(ir_op *op, rw_rewriter *rw)
{
    static const int64_t around[] = {0, 0, 0, 0, 1, 1, 1, 1};
    ir_op *large = only_conv(op->operands[0].value),
          *small = only_conv(op->operands[1].value);
    if (!large || !small || large == small || large->def != TTIR_OP(conv2d) ||
        small->def != TTIR_OP(conv2d))
        return false;
    if (has_kernel(large, 1, 0)) {
        ir_op *swap = large;
        large = small;
        small = swap;
    }
    if (!has_kernel(large, 3, 1) || !has_kernel(small, 1, 0) ||
        large->operands[0].value != small->operands[0].value ||
        !bias_of(large) != !bias_of(small) || !same_attr(large, small, "stride") ||
        !same_attr(large, small, "dilation") || !same_attr(large, small, "groups") ||
        channel_dim(large) != channel_dim(small) || !same_attr(large, small, "batch_dim") ||
        !same_attr(large, small, "height_dim") || !same_attr(large, small, "width_dim") ||
        large->results[0].type != op->results[0].type ||
        small->results[0].type != op->results[0].type)
        return false;
    ir_value *w3 = large->operands[WEIGHT].value, *w1 = small->operands[WEIGHT].value;
    ir_builder *b = &rw->b;
    w1 = ir_build1(b, TTIR_OP(pad), ir_type_with_shape(w1->type, w3->type->dims, 4),
                   IR_VALUES(w1),
                   IR_ATTRS({"padding", ir_dense_i32_array(b->ctx, around, 8)},
                            {"value", ir_f32_attr(b->ctx, 0)}));
    ir_value *weight = ttir_build_binary(b, TTIR_OP(add), w1, w3), *bias = bias_of(large);
    if (bias)
        bias = ttir_build_binary(b, TTIR_OP(add), bias, bias_of(small));
    rw_replace1(rw, op, conv_like(b, large, large->operands[0].value, weight, bias));
    return true;
}
