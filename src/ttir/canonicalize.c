/* canonicalize.c: canonical forms of ttir operations. */
#include "mlir/passes/canonical.h"
#include "ttir/build.h"
#include "ttir/ttir.h"
#include "ttir/ttir_hooks.h"
#include "ttnn/layout.h"

#include <math.h>

enum { MAX_DIMS = 16 };

static ir_op *single_use_producer(const ir_op *op, const ir_op_def *def)
{
    ir_op *from = ttir_input_op(op, def);
    return from && ir_value_has_one_use(&from->results[0]) ? from : NULL;
}

/* le(a, b) is ge(b, a), lt(a, b) is gt(b, a) */
static bool turn_comparison(ir_op *op, rw_rewriter *rw)
{
    const ir_op_def *to = op->def == TTIR_OP(le) ? TTIR_OP(ge) : TTIR_OP(gt);
    rw_replace1(rw, op,
                ir_build1(&rw->b, to, op->results[0].type,
                          IR_VALUES(op->operands[1].value, op->operands[0].value), NULL,
                          0));
    return true;
}

/* A constant of one value is spelled as that value. */
static bool constant_to_full(ir_op *op, rw_rewriter *rw)
{
    ir_attr value = ir_op_attr(op, "value");
    if (!ttir_is_splat(value))
        return false;
    ir_type type = op->results[0].type, element = ir_type_element(type);
    ir_context *ctx = op->ctx;
    ir_attr fill;
    if (element->kind == IR_TYPE_FLOAT) {
        double v = ir_dense_real(value, 0);
        if ((double)(float)v != v && !isnan(v))
            return false;
        fill = ir_f32_attr(ctx, v);
    } else {
        int64_t v = ir_dense_int(value, 0);
        if (v < INT32_MIN || v > INT32_MAX)
            return false;
        fill = ir_i32_attr(ctx, v);
    }
    ir_attr shape = ir_dense_i32_array(ctx, type->dims, type->count);
    rw_replace1(rw, op,
                ir_build1(&rw->b, TTIR_OP(full), type, NULL, 0,
                          IR_ATTRS({"shape", shape}, {"fill_value", fill})));
    return true;
}

static bool transpose_to_permute(ir_op *op, rw_rewriter *rw)
{
    int64_t order[MAX_DIMS];
    uint32_t rank = op->results[0].type->count;
    int64_t a = ir_op_int(op, "dim0", 0), b = ir_op_int(op, "dim1", 0);
    a += a < 0 ? rank : 0;
    b += b < 0 ? rank : 0;
    if (rank > MAX_DIMS || a < 0 || b < 0 || a >= rank || b >= rank)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        order[i] = i;
    order[a] = b;
    order[b] = a;
    rw_replace1(
        rw, op,
        ir_build1(&rw->b, TTIR_OP(permute), op->results[0].type,
                  IR_VALUES(op->operands[0].value),
                  IR_ATTRS({"permutation", ir_dense_i64_array(op->ctx, order, rank)})));
    return true;
}

/* A matrix product without a bias. */
static bool linear_to_matmul(ir_op *op, rw_rewriter *rw)
{
    if (op->n_operands != 2)
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, TTIR_OP(matmul), op->results[0].type,
                          IR_VALUES(op->operands[0].value, op->operands[1].value),
                          IR_ATTRS({"transpose_a", ir_op_attr(op, "transpose_a")},
                                   {"transpose_b", ir_op_attr(op, "transpose_b")})));
    return true;
}

/* ---- typecast ----------------------------------------------------------------------- */

static bool is_narrowing(ir_type from, ir_type to)
{
    return !ttnn_dtype_is_lossless(ttnn_dtype_of(from), ttnn_dtype_of(to));
}

/* Whether a conservative cast must stay: the middle type loses something that the last one
 * could hold. */
static bool loses(ir_type from, ir_type middle, ir_type to)
{
    bool f = from->kind == IR_TYPE_FLOAT, m = middle->kind == IR_TYPE_FLOAT,
         t = to->kind == IR_TYPE_FLOAT;
    return (f && !m && t) || (is_narrowing(from, middle) && !is_narrowing(middle, to));
}

static bool merge_typecasts(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = ttir_input_op(op, TTIR_OP(typecast));
    if (!inner)
        return false;
    bool outer_careful = ir_op_bool(op, "conservative_folding");
    bool inner_careful = ir_op_bool(inner, "conservative_folding");
    ir_value *x = inner->operands[0].value;
    ir_type middle = inner->results[0].type->element;
    if (middle->kind == IR_TYPE_FLOAT && middle->width < 16 &&
        x->type->element != middle) /* no device type represents it: it must be reported */
        return false;
    if ((outer_careful || inner_careful) &&
        loses(x->type->element, inner->results[0].type->element,
              op->results[0].type->element))
        return false;
    ir_op_set_operand(op, 0, x);
    ir_op_set_attr(op, "conservative_folding",
                   ir_bool_attr(op->ctx, outer_careful && inner_careful));
    rw_modified(rw, op);
    return true;
}

/* ---- clamps ------------------------------------------------------------------------- */

/* Two clamps in a row: the larger minimum, the smaller maximum. */
static bool merge_clamps(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = single_use_producer(op, TTIR_OP(clamp_scalar));
    if (!inner)
        return false;
    ir_attr low = ir_op_attr(op, "min"), inner_low = ir_op_attr(inner, "min");
    ir_attr high = ir_op_attr(op, "max"), inner_high = ir_op_attr(inner, "max");
    double from = fmax(ir_attr_real(low, 0), ir_attr_real(inner_low, 0));
    double to = fmin(ir_attr_real(high, 0), ir_attr_real(inner_high, 0));
    if (from > to) /* the outer clamp alone decides then */
        return false;
    if (from != ir_attr_real(low, 0))
        ir_op_set_attr(op, "min", inner_low);
    if (to != ir_attr_real(high, 0))
        ir_op_set_attr(op, "max", inner_high);
    ir_op_set_operand(op, 0, inner->operands[0].value);
    rw_modified(rw, op);
    return true;
}

static bool clamp_to_relu6(ir_op *op, rw_rewriter *rw)
{
    if (ir_op_real(op, "min", -1) != 0 || ir_op_real(op, "max", -1) != 6)
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, TTIR_OP(relu6), op->results[0].type,
                          IR_VALUES(op->operands[0].value), NULL, 0));
    return true;
}

static bool fits_i32(ir_attr dense)
{
    const bool is_unsigned = ir_type_element(dense->type)->sign == IR_UNSIGNED;
    const int64_t v = ir_dense_int(dense, 0);
    return v >= (is_unsigned ? 0 : INT32_MIN) && v <= INT32_MAX;
}

/* Bounds that are the same everywhere; integers of more than 32 bits, or unsigned ones that
 * an i32 attribute has as negative ones, stay tensors. */
static bool clamp_tensor_to_scalar(ir_op *op, rw_rewriter *rw)
{
    ir_attr bounds[2];
    for (int i = 0; i < 2; i++) {
        ir_attr a = rw_constant(op->operands[i + 1].value);
        if (!ttir_is_splat(a) ||
            (ir_type_element(a->type)->kind != IR_TYPE_FLOAT && !fits_i32(a)))
            return false;
        bounds[i] = ir_type_element(a->type)->kind == IR_TYPE_FLOAT
                        ? ir_f32_attr(op->ctx, ir_dense_real(a, 0))
                        : ir_i32_attr(op->ctx, ir_dense_int(a, 0));
    }
    rw_replace1(rw, op,
                ir_build1(&rw->b, TTIR_OP(clamp_scalar), op->results[0].type,
                          IR_VALUES(op->operands[0].value),
                          IR_ATTRS({"min", bounds[0]}, {"max", bounds[1]})));
    return true;
}

/* ---- reverse ------------------------------------------------------------------------ */

/* Dimensions turned round twice stay as they were. */
static bool merge_reverses(ir_op *op, rw_rewriter *rw)
{
    int64_t outer[MAX_DIMS], inner[MAX_DIMS], left[MAX_DIMS];
    int64_t n = ir_attr_ints(ir_op_attr(op, "dimensions"), outer, MAX_DIMS), k = 0;
    if (n == 0)
        return rw_replace_if_kept(rw, op, op->operands[0].value);
    ir_op *from = ttir_input_op(op, TTIR_OP(reverse));
    if (!from)
        return false;
    int64_t m = ir_attr_ints(ir_op_attr(from, "dimensions"), inner, MAX_DIMS);
    if (n < 0 || m < 0 || n > MAX_DIMS || m > MAX_DIMS)
        return false;
    for (int64_t d = 0; d < op->results[0].type->count && k < MAX_DIMS; d++) {
        bool turned = false;
        for (int64_t i = 0; i < n; i++)
            turned ^= outer[i] == d;
        for (int64_t i = 0; i < m; i++)
            turned ^= inner[i] == d;
        if (turned)
            left[k++] = d;
    }
    if (k == 0)
        return rw_replace_if_kept(rw, op, from->operands[0].value);
    ir_op_set_operand(op, 0, from->operands[0].value);
    ir_op_set_attr(op, "dimensions", ir_dense_i64_array(op->ctx, left, (size_t)k));
    rw_modified(rw, op);
    return true;
}

/* ---- the table ---------------------------------------------------------------------- */

/* A layout of a layout: only the last one counts. */
static bool merge_layouts(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = ttir_input_op(op, TTIR_OP(to_layout));
    if (!inner)
        return false;
    ir_op_set_operand(op, 0, inner->operands[0].value);
    rw_modified(rw, op);
    return true;
}

/* A tensor cast to another layout and back is itself, unless a cast says on which cores its
 * shards are. */
static bool merge_casts(ir_op *op, rw_rewriter *rw)
{
    const ir_op *from = ttir_input_op(op, op->def);
    if (!from || !ir_type_is_tensor(from->results[0].type) ||
        !ir_type_is_tensor(from->operands[0].value->type) ||
        from->operands[0].value->type != op->results[0].type ||
        ir_op_attr(from, "virtual_grid_inverse_mapping") ||
        ir_op_attr(op, "virtual_grid_inverse_mapping"))
        return false;
    return rw_replace_if_kept(rw, op, from->operands[0].value);
}

static const rw_pattern patterns[] = {
    {TTIR_OP(clamp_scalar), merge_clamps, "ttir.MergeClamps"},
    {TTIR_OP(clamp_scalar), clamp_to_relu6, "ttir.ClampToRelu6"},
    {TTIR_OP(clamp_tensor), clamp_tensor_to_scalar, "ttir.ClampTensorToScalar"},
    {TTIR_OP(constant), constant_to_full, "ttir.ConstantToFull"},
    {TTIR_OP(le), turn_comparison, "ttir.TurnComparison"},
    {TTIR_OP(linear), linear_to_matmul, "ttir.LinearToMatmul"},
    {TTIR_OP(lt), turn_comparison, "ttir.TurnComparison"},
    {TTIR_OP(reverse), merge_reverses, "ttir.MergeReverses"},
    {TTIR_OP(to_layout), merge_layouts, "ttir.ToLayoutFoldRedundantPattern"},
    {TTIR_OP(transpose), transpose_to_permute, "ttir.TransposeToPermute"},
    {TTIR_OP(ttnn_metal_layout_cast), merge_casts, "ttir.MergeCasts"},
    {TTIR_OP(typecast), merge_typecasts, "ttir.MergeTypecasts"},
};

const rw_pattern_table canonicalize_ttir = {patterns, TW_COUNT(patterns)};
