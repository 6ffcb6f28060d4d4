/* rules_linear.c: sharding rules of dot products, convolutions and solvers. */
#include "sdy/propagation/rules.h"
#include "stablehlo/stablehlo.h"

enum { CAPACITY = 64 };

static ir_type operand(const ir_op *op, size_t i)
{
    return op->operands[i].value->type;
}

static size_t read_ints(ir_attr attr, const char *name, int64_t *out)
{
    return sdy_integers(ir_attr_param(attr, name), out, CAPACITY);
}

bool sdy_rule_dot(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type lhs = operand(op, 0), rhs = operand(op, 1);
    bool rows = lhs->count == 2, columns = rhs->count == 2;
    if (rows)
        sdy_rule_product(b, 0, SDY_NO_DIM, 0, lhs->dims[0], SDY_PASS);
    if (columns)
        sdy_rule_product(b, SDY_NO_DIM, 1, rows, rhs->dims[1], SDY_PASS);
    sdy_rule_product(b, rows, 0, SDY_NO_DIM, rhs->dims[0], SDY_REDUCE);
    return true;
}

bool sdy_rule_dot_general(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type lhs = operand(op, 0), rhs = operand(op, 1);
    ir_attr attr = ir_op_attr(op, "dot_dimension_numbers");
    int64_t lb[CAPACITY], rb[CAPACITY], lc[CAPACITY], rc[CAPACITY], out = 0;
    size_t n_batch = read_ints(attr, "lhsBatchingDimensions", lb);
    size_t n_contracting = read_ints(attr, "lhsContractingDimensions", lc);
    if (read_ints(attr, "rhsBatchingDimensions", rb) != n_batch ||
        read_ints(attr, "rhsContractingDimensions", rc) != n_contracting)
        return false;
    for (size_t i = 0; i < n_batch; i++)
        sdy_rule_product(b, lb[i], rb[i], out++, lhs->dims[lb[i]], SDY_PASS);
    for (uint32_t d = 0; d < lhs->count; d++)
        if (!sdy_contains(lb, n_batch, d) && !sdy_contains(lc, n_contracting, d))
            sdy_rule_product(b, d, SDY_NO_DIM, out++, lhs->dims[d], SDY_PASS);
    for (uint32_t d = 0; d < rhs->count; d++)
        if (!sdy_contains(rb, n_batch, d) && !sdy_contains(rc, n_contracting, d))
            sdy_rule_product(b, SDY_NO_DIM, d, out++, rhs->dims[d], SDY_PASS);
    for (size_t i = 0; i < n_contracting; i++)
        sdy_rule_product(b, lc[i], rc[i], SDY_NO_DIM, lhs->dims[lc[i]], SDY_REDUCE);
    return true;
}

/* ---- convolution -------------------------------------------------------------------- */

typedef struct sides {
    ir_type lhs, rhs, out;
    int64_t in_batch, in_feature, kernel_in, kernel_out, out_batch, out_feature;
    int64_t in_spatial[CAPACITY], kernel_spatial[CAPACITY], out_spatial[CAPACITY];
    size_t n_spatial;
} sides;

static int64_t read_int(ir_attr attr, const char *name)
{
    return ir_attr_int(ir_attr_param(attr, name), 0);
}

static bool read_sides(const ir_op *op, sides *s)
{
    ir_attr n = ir_op_attr(op, "dimension_numbers");
    *s = (sides){.lhs = operand(op, 0), .rhs = operand(op, 1), .out = op->results[0].type};
    s->in_batch = read_int(n, "inputBatchDimension");
    s->in_feature = read_int(n, "inputFeatureDimension");
    s->kernel_in = read_int(n, "kernelInputFeatureDimension");
    s->kernel_out = read_int(n, "kernelOutputFeatureDimension");
    s->out_batch = read_int(n, "outputBatchDimension");
    s->out_feature = read_int(n, "outputFeatureDimension");
    s->n_spatial = read_ints(n, "inputSpatialDimensions", s->in_spatial);
    return read_ints(n, "kernelSpatialDimensions", s->kernel_spatial) == s->n_spatial &&
           read_ints(n, "outputSpatialDimensions", s->out_spatial) == s->n_spatial;
}

/* A spatial dimension is as many windows as the output has elements, each as wide as the
 * kernel; the larger of both is major, and their product is at most the dimension. */
static void add_spatial(sdy_rule_builder *b, const sides *s, size_t i)
{
    int64_t in = s->in_spatial[i], kernel = s->kernel_spatial[i], out = s->out_spatial[i];
    int64_t positions = s->out->dims[out], width = s->rhs->dims[kernel];
    int64_t left = s->lhs->dims[in];
    bool positions_major = positions >= width;
    for (int k = 0; k < 2; k++) {
        bool is_position = (k == 0) == positions_major;
        int64_t size = TW_MIN(left, is_position ? positions : width);
        if (size <= 1)
            continue;
        sdy_rule_product(b, in, is_position ? SDY_NO_DIM : kernel,
                         is_position ? out : SDY_NO_DIM, size,
                         is_position ? SDY_PERMUTE : SDY_REDUCE);
        left /= size;
    }
}

bool sdy_rule_convolution(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    int64_t batches = ir_op_int(op, "batch_group_count", 1);
    int64_t features = ir_op_int(op, "feature_group_count", 1);
    sides s;
    if (!read_sides(op, &s) || batches < 1 || features < 1)
        return false;
    if (batches > 1)
        sdy_rule_product(b, s.in_batch, s.kernel_out, s.out_feature, batches, SDY_PASS);
    sdy_rule_product(b, s.in_batch, SDY_NO_DIM, s.out_batch, s.out->dims[s.out_batch],
                     SDY_PASS);
    for (size_t i = 0; i < s.n_spatial && !conservative; i++)
        add_spatial(b, &s, i);
    if (features > 1)
        sdy_rule_product(b, s.in_feature, s.kernel_out, s.out_feature, features, SDY_PASS);
    sdy_rule_product(b, s.in_feature, s.kernel_in, SDY_NO_DIM, s.rhs->dims[s.kernel_in],
                     SDY_REDUCE);
    int64_t each = s.out->dims[s.out_feature] / (batches * features);
    if (each > 1)
        sdy_rule_product(b, SDY_NO_DIM, s.kernel_out, s.out_feature, each, SDY_PASS);
    return true;
}

/* ---- triangular_solve --------------------------------------------------------------- */

/* op(a) @ x = b, or x @ op(a) = b: the solver needs whole matrices. */
bool sdy_rule_triangular_solve(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type a = operand(op, 0), rhs = operand(op, 1);
    int64_t kind = ir_enum_value(ir_op_attr(op, "transpose_a"), 0);
    bool turned =
        kind == STABLEHLO_Transpose_TRANSPOSE || kind == STABLEHLO_Transpose_ADJOINT;
    bool left = ir_op_bool(op, "left_side");
    int64_t row = (int64_t)a->count - 2, column = (int64_t)a->count - 1;
    if (a->count < 2 || rhs->count != a->count)
        return false;
    for (uint32_t d = 0; d + 2 < a->count; d++)
        sdy_rule_all(b, d, a->dims[d], SDY_PASS, false);
    int64_t free_dim = left != turned ? row : column;
    int64_t contracting = left != turned ? column : row;
    if (left) {
        sdy_rule_product(b, free_dim, row, SDY_NO_DIM, a->dims[free_dim], SDY_REPLICATE);
        sdy_rule_product(b, SDY_NO_DIM, column, column, rhs->dims[column], SDY_REPLICATE);
        sdy_rule_product(b, contracting, SDY_NO_DIM, row, a->dims[contracting],
                         SDY_REPLICATE);
        return true;
    }
    sdy_rule_product(b, SDY_NO_DIM, row, row, rhs->dims[row], SDY_REPLICATE);
    sdy_rule_product(b, free_dim, column, SDY_NO_DIM, a->dims[free_dim], SDY_REPLICATE);
    sdy_rule_product(b, contracting, SDY_NO_DIM, column, a->dims[contracting],
                     SDY_REPLICATE);
    return true;
}
