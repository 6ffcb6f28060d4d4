/* decompose_composites.c: ttir-decompose-composites: norms, attention, softmax and repeat
 * become operations that the D2M backend has. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

#include <math.h>

/* ---- norms -------------------------------------------------------------------------- */

/* The value with ones in front of its shape. */
static ir_value *with_rank(ir_builder *b, ir_value *v, uint32_t rank)
{
    int64_t dims[TTIR_MAX_DIMS];
    uint32_t lead = rank - v->type->count;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i < lead ? 1 : v->type->dims[i - lead];
    return ttir_build_reshape(b, v, dims, rank);
}

/* 1 / sqrt(v + epsilon) */
static ir_value *inverse_root(ir_builder *b, const ir_op *op, ir_value *v)
{
    ir_value *epsilon = ttir_build_full(b, v->type, ir_op_real(op, "epsilon", 1e-5));
    return ttir_build_unary(b, TTIR_OP(rsqrt),
                            ttir_build_binary(b, TTIR_OP(add), v, epsilon));
}

/* The means over the last n dimensions: all at once, or one after the other. */
static ir_value *mean(ir_builder *b, ir_value *v, size_t n, bool at_once)
{
    int64_t dims[TTIR_MAX_DIMS];
    for (size_t i = 0; i < n; i++)
        dims[i] = (int64_t)(v->type->count - n + i);
    if (at_once)
        return ttir_build_reduce(b, TTIR_OP(mean), v, dims, n);
    for (size_t i = n; i-- > 0;)
        v = ttir_build_reduce(b, TTIR_OP(mean), v, &dims[i], 1);
    return v;
}

static bool decompose_norm(ir_op *op, rw_rewriter *rw)
{
    ir_builder *b = &rw->b;
    ir_value *x = ir_op_operand(op, 0), *weight = ir_op_operand_named(op, "weight"),
             *bias = ir_op_operand_named(op, "bias");
    int64_t shape[TTIR_MAX_DIMS];
    size_t n = ttir_numbers(op, "normalized_shape", shape);
    uint32_t rank = x->type->count;
    bool centers = op->def == TTIR_OP(layer_norm);
    if (rank > TTIR_MAX_DIMS || n == 0 || n > rank ||
        x->type != ir_op_result(op, 0)->type || (weight && weight->type->count > rank) ||
        (bias && bias->type->count > rank))
        return false;
    if (centers)
        x = ttir_build_binary(b, TTIR_OP(subtract), x, mean(b, x, n, false));
    ir_value *squared = ttir_build_binary(b, TTIR_OP(multiply), x, x);
    ir_value *y = ttir_build_binary(b, TTIR_OP(multiply), x,
                                    inverse_root(b, op, mean(b, squared, n, !centers)));
    if (weight)
        y = ttir_build_binary(b, TTIR_OP(multiply), y, with_rank(b, weight, rank));
    if (bias)
        y = ttir_build_binary(b, TTIR_OP(add), y, with_rank(b, bias, rank));
    rw_replace1(rw, op, y);
    return true;
}

/* ---- attention ---------------------------------------------------------------------- */

static ir_value *product(ir_builder *b, ir_value *x, ir_value *y)
{
    int64_t dims[] = {x->type->dims[0], x->type->dims[1], x->type->dims[2],
                      y->type->dims[3]};
    return ir_build1(b, TTIR_OP(matmul), ir_type_with_shape(x->type, dims, 4),
                     IR_VALUES(x, y), NULL, 0);
}

static ir_value *positions(ir_builder *b, ir_type type, int64_t dim)
{
    ir_type si64 = ir_integer_type(b->ctx, 64, IR_SIGNED);
    return ir_build1(b, TTIR_OP(arange), type, NULL, 0,
                     IR_ATTRS({"start", ir_integer_attr(si64, 0)},
                              {"end", ir_integer_attr(si64, type->dims[dim])},
                              {"step", ir_integer_attr(si64, 1)},
                              {"arange_dimension", ir_i64_attr(b->ctx, dim)}));
}

/* 0 where the query may see the key, -inf at later positions. */
static ir_value *causal_mask(ir_builder *b, ir_type scores)
{
    int64_t dims[] = {1, 1, scores->dims[2], scores->dims[3]};
    ir_type type = ir_type_with_shape(scores, dims, 4);
    ir_value *row = positions(b, type, 2);
    ir_value *column = positions(b, type, 3);
    ir_value *zero = ttir_build_full(b, type, 0);
    ir_value *sees = ttir_build_binary(b, TTIR_OP(ge), row, column);
    ir_value *operands[] = {sees, zero, ttir_build_full(b, type, -INFINITY)};
    return ir_build1(b, TTIR_OP(where), type, operands, 3, NULL, 0);
}

static bool decompose_attention(ir_op *op, rw_rewriter *rw)
{
    ir_builder *b = &rw->b;
    ir_value *q = ir_op_operand(op, 0), *key = ir_op_operand(op, 1),
             *value = ir_op_operand(op, 2),
             *mask = ir_op_operand_named(op, "attention_mask");
    ir_type t = q->type, k = key->type;
    if (ir_op_attr(op, "sliding_window_size") ||
        ir_op_operand_named(op, "attention_sink") || t->count != 4 || k->count != 4 ||
        k->dims[1] < 1 || t->dims[1] % k->dims[1] || value->type->count != 4)
        return false;
    int64_t whole[] = {t->dims[0], t->dims[1], t->dims[2], k->dims[2]};
    /* Heads that share a key are rows of one matrix. */
    int64_t grouped[] = {t->dims[0], k->dims[1], t->dims[1] / k->dims[1] * t->dims[2], 0};
    static const int64_t transposed[] = {0, 1, 3, 2};
    grouped[3] = t->dims[3];
    q = ttir_build_reshape(b, q, grouped, 4);
    ir_value *scores = product(b, q, ttir_build_permute(b, key, transposed));
    scores = ttir_build_reshape(b, scores, whole, 4);
    double scale = ir_op_attr(op, "scale") ? ir_op_real(op, "scale", 1)
                                           : (double)(1.0F / sqrtf((float)t->dims[3]));
    scores = ttir_build_binary(b, TTIR_OP(multiply), scores,
                               ttir_build_full(b, scores->type, scale));
    if (mask)
        scores = ttir_build_binary(b, TTIR_OP(add), scores, mask);
    if (ir_op_bool(op, "is_causal"))
        scores = ttir_build_binary(b, TTIR_OP(add), scores, causal_mask(b, scores->type));
    ir_value *weights = ir_build1(b, TTIR_OP(softmax), scores->type, IR_VALUES(scores),
                                  IR_ATTRS({"dimension", ir_si32_attr(op->ctx, 3)},
                                           {"numericStable", ir_bool_attr(op->ctx, true)}));
    grouped[3] = k->dims[2];
    ir_value *y = product(b, ttir_build_reshape(b, weights, grouped, 4), value);
    rw_replace1(rw, op, ttir_build_reshape(b, y, ir_op_result(op, 0)->type->dims, 4));
    return true;
}

/* ---- softmax ------------------------------------------------------------------------ */

static bool decompose_softmax(ir_op *op, rw_rewriter *rw)
{
    ir_builder *b = &rw->b;
    ir_value *x = ir_op_operand(op, 0);
    int64_t rank = x->type->count;
    int64_t dim = ttir_dim(ir_op_int(op, "dimension", 0), rank);
    if (rank > TTIR_MAX_DIMS || dim < 0 || dim >= rank ||
        x->type != ir_op_result(op, 0)->type)
        return false;
    if (ir_op_bool(op, "numericStable"))
        x = ttir_build_binary(b, TTIR_OP(subtract), x,
                              ttir_build_reduce(b, TTIR_OP(max), x, &dim, 1));
    x = ttir_build_unary(b, TTIR_OP(exp), x);
    ir_value *sum = ttir_build_reduce(b, TTIR_OP(sum), x, &dim, 1);
    rw_replace1(rw, op, ttir_build_binary(b, TTIR_OP(div), x, sum));
    return true;
}

/* ---- repeat ------------------------------------------------------------------------- */

/* Concatenates the powers of two of which the count is the sum, each twice the one before
 * it. */
static ir_value *repeat(ir_builder *b, ir_value *v, int64_t dim, int64_t count)
{
    ir_value *parts[64];
    size_t n = 0;
    for (int64_t rest = count; rest; rest >>= 1) {
        if (rest & 1)
            parts[n++] = v;
        if (rest > 1)
            v = ttir_build_concat(b, (ir_value *[]){v, v}, 2, dim);
    }
    return n == 1 ? parts[0] : ttir_build_concat(b, parts, n, dim);
}

static bool decompose_repeat(ir_op *op, rw_rewriter *rw)
{
    int64_t counts[TTIR_MAX_DIMS];
    ir_value *v = ir_op_operand(op, 0);
    size_t n = ttir_numbers(op, "repeat_dimensions", counts);
    if (n == 0 || n != v->type->count)
        return false;
    for (size_t i = 0; i < n; i++)
        if (counts[i] < 1)
            return false;
    for (size_t i = 0; i < n; i++)
        v = repeat(&rw->b, v, (int64_t)i, counts[i]);
    rw_replace1(rw, op, v);
    return true;
}

/* ---- the pass ----------------------------------------------------------------------- */

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {
        {TTIR_OP(scaled_dot_product_attention), decompose_attention, NULL},
        {TTIR_OP(rms_norm), decompose_norm, NULL},
        {TTIR_OP(layer_norm), decompose_norm, NULL},
        {TTIR_OP(repeat), decompose_repeat, NULL},
        {TTIR_OP(softmax), decompose_softmax, NULL},
    };
    rw_greedy(module, patterns, TW_COUNT(patterns), NULL);
    return true;
}

const pass_def ttir_decompose_composites_pass = {
    .name = "ttir-decompose-composites",
    .title = "TTIRDecomposeComposites",
    .summary = "Decompose norms, attention, softmax and repeat",
    .anchor = "builtin.module",
    .run = run,
};
