/* batch_norm_grad.c: stablehlo.batch_norm_grad by the formulas of its specification.
 *
 * With d = x - mean, v = variance + epsilon, n elements to a feature and sums over all
 * dimensions but the feature's:
 *
 *     offset' = sum(g)    scale' = sum(g * d) / sqrt(v)
 *     x' = scale / (sqrt(v) * n) * (g * n - sum(g) - d * sum(g * d) / v) */
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

enum { CAPACITY = 16 };

typedef struct grad {
    ir_builder *b;
    ir_type wide;           /* of the operand */
    int64_t dims[CAPACITY]; /* the shape with 1 in all but the feature dimension */
    ir_attr others;         /* the reduced dimensions */
} grad;

static ir_value *op2(const grad *g, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(g->b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

static ir_value *feature(const grad *g, ir_value *v)
{
    return s2t_reshape(g->b, v, g->dims, g->wide->count);
}

static ir_value *broadcast(const grad *g, ir_value *v)
{
    return s2t_broadcast(g->b, v, g->wide->dims, g->wide->count);
}

static ir_value *sum(const grad *g, ir_value *v)
{
    ir_type t = ir_type_with_shape(g->wide, g->dims, g->wide->count);
    return ir_build1(
        g->b, TTIR_OP(sum), t, IR_VALUES(v),
        IR_ATTRS({"dim_arg", g->others}, {"keep_dim", ir_bool_attr(g->b->ctx, true)}));
}

bool s2t_batch_norm_grad(ir_op *op, ir_builder *b)
{
    int64_t others[CAPACITY];
    size_t n_others = 0;
    grad g = {.b = b, .wide = op->operands[0].value->type};
    const int64_t at = ir_op_int(op, "feature_index", 0), rank = g.wide->count;
    if (rank > CAPACITY || at >= rank || !ir_type_has_static_shape(g.wide))
        return false;
    for (int64_t d = 0; d < rank; d++) {
        g.dims[d] = d == at ? g.wide->dims[d] : 1;
        if (d != at)
            others[n_others++] = d;
    }
    g.others = ir_i32_array_attr(b->ctx, others, n_others);
    ir_value *scale = feature(&g, op->operands[1].value);
    ir_value *mean = feature(&g, op->operands[2].value);
    ir_value *variance = feature(&g, op->operands[3].value), *got = op->operands[4].value;
    const double epsilon = ir_op_real(op, "epsilon", 0);
    const double n = (double)ir_type_num_elements(g.wide) /
                     (double)(g.wide->dims[at] ? g.wide->dims[at] : 1);
    ir_value *d = op2(&g, TTIR_OP(subtract), op->operands[0].value, broadcast(&g, mean));
    ir_value *v = op2(&g, TTIR_OP(add), variance, s2t_splat(b, variance->type, epsilon));
    ir_value *deviation = ir_build1(b, TTIR_OP(sqrt), v->type, IR_VALUES(v), NULL, 0);
    ir_value *normal = op2(&g, TTIR_OP(div), d, broadcast(&g, deviation));
    ir_value *by_scale = sum(&g, op2(&g, TTIR_OP(multiply), got, normal));
    ir_value *by_offset = sum(&g, got);
    /* d * sum(g * d) / v is the normalised operand times scale' */
    ir_value *pull = op2(&g, TTIR_OP(multiply), normal, broadcast(&g, by_scale));
    ir_value *all = op2(&g, TTIR_OP(multiply), got, s2t_splat(b, g.wide, n));
    all = op2(&g, TTIR_OP(subtract), all, broadcast(&g, by_offset));
    all = op2(&g, TTIR_OP(subtract), all, pull);
    ir_value *share =
        op2(&g, TTIR_OP(multiply), deviation, s2t_splat(b, deviation->type, n));
    share = op2(&g, TTIR_OP(div), scale, share);
    const int64_t *one = &g.wide->dims[at];
    ir_value *results[] = {op2(&g, TTIR_OP(multiply), all, broadcast(&g, share)),
                           s2t_reshape(b, by_scale, one, 1),
                           s2t_reshape(b, by_offset, one, 1)};
    for (uint32_t i = 0; i < 3; i++)
        ir_value_replace_uses(&op->results[i], results[i]);
    ir_op_erase(op);
    return true;
}
