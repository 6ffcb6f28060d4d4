/* convert_conv_pool.c: norms, convolutions, pooling, resampling and products that need more
 * than their operands carried over.  What the device wants flat ([1, 1, N*H*W, C]) is
 * flattened here unless a pass has done it, as flattened_compat_info shows. */
#include "support/number.h"
#include "ttir/to_ttnn/convert_impl.h"
#include <math.h>

static ir_value *reshape(ir_builder *b, const char *suffix, ir_value *v,
                         const int64_t *dims, size_t rank)
{
    bool same =
        v->type->count == rank && memcmp(v->type->dims, dims, rank * sizeof *dims) == 0;
    return same ? v : tnb_reshape(b, suffix, v, dims, rank);
}

/* ---- norms -------------------------------------------------------------------------- */

/* A tensor that the operation may write: the value itself if nothing else uses it, else one
 * of its own. */
static ir_value *own(ir_builder *b, ir_value *v)
{
    if (!v->uses || !v->uses->next_use)
        return v;
    return ir_build1(b, TTNN_OP(assign), v->type, IR_VALUES(v), NULL, 0);
}

/* Statistics come back in the operands, which the operation writes. */
bool ttnn_convert_batch_norm_training(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value, *mean = own(b, op->operands[3].value),
             *variance = own(b, op->operands[4].value);
    if (x->type->count != 4 || ir_op_int(op, "dimension", 1) != 1)
        return false;
    ir_value *operands[] = {x, mean, variance, op->operands[1].value,
                            op->operands[2].value};
    ir_op *made =
        ir_build_op(b, TTNN_OP(batch_norm_training), &op->results[0].type, 1, operands, 5,
                    IR_ATTRS({"epsilon", ir_op_attr(op, "epsilon")},
                             {"momentum", ir_op_attr(op, "momentum")}),
                    0);
    ir_value_replace_uses(&op->results[1], mean);
    ir_value_replace_uses(&op->results[2], variance);
    return ttnn_replace_one(op, ir_op_result(made, 0));
}

/* Channels last, everything between batch and channels in one dimension. */
bool ttnn_convert_group_norm(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value, *weight = ir_op_operand_named(op, "weight"),
             *bias = ir_op_operand_named(op, "bias");
    int64_t order[TTNN_MAX_RANK], back[TTNN_MAX_RANK];
    int64_t rank = x->type->count, channel = ir_op_int(op, "channel_dim", rank - 1);
    channel += channel < 0 ? rank : 0;
    if (rank < 2 || channel < 1 || channel >= rank)
        return false;
    bool moved = channel != rank - 1;
    for (int64_t i = 0, at = 0; i < rank; i++) {
        int64_t from = i == channel ? rank - 1 : at++;
        order[from] = i;
        back[i] = from;
    }
    if (moved)
        x = tnb_permute(b, NULL, x, order);
    ir_type wide = x->type;
    int64_t channels = wide->dims[rank - 1];
    int64_t flat[] = {wide->dims[0], 1, 1, channels};
    for (int64_t i = 1; i + 1 < rank; i++)
        flat[2] *= wide->dims[i];
    x = reshape(b, NULL, x, flat, 4);
    ir_value *like = weight ? weight : bias ? bias : NULL;
    ir_type affine = like ? like->type : ttnn_tensor_reshaped(x->type, &channels, 1);
    ir_attr shape = tnb_shape(b->ctx, affine->dims, affine->count);
    if (!weight)
        weight = tnb_op(b, NULL, TTNN_OP(ones), affine, IR_VALUES(tnb_device(b, op)),
                        IR_ATTRS({"shape", shape}));
    if (!bias)
        bias = tnb_op(b, NULL, TTNN_OP(zeros), affine, IR_VALUES(tnb_device(b, op)),
                      IR_ATTRS({"shape", shape}));
    x = tnb_op(b, NULL, TTNN_OP(group_norm), x->type,
               IR_VALUES(x, ir_op_operand_named(op, "input_mask"), weight, bias),
               IR_ATTRS({"num_groups", ir_op_attr(op, "num_groups")},
                        {"epsilon", ir_op_attr(op, "epsilon")}));
    x = reshape(b, NULL, x, wide->dims, wide->count);
    return ttnn_replace_one(op, moved ? tnb_permute(b, NULL, x, back) : x);
}

/* ---- convolution -------------------------------------------------------------------- */

static ir_attr dram_config(ir_context *ctx, bool in_dram)
{
    return tnb_with(ctx, TTNN_ATTR(conv2d_config), NULL, "config_tensors_in_dram",
                    ir_bool_attr(ctx, in_dram));
}

typedef struct extent {
    int64_t batch, height, width;
} extent;

static extent flat_extent(ir_attr info)
{
    return (extent){ir_attr_int(ir_attr_param(info, "batchSize"), 1),
                    ir_attr_int(ir_attr_param(info, "inputHeight"), 1),
                    ir_attr_int(ir_attr_param(info, "inputWidth"), 1)};
}

/* [N, H, W, C] as [1, 1, N*H*W, C]. */
static ir_type flat_type(ir_type t)
{
    int64_t dims[] = {1, 1, t->dims[0] * t->dims[1] * t->dims[2], t->dims[3]};
    return ttnn_tensor_reshaped(t, dims, 4);
}

static bool is_nhwc(const ir_op *op)
{
    return op->operands[0].value->type->count == 4 && ir_op_int(op, "batch_dim", 0) == 0 &&
           ir_op_int(op, "height_dim", 1) == 1 && ir_op_int(op, "width_dim", 2) == 2 &&
           ir_op_int(op, "channel_dim", 3) == 3;
}

/* Flattens the input of an operation of windows and says so, and its results back. */
static bool flatten(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    ir_context *ctx = b->ctx;
    if (!is_nhwc(op))
        return false;
    ir_attr params[3];
    for (size_t i = 0; i < 3; i++)
        params[i] = ir_raw_int(ctx, x->type->dims[i]);
    ir_op_set_attr(op, "flattened_compat_info",
                   ir_dialect_attr(ctx, TTIR_ATTR(flattened_compat), params, 3));
    ir_op_set_operand(op, 0, reshape(b, NULL, x, flat_type(x->type)->dims, 4));
    ir_builder after = ir_builder_after(op);
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *v = &op->results[i];
        ir_type wide = v->type;
        v->type = flat_type(wide);
        ir_op *back =
            ir_build_op(&after, TTNN_OP(reshape), &wide, 1, NULL, 0,
                        IR_ATTRS({"shape", ir_i32_array_attr(ctx, wide->dims, 4)}), 0);
        ir_value_replace_uses(v, &back->results[0]);
        ir_op_splice_operands(back, 0, 0, &v, 1);
    }
    return true;
}

/* Of inputs that are flat already; others have their own conversion. */
bool ttnn_convert_flat_conv2d(ir_op *op, ir_builder *b)
{
    ir_attr info = ir_op_attr(op, "flattened_compat_info");
    bool transposed = op->def == TTIR_OP(conv_transpose2d);
    int64_t stride[2], dilation[2], padding[4], output[2];
    if (!info || !ttnn_tuple(op, "stride", stride, 2) ||
        !ttnn_tuple(op, "dilation", dilation, 2))
        return false;
    size_t sides = 4;
    if (!ttnn_tuple(op, "padding", padding, 4)) {
        sides = 2;
        if (!ttnn_tuple(op, "padding", padding, 2))
            return false;
    }
    if (ir_attr_is(ir_op_attr(op, "padding"), IR_ATTR_INTEGER))
        sides = 2;
    if (transposed && sides == 4) {
        if (padding[0] != padding[2] || padding[1] != padding[3])
            return ir_op_error(op, "TTNN only supports padding height/width attributes. "
                                   "Thus, padding_top/padding_left must equal "
                                   "padding_bottom/padding_right for the op to execute as "
                                   "expected.");
        sides = 2;
    }
    if (sides == 4) { /* top, left, bottom, right to top, bottom, left, right */
        int64_t left = padding[1];
        padding[1] = padding[2];
        padding[2] = left;
    }
    ir_context *ctx = b->ctx;
    extent e = flat_extent(info);
    ir_value *x = op->operands[0].value, *w = op->operands[1].value;
    if (transposed && !ttnn_tuple(op, "output_padding", output, 2))
        return false;
    ir_attr out_pad = transposed ? ir_dense_i32_array(ctx, output, 2) : NULL;
    ir_op *made = ttnn_build_named(
        op, b, transposed ? TTNN_OP(conv_transpose2d) : TTNN_OP(conv2d),
        IR_ATTRS({"in_channels", ir_i32_attr(ctx, x->type->dims[3])},
                 {"out_channels", ir_i32_attr(ctx, op->results[0].type->dims[3])},
                 {"batch_size", ir_i32_attr(ctx, e.batch)},
                 {"input_height", ir_i32_attr(ctx, e.height)},
                 {"input_width", ir_i32_attr(ctx, e.width)},
                 {"kernel_size", ir_dense_i32_array(ctx, w->type->dims + 2, 2)},
                 {"stride", ir_dense_i32_array(ctx, stride, 2)},
                 {"padding", ir_dense_i32_array(ctx, padding, sides)},
                 {"output_padding", out_pad},
                 {"dilation", ir_dense_i32_array(ctx, dilation, 2)},
                 {"conv2d_config", dram_config(ctx, true)}));
    return ttnn_replace_all(op, made);
}

bool ttnn_convert_conv1d(ir_op *op, ir_builder *b)
{
    int64_t dims[] = {ir_op_int(op, "batch_dim", 0), ir_op_int(op, "length_dim", 1),
                      ir_op_int(op, "channel_dim", 2)};
    int64_t stride, dilation, padding[2], flat[4] = {1, 1, 1, 1};
    ir_value *x = op->operands[0].value, *w = op->operands[1].value,
             *bias = ir_op_operand_named(op, "bias");
    ir_type result = op->results[0].type;
    if (x->type->count != 3 || !ttnn_tuple(op, "stride", &stride, 1) ||
        !ttnn_tuple(op, "dilation", &dilation, 1) ||
        !ttnn_tuple(op, "padding", padding, 2) || dims[0] != 0 || dims[1] != 1)
        return false;
    ir_context *ctx = b->ctx;
    flat[2] = result->dims[0] * result->dims[1];
    flat[3] = result->dims[2];
    if (bias && bias->type->count < 4) {
        int64_t row[] = {1, 1, 1, result->dims[2]};
        bias = tnb_reshape(b, "_bias_unsqueeze", bias, row, 4);
    }
    ir_value *y = tnb_op(b, NULL, TTNN_OP(conv1d), ttnn_tensor_reshaped(result, flat, 4),
                         IR_VALUES(x, w, bias, tnb_device(b, op)),
                         IR_ATTRS({"in_channels", ir_i32_attr(ctx, x->type->dims[dims[2]])},
                                  {"out_channels", ir_i32_attr(ctx, flat[3])},
                                  {"batch_size", ir_i32_attr(ctx, x->type->dims[0])},
                                  {"input_length", ir_i32_attr(ctx, x->type->dims[1])},
                                  {"kernel_size", ir_i32_attr(ctx, w->type->dims[2])},
                                  {"stride", ir_i32_attr(ctx, stride)},
                                  {"padding", ir_dense_i32_array(ctx, padding, 2)},
                                  {"dilation", ir_i32_attr(ctx, dilation)},
                                  {"groups", ir_op_attr(op, "groups")},
                                  {"conv2d_config", dram_config(ctx, false)}));
    return ttnn_replace_one(op,
                            tnb_reshape(b, "_unflatten", y, result->dims, result->count));
}

static ir_attr conv3d_config(ir_op *op, int64_t kernel, int64_t channels)
{
    ir_context *ctx = op->ctx;
    const ir_attr_def *def = TTNN_ATTR(conv3d_config);
    ir_attr one = ir_raw_int(ctx, 1), device = ttnn_device_of(op);
    int64_t align = ttnn_chip_int(op, "nocL1AddressAlignBytes", 16);
    int64_t piece = TTNN_TILE / tw_gcd(kernel, TTNN_TILE);
    int64_t block = TW_MIN(align / tw_gcd(align, piece) * piece, channels);
    ir_attr a = tnb_with(ctx, def, NULL, "t_out_block", one);
    a = tnb_with(ctx, def, a, "w_out_block", one);
    a = tnb_with(ctx, def, a, "h_out_block", one);
    a = tnb_with(ctx, def, a, "c_out_block", ir_raw_int(ctx, TTNN_TILE));
    a = tnb_with(ctx, def, a, "c_in_block", ir_raw_int(ctx, block));
    return device ? tnb_with(ctx, def, a, "compute_with_storage_grid_size",
                             ir_attr_param(device, "workerGrid"))
                  : a;
}

bool ttnn_convert_conv3d(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value, *w = op->operands[1].value,
             *bias = ir_op_operand_named(op, "bias");
    int64_t stride[3], padding[3], pairs[10] = {0};
    if (x->type->count != 5 || ir_op_int(op, "groups", 1) != 1 ||
        !ttnn_tuple(op, "stride", stride, 3) || !ttnn_tuple(op, "padding", padding, 3))
        return false;
    ir_context *ctx = b->ctx;
    int64_t channels = x->type->dims[4], padded = tnb_round_up(channels, TTNN_TILE);
    int64_t out = op->results[0].type->dims[4], row[] = {1, out};
    const int64_t *k = w->type->dims + 2;
    if (bias)
        bias = reshape(b, NULL, bias, row, 2);
    if (padded != channels) {
        pairs[9] = padded - channels;
        x = tnb_pad(b, "_pad_cin", x, pairs, 0, true);
    }
    const int64_t *in = x->type->dims;
    ir_value *y =
        tnb_op(b, NULL, TTNN_OP(conv3d), op->results[0].type,
               IR_VALUES(x, w, bias, tnb_device(b, op)),
               IR_ATTRS({"in_channels", ir_i32_attr(ctx, padded)},
                        {"out_channels", ir_i32_attr(ctx, out)},
                        {"batch_size", ir_i32_attr(ctx, in[0])},
                        {"input_depth", ir_i32_attr(ctx, in[1])},
                        {"input_height", ir_i32_attr(ctx, in[2])},
                        {"input_width", ir_i32_attr(ctx, in[3])},
                        {"kernel_size", ir_dense_i32_array(ctx, k, 3)},
                        {"stride", ir_dense_i32_array(ctx, stride, 3)},
                        {"padding", ir_dense_i32_array(ctx, padding, 3)},
                        {"padding_mode", ir_op_attr(op, "padding_mode")},
                        {"groups", ir_op_attr(op, "groups")},
                        {"conv3d_config", conv3d_config(op, k[0] * k[1] * k[2], padded)}));
    return ttnn_replace_one(op, y);
}

/* ---- windows, resampling ------------------------------------------------------------ */

/* What a pool that is padded beforehand is padded with: no maximum, or 0 of a sum whose
 * divisor counts padding.  False where padding beforehand would change the result: indices
 * count the padded image, and an average that leaves padding out would count it. */
static bool pool_padding(const ir_op *op, double *out)
{
    if (op->def == TTIR_OP(avg_pool2d)) {
        *out = 0;
        return ir_op_bool(op, "count_include_pad");
    }
    *out = -INFINITY;
    return op->def == TTIR_OP(max_pool2d) &&
           ir_type_element(op->results[0].type)->kind != IR_TYPE_INTEGER;
}

bool ttnn_convert_flat_pool(ir_op *op, ir_builder *b)
{
    double value;
    ir_attr info = ir_op_attr(op, "flattened_compat_info");
    bool average = op->def == TTIR_OP(avg_pool2d);
    const ir_op_def *to = average ? TTNN_OP(avg_pool2d)
                          : op->def == TTIR_OP(max_pool2d)
                              ? TTNN_OP(max_pool2d)
                              : TTNN_OP(max_pool2d_with_indices);
    int64_t kernel[2], stride[2], dilation[2], padding[4];
    if (!info || !ttnn_tuple(op, "kernel", kernel, 2) ||
        !ttnn_tuple(op, "stride", stride, 2) || !ttnn_tuple(op, "dilation", dilation, 2))
        return false;
    if (!ttnn_tuple(op, "padding", padding, 4)) {
        if (!ttnn_tuple(op, "padding", padding, 2))
            return false;
        padding[2] = padding[0];
        padding[3] = padding[1];
    }
    ir_context *ctx = b->ctx;
    extent e = flat_extent(info);
    ir_value *x = op->operands[0].value;
    int64_t channels = x->type->dims[x->type->count - 1];
    if (2 * TW_MAX(padding[0], padding[2]) > kernel[0] ||
        2 * TW_MAX(padding[1], padding[3]) > kernel[1]) {
        /* more than half a window: padded before */
        if (!pool_padding(op, &value))
            return false;
        int64_t wide[] = {e.batch, e.height, e.width, channels};
        int64_t pairs[] = {0, 0, padding[0], padding[2], padding[1], padding[3], 0, 0};
        x = tnb_pad(b, NULL, tnb_reshape(b, NULL, x, wide, 4), pairs, value, true);
        e.height += padding[0] + padding[2];
        e.width += padding[1] + padding[3];
        int64_t flat[] = {1, 1, e.batch * e.height * e.width, channels};
        x = tnb_reshape(b, NULL, x, flat, 4);
        memset(padding, 0, sizeof padding);
    }
    bool even = padding[0] == padding[2] && padding[1] == padding[3];
    ir_type types[2];
    for (uint32_t i = 0; i < op->n_results && i < 2; i++)
        types[i] = op->results[i].type;
    ir_op *made =
        ir_build_op(b, to, types, op->n_results, &x, 1,
                    IR_ATTRS({"batch_size", ir_si32_attr(ctx, e.batch)},
                             {"input_height", ir_si32_attr(ctx, e.height)},
                             {"input_width", ir_si32_attr(ctx, e.width)},
                             {"channels", ir_si32_attr(ctx, channels)},
                             {"kernel_size", ir_dense_i32_array(ctx, kernel, 2)},
                             {"stride", ir_dense_i32_array(ctx, stride, 2)},
                             {"padding", ir_dense_i32_array(ctx, padding, even ? 2 : 4)},
                             {"dilation", ir_dense_i32_array(ctx, dilation, 2)},
                             {"ceil_mode", ir_op_attr(op, "ceil_mode")},
                             {"reallocate_halo_output", ir_bool_attr(ctx, false)},
                             {"config_tensors_in_dram", ir_bool_attr(ctx, true)},
                             {"count_include_pad",
                              average ? ir_op_attr(op, "count_include_pad") : NULL}),
                    0);
    return ttnn_replace_all(op, made);
}

bool ttnn_convert_conv_transpose2d(ir_op *op, ir_builder *b)
{
    return (ir_op_attr(op, "flattened_compat_info") || flatten(op, b)) &&
           ttnn_convert_flat_conv2d(op, b);
}

bool ttnn_convert_pool_with_indices(ir_op *op, ir_builder *b)
{
    return (ir_op_attr(op, "flattened_compat_info") || flatten(op, b)) &&
           ttnn_convert_flat_pool(op, b);
}

/* What a value comes from: through casts, shapes and layouts, and into the function that
 * computed it once. */
static ir_op *origin(ir_value *v)
{
    ir_op *from = ir_value_def(v);
    for (;;) {
        if (ir_op_is(from, TTNN_OP(reshape)) || ir_op_is(from, TTNN_OP(typecast)) ||
            ir_op_is(from, TTNN_OP(to_tensor_spec)))
            v = from->operands[0].value;
        else if (ir_op_is(from, TTCORE_OP(load_cached))) {
            ir_op *f = ir_symbol_resolve(from, ir_op_attr(from, "callee"));
            ir_block *body = f ? ir_op_body(f, 0) : NULL;
            if (!body || !body->last || v->index >= body->last->n_operands)
                return from;
            v = body->last->operands[v->index].value;
        } else
            return from;
        from = ir_value_def(v);
    }
}

/* A constant exponent that is not negative has an operation of its own. */
bool ttnn_convert_pow(ir_op *op, ir_builder *b)
{
    ir_op *from = origin(op->operands[1].value);
    ir_attr fill =
        from && from->def == TTNN_OP(full) ? ir_op_attr(from, "fill_value") : NULL;
    if (!fill || !(ir_attr_real(fill, -1) >= 0))
        return ttnn_replace_all(op, ttnn_build_named(op, b, TTNN_OP(pow_tensor), NULL, 0));
    return ttnn_replace_one(op, tnb_op(b, NULL, TTNN_OP(pow_scalar), op->results[0].type,
                                       IR_VALUES(op->operands[0].value),
                                       IR_ATTRS({"rhs", fill})));
}

bool ttnn_convert_upsample(ir_op *op, ir_builder *b)
{
    return ttnn_replace_all(op, ttnn_build_named(op, b, TTNN_OP(upsample), NULL, 0));
}

bool ttnn_convert_embedding_backward(ir_op *op, ir_builder *b)
{
    ir_value *indices = op->operands[0].value, *weight = op->operands[1].value,
             *gradient = op->operands[2].value;
    ir_type result = op->results[0].type;
    int64_t pairs[2 * TTNN_MAX_RANK] = {0}, rank = indices->type->count;
    const int64_t *d = indices->type->dims;
    if (rank > 2 && d[rank - 1] == 1)
        indices = tnb_reshape(b, "_squeeze_indices", indices, d, (size_t)rank - 1);
    if (indices->type->count == 1) {
        int64_t row[] = {1, indices->type->dims[0]};
        indices = tnb_reshape(b, "_unsqueeze_indices", indices, row, 2);
    }
    rank = indices->type->count;
    int64_t last = indices->type->dims[rank - 1], padded = tnb_round_up(last, TTNN_TILE);
    int64_t g = gradient->type->count;
    if (padded != last && g >= 2) {
        pairs[2 * rank - 1] = padded - last;
        indices = tnb_pad(b, "_pad_indices", indices, pairs, 0, true);
        pairs[2 * rank - 1] = 0;
        pairs[2 * g - 3] = padded - last;
        gradient = tnb_pad(b, "_pad_gradient", gradient, pairs, 0, true);
    }
    int64_t flat[] = {1, 1, 1, gradient->type->dims[g - 1]};
    for (int64_t i = 0; i + 1 < g; i++)
        flat[2] *= gradient->type->dims[i];
    gradient = tnb_reshape(b, "_reshaped_grad", gradient, flat, 4);
    if (indices->type->count == 2) {
        int64_t four[] = {indices->type->dims[0], 1, 1, indices->type->dims[1]};
        indices = tnb_reshape(b, "_4d_indices", indices, four, 4);
    }
    int64_t table[] = {1, 1, result->dims[0], result->dims[1]};
    ir_value *y = tnb_op(b, "_embedding_bw", TTNN_OP(embedding_bw),
                         ttnn_tensor_reshaped(result, table, 4),
                         IR_VALUES(indices, weight, gradient), NULL, 0);
    return ttnn_replace_one(op, tnb_reshape(b, NULL, y, result->dims, result->count));
}

/* ---- products, optimizers ----------------------------------------------------------- */

bool ttnn_convert_sparse_matmul(ir_op *op, ir_builder *b)
{
    int64_t grid[2];
    ir_type result = op->results[0].type;
    ir_context *ctx = b->ctx;
    if (!ttnn_device_grid(op, false, grid) || result->count < 2)
        return false;
    int64_t rows = result->dims[result->count - 2],
            columns = result->dims[result->count - 1];
    int64_t tiles = tnb_round_up(columns, TTNN_TILE) / TTNN_TILE;
    int64_t used = TW_MIN(grid[1], tiles);
    while (used > 1 &&
           (tiles + (tiles + used - 1) / used - 1) / ((tiles + used - 1) / used) != used)
        used--;
    ir_attr xy[] = {ir_raw_int(ctx, used), ir_raw_int(ctx, grid[0])};
    ir_attr one = ir_raw_int(ctx, 1), no = ir_raw_int(ctx, 0);
    ir_attr params[] = {ir_dialect_attr(ctx, TTNN_ATTR(core_coord), xy, 2),
                        one,
                        one,
                        one,
                        one,
                        one,
                        ir_raw_int(ctx, TW_MAX(1, rows / TTNN_TILE)),
                        ir_raw_int(ctx, TW_MAX(1, (tiles + used - 1) / used)),
                        no,
                        NULL,
                        one,
                        no,
                        ttnn_core_ranges(ctx, NULL, 0),
                        no,
                        no};
    ir_attr config = ir_dialect_attr(
        ctx, TTNN_ATTR(matmul_multi_core_reuse_multi_cast_1d_program_config), params,
        TW_COUNT(params));
    ir_attr dtype = ir_op_attr(op, "ttcore.weight_dtype");
    ir_op *made = ttnn_build_named(op, b, TTNN_OP(sparse_matmul),
                                   IR_ATTRS({"program_config", config}));
    if (dtype)
        ir_op_set_attr(made, "ttcore.weight_dtype", dtype);
    return ttnn_replace_all(op, made);
}

/* Writes its operands, so nothing may read them as they were. */
bool ttnn_convert_adamw(ir_op *op, ir_builder *b)
{
    static const char *const written[] = {"param", "exp_avg", "exp_avg_sq",
                                          "max_exp_avg_sq"};
    for (size_t i = 0; i < TW_COUNT(written); i++) {
        ir_value *v = ir_op_operand_named(op, written[i]);
        for (ir_operand *use = v ? v->uses : NULL; use; use = use->next_use)
            if (use->owner->block != op->block || ir_op_before(op, use->owner))
                return false;
    }
    ir_value *operands[] = {
        ir_op_operand_named(op, "param"), ir_op_operand_named(op, "grad"),
        ir_op_operand_named(op, "exp_avg"), ir_op_operand_named(op, "exp_avg_sq"),
        ir_op_operand_named(op, "max_exp_avg_sq")};
    ir_attr_by_name attrs[16];
    size_t n = 0;
    for (uint32_t k = 0; k < TTNN_OP(adamw)->attrs.count && n < TW_COUNT(attrs); k++) {
        const char *name = TTNN_OP(adamw)->attrs.at[k].name;
        attrs[n++] = (ir_attr_by_name){name, ir_op_attr(op, name)};
    }
    ir_build_op(b, TTNN_OP(adamw), NULL, 0, operands, 5, attrs, n, 0);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], ir_op_operand_named(op, written[i]));
    ir_op_erase(op);
    return true;
}
