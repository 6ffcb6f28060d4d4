/* canonicalize.c: canonical forms of computations and assumptions about shapes: drops
 * duplicate and empty shapes, and assumptions known to hold. */
#include "mlir/arith/arith.h"
#include "mlir/passes/canonical.h"
#include "mlir/shape/shape.h"
#include "mlir/shared/mixed_list.h"
#include "mlir/tensor/tensor.h"

#include <stdlib.h>

/* ---- lists of shapes and witnesses -------------------------------------------------- */

/* Replaces the operands. */
static bool set_operands(ir_op *op, rw_rewriter *rw, ir_value **values, uint32_t n)
{
    ir_op_splice_operands(op, 0, op->n_operands, values, n);
    rw_modified(rw, op);
    free(values);
    return true;
}

static bool drop_duplicates(ir_op *op, rw_rewriter *rw)
{
    ir_value **kept = tw_xmalloc((op->n_operands + 1) * sizeof *kept);
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        uint32_t k = 0;
        while (k < n && kept[k] != ir_op_operand(op, i))
            k++;
        if (k == n)
            kept[n++] = ir_op_operand(op, i);
    }
    if (n < op->n_operands)
        return set_operands(op, rw, kept, n);
    free(kept);
    return false;
}

static bool is_empty(const ir_value *shape)
{
    const ir_op *producer = ir_value_def(shape);
    ir_type t = shape->type;
    if (t->kind == IR_TYPE_TENSOR && ir_type_is_ranked(t) && t->count == 1 &&
        t->dims[0] == 0)
        return true;
    ir_attr list =
        ir_op_is(producer, SHAPE_OP(const_shape)) ? ir_op_attr(producer, "shape") : NULL;
    return ir_attr_is(list, IR_ATTR_DENSE) && ir_type_num_elements(list->type) == 0;
}

/* Drops shapes of rank 0, which broadcast to anything. */
static bool drop_empty(ir_op *op, rw_rewriter *rw)
{
    ir_value **kept = tw_xmalloc((op->n_operands + 1) * sizeof *kept);
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!is_empty(ir_op_operand(op, i)))
            kept[n++] = ir_op_operand(op, i);
    if (n < op->n_operands)
        return set_operands(op, rw, kept, n);
    free(kept);
    return false;
}

/* Skips casts that only drop the rank. */
static bool skip_casts(ir_op *op, rw_rewriter *rw)
{
    bool changed = false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *cast = ir_value_def(ir_op_operand(op, i));
        ir_type t = ir_op_operand(op, i)->type;
        if (!ir_op_is(cast, TENSOR_OP(cast)) || !ir_type_is_ranked(t) || t->count != 1 ||
            t->dims[0] != IR_DYNAMIC)
            continue;
        ir_op_set_operand(op, i, ir_op_operand(cast, 0));
        changed = true;
    }
    if (changed)
        rw_modified(rw, op);
    return changed;
}

/* The broadcast of one shape is that shape. */
static bool forward_single(ir_op *op, rw_rewriter *rw)
{
    ir_value *v = op->n_operands == 1 ? ir_op_operand(op, 0) : NULL;
    ir_type type = op->results[0].type;
    if (!v)
        return false;
    if (v->type != type) {
        const ir_op_def *cast =
            type->kind == IR_TYPE_TENSOR ? TENSOR_OP(cast) : SHAPE_OP(from_extent_tensor);
        if (v->type->kind != IR_TYPE_TENSOR)
            return false;
        v = ir_build1(&rw->b, cast, type, IR_VALUES(v), NULL, 0);
    }
    rw_replace1(rw, op, v);
    return true;
}

/* A broadcast has the rank of the longest shape. */
static bool infer_rank(ir_op *op, rw_rewriter *rw)
{
    ir_type old = op->results[0].type;
    int64_t rank = 0;
    if (!ir_type_is_ranked(old) || old->count != 1 || old->dims[0] != IR_DYNAMIC)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = ir_op_operand(op, i)->type;
        if (!ir_type_is_ranked(t))
            continue;
        if (t->dims[0] == IR_DYNAMIC)
            return false;
        rank = t->dims[0] > rank ? t->dims[0] : rank;
    }
    ir_op *made = rw_copy(rw, op);
    made->results[0].type = ir_type_with_shape(old, &rank, 1);
    rw_replace1(
        rw, op,
        ir_build1(&rw->b, TENSOR_OP(cast), old, IR_VALUES(&made->results[0]), NULL, 0));
    return true;
}

/* cstr_eq and cstr_broadcastable of equal shapes always hold. */
static bool equal_shapes(ir_op *op, rw_rewriter *rw)
{
    for (uint32_t i = 1; i < op->n_operands; i++)
        if (ir_op_operand(op, i) != ir_op_operand(op, 0))
            return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, SHAPE_OP(const_witness), op->results[0].type, NULL, 0,
                          IR_ATTRS({"passing", ir_bool_attr(op->ctx, true)})));
    return true;
}

/* ---- assumptions -------------------------------------------------------------------- */

static bool merge_all(ir_op *op, rw_rewriter *rw)
{
    ir_value **all = NULL;
    size_t n = 0, capacity = 0;
    bool nested = false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *inner = ir_value_def(ir_op_operand(op, i));
        bool is_list = ir_op_is(inner, op->def);
        nested |= is_list;
        for (uint32_t k = 0; is_list && k < inner->n_operands; k++)
            TW_PUSH(all, n, capacity, ir_op_operand(inner, k));
        if (!is_list)
            TW_PUSH(all, n, capacity, ir_op_operand(op, i));
    }
    if (nested)
        return set_operands(op, rw, all, (uint32_t)n);
    free(all);
    return false;
}

static bool all_of_one(ir_op *op, rw_rewriter *rw)
{
    if (op->n_operands != 1)
        return false;
    rw_replace1(rw, op, ir_op_operand(op, 0));
    return true;
}

static bool inline_true_assumption(ir_op *op, rw_rewriter *rw)
{
    ir_op *witness = ir_value_def(ir_op_operand(op, 0));
    if (!ir_op_is(witness, SHAPE_OP(const_witness)) || !ir_op_bool(witness, "passing"))
        return false;
    rw_replace_by_block(rw, op, ir_op_body(op, 0));
    return true;
}

/* Drops unused results. */
static bool drop_unused_results(ir_op *op, rw_rewriter *rw)
{
    uint32_t n = 0, k = 0;
    for (uint32_t i = 0; i < op->n_results; i++)
        n += op->results[i].uses != NULL;
    if (n == op->n_results)
        return false;
    ir_op *yield = ir_op_body(op, 0)->last;
    ir_value **kept = tw_xmalloc((n + 1) * sizeof *kept);
    ir_value **results = tw_xmalloc((op->n_results + 1) * sizeof *results);
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    for (uint32_t i = 0; i < op->n_results; i++)
        if (op->results[i].uses) {
            types[k] = op->results[i].type;
            kept[k++] = ir_op_operand(yield, i);
        }
    ir_op *made =
        ir_build(&rw->b, &(ir_op_state){.def = op->def,
                                        .loc = op->loc,
                                        .operands = IR_VALUES(ir_op_operand(op, 0)),
                                        .results = types,
                                        .n_results = n,
                                        .n_regions = 1});
    ir_op_splice_operands(yield, 0, yield->n_operands, kept, n);
    ir_region_take(&made->regions[0], &op->regions[0]);
    k = 0;
    for (uint32_t i = 0; i < op->n_results; i++)
        results[i] = op->results[i].uses ? &made->results[k++] : &op->results[i];
    rw_modified(rw, made);
    rw_replace(rw, op, results, op->n_results);
    free(kept);
    free(results);
    free(types);
    return true;
}

/* ---- sizes -------------------------------------------------------------------------- */

/* Cancels index_to_size of size_to_index and the reverse. */
static bool cancel_inverse(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = ir_value_def(ir_op_operand(op, 0));
    const ir_op_def *other = op->def == SHAPE_OP(size_to_index) ? SHAPE_OP(index_to_size)
                                                                : SHAPE_OP(size_to_index);
    if (!ir_op_is(inner, other) || ir_op_operand(inner, 0)->type != op->results[0].type)
        return false;
    rw_replace1(rw, op, ir_op_operand(inner, 0));
    return true;
}

static bool rank_of_shape(ir_op *op, rw_rewriter *rw)
{
    ir_op *shape = ir_value_def(ir_op_operand(op, 0));
    ir_type type = op->results[0].type;
    ir_type of = ir_op_is(shape, SHAPE_OP(shape_of)) ? ir_op_operand(shape, 0)->type : NULL;
    if (!of || !ir_type_is_ranked(of))
        return false;
    const ir_op_def *def =
        type->kind == IR_TYPE_INDEX ? ARITH_OP(constant) : SHAPE_OP(const_size);
    ir_attr rank = ir_index_attr(op->ctx, of->count);
    rw_replace1(rw, op, ir_build1(&rw->b, def, type, NULL, 0, IR_ATTRS({"value", rank})));
    return true;
}

/* An element of a tensor's shape is tensor.dim. */
static bool extract_of_shape(ir_op *op, rw_rewriter *rw)
{
    ir_op *shape = ir_value_def(ir_op_operand(op, 0));
    if (!ir_op_is(shape, SHAPE_OP(shape_of)) || op->n_operands != 2 ||
        ir_op_operand(shape, 0)->type->kind != IR_TYPE_TENSOR)
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, TENSOR_OP(dim), op->results[0].type,
                          IR_VALUES(ir_op_operand(shape, 0), ir_op_operand(op, 1)), NULL,
                          0));
    return true;
}

static const rw_pattern patterns[] = {
    {SHAPE_OP(assuming), inline_true_assumption, "shape.AssumingWithTrue"},
    {SHAPE_OP(assuming), drop_unused_results, "shape.AssumingOpRemoveUnusedResults"},
    {SHAPE_OP(assuming_all), merge_all, "shape.MergeAssumingAllOps"},
    {SHAPE_OP(assuming_all), all_of_one, "shape.AssumingAllOneOp"},
    {SHAPE_OP(assuming_all), drop_duplicates, "shape.RemoveDuplicateOperandsPattern"},
    {SHAPE_OP(broadcast), infer_rank, "shape.BroadcastConcretizeResultTypePattern"},
    {SHAPE_OP(broadcast), forward_single, "shape.BroadcastForwardSingleOperandPattern"},
    {SHAPE_OP(broadcast), skip_casts, "shape.CanonicalizeCastExtentTensorOperandsPattern"},
    {SHAPE_OP(broadcast), drop_duplicates, "shape.RemoveDuplicateOperandsPattern"},
    {SHAPE_OP(broadcast), drop_empty, "shape.RemoveEmptyShapeOperandsPattern"},
    {SHAPE_OP(cstr_broadcastable), skip_casts,
     "shape.CanonicalizeCastExtentTensorOperandsPattern"},
    {SHAPE_OP(cstr_broadcastable), equal_shapes, "shape.CstrBroadcastableEqOps"},
    {SHAPE_OP(cstr_broadcastable), drop_duplicates, "shape.RemoveDuplicateOperandsPattern"},
    {SHAPE_OP(cstr_broadcastable), drop_empty, "shape.RemoveEmptyShapeOperandsPattern"},
    {SHAPE_OP(cstr_eq), equal_shapes, "shape.CstrEqEqOps"},
    {SHAPE_OP(index_to_size), cancel_inverse, "shape.SizeToIndexToSizeCanonicalization"},
    {SHAPE_OP(rank), rank_of_shape, "shape.RankShapeOfCanonicalizationPattern"},
    {SHAPE_OP(size_to_index), cancel_inverse, "shape.IndexToSizeToIndexCanonicalization"},
    {TENSOR_OP(extract), extract_of_shape, "shape.ExtractFromShapeOfExtentTensor"},
};

const rw_pattern_table canonicalize_shape = {patterns, TW_COUNT(patterns)};
