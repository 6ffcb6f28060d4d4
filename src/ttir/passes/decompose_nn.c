/* decompose_nn.c: decompositions of networks' layers and of quantization. */
#include "ir/like.h"
#include "mlir/quant/quant.h"
#include "ttir/passes/decompose.h"

#include <stdlib.h>

enum { MAX_VALUES = 8 };

/* ---- layouts of convolutions -------------------------------------------------------- */

/* Images become [batch, spatial dimensions, channels]. */
bool ttir_decompose_conv(ir_op *op, rw_rewriter *rw)
{
    static const char *const flat[] = {"batch_dim", "height_dim", "width_dim",
                                       "channel_dim"};
    static const char *const deep[] = {"batch_dim", "depth_dim", "height_dim", "width_dim",
                                       "channel_dim"};
    bool is_3d = op->def == TTIR_OP(conv3d), identity = true;
    int64_t rank = is_3d ? 5 : 4, order[5], back[5], shape[5];
    ir_value *operands[3] = {0};
    if (op->results[0].type->count != rank || op->operands[0].value->type->count != rank)
        return false;
    for (int64_t i = 0; i < rank; i++) {
        order[i] = ir_op_int(op, is_3d ? deep[i] : flat[i], i);
        if (!ttir_are_dims(order, (size_t)i + 1, rank))
            return false;
        identity &= order[i] == i;
        back[order[i]] = i;
        shape[i] = op->results[0].type->dims[order[i]];
    }
    if (identity)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = i == 1 ? op->operands[i].value
                             : ttir_build_permute(&rw->b, op->operands[i].value, order);
    ir_type type = ir_type_with_shape(op->results[0].type, shape, (size_t)rank);
    ir_op *conv = ttir_build_like(&rw->b, op, operands, type);
    for (int64_t i = 0; i < rank; i++)
        ir_op_set_attr(conv, is_3d ? deep[i] : flat[i], ir_i64_attr(op->ctx, i));
    rw_replace1(rw, op, ttir_build_permute(&rw->b, ir_op_result(conv, 0), back));
    return true;
}

/* ---- normalization ------------------------------------------------------------------ */

/* The images as [batch, channels, height, width]: `order` brings the channels to dimension
 * 1 and is its own inverse, `shape` is the one in between. */
static ir_value *to_nchw(ir_builder *b, ir_value *x, int64_t channel, int64_t *order)
{
    int64_t dims[5];
    ir_type t = x->type;
    for (uint32_t i = 0; i < t->count; i++)
        order[i] = i;
    order[channel] = 1;
    order[1] = channel;
    x = ttir_build_permute(b, x, order);
    t = x->type;
    for (uint32_t i = 0; i < 5; i++)
        dims[i] = i < t->count ? t->dims[i] : 1;
    if (t->count == 5)
        dims[3] *= dims[4];
    if (t->count == 3 && t->dims[2] % 32 == 0 && t->dims[2]) {
        dims[2] = t->dims[2] / 32;
        dims[3] = 32;
    }
    return ttir_build_reshape(b, x, dims, 4);
}

bool ttir_decompose_batch_norm(ir_op *op, rw_rewriter *rw)
{
    int64_t order[5], between[5], shape[4] = {1, 1, 1, 1};
    ir_value *x = op->operands[0].value, *operands[5], *results[3];
    ir_type t = x->type, types[3];
    int64_t channel = ir_op_int(op, "dimension", 1);
    if (op->operands[1].value->type->count == 4 || t->count < 2 || t->count > 5 ||
        channel < 0 || channel >= t->count)
        return false;
    shape[1] = t->dims[channel];
    operands[0] = to_nchw(&rw->b, x, channel, order);
    /* in the order in which ttnn takes them */
    bool training = op->n_results > 1;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t i = training ? k + 1 : (k + 2) % 4 + 1;
        operands[i] = ttir_build_reshape(&rw->b, op->operands[i].value, shape, 4);
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] =
            ir_type_with_shape(op->results[i].type, i ? shape : operands[0]->type->dims, 4);
    ir_op *norm = ir_build_op(&rw->b, op->def, types, op->n_results, operands, 5,
                              IR_ATTRS({"epsilon", ir_op_attr(op, "epsilon")},
                                       {"dimension", ir_i32_attr(op->ctx, 1)},
                                       {"momentum", ir_op_attr(op, "momentum")}),
                              0);
    for (uint32_t i = 0; i < t->count; i++)
        between[i] = t->dims[order[i]];
    results[0] = ttir_build_permute(
        &rw->b, ttir_build_reshape(&rw->b, ir_op_result(norm, 0), between, t->count),
        order);
    for (uint32_t i = 1; i < op->n_results; i++) {
        ir_type to = op->results[i].type;
        results[i] = ttir_build_reshape(&rw->b, ir_op_result(norm, i), to->dims, to->count);
    }
    rw_replace(rw, op, results, op->n_results);
    return true;
}

/* ---- operations on four dimensions -------------------------------------------------- */

static ir_type four(ir_type t)
{
    int64_t dims[4] = {1, 1, 1, 1};
    for (uint32_t i = 0; i < t->count; i++)
        dims[i + 4 < t->count + 2 ? 1 : 4 + i - t->count] *= t->dims[i];
    return ir_type_with_shape(t, dims, 4);
}

/* All dimensions but the last two are joined. */
bool ttir_decompose_to_rank_four(ir_op *op, rw_rewriter *rw)
{
    ir_value *operands[MAX_VALUES], *results[MAX_VALUES];
    ir_type types[MAX_VALUES];
    if (op->operands[0].value->type->count == 4 || op->n_operands > MAX_VALUES ||
        op->n_results > MAX_VALUES)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = four(op->operands[i].value->type);
        operands[i] = ttir_build_reshape(&rw->b, op->operands[i].value, t->dims, 4);
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = four(op->results[i].type);
    ir_op *same = ir_build_like(&rw->b, op,
                                (ir_op_state){.loc = op->loc,
                                              .operands = operands,
                                              .n_operands = op->n_operands,
                                              .results = types,
                                              .n_results = op->n_results});
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type to = op->results[i].type;
        results[i] = ttir_build_reshape(&rw->b, ir_op_result(same, i), to->dims, to->count);
    }
    rw_replace(rw, op, results, op->n_results);
    return true;
}

static void to_heads(rw_rewriter *rw, ir_value **parts, int count, int64_t heads)
{
    static const int64_t order[] = {0, 2, 1, 3};
    for (int i = 0; i < count; i++) {
        const int64_t *d = parts[i]->type->dims;
        const int64_t dims[] = {d[0], d[1], heads, d[2] / heads};
        parts[i] = ttir_build_reshape(&rw->b, parts[i], dims, 4);
    }
    for (int i = 0; i < count; i++)
        parts[i] = ttir_build_permute(&rw->b, parts[i], order);
}

/* [batch, sequence, heads x size] becomes [batch, heads, sequence, size]. */
bool ttir_decompose_split_heads(ir_op *op, rw_rewriter *rw)
{
    static const int64_t swapped[] = {0, 1, 3, 2};
    ir_value *parts[3], *x = op->operands[0].value;
    int64_t heads = ir_op_int(op, "num_heads", 1);
    int64_t kv_heads = ir_op_int(op, "num_kv_heads", heads);
    bool separate = op->n_operands == 2;
    ir_value *kv = separate ? op->operands[1].value : x;
    if (x->type->count != 3 || kv->type->count != 3 || heads < 1 || kv_heads < 1)
        return false;
    int64_t size = kv->type->dims[2] / (separate ? 2 : 3), first = separate ? 0 : size;
    if (size * (separate ? 2 : 3) != kv->type->dims[2])
        return false;
    parts[0] = separate ? x : ttir_build_slice_dim(&rw->b, x, 2, 0, size);
    if (separate)
        to_heads(rw, parts, 1, heads);
    for (int i = 1; i < 3; i++, first += size)
        parts[i] = ttir_build_slice_dim(&rw->b, kv, 2, first, first + size);
    to_heads(rw, parts + separate, 3 - separate, kv_heads);
    if (ir_op_bool(op, "transpose_key"))
        parts[1] = ttir_build_permute(&rw->b, parts[1], swapped);
    rw_replace(rw, op, parts, 3);
    return true;
}

/* ---- quantization ------------------------------------------------------------------- */

/* Scales and zero points of a quantized element type as constants. */
typedef struct grid {
    ir_value *scale, *zero;
    ir_attr axis; /* NULL: the same for all elements */
} grid;

static ir_value *constant(rw_rewriter *rw, ir_type element, const ir_attr *items,
                          size_t count)
{
    int64_t n = (int64_t)count;
    ir_type type = ir_tensor_type(element, &n, 1, NULL);
    bool real = element->kind == IR_TYPE_FLOAT;
    size_t size = 4;
    char *data = tw_xmalloc(count * size + 1);
    for (size_t i = 0; i < count; i++) {
        float f = (float)ir_attr_real(items[i], 0);
        int32_t k = (int32_t)ir_attr_int(items[i], 0);
        memcpy(data + i * size, real ? (const void *)&f : (const void *)&k, size);
    }
    ir_attr value = ir_dense_attr(type, data, count * size);
    free(data);
    return ir_build1(&rw->b, TTIR_OP(constant), type, NULL, 0, IR_ATTRS({"value", value}));
}

static bool read_grid(rw_rewriter *rw, ir_type element, grid *g)
{
    ir_context *ctx = element->ctx;
    ir_type f32 = ir_float_type(ctx, IR_F32), si32 = ir_integer_type(ctx, 32, IR_SIGNED);
    if (element->kind != IR_TYPE_DIALECT)
        return false;
    ir_attr scale = element->params[QUANT_SCALE], zero = element->params[QUANT_ZERO_POINT];
    if (element->def == QUANT_TYPE(uniform)) {
        *g = (grid){constant(rw, f32, &scale, 1), constant(rw, si32, &zero, 1), NULL};
        return true;
    }
    if (element->def != QUANT_TYPE(uniform_per_axis))
        return false;
    g->scale = constant(rw, f32, scale->items, scale->count);
    g->zero = constant(rw, si32, zero->items, zero->count);
    g->axis = ir_i32_attr(ctx, ir_attr_int(element->params[QUANT_DIMENSION], 0));
    return true;
}

bool ttir_decompose_quantize(ir_op *op, rw_rewriter *rw)
{
    bool forth = op->def == TTIR_OP(quantize);
    ir_value *x = op->operands[0].value;
    grid g;
    if (!read_grid(rw, ir_type_element(forth ? op->results[0].type : x->type), &g))
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b,
                          forth ? TTIR_OP(quantize_unrolled) : TTIR_OP(dequantize_unrolled),
                          op->results[0].type, IR_VALUES(x, g.scale, g.zero),
                          IR_ATTRS({"axis", g.axis})));
    return true;
}

bool ttir_decompose_requantize(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value;
    grid in, out;
    if (!read_grid(rw, ir_type_element(x->type), &in) ||
        !read_grid(rw, ir_type_element(op->results[0].type), &out))
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, TTIR_OP(requantize_unrolled), op->results[0].type,
                          IR_VALUES(x, in.scale, in.zero, out.scale, out.zero),
                          IR_ATTRS({"axis", in.axis})));
    return true;
}
