/* canonicalize_reshape.c: collapse_shape and expand_shape of tensors and memrefs: two in
 * sequence are merged, inverse ones cancel out. */
#include "mlir/memref/memref.h"
#include "mlir/passes/canonical.h"
#include "mlir/shared/shape_checks.h"
#include "mlir/tensor/tensor.h"

/* The dimensions of each group, concatenated. */
typedef struct groups {
    int64_t n, size[SHAPE_MAX_RANK];
} groups;

static bool groups_of(const ir_op *op, groups *out)
{
    shape_groups g;
    if (!shape_groups_of(op, &g) || !g.contiguous)
        return false;
    out->n = (int64_t)g.count;
    for (size_t i = 0; i < g.count; i++)
        out->size[i] = (int64_t)g.sizes[i];
    return out->n > 0;
}

/* Composes two reassociations: each group of `outer` consists of groups of `inner`. */
static bool compose(const groups *outer, const groups *inner, groups *out)
{
    int64_t k = 0;
    out->n = outer->n;
    for (int64_t i = 0; i < outer->n; i++) {
        out->size[i] = 0;
        for (int64_t j = 0; j < outer->size[i]; j++) {
            if (k == inner->n)
                return false;
            out->size[i] += inner->size[k++];
        }
    }
    return k == inner->n;
}

static ir_attr reassociation(ir_context *ctx, const groups *g)
{
    ir_attr list[SHAPE_MAX_RANK];
    int64_t next = 0, dims[SHAPE_MAX_RANK];
    for (int64_t i = 0; i < g->n; i++) {
        for (int64_t k = 0; k < g->size[i]; k++)
            dims[k] = next++;
        list[i] = ir_i64_array_attr(ctx, dims, (size_t)g->size[i]);
    }
    return ir_array_attr(ctx, list, (size_t)g->n);
}

static bool is_collapse(const ir_op *op)
{
    return op->def == TENSOR_OP(collapse_shape) || op->def == MEMREF_OP(collapse_shape);
}

static const ir_op_def *opposite(const ir_op_def *def)
{
    static const ir_op_def *const pairs[][2] = {
        {TENSOR_OP(collapse_shape), TENSOR_OP(expand_shape)},
        {MEMREF_OP(collapse_shape), MEMREF_OP(expand_shape)}};
    for (size_t i = 0; i < TW_COUNT(pairs); i++)
        for (size_t k = 0; k < 2; k++)
            if (pairs[i][k] == def)
                return pairs[i][1 - k];
    return NULL;
}

/* Merges two collapses, or two expansions. */
static bool merge_two(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = ir_value_def(ir_op_operand(op, 0));
    groups mine, theirs, all;
    if (!ir_op_is(inner, op->def) || !groups_of(op, &mine) || !groups_of(inner, &theirs))
        return false;
    bool fits =
        is_collapse(op) ? compose(&mine, &theirs, &all) : compose(&theirs, &mine, &all);
    ir_type type = op->results[0].type, from = ir_op_operand(inner, 0)->type;
    if (!fits || (from->kind == IR_TYPE_MEMREF && (from->encoding || type->encoding)))
        return false;
    ir_op *made = rw_copy(rw, op);
    ir_op_set_operand(made, 0, ir_op_operand(inner, 0));
    ir_op_set_attr(made, "reassociation", reassociation(op->ctx, &all));
    rw_replace1(rw, op, &made->results[0]);
    return true;
}

/* Cancels inverse reshapes with the same reassociation. */
static bool undo(ir_op *op, rw_rewriter *rw)
{
    ir_value *source = ir_op_operand(op, 0);
    ir_op *inner = ir_value_def(source);
    if (source->type == op->results[0].type && is_collapse(op) &&
        shape_dynamic_dims(source->type) == 0) {
        rw_replace1(rw, op, source);
        return true;
    }
    if (!ir_op_is(inner, opposite(op->def)) ||
        ir_op_operand(inner, 0)->type != op->results[0].type ||
        ir_op_attr(inner, "reassociation") != ir_op_attr(op, "reassociation"))
        return false;
    /* dynamic sizes that a collapse multiplied need not split the same way */
    if (!is_collapse(op) && shape_dynamic_dims(op->results[0].type))
        return false;
    rw_replace1(rw, op, ir_op_operand(inner, 0));
    return true;
}

/* Reshapes a splat constant. */
static bool reshape_splat(ir_op *op, rw_rewriter *rw)
{
    ir_op *splat = ir_value_def(ir_op_operand(op, 0));
    if (!ir_op_is(splat, TENSOR_OP(splat)) || splat->n_operands != 1 ||
        shape_dynamic_dims(op->results[0].type))
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, splat->def, op->results[0].type,
                          IR_VALUES(ir_op_operand(splat, 0)), NULL, 0));
    return true;
}

static const rw_pattern patterns[] = {
    {TENSOR_OP(collapse_shape), undo, "tensor.FoldInverseReshape"},
    {TENSOR_OP(collapse_shape), merge_two, "tensor.ComposeReassociativeReshapeOps"},
    {TENSOR_OP(collapse_shape), reshape_splat, "tensor.FoldReshapeWithSplat"},
    {TENSOR_OP(expand_shape), undo, "tensor.FoldInverseReshape"},
    {TENSOR_OP(expand_shape), merge_two, "tensor.ComposeReassociativeReshapeOps"},
    {TENSOR_OP(expand_shape), reshape_splat, "tensor.FoldReshapeWithSplat"},
    {MEMREF_OP(collapse_shape), undo, "memref.FoldInverseReshape"},
    {MEMREF_OP(collapse_shape), merge_two, "memref.ComposeReassociativeReshapeOps"},
    {MEMREF_OP(expand_shape), undo, "memref.FoldInverseReshape"},
    {MEMREF_OP(expand_shape), merge_two, "memref.ComposeReassociativeReshapeOps"},
};

const rw_pattern_table canonicalize_reshape = {patterns, TW_COUNT(patterns)};
