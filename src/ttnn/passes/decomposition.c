/* decomposition.c: the pass ttnn-decomposition: operations whose kernels take only some
 * shapes become several that take all.  A model of the kernels could say which are legal as
 * they are; there is none, so that all of them go. */
#include "ttnn/passes/decomposition.h"
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"

#include <math.h>

static ir_value *operand(const ir_op *op, const char *name)
{
    return ir_op_operand_named(op, name);
}

static bool finish(rw_rewriter *rw, ir_op *op, ir_value *v)
{
    v->type = op->results[0].type;
    rw_replace1(rw, op, v);
    return true;
}

static ir_value *real(ir_builder *b, const char *suffix, ir_type type, double value,
                      ir_value *device)
{
    return tnb_full(b, suffix, type, ir_f32_attr(b->ctx, value), device);
}

/* ---- heads, norms ------------------------------------------------------------------- */

static bool concatenate_heads(ir_op *op, rw_rewriter *rw)
{
    static const int64_t order[] = {0, 2, 1, 3};
    ir_type result = op->results[0].type;
    if (op->operands[0].value->type->count != 4)
        return false;
    ir_value *v = tnb_permute(&rw->b, "_concat_heads", op->operands[0].value, order);
    return finish(rw, op, tnb_reshape(&rw->b, NULL, v, result->dims, result->count));
}

static ir_value *mean(ir_builder *b, const char *suffix, ir_value *v)
{
    static const int64_t over[] = {1, 3};
    int64_t dims[] = {v->type->dims[0], 1, v->type->dims[2], 1};
    return tnb_op(b, suffix, TTNN_OP(mean), ttnn_tensor_reshaped(v->type, dims, 4),
                  IR_VALUES(v),
                  IR_ATTRS({"keep_dim", ir_bool_attr(b->ctx, true)},
                           {"dim_arg", ir_i32_array_attr(b->ctx, over, 2)}));
}

/* Scale or shift by channel. */
static ir_value *affine(ir_builder *b, const char *reshape, const char *suffix, uint16_t op,
                        ir_value *v, ir_value *by)
{
    int64_t dims[] = {1, 1, 1, v->type->dims[3]};
    if (!by)
        return v;
    return tnb_binary(b, suffix, op, v->type, v, tnb_reshape(b, reshape, by, dims, 4));
}

static bool group_norm(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value;
    ir_type t = x->type;
    int64_t groups = ir_op_int(op, "num_groups", 1);
    if (t->count != 4 || t->dims[1] != 1 || groups < 1 || t->dims[3] % groups)
        return false;
    ir_builder *b = &rw->b;
    ir_value *device = tnb_device(b, op);
    int64_t split[] = {t->dims[0], t->dims[2], groups, t->dims[3] / groups};
    ir_value *v = tnb_reshape(b, "_group_reshape", x, split, 4);
    ir_value *center = mean(b, "_mean", v);
    v = tnb_binary(b, "_center", TTNN_subtract, v->type, v, center);
    ir_value *variance = tnb_binary(b, "_square", TTNN_multiply, v->type, v, v);
    variance = mean(b, "_variance", variance);
    ir_value *eps = real(b, "_eps", variance->type, ir_op_real(op, "epsilon", 0), device);
    variance = tnb_binary(b, "_add_eps", TTNN_add, variance->type, variance, eps);
    variance =
        tnb_op(b, "_rsqrt", TTNN_OP(rsqrt), variance->type, IR_VALUES(variance), NULL, 0);
    v = tnb_binary(b, "_normalize", TTNN_multiply, v->type, v, variance);
    v = tnb_reshape(b, "_unreshape", v, t->dims, 4);
    v = affine(b, "_weight_reshape", "_weight_mul", TTNN_multiply, v,
               operand(op, "weight"));
    v = affine(b, "_bias_reshape", "_bias_add", TTNN_add, v, operand(op, "bias"));
    return finish(rw, op, v);
}

/* Each chip's sums of values and squares, gathered, then the norm of its part. */
static bool distributed_layer_norm(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value, *residual = operand(op, "residual");
    ir_type t = x->type;
    int64_t mesh[2], dims[TTNN_MAX_RANK], axis = ir_op_int(op, "cluster_axis", 1);
    if (!t->count || axis < 0 || axis > 1)
        return false;
    ir_builder *b = &rw->b;
    ttnn_device_mesh(op, mesh);
    memcpy(dims, t->dims, t->count * sizeof *dims);
    if (residual)
        x = tnb_binary(b, "_residual_add", TTNN_add, t, x, residual);
    dims[t->count - 1] = 2 * TTNN_TILE;
    ir_value *sums =
        tnb_op(b, "_pre_all_gather", TTNN_OP(layer_norm_pre_all_gather),
               ttnn_tensor_reshaped(t, dims, t->count), IR_VALUES(x, NULL, NULL), NULL, 0);
    dims[t->count - 1] *= mesh[axis];
    ir_attr last = ir_si32_attr(b->ctx, (int64_t)t->count - 1);
    sums = tnb_op(b, "_all_gather", TTNN_OP(all_gather),
                  ttnn_tensor_reshaped(t, dims, t->count), IR_VALUES(sums),
                  IR_ATTRS({"all_gather_dim", last},
                           {"cluster_axis", ir_op_attr(op, "cluster_axis")}));
    return finish(rw, op,
                  tnb_op(b, "_post_all_gather", TTNN_OP(layer_norm_post_all_gather), t,
                         IR_VALUES(x, sums, operand(op, "weight"), operand(op, "bias")),
                         IR_ATTRS({"epsilon", ir_op_attr(op, "epsilon")})));
}

/* ---- attention ---------------------------------------------------------------------- */

/* 0, 1, ... along one of four dimensions, as f32. */
static ir_value *positions(ir_builder *b, ir_type like, int64_t n, size_t dim,
                           ir_value *device)
{
    int64_t dims[] = {1, 1, 1, 1};
    ir_type si64 = ir_integer_type(b->ctx, 64, IR_SIGNED);
    ir_type f32 = ttnn_tensor_retyped(like, TTCORE_DataType_Float32);
    ir_value *v = tnb_op(
        b, NULL, TTNN_OP(arange), ttnn_tensor_reshaped(f32, &n, 1), IR_VALUES(device),
        IR_ATTRS({"start", ir_integer_attr(si64, 0)}, {"end", ir_integer_attr(si64, n)},
                 {"step", ir_integer_attr(si64, 1)}));
    dims[dim] = n;
    return tnb_reshape(b, NULL, v, dims, 4);
}

/* Minus infinity for keys behind the query, or outside the window around it. */
static ir_value *position_mask(ir_builder *b, ir_op *op, ir_type scores, ir_value *device)
{
    ir_attr window = ir_op_attr(op, "sliding_window_size");
    int64_t dims[] = {1, 1, scores->dims[2], scores->dims[3]};
    ir_type to = ttnn_tensor_reshaped(scores, dims, 4);
    ir_type type = ttnn_tensor_retyped(to, TTCORE_DataType_Float32);
    ir_value *row = positions(b, scores, dims[2], 2, device);
    ir_value *column = positions(b, scores, dims[3], 3, device);
    ir_value *mask;
    if (!window) {
        ir_value *behind = tnb_binary(b, NULL, TTNN_gt, type, column, row);
        ir_value *zero = real(b, NULL, type, 0, device);
        ir_value *never = real(b, NULL, type, -(double)INFINITY, device);
        mask =
            tnb_op(b, NULL, TTNN_OP(where), type, IR_VALUES(behind, never, zero), NULL, 0);
    } else {
        bool causal = ir_op_bool(op, "is_causal");
        const int64_t to_each_side = window->value / 2;
        double half = (double)to_each_side;
        ir_value *distance = tnb_binary(b, NULL, TTNN_subtract, type, row, column);
        ir_value *zero = real(b, NULL, type, 0, device);
        ir_value *never = real(b, NULL, type, -(double)INFINITY, device);
        ir_value *low = causal ? zero : real(b, NULL, type, -half, device);
        low = tnb_binary(b, NULL, TTNN_lt, type, distance, low);
        ir_value *high = real(b, NULL, type, causal ? (double)window->value : half, device);
        high = tnb_binary(b, NULL, causal ? TTNN_ge : TTNN_gt, type, distance, high);
        mask = tnb_op(b, NULL, TTNN_OP(where), type, IR_VALUES(high, never, zero), NULL, 0);
        mask = tnb_op(b, NULL, TTNN_OP(where), type, IR_VALUES(low, never, mask), NULL, 0);
    }
    return tnb_op(b, NULL, TTNN_OP(typecast), to, IR_VALUES(mask), NULL, 0);
}

static ir_value *repeat_heads(ir_builder *b, ir_value *v, int64_t times)
{
    int64_t dims[4];
    memcpy(dims, v->type->dims, sizeof dims);
    dims[1] *= times;
    ir_attr n = ir_integer_attr(ir_integer_type(b->ctx, 32, IR_UNSIGNED), times);
    return tnb_op(b, NULL, TTNN_OP(repeat_interleave),
                  ttnn_tensor_reshaped(v->type, dims, 4), IR_VALUES(v),
                  IR_ATTRS({"repeats", n}, {"dim", ir_si32_attr(b->ctx, 1)}));
}

static ir_value *transposed(ir_builder *b, ir_value *v)
{
    int64_t dims[] = {v->type->dims[0], v->type->dims[1], v->type->dims[3],
                      v->type->dims[2]};
    return tnb_op(
        b, NULL, TTNN_OP(transpose), ttnn_tensor_reshaped(v->type, dims, 4), IR_VALUES(v),
        IR_ATTRS({"dim0", ir_si32_attr(b->ctx, -2)}, {"dim1", ir_si32_attr(b->ctx, -1)}));
}

static ir_value *product(ir_builder *b, ir_type type, ir_value *x, ir_value *y)
{
    ir_attr no = ir_bool_attr(b->ctx, false);
    return tnb_op(b, NULL, TTNN_OP(matmul), type, IR_VALUES(x, y),
                  IR_ATTRS({"transpose_a", no}, {"transpose_b", no}));
}

/* A column of scores that no value belongs to. */
static ir_value *with_sink(ir_builder *b, ir_value *scores, ir_value *sink, ir_value *scale)
{
    const int64_t *s = scores->type->dims;
    int64_t times[] = {s[0], 1, s[2], 1};
    sink = tnb_binary(b, NULL, TTNN_multiply, sink->type, sink, scale);
    if (sink->type->dims[0] != s[0] || sink->type->dims[2] != s[2])
        sink = tnb_repeat(b, NULL, sink, times);
    ir_value *both = tnb_concat(b, NULL, (ir_value *[]){scores, sink}, 2, 3);
    ir_op_set_attr(ir_value_def(both), "dim", ir_si32_attr(b->ctx, -1));
    return both;
}

static bool attention(ir_op *op, rw_rewriter *rw)
{
    ir_value *q = op->operands[0].value, *k = op->operands[1].value,
             *v = op->operands[2].value, *mask = operand(op, "attention_mask"),
             *sink = operand(op, "attention_sink");
    if (q->type->count != 4 || k->type->count != 4 || v->type->count != 4 ||
        (mask && mask->type->count != 4) || (sink && sink->type->count != 4))
        return false;
    ir_builder *b = &rw->b;
    int64_t heads = q->type->dims[1], size = q->type->dims[3], keys = k->type->dims[2];
    if (k->type->dims[1] != heads) {
        if (heads % k->type->dims[1])
            return false;
        int64_t times = heads / k->type->dims[1];
        k = repeat_heads(b, k, times);
        v = repeat_heads(b, v, times);
    }
    int64_t dims[] = {q->type->dims[0], heads, q->type->dims[2], keys};
    int64_t one[] = {1, 1, 1, 1}, zero[] = {0, 0, 0, 0};
    ir_type type = ttnn_tensor_reshaped(q->type, dims, 4);
    ir_value *scores = product(b, type, q, transposed(b, k));
    ir_value *device = tnb_device(b, op);
    ir_value *scale = real(b, NULL, ttnn_tensor_reshaped(q->type, one, 4),
                           ir_op_real(op, "scale", 1 / sqrt((double)size)), device);
    scores = tnb_binary(b, NULL, TTNN_multiply, type, scores, scale);
    if (mask) {
        int64_t times[] = {1, heads, 1, 1};
        if (mask->type->dims[1] == 1 && heads > 1)
            mask = tnb_repeat(b, NULL, mask, times);
        scores = tnb_binary(b, NULL, TTNN_add, type, scores, mask);
    }
    if (ir_op_attr(op, "sliding_window_size") || (!mask && ir_op_bool(op, "is_causal")))
        scores =
            tnb_binary(b, NULL, TTNN_add, type, scores, position_mask(b, op, type, device));
    if (sink)
        scores = with_sink(b, scores, sink, scale);
    scores = tnb_op(b, NULL, TTNN_OP(softmax), scores->type, IR_VALUES(scores),
                    IR_ATTRS({"dimension", ir_si32_attr(b->ctx, -1)},
                             {"numericStable", ir_bool_attr(b->ctx, true)}));
    if (sink)
        scores = tnb_slice(b, NULL, scores, zero, dims);
    return finish(rw, op, product(b, op->results[0].type, scores, v));
}

/* ---- attention of one query at a time, [1, batch, heads, size] */

/* Minus infinity for keys that the user's query may not see, [users or 1, 1, 1, keys]; NULL
 * if it sees all. The query is at the user's position if it is causal and there are
 * positions; without them a causal one is the first of its sequence, others the last. */
static ir_value *seen_keys(ir_builder *b, ir_op *op, ir_value *device)
{
    ir_type q = op->operands[0].value->type;
    const int64_t keys = op->operands[1].value->type->dims[2];
    ir_value *at = operand(op, "cur_pos_tensor");
    const bool causal = ir_op_bool(op, "is_causal");
    ir_attr window = ir_op_attr(op, "sliding_window_size");
    if (!causal && !window)
        return NULL;
    int64_t each[] = {causal && at ? q->dims[1] : 1, 1, 1, 1};
    int64_t dims[] = {each[0], 1, 1, keys};
    ir_type to = ttnn_tensor_reshaped(q, dims, 4);
    ir_type type = ttnn_tensor_retyped(to, TTCORE_DataType_Float32);
    ir_type one = ttnn_tensor_reshaped(type, each, 4);
    ir_value *column = positions(b, q, keys, 3, device);
    if (causal && at)
        at = tnb_op(b, NULL, TTNN_OP(typecast), one,
                    IR_VALUES(tnb_reshape(b, NULL, at, each, 4)), NULL, 0);
    else
        at = real(b, NULL, one, causal ? 0 : (double)(keys - 1), device);
    ir_value *zero = real(b, NULL, type, 0, device);
    ir_value *never = real(b, NULL, type, -(double)INFINITY, device);
    ir_value *behind = tnb_binary(b, NULL, TTNN_gt, type, column, at);
    ir_value *mask =
        tnb_op(b, NULL, TTNN_OP(where), type, IR_VALUES(behind, never, zero), NULL, 0);
    if (window) {
        ir_value *by = real(b, NULL, one, (double)ir_attr_int(window, 0), device);
        ir_value *from = tnb_binary(b, NULL, TTNN_subtract, one, at, by);
        ir_value *inside = tnb_binary(b, NULL, TTNN_gt, type, column, from);
        mask =
            tnb_op(b, NULL, TTNN_OP(where), type, IR_VALUES(inside, mask, never), NULL, 0);
    }
    return tnb_op(b, NULL, TTNN_OP(typecast), to, IR_VALUES(mask), NULL, 0);
}

/* The mask as attention of sequences takes it, whose kernel does not scale it. */
static ir_value *sequence_mask(ir_builder *b, ir_op *op, ir_value *mask, ir_value *device)
{
    static const int64_t order[] = {0, 2, 1, 3}, one[] = {1, 1, 1, 1};
    const double size = (double)op->operands[0].value->type->dims[3];
    ir_value *scale = real(b, NULL, ttnn_tensor_reshaped(mask->type, one, 4),
                           ir_op_real(op, "scale", 1 / sqrt(size)), device);
    mask = tnb_binary(b, NULL, TTNN_multiply, mask->type, mask, scale);
    return tnb_permute(b, NULL, mask, order);
}

/* [heads, 32], of which the first column counts -> [1, heads, 1, 1] */
static ir_value *sequence_sink(ir_builder *b, ir_value *sink)
{
    const int64_t zero[] = {0, 0, 0, 0};
    int64_t dims[] = {1, sink->type->dims[0], 1, sink->type->dims[1]};
    if (sink->type->count == 4)
        return sink;
    sink = tnb_reshape(b, NULL, sink, dims, 4);
    dims[3] = 1;
    return tnb_slice(b, NULL, sink, zero, dims);
}

static ir_type broadcast_4d(ir_type x, ir_type y)
{
    int64_t dims[4];
    for (size_t i = 0; i < 4; i++)
        dims[i] = TW_MAX(x->dims[i], y->dims[i]);
    return ttnn_tensor_reshaped(x, dims, 4);
}

static bool attention_of_one(ir_op *op, rw_rewriter *rw)
{
    static const int64_t forward[] = {1, 2, 0, 3}, back[] = {2, 0, 1, 3};
    ir_value *q = op->operands[0].value, *mask = operand(op, "attention_mask"),
             *sink = operand(op, "attention_sink");
    ir_builder *b = &rw->b;
    if (q->type->count != 4 || op->operands[1].value->type->count != 4 ||
        (mask && mask->type->count != 4) ||
        (sink && sink->type->count != 2 && sink->type->count != 4))
        return false;
    ir_value *device = tnb_device(b, op);
    q = tnb_permute(b, NULL, q, forward);
    if (mask)
        mask = sequence_mask(b, op, mask, device);
    ir_value *seen = seen_keys(b, op, device);
    if (mask && seen)
        mask =
            tnb_binary(b, NULL, TTNN_add, broadcast_4d(mask->type, seen->type), mask, seen);
    if (sink)
        sink = sequence_sink(b, sink);
    ir_value *y = tnb_op(b, NULL, TTNN_OP(scaled_dot_product_attention), q->type,
                         IR_VALUES(q, op->operands[1].value, op->operands[2].value,
                                   mask ? mask : seen, sink),
                         IR_ATTRS({"is_causal", ir_bool_attr(b->ctx, false)},
                                  {"scale", ir_op_attr(op, "scale")}));
    return finish(rw, op, tnb_permute(b, NULL, y, back));
}

bool ttnn_no_op_constraints(const ir_op *module)
{
    return ir_error(
        module->ctx, module->loc,
        "enable-op-constraints: expected false, found true: " TTNN_NO_OP_CONSTRAINTS
        "; optimization-level=1 keeps attention whole, enable-optimizer=true "
        "of a pipeline keeps tensors in L1");
}

static bool run(ir_op *module, pass_run *run)
{
    static const rw_pattern patterns[] = {
        {&ttnn_ops[TTNN_concatenate_heads], concatenate_heads, NULL},
        {&ttnn_ops[TTNN_conv1d], ttnn_split_grouped_conv, NULL},
        {&ttnn_ops[TTNN_conv2d], ttnn_split_grouped_conv, NULL},
        {&ttnn_ops[TTNN_distributed_layer_norm], distributed_layer_norm, NULL},
        {&ttnn_ops[TTNN_distributed_rms_norm], ttnn_decompose_distributed_rms_norm, NULL},
        {&ttnn_ops[TTNN_group_norm], group_norm, NULL},
        {&ttnn_ops[TTNN_scaled_dot_product_attention], attention, NULL},
        {&ttnn_ops[TTNN_scaled_dot_product_attention_decode], attention_of_one, NULL},
    };
    enum { ATTENTIONS = 2 }; /* the last patterns */
    const bool keep = pass_option_int(run, "optimization-level") > 0;
    if (pass_option_bool(run, "enable-op-constraints"))
        return ttnn_no_op_constraints(module);
    rw_greedy(module, patterns, TW_COUNT(patterns) - (keep ? ATTENTIONS : 0),
              &(rw_options){.max_iterations = -1});
    return true;
}

const pass_def ttnn_decomposition_pass = {
    .name = "ttnn-decomposition",
    .title = "TTNNDecomposition",
    .summary = "Take operations apart whose kernels do not take every shape",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(
        pass_option_def,
        {"enable-op-constraints", PASS_BOOL, "false",
         "Keep what tt-metal's kernels accept"},
        {"optimization-level", PASS_INT, "0", "Above 0, attention stays one operation"},
        {"max-fallback-attempts", PASS_INT, "10000", "Layouts tried",
         TTNN_NO_OP_CONSTRAINTS}),
};
