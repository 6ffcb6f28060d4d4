/* ttir_fusing.c: combines operations where TTNN has one for them.
 *
 *   permute of a matmul's last two dimensions     -> transpose_a, transpose_b
 *   matmul + bias                                 -> linear
 *   maximum(x, 0)                                 -> relu
 *   exp(x - max) / sum(exp(x - max))              -> softmax */
#include "dialect/ttir/ttir.h"
#include "rewrite/rewrite.h"
#include "transform/transform.h"

enum { MOST = 32 };

static bool swaps_last_two(ir_op *op)
{
    int64_t order[MOST];
    int64_t rank = ir_attr_ints(ir_op_attr(op, "permutation"), order, MOST);
    if (rank < 2 || rank > MOST)
        return false;
    for (int64_t i = 0; i < rank - 2; i++)
        if (order[i] != i)
            return false;
    return order[rank - 2] == rank - 1 && order[rank - 1] == rank - 2;
}

static bool absorb_transpose(ir_op *op, rw_rewriter *rw)
{
    static const char *const flags[] = {"transpose_a", "transpose_b"};
    for (uint32_t i = 0; i < 2; i++) {
        ir_op *def = ir_value_def(op->operands[i].value);
        if (!def || def->def != TTIR_OP(permute) || !swaps_last_two(def))
            continue;
        ir_op_set_attr(op, flags[i], ir_bool_attr(op->ctx, !ir_op_bool(op, flags[i])));
        ir_op_set_operand(op, i, def->operands[0].value);
        rw_modified(rw, op);
        return true;
    }
    return false;
}

/* A bias is one row: all dimensions but the last are 1, the last is the result's. */
static bool is_row(ir_type bias, ir_type result)
{
    if (bias->count == 0 || bias->count > result->count ||
        bias->dims[bias->count - 1] != result->dims[result->count - 1])
        return false;
    for (uint32_t i = 0; i + 1 < bias->count; i++)
        if (bias->dims[i] != 1)
            return false;
    return true;
}

static bool bias_to_linear(ir_op *op, rw_rewriter *rw)
{
    for (uint32_t i = 0; i < 2; i++) {
        ir_value *product = op->operands[i].value, *bias = op->operands[1 - i].value;
        ir_op *mm = ir_value_def(product);
        if (!mm || mm->def != TTIR_OP(matmul) || !ir_value_has_one_use(product) ||
            product->type != op->results[0].type || !is_row(bias->type, product->type))
            continue;
        ir_op *linear = ir_build_op(
            &rw->b, TTIR_OP(linear), &op->results[0].type, 1,
            (ir_value *[]){mm->operands[0].value, mm->operands[1].value, bias}, 3,
            IR_ATTRS({"transpose_a", ir_op_attr(mm, "transpose_a")},
                     {"transpose_b", ir_op_attr(mm, "transpose_b")}),
            0);
        rw_replace1(rw, op, ir_op_result(linear, 0));
        return true;
    }
    return false;
}

static bool is_splat(const ir_value *v, double value)
{
    ir_attr a = rw_constant(v);
    ir_op *def = ir_value_def(v);
    if (def && def->def == TTIR_OP(full))
        return ir_op_real(def, "fill_value", value + 1) == value;
    if (def && (def->def == TTIR_OP(broadcast) || def->def == TTIR_OP(reshape)))
        return is_splat(def->operands[0].value, value);
    return ir_attr_is(a, IR_ATTR_DENSE) && (a->splat & 1) && ir_dense_real(a, 0) == value;
}

static bool maximum_to_relu(ir_op *op, rw_rewriter *rw)
{
    for (uint32_t i = 0; i < 2; i++) {
        ir_value *x = op->operands[i].value;
        if (!is_splat(op->operands[1 - i].value, 0) || x->type != op->results[0].type)
            continue;
        rw_replace1(rw, op,
                    ir_build1(&rw->b, TTIR_OP(relu), x->type, IR_VALUES(x), NULL, 0));
        return true;
    }
    return false;
}

/* v, or what it broadcasts or reshapes without moving elements. */
static ir_value *behind(ir_value *v)
{
    for (ir_op *d = ir_value_def(v);
         d && (d->def == TTIR_OP(broadcast) || d->def == TTIR_OP(reshape));
         d = ir_value_def(v))
        v = d->operands[0].value;
    return v;
}

static bool reduced_dim(const ir_op *op, int64_t *out)
{
    int64_t dims[MOST];
    return ir_attr_ints(ir_op_attr(op, "dim_arg"), dims, MOST) == 1 &&
           ((*out = dims[0]), true);
}

static bool softmax(ir_op *op, rw_rewriter *rw)
{
    ir_value *numerator = op->operands[0].value;
    ir_op *e = ir_value_def(numerator), *sum = ir_value_def(behind(op->operands[1].value));
    int64_t sum_dim, max_dim;
    if (!e || e->def != TTIR_OP(exp) || !sum || sum->def != TTIR_OP(sum) ||
        sum->operands[0].value != numerator || !reduced_dim(sum, &sum_dim))
        return false;
    ir_value *x = e->operands[0].value;
    ir_op *sub = ir_value_def(x);
    bool stable = false;
    if (sub && sub->def == TTIR_OP(subtract)) {
        ir_op *max = ir_value_def(behind(sub->operands[1].value));
        /* jax compares the maximum with -inf first */
        if (max && max->def == TTIR_OP(maximum))
            for (uint32_t i = 0; i < 2; i++) {
                ir_op *inner = ir_value_def(behind(max->operands[i].value));
                if (inner && inner->def == TTIR_OP(max)) {
                    max = inner;
                    break;
                }
            }
        if (max && max->def == TTIR_OP(max) &&
            max->operands[0].value == sub->operands[0].value &&
            reduced_dim(max, &max_dim) && max_dim == sum_dim) {
            x = sub->operands[0].value;
            stable = true;
        }
    }
    if (x->type != op->results[0].type)
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, TTIR_OP(softmax), x->type, IR_VALUES(x),
                          IR_ATTRS({"dimension", ir_si32_attr(op->ctx, sum_dim)},
                                   {"numericStable", ir_bool_attr(op->ctx, stable)})));
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    const rw_pattern patterns[] = {
        {TTIR_OP(add), bias_to_linear},
        {TTIR_OP(maximum), maximum_to_relu},
        {TTIR_OP(div), softmax},
        {TTIR_OP(matmul), absorb_transpose},
        {TTIR_OP(linear), absorb_transpose},
    };
    enum { OPTIONAL = 2 };
    bool permutes = pass_option_bool(run, "enable-permute-matmul-fusion");
    rw_greedy(module, patterns, TW_COUNT(patterns) - (permutes ? 0 : OPTIONAL), NULL);
    return true;
}

const pass_def ttir_fusing_pass = {
    .name = "ttir-fusing",
    .summary = "Combine operations that TTNN has as one",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"ttnn-enable-conv2d-with-multiply-pattern", PASS_BOOL, "false",
                        "Multiply a convolution's weights instead of its result"},
                       {"enable-permute-matmul-fusion", PASS_BOOL, "false",
                        "Let matrix products read transposed operands as they are"},
                       {"enable-permute-slice-after-matmul-fusion", PASS_BOOL, "true",
                        "Slice a matrix product's operands instead of its result"}),
};
