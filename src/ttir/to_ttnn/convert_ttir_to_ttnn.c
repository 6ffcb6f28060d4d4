/* convert_ttir_to_ttnn.c: TTIR operations on laid-out tensors become TTNN operations. */
#include "ir/watch.h"
#include "mlir/func/func.h"
#include "ttcore/debug/debug.h"
#include "ttir/build.h"
#include "ttir/to_ttnn/convert_impl.h"
#include "ttir/ttir.h"
#include "ttnn/build.h"
#include "ttnn/layout.h"

#include <stdlib.h>

enum { CAPACITY = 32 };

static bool done(ir_op *op, ir_value *v)
{
    ir_value_replace_uses(&op->results[0], v);
    ir_op_erase(op);
    return true;
}

static ir_value *device(ir_op *op, ir_builder *b)
{
    return tnb_device(b, op);
}

static bool on_host(ir_type t)
{
    ttnn_layout l;
    return ttnn_layout_of(t, &l) && ttnn_layout_on_host(&l);
}

static ir_op *build_with_device(ir_op *op, ir_builder *b, const ir_op_def *to,
                                const ir_attr_by_name *attrs, size_t n)
{
    ir_value *d = on_host(op->results[0].type) ? NULL : device(op, b);
    return ir_build_op(b, to, &op->results[0].type, 1, &d, 1, attrs, n, 0);
}

bool ttnn_convert_constant(ir_op *op, ir_builder *b)
{
    ir_attr value = ir_op_attr(op, "value");
    ir_type t = op->results[0].type;
    if (ir_attr_is(value, IR_ATTR_DENSE) && (value->splat & 1)) {
        ir_attr fill = t->element->kind == IR_TYPE_FLOAT
                           ? ir_f32_attr(b->ctx, ir_dense_real(value, 0))
                           : ir_i32_attr(b->ctx, ir_dense_int(value, 0));
        return done(
            op, ir_op_result(build_with_device(
                                 op, b, TTNN_OP(full),
                                 IR_ATTRS({"shape", tnb_shape(b->ctx, t->dims, t->count)},
                                          {"fill_value", fill})),
                             0));
    }
    return done(op, ir_op_result(build_with_device(op, b, TTNN_OP(constant),
                                                   IR_ATTRS({"value", value})),
                                 0));
}

bool ttnn_convert_full(ir_op *op, ir_builder *b)
{
    ir_type t = op->results[0].type;
    return done(
        op, ir_op_result(
                build_with_device(op, b, TTNN_OP(full),
                                  IR_ATTRS({"shape", tnb_shape(b->ctx, t->dims, t->count)},
                                           {"fill_value", ir_op_attr(op, "fill_value")})),
                0));
}

bool ttnn_convert_zeros_ones(ir_op *op, ir_builder *b)
{
    ir_type t = op->results[0].type;
    const ir_op_def *to = op->def == TTIR_OP(zeros) ? TTNN_OP(zeros) : TTNN_OP(ones);
    return done(op,
                ir_op_result(build_with_device(
                                 op, b, to,
                                 IR_ATTRS({"shape", tnb_shape(b->ctx, t->dims, t->count)})),
                             0));
}

static ir_value *reshape(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank)
{
    bool same =
        v->type->count == rank && memcmp(v->type->dims, dims, rank * sizeof *dims) == 0;
    return same ? v : tnb_reshape(b, NULL, v, dims, rank);
}

static ir_value *permute(ir_builder *b, ir_value *v, const int64_t *order, size_t rank)
{
    bool identity = true;
    for (size_t i = 0; i < rank; i++)
        identity &= order[i] == (int64_t)i;
    return identity ? v : tnb_permute(b, NULL, v, order);
}

/* The abstract "be in this type"; its destination goes if nothing else reads it. */
bool ttnn_convert_to_layout(ir_op *op, ir_builder *b)
{
    ir_op *empty = ir_value_def(op->operands[1].value);
    if (op->n_results != 1)
        return false;
    done(op, ir_build1(b, TTNN_OP(to_tensor_spec), op->results[0].type,
                       IR_VALUES(op->operands[0].value), NULL, 0));
    if (empty && empty->def == TTIR_OP(empty) && ir_op_is_unused(empty))
        ir_op_erase(empty);
    return true;
}

bool ttnn_convert_broadcast(ir_op *op, ir_builder *b)
{
    int64_t times[CAPACITY];
    int64_t rank = ir_attr_ints(ir_op_attr(op, "broadcast_dimensions"), times, CAPACITY);
    return rank >= 0 && done(op, tnb_repeat(b, NULL, op->operands[0].value, times));
}

bool ttnn_convert_repeat(ir_op *op, ir_builder *b)
{
    int64_t times[CAPACITY];
    int64_t rank = ir_attr_ints(ir_op_attr(op, "repeat_dimensions"), times, CAPACITY);
    return rank >= 0 && done(op, tnb_repeat(b, NULL, op->operands[0].value, times));
}

/* A vector along arange_dimension, then reshaped and repeated to the result. */
bool ttnn_convert_arange(ir_op *op, ir_builder *b)
{
    ir_type t = op->results[0].type;
    int64_t at = ir_op_int(op, "arange_dimension", 0), dims[CAPACITY], times[CAPACITY];
    ir_value *d = device(op, b);
    ir_type vector =
        ttnn_device_type(ir_tensor_type(t->element, &t->dims[at], t->count ? 1 : 0, NULL));
    ir_value *v = ir_op_result(ir_build_op(b, TTNN_OP(arange), &vector, 1, &d, 1,
                                           IR_ATTRS({"start", ir_op_attr(op, "start")},
                                                    {"end", ir_op_attr(op, "end")},
                                                    {"step", ir_op_attr(op, "step")}),
                                           0),
                               0);
    bool any = false;
    for (uint32_t i = 0; i < t->count; i++) {
        dims[i] = i == at ? t->dims[i] : 1;
        times[i] = i == at ? 1 : t->dims[i];
        any |= times[i] != 1;
    }
    v = reshape(b, v, dims, t->count);
    return done(op, any ? tnb_repeat(b, NULL, v, times) : v);
}

bool ttnn_convert_pad(ir_op *op, ir_builder *b)
{
    return done(op, ir_build1(b, TTNN_OP(pad), op->results[0].type,
                              IR_VALUES(op->operands[0].value),
                              IR_ATTRS({"padding", ir_op_attr(op, "padding")},
                                       {"value", ir_op_attr(op, "value")},
                                       {"use_multicore", ir_bool_attr(b->ctx, true)})));
}

bool ttnn_convert_layer_norm(ir_op *op, ir_builder *b)
{
    ir_value *operands[] = {ir_op_operand_named(op, "input"),
                            ir_op_operand_named(op, "weight"),
                            ir_op_operand_named(op, "bias")};
    const ir_op_def *to =
        op->def == TTIR_OP(layer_norm) ? TTNN_OP(layer_norm) : TTNN_OP(rms_norm);
    if (ir_op_attr(op, "normalized_shape") &&
        ir_op_attr(op, "normalized_shape")->count != 1)
        return false;
    return done(
        op, ir_op_result(ir_build_op(b, to, &op->results[0].type, 1, operands, 3,
                                     IR_ATTRS({"epsilon", ir_op_attr(op, "epsilon")}), 0),
                         0));
}

/* The channel becomes dimension 1, statistics become [1, C, 1, 1]. */
bool ttnn_convert_batch_norm(ir_op *op, ir_builder *b)
{
    int64_t order[CAPACITY], back[CAPACITY], dims[CAPACITY],
        channel = ir_op_int(op, "dimension", 1);
    ir_value *x = op->operands[0].value, *stats[4];
    size_t rank = x->type->count;
    if (rank < 2)
        return false;
    order[0] = channel == 0 ? 1 : 0;
    order[1] = channel;
    size_t at = 2;
    for (int64_t i = 0; i < (int64_t)rank; i++)
        if (i != order[0] && i != order[1])
            order[at++] = i;
    for (size_t i = 0; i < rank; i++) {
        back[order[i]] = (int64_t)i;
        dims[i] = 1;
    }
    dims[1] = x->type->dims[channel];
    for (uint32_t i = 0; i < 4; i++)
        stats[i] = reshape(b, op->operands[1 + i].value, dims, rank);
    x = permute(b, x, order, rank);
    ir_value *operands[] = {x, stats[2], stats[3], stats[0], stats[1]};
    ir_value *y =
        ir_op_result(ir_build_op(b, TTNN_OP(batch_norm_inference), &x->type, 1, operands, 5,
                                 IR_ATTRS({"epsilon", ir_op_attr(op, "epsilon")}), 0),
                     0);
    return done(op, permute(b, y, back, rank));
}

/* An integer means both dimensions; pairs for [top/bottom, left/right]. */
static bool pair(ir_op *op, const char *name, int64_t *out)
{
    ir_attr a = ir_op_attr(op, name);
    if (ir_attr_is(a, IR_ATTR_INTEGER)) {
        out[0] = out[1] = a->value;
        return true;
    }
    return ir_attr_ints(a, out, 2) == 2;
}

static bool quad(ir_op *op, const char *name, int64_t *out)
{
    ir_attr a = ir_op_attr(op, name);
    if (ir_attr_is(a, IR_ATTR_INTEGER)) {
        out[0] = out[1] = out[2] = out[3] = a->value;
        return true;
    }
    int64_t n = ir_attr_ints(a, out, 4);
    if (n == 2) {
        out[2] = out[0];
        out[3] = out[1];
    }
    return n == 2 || n == 4;
}

static ir_value *flatten_nhwc(ir_builder *b, ir_value *v)
{
    const int64_t *d = v->type->dims;
    int64_t flat[] = {1, 1, d[0] * d[1] * d[2], d[3]};
    return reshape(b, v, flat, 4);
}

bool ttnn_convert_conv2d(ir_op *op, ir_builder *b)
{
    int64_t stride[2], dilation[2], padding[4];
    int64_t order[] = {ir_op_int(op, "batch_dim", 0), ir_op_int(op, "height_dim", 1),
                       ir_op_int(op, "width_dim", 2), ir_op_int(op, "channel_dim", 3)};
    int64_t back[4];
    if (ir_op_attr(op, "flattened_compat_info"))
        return ttnn_convert_flat_conv2d(op, b);
    if (!pair(op, "stride", stride) || !pair(op, "dilation", dilation) ||
        !quad(op, "padding", padding) ||
        !ttir_are_dims(order, 4, op->results[0].type->count))
        return false;
    for (int64_t i = 0; i < 4; i++)
        back[order[i]] = i;
    /* TTIR: top, left, bottom, right; TTNN: top, bottom, left, right */
    const int64_t sides[4] = {padding[0], padding[2], padding[1], padding[3]};
    ir_type result = op->results[0].type;
    int64_t out[4];
    for (int i = 0; i < 4; i++)
        out[i] = result->dims[order[i]];
    ir_value *x = permute(b, op->operands[0].value, order, 4), *w = op->operands[1].value;
    const int64_t *in = x->type->dims;
    int64_t batch = in[0], height = in[1], width = in[2], channels = in[3];
    int64_t kernel[] = {w->type->dims[2], w->type->dims[3]};
    int64_t flat[] = {1, 1, out[0] * out[1] * out[2], out[3]};
    x = flatten_nhwc(b, x);
    ir_value *bias = op->n_operands > 2 ? op->operands[2].value : NULL;
    if (bias) {
        int64_t row[] = {1, 1, 1, out[3]};
        bias = reshape(b, bias, row, 4);
    }
    ir_type type = ttnn_device_type(ir_tensor_type(result->element, flat, 4, NULL));
    ir_context *ctx = b->ctx;
    ir_value *operands[] = {x, w, bias, device(op, b)};
    ir_attr_by_name attrs[] = {{"in_channels", ir_i32_attr(ctx, channels)},
                               {"out_channels", ir_i32_attr(ctx, out[3])},
                               {"batch_size", ir_i32_attr(ctx, batch)},
                               {"input_height", ir_i32_attr(ctx, height)},
                               {"input_width", ir_i32_attr(ctx, width)},
                               {"kernel_size", ir_dense_i32_array(ctx, kernel, 2)},
                               {"stride", ir_dense_i32_array(ctx, stride, 2)},
                               {"padding", ir_dense_i32_array(ctx, sides, 4)},
                               {"dilation", ir_dense_i32_array(ctx, dilation, 2)},
                               {"groups", ir_op_attr(op, "groups")}};
    ir_value *kept[4];
    size_t n = 0;
    for (size_t i = 0; i < 4; i++)
        if (operands[i])
            kept[n++] = operands[i];
    ir_value *y = ir_op_result(
        ir_build_op(b, TTNN_OP(conv2d), &type, 1, kept, n, attrs, TW_COUNT(attrs), 0), 0);
    y = reshape(b, y, out, 4);
    return done(op, permute(b, y, back, 4));
}

bool ttnn_convert_pool(ir_op *op, ir_builder *b)
{
    int64_t stride[2], dilation[2], padding[4], kernel[2];
    bool average = op->def == TTIR_OP(avg_pool2d);
    if (ir_op_attr(op, "flattened_compat_info"))
        return ttnn_convert_flat_pool(op, b);
    if (!pair(op, "stride", stride) || !pair(op, "dilation", dilation) ||
        !pair(op, "kernel", kernel) || !quad(op, "padding", padding))
        return false;
    ir_context *ctx = b->ctx;
    ir_value *x = op->operands[0].value;
    const int64_t *in = x->type->dims, *out = op->results[0].type->dims;
    int64_t flat[] = {1, 1, out[0] * out[1] * out[2], out[3]};
    int64_t n = in[0], h = in[1], w = in[2], c = in[3];
    x = flatten_nhwc(b, x);
    ir_type type =
        ttnn_device_type(ir_tensor_type(op->results[0].type->element, flat, 4, NULL));
    ir_value *y = ir_build1(
        b, average ? TTNN_OP(avg_pool2d) : TTNN_OP(max_pool2d), type, IR_VALUES(x),
        IR_ATTRS(
            {"batch_size", ir_si32_attr(ctx, n)}, {"input_height", ir_si32_attr(ctx, h)},
            {"input_width", ir_si32_attr(ctx, w)}, {"channels", ir_si32_attr(ctx, c)},
            {"kernel_size", ir_dense_i32_array(ctx, kernel, 2)},
            {"stride", ir_dense_i32_array(ctx, stride, 2)},
            {"padding", ir_dense_i32_array(ctx, padding, 4)},
            {"dilation", ir_dense_i32_array(ctx, dilation, 2)},
            {"ceil_mode", ir_op_attr(op, "ceil_mode")},
            {"count_include_pad", average ? ir_op_attr(op, "count_include_pad") : NULL}));
    return done(op, reshape(b, y, out, 4));
}

/* One dimension at most; all of them when the list is empty. */
bool ttnn_convert_argmax(ir_op *op, ir_builder *b)
{
    int64_t dims[CAPACITY];
    ir_attr list = ir_op_attr(op, "dim_arg");
    int64_t n = list ? ir_attr_ints(list, dims, CAPACITY) : 0;
    if (n < 0 || n > 1)
        return false;
    return done(op, ir_build1(b, TTNN_OP(argmax), op->results[0].type,
                              IR_VALUES(op->operands[0].value),
                              IR_ATTRS({"dim", n ? ir_si32_attr(b->ctx, dims[0]) : NULL},
                                       {"keep_dim", ir_op_attr(op, "keep_dim")})));
}

/* ttnn.prod takes one dimension or all: several become a chain, from the last. */
bool ttnn_convert_prod(ir_op *op, ir_builder *b)
{
    int64_t dims[CAPACITY], shape[CAPACITY];
    ir_attr list = ir_op_attr(op, "dim_arg");
    int64_t n = list ? ir_attr_ints(list, dims, CAPACITY) : 0;
    ir_value *v = op->operands[0].value;
    ir_type si64 = ir_integer_type(b->ctx, 64, IR_SIGNED);
    if (n < 0)
        return false;
    if (n == 0 || (n > 1 && n == v->type->count))
        return done(op, ir_build1(b, TTNN_OP(prod), op->results[0].type, IR_VALUES(v),
                                  IR_ATTRS({"keep_dim", ir_op_attr(op, "keep_dim")})));
    for (int64_t i = 0; i < n; i++)
        dims[i] += dims[i] < 0 ? v->type->count : 0;
    for (int64_t left = n; left > 0; left--) {
        int64_t most = -1;
        for (int64_t i = 0; i < n; i++)
            most = dims[i] > most ? dims[i] : most;
        size_t rank = 0;
        for (int64_t d = 0; d < v->type->count; d++)
            if (d != most || ir_op_bool(op, "keep_dim"))
                shape[rank++] = d == most ? 1 : v->type->dims[d];
        ir_type plain = ir_tensor_type(v->type->element, shape, rank, NULL);
        v = ir_build1(b, TTNN_OP(prod), ttnn_device_type(plain), IR_VALUES(v),
                      IR_ATTRS({"dim_arg", ir_integer_attr(si64, most)},
                               {"keep_dim", ir_op_attr(op, "keep_dim")}));
        for (int64_t i = 0; i < n; i++)
            dims[i] = dims[i] == most ? -1 : dims[i];
    }
    return done(op, v);
}

bool ttnn_convert_cumulative(ir_op *op, ir_builder *b)
{
    const ir_op_def *to = op->def == TTIR_OP(cumsum) ? TTNN_OP(cumsum) : TTNN_OP(cumprod);
    return done(
        op, ir_build1(b, to, op->results[0].type, IR_VALUES(op->operands[0].value),
                      IR_ATTRS({"dim", ir_si32_attr(b->ctx, ir_op_int(op, "dim", 0))})));
}

bool ttnn_convert_gather(ir_op *op, ir_builder *b)
{
    return done(
        op, ir_build1(b, TTNN_OP(gather), op->results[0].type,
                      IR_VALUES(op->operands[0].value, op->operands[1].value),
                      IR_ATTRS({"dim", ir_si32_attr(b->ctx, ir_op_int(op, "dim", 0))})));
}

bool ttnn_convert_scatter(ir_op *op, ir_builder *b)
{
    return done(
        op,
        ir_build1(
            b, TTNN_OP(scatter), op->results[0].type,
            IR_VALUES(op->operands[0].value, op->operands[1].value, op->operands[2].value),
            IR_ATTRS({"dim", ir_si32_attr(b->ctx, ir_op_int(op, "dim", 0))},
                     {"scatter_reduce_type", ir_op_attr(op, "scatter_reduce_type")})));
}

/* Two results: values and where they came from. */
bool ttnn_convert_sort(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    ir_type types[] = {op->results[0].type, op->results[1].type};
    ir_type si8 = ir_integer_type(b->ctx, 8, IR_SIGNED);
    ir_op *made =
        ir_build_op(b, TTNN_OP(sort), types, 2, &x, 1,
                    IR_ATTRS({"dim", ir_integer_attr(si8, ir_op_int(op, "dim", -1))},
                             {"descending", ir_op_attr(op, "descending")},
                             {"stable", ir_op_attr(op, "stable")}),
                    0);
    ir_value_replace_uses(&op->results[0], ir_op_result(made, 0));
    ir_value_replace_uses(&op->results[1], ir_op_result(made, 1));
    ir_op_erase(op);
    return true;
}

bool ttnn_convert_topk(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    ir_type types[] = {op->results[0].type, op->results[1].type};
    ir_op *made =
        ir_build_op(b, TTNN_OP(topk), types, 2, &x, 1,
                    IR_ATTRS({"k", ir_op_attr(op, "k")},
                             {"dim", ir_si32_attr(b->ctx, ir_op_int(op, "dim", -1))},
                             {"largest", ir_op_attr(op, "largest")},
                             {"sorted", ir_op_attr(op, "sorted")}),
                    0);
    ir_value_replace_uses(&op->results[0], ir_op_result(made, 0));
    ir_value_replace_uses(&op->results[1], ir_op_result(made, 1));
    ir_op_erase(op);
    return true;
}

/* Squeeze, unsqueeze: the result's shape says it. */
bool ttnn_convert_to_reshape(ir_op *op, ir_builder *b)
{
    ir_type t = op->results[0].type;
    return done(
        op, ir_build1(b, TTNN_OP(reshape), t, IR_VALUES(op->operands[0].value),
                      IR_ATTRS({"shape", ir_i32_array_attr(b->ctx, t->dims, t->count)})));
}

bool ttnn_convert_transpose(ir_op *op, ir_builder *b)
{
    int64_t order[CAPACITY], rank = op->results[0].type->count;
    int64_t d0 = ir_op_int(op, "dim0", 0), d1 = ir_op_int(op, "dim1", 0);
    for (int64_t i = 0; i < rank; i++)
        order[i] = i;
    order[d0 < 0 ? d0 + rank : d0] = d1 < 0 ? d1 + rank : d1;
    order[d1 < 0 ? d1 + rank : d1] = d0 < 0 ? d0 + rank : d0;
    return done(op, ir_build1(b, TTNN_OP(permute), op->results[0].type,
                              IR_VALUES(op->operands[0].value),
                              IR_ATTRS({"permutation",
                                        ir_dense_i64_array(b->ctx, order, (size_t)rank)})));
}

bool ttnn_convert_empty(ir_op *op, ir_builder *b)
{
    ir_type t = op->results[0].type;
    ir_operand *use = op->results[0].uses;
    if (use && !use->next_use && use->owner->def == TTIR_OP(to_layout) &&
        use == &use->owner->operands[1])
        return true; /* goes with it */
    if (on_host(t))
        return done(op,
                    ir_build1(b, TTNN_OP(zeros), t, NULL, 0,
                              IR_ATTRS({"shape", tnb_shape(b->ctx, t->dims, t->count)})));
    return done(op,
                ir_op_result(build_with_device(
                                 op, b, TTNN_OP(empty),
                                 IR_ATTRS({"shape", tnb_shape(b->ctx, t->dims, t->count)})),
                             0));
}

bool ttnn_convert_rand(ir_op *op, ir_builder *b)
{
    ir_type t = op->results[0].type;
    return done(
        op, ir_op_result(
                build_with_device(op, b, TTNN_OP(rand),
                                  IR_ATTRS({"size", tnb_shape(b->ctx, t->dims, t->count)},
                                           {"low", ir_op_attr(op, "low")},
                                           {"high", ir_op_attr(op, "high")},
                                           {"seed", ir_op_attr(op, "seed")})),
                0));
}

/* What each operation of TTIR becomes: an operation of TTNN with operands and attributes of
 * the same names, or what a function builds. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Woverride-init" /* two entries for one operation */
static const struct {
    const ir_op_def *same;
    ttnn_convert_fn *convert;
} conversions[TTIR_OP_COUNT] = {
#define TTIR_ELEMENTWISE(ttir, ttnn, ...) [TTIR_##ttir] = {.same = TTNN_OP(ttnn)},
#include "ttnn/elementwise.def"
#define SAME(ttnn) .same = TTNN_OP(ttnn)
#define BOTH_WAYS(ttnn) SAME(ttnn)
#define BY(function) .convert = function
#define BY_AND_BACK(function, ttnn) BY(function)
#define NOTHING
#define TTIR_BECOMES(id, ...) [TTIR_##id] = {__VA_ARGS__},
#include "ttir/ttir.def"
};
#pragma GCC diagnostic pop

static bool convert_one(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    const size_t row = (size_t)(op->def - ttir_ops);
    const ir_op_def *same = conversions[row].same;
    ir_context *ctx = op->ctx;
    const char *name = op->def->name;
    const ir_loc loc = op->loc;
    void (*rule)(void) =
        same ? (void (*)(void))convert_one : (void (*)(void))conversions[row].convert;
    const bool ok = same ? ttnn_replace_all(op, ttnn_build_named(op, &b, same, NULL, 0))
                         : conversions[row].convert && conversions[row].convert(op, &b);
    if (ok)
        ir_watch_rewrote(ctx, rule, name, loc);
    return ok;
}

static void convert_dump(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_build_op(&b, TTNN_OP(dump_tensor), NULL, 0, IR_VALUES(op->operands[0].value),
                IR_ATTRS({"file_path", ir_op_attr(op, "file_path")}), 0);
    ir_op_erase(op);
}

static bool is_marked_gelu(const ir_op *op)
{
    ir_attr form = op->def == TTIR_OP(gelu) ? ir_op_attr(op, "approximate") : NULL;
    return ir_attr_is(form, IR_ATTR_STRING) && tw_str_is(ir_attr_str(form), "tanh");
}

static bool convert_block(ir_block *block)
{
    bool ok = true;
    for (ir_op *op = block->first, *next; op; op = next) {
        next = op->next;
        for (uint16_t r = 0; r < op->n_regions; r++)
            for (ir_block *inner = op->regions[r].first; inner; inner = inner->next)
                ok &= convert_block(inner);
        if (op->def == DEBUG_OP(dump))
            convert_dump(op);
        else if (is_marked_gelu(op))
            ok = ir_error_unlowered(op->ctx, op->loc, op->def->name,
                                    "ttir-to-ttir-decomposition, which writes out the "
                                    "approximation by tanh, has to run first");
        else if (ttir_is_op(op) && !convert_one(op))
            ok = ir_error_unlowered(op->ctx, op->loc, op->def->name, NULL);
    }
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    bool ok = true;
    for (ir_block *b = module->regions[0].first; b; b = b->next)
        ok &= convert_block(b);
    return ok;
}

const pass_def convert_ttir_to_ttnn_pass = {
    .name = "convert-ttir-to-ttnn",
    .summary = "Convert TTIR dialect to TTNN dialect",
    .anchor = "builtin.module",
    .run = run,
};
