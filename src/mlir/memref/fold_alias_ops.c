/* fold_alias_ops.c: fold-memref-alias-ops: loads and stores through subviews and reshapes
 * access the memref behind them. */
#include "ir/affine.h"
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/shared/mixed_list.h"

typedef struct access {
    ir_op *op;
    size_t memref; /* the operand's index; indices follow */
    uint32_t rank;
    ir_value *index[SHAPE_MAX_RANK];
} access;

static bool is_access(const ir_op *op)
{
    return op->def == MEMREF_OP(load) || op->def == MEMREF_OP(store);
}

static bool read_access(ir_op *op, access *out)
{
    out->op = op;
    out->memref = op->def == MEMREF_OP(store);
    out->rank = ir_op_operand(op, out->memref)->type->count;
    if (out->rank > SHAPE_MAX_RANK || op->n_operands != out->memref + 1 + out->rank)
        return false;
    for (uint32_t i = 0; i < out->rank; i++)
        out->index[i] = ir_op_operand(op, out->memref + 1 + i);
    return true;
}

/* ---- positions in the source --------------------------------------------------------- */

static ir_affine times(ir_context *ctx, ir_affine x, int64_t n)
{
    return ir_affine_binary(ctx, IR_AFFINE_MUL, x, ir_affine_constant(ctx, n));
}

static ir_affine plus(ir_context *ctx, ir_affine x, ir_affine y)
{
    return ir_affine_binary(ctx, IR_AFFINE_ADD, x, y);
}

/* offset + index * stride for each dimension; dropped dimensions have index 0. */
static bool through_subview(ir_builder *b, ir_op *view, const access *a, access *out)
{
    mixed_part part;
    ir_type source = ir_op_operand(view, 0)->type, part_type = view->results[0].type;
    if (!mixed_part_read(view, &part) || part.offsets.n != source->count)
        return false;
    out->rank = source->count;
    uint32_t at = 0;
    for (uint32_t i = 0; i < source->count; i++) {
        bool dropped = part_type->count != source->count && part.sizes.number[i] == 1 &&
                       (at >= a->rank || part_type->dims[at] != 1 ||
                        source->count - i > part_type->count - at);
        ir_value *values[3];
        uint32_t n = 0;
        ir_affine e = ir_affine_constant(b->ctx, 0), offset, stride;
        if (part.offsets.number[i] == IR_DYNAMIC) {
            offset = ir_affine_symbol(b->ctx, n);
            values[n++] = part.offsets.value[i];
        } else
            offset = ir_affine_constant(b->ctx, part.offsets.number[i]);
        if (!dropped) {
            if (at >= a->rank)
                return false;
            e = ir_affine_symbol(b->ctx, n);
            values[n++] = a->index[at++];
            if (part.strides.number[i] == IR_DYNAMIC) {
                stride = ir_affine_symbol(b->ctx, n);
                values[n++] = part.strides.value[i];
            } else
                stride = ir_affine_constant(b->ctx, part.strides.number[i]);
            e = ir_affine_binary(b->ctx, IR_AFFINE_MUL, e, stride);
        }
        out->index[i] = loop_affine_folded(b, plus(b->ctx, offset, e), values, n);
    }
    return at == a->rank;
}

/* From one index over a group of dimensions to one for each of them (`split`), or back. */
static bool through_reshape(ir_builder *b, ir_op *view, const access *a, access *out)
{
    ir_attr groups = ir_op_attr(view, "reassociation");
    bool split = view->def == MEMREF_OP(collapse_shape);
    ir_type source = ir_op_operand(view, 0)->type;
    ir_type fine = split ? source : view->results[0].type;
    if (!ir_type_has_static_shape(fine) || source->count > SHAPE_MAX_RANK ||
        (split ? groups->count != a->rank : groups->count != source->count))
        return false;
    out->rank = source->count;
    for (uint32_t g = 0; g < groups->count; g++) {
        ir_attr group = groups->items[g];
        ir_affine sum = ir_affine_constant(b->ctx, 0);
        int64_t stride = 1;
        for (uint32_t i = group->count; i-- > 0;) {
            int64_t dim = group->items[i]->value;
            if (dim < 0 || dim >= fine->count || (!split && dim >= a->rank))
                return false;
            if (split) {
                ir_affine e = ir_affine_symbol(b->ctx, 0);
                if (stride != 1)
                    e = ir_affine_binary(b->ctx, IR_AFFINE_FLOORDIV, e,
                                         ir_affine_constant(b->ctx, stride));
                if (i)
                    e = ir_affine_binary(b->ctx, IR_AFFINE_MOD, e,
                                         ir_affine_constant(b->ctx, fine->dims[dim]));
                out->index[dim] = loop_affine_folded(b, e, &a->index[g], 1);
            } else
                sum =
                    plus(b->ctx, sum, times(b->ctx, ir_affine_symbol(b->ctx, dim), stride));
            stride *= fine->dims[dim] > 0 ? fine->dims[dim] : 1;
        }
        if (!split)
            out->index[g] = loop_affine_folded(b, sum, a->index, a->rank);
    }
    return true;
}

/* ---- the pass ------------------------------------------------------------------------ */

static ir_op *rewrite(ir_builder *b, const access *a, ir_value *source)
{
    ir_value *operands[SHAPE_MAX_RANK + 2];
    ir_op *op = a->op;
    size_t n = 0;
    if (a->memref)
        operands[n++] = ir_op_operand(op, 0);
    operands[n++] = source;
    for (uint32_t i = 0; i < a->rank; i++)
        operands[n++] = a->index[i];
    ir_type result = op->n_results ? op->results[0].type : NULL;
    ir_op *access =
        ir_build_op(b, op->def, &result, op->n_results, operands, n, NULL, 0, 0);
    if (op->n_results)
        ir_value_replace_uses(&op->results[0], &access->results[0]);
    ir_op_erase(op);
    return access;
}

/* True if the access went one view back. */
static bool fold(ir_op **op)
{
    size_t at = (*op)->def == MEMREF_OP(store);
    ir_op *view = ir_value_def(ir_op_operand(*op, at));
    if (!view || (view->def != MEMREF_OP(subview) && view->def != MEMREF_OP(expand_shape) &&
                  view->def != MEMREF_OP(collapse_shape)))
        return false;
    ir_builder b = ir_builder_before(*op);
    access a, to;
    if (!read_access(*op, &a))
        return false;
    to = a;
    if (!(view->def == MEMREF_OP(subview) ? through_subview(&b, view, &a, &to)
                                          : through_reshape(&b, view, &a, &to)))
        return false;
    *op = rewrite(&b, &to, ir_op_operand(view, 0));
    if (ir_op_is_unused(view))
        ir_op_erase(view);
    return true;
}

static bool run(ir_op *root, pass_run *run)
{
    (void)run;
    ir_op_list ops = ir_ops_in(root, is_access);
    for (size_t i = 0; i < ops.n; i++) {
        ir_op *op = ops.at[i];
        while (fold(&op))
            ;
    }
    ir_op_list_free(&ops);
    return true;
}

const pass_def fold_memref_alias_ops_pass = {
    .name = "fold-memref-alias-ops",
    .title = "FoldMemRefAliasOpsPass",
    .summary = "Fold memref alias ops into consumer load/store ops",
    .run = run,
};
