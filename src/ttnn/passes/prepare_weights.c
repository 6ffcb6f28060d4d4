/* prepare_weights.c: the pass ttnn-prepare-conv3d-weights: weights of three-dimensional
 * convolutions are put into the rows and blocks that the kernel reads. */
#include "ir/pass/pass.h"
#include "ttnn/build.h"

static ir_value *in_tiles(ir_builder *b, ir_value *v)
{
    ttnn_layout l;
    if (!ttnn_layout_of(v->type, &l) || l.tiled)
        return v;
    l.tiled = true;
    return tnb_to_spec(b, "_prepare_conv3d_weight_to_tile", v, &l);
}

/* From the host, in rows of block, depth, height, width and channel; channels are filled up
 * to a multiple of `alignment`. */
static ir_value *prepared(ir_builder *b, ir_op *op, ir_value *w, int64_t alignment)
{
    ir_context *ctx = b->ctx;
    ir_attr config = ir_op_attr(op, "conv3d_config");
    int64_t block = config ? ir_attr_int(ir_attr_param(config, "c_in_block"), 0) : 0;
    const int64_t *d = w->type->dims;
    int64_t rows[] = {d[2] * d[3] * d[4] * tnb_round_up(d[1], alignment), d[0]};
    ttnn_layout l, out;
    if (!ttnn_layout_of(w->type, &l))
        return w;
    out = ttnn_layout_dram(l.dtype);
    out.tiled = false;
    ttnn_layout_place(&l, TTNN_BufferType_SystemMemory, TTNN_ON_HOST);
    l.tiled = false;
    w = tnb_to_spec(b, "_prepare_conv3d_weight_to_row_major", w, &l);
    ir_type plain = ir_tensor_type(w->type->element, rows, 2, NULL);
    return tnb_op(b, "_prepare_conv3d_weight", TTNN_OP(prepare_conv3d_weights),
                  ttnn_tensor_with(plain, &out),
                  IR_VALUES(w, ir_op_operand_named(op, "device")),
                  IR_ATTRS({"groups", ir_op_attr(op, "groups")},
                           {"c_in_block", ir_i32_attr(ctx, block)},
                           {"alignment", ir_i32_attr(ctx, alignment)}));
}

/* Lets the convolution read the input without the channels of zeros that fill it up to
 * tiles, all of its channels as one block; whether there were such. */
static bool drop_padding(ir_op *op)
{
    ir_op *pad = ir_value_def(op->operands[0].value);
    int64_t pairs[10];
    if (!ir_op_is(pad, TTNN_OP(pad)) || tnb_ints(pad, "padding", pairs, 10) != 10 ||
        ir_op_real(pad, "value", 1) != 0)
        return false;
    for (int i = 0; i < 9; i++)
        if (pairs[i] != 0)
            return false;
    ir_value *x = pad->operands[0].value;
    ir_op_set_operand(op, 0, x);
    ir_op_set_attr(op, "in_channels", ir_i32_attr(op->ctx, x->type->dims[4]));
    ir_op_set_attr(op, "conv3d_config", NULL);
    if (ir_op_is_unused(pad))
        ir_op_erase(pad);
    return true;
}

static ir_walk prepare(ir_op *op, void *user)
{
    const pass_run *run = user;
    if (op->def != TTNN_OP(conv3d))
        return IR_WALK_ON;
    ir_value *w = op->operands[1].value;
    ir_builder b = ir_builder_before(op);
    if (w->type->count == 5) {
        bool plain = !pass_option_bool(run, "channels-in-tiles") && drop_padding(op);
        w = prepared(&b, op, w, plain ? 1 : TTNN_TILE);
    }
    if (w->type->count == 2)
        ir_op_set_operand(op, 1, in_tiles(&b, w));
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    ir_walk_pre(module, prepare, run);
    return true;
}

const pass_def ttnn_prepare_conv3d_weights_pass = {
    .name = "ttnn-prepare-conv3d-weights",
    .title = "TTNNPrepareConv3dWeights",
    .summary = "Put weights of 3-D convolutions into the kernel's order",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, {"channels-in-tiles", PASS_BOOL, "true",
                                         "Leave inputs filled up to whole tiles"}),
};
