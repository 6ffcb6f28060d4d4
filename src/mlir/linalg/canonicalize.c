/* canonicalize.c: canonical forms of structured operations: propagates static sizes between
 * operands, moves casts that drop sizes to the results, and removes identity copies and
 * operations on empty memory. */
#include "mlir/bufferization/bufferization.h"
#include "mlir/linalg/linalg.h"
#include "mlir/linalg/linalg_hooks.h"
#include "mlir/passes/canonical.h"
#include "mlir/shared/mixed_list.h"
#include "mlir/tensor/casts.h"
#include "mlir/tensor/tensor.h"

#include <stdlib.h>

static bool is_of(const ir_op *op, const ir_op_def *rows, size_t count)
{
    return op->def >= rows && op->def < rows + count;
}

static bool is_structured(const ir_op *op)
{
    return op && is_of(op, linalg_ops, LINALG_OP_COUNT) &&
           ir_def_has_interface(op->def, "LinalgOp");
}

/* The outputs (destination operands).  In linalg they are the second group. */
static bool inits_of(const ir_op *op, size_t *first, size_t *count)
{
    if (is_of(op, linalg_ops, LINALG_OP_COUNT))
        return op->def->operands.count > 1 && ir_op_operand_group(op, 1, first, count) &&
               ir_def_has_interface(op->def, "DestinationStyleOpInterface");
    if (op->def != TENSOR_OP(insert) && op->def != TENSOR_OP(insert_slice) &&
        op->def != BUFFERIZATION_OP(materialize_in_destination))
        return false;
    return ir_op_operand_group(op, ir_op_operand_index(op->def, "dest"), first, count);
}

static bool all_are(const ir_op *op, ir_type_kind kind)
{
    size_t first, count;
    if (!inits_of(op, &first, &count))
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = ir_op_operand(op, i)->type;
        bool scalar = i < first && t->kind != IR_TYPE_MEMREF && t->kind != IR_TYPE_TENSOR;
        if (!scalar && (t->kind != kind || !ir_type_is_ranked(t)))
            return false;
    }
    return true;
}

/* Replaces the results of `op` by those of `made`, cast to its types. */
static void replace_by(rw_rewriter *rw, ir_op *op, ir_op *made)
{
    ir_value **values = tw_xmalloc((op->n_results + 1) * sizeof *values);
    for (uint32_t i = 0; i < op->n_results; i++)
        values[i] = tensor_cast_to(rw, &made->results[i], op->results[i].type);
    rw_replace(rw, op, values, op->n_results);
    free(values);
}

/* Sets the result types to those of the destination tensors. */
static void type_results(ir_op *op)
{
    size_t first, count;
    uint32_t r = 0;
    if (!inits_of(op, &first, &count))
        return;
    for (size_t i = 0; i < count && r < op->n_results; i++)
        if (ir_op_operand(op, first + i)->type->kind != IR_TYPE_MEMREF)
            op->results[r++].type = ir_op_operand(op, first + i)->type;
}

/* ---- all structured operations ------------------------------------------------------ */

/* Erases an operation on memory without elements. */
static bool drop_empty(ir_op *op, rw_rewriter *rw)
{
    if (!is_structured(op) || op->n_results)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = ir_op_operand(op, i)->type;
        for (uint32_t d = 0; t->kind == IR_TYPE_MEMREF && d < t->count; d++)
            if (t->dims[d] == 0) {
                rw_erase(rw, op);
                return true;
            }
    }
    return false;
}

static bool is_projected_permutation(ir_affine_map map)
{
    for (uint32_t i = 0; i < map->n_results; i++) {
        if (map->results[i]->kind != IR_AFFINE_DIM)
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (map->results[k] == map->results[i])
                return false;
    }
    return map->n_symbols == 0;
}

/* The loops' lengths implied by the operands' types; IR_DYNAMIC where unknown. */
static void read_lengths(const ir_op *op, ir_attr maps, int64_t *lengths)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = ir_op_operand(op, i)->type;
        ir_affine_map map = maps->items[i]->map;
        for (uint32_t d = 0; t->kind == IR_TYPE_TENSOR && d < t->count; d++) {
            int64_t *length = &lengths[map->results[d]->value];
            if (*length == IR_DYNAMIC)
                *length = t->dims[d];
        }
    }
}

static ir_type with_lengths(ir_type t, ir_affine_map map, const int64_t *lengths)
{
    int64_t dims[SHAPE_MAX_RANK];
    for (uint32_t d = 0; d < t->count; d++)
        dims[d] = t->dims[d] == IR_DYNAMIC ? lengths[map->results[d]->value] : t->dims[d];
    return ir_type_with_shape(t, dims, t->count);
}

static bool maps_fit(const ir_op *op, ir_attr maps, uint32_t n_loops)
{
    if (!maps || maps->count != op->n_operands || n_loops > SHAPE_MAX_RANK)
        return false;
    for (uint32_t i = 0; i < maps->count; i++) {
        ir_type t = ir_op_operand(op, i)->type;
        uint32_t rank = t->kind == IR_TYPE_TENSOR ? t->count : 0;
        if (!is_projected_permutation(maps->items[i]->map) || rank > SHAPE_MAX_RANK ||
            (rank && maps->items[i]->map->n_results != rank))
            return false;
    }
    return true;
}

/* A static size of one operand applies to every dimension indexed by the same loop. */
static bool infer_sizes(ir_op *op, rw_rewriter *rw)
{
    uint32_t n_loops = 0;
    int64_t lengths[SHAPE_MAX_RANK];
    bool changed = false;
    if (!is_structured(op) || !all_are(op, IR_TYPE_TENSOR))
        return false;
    ir_attr maps = linalg_maps_of(op, &n_loops);
    if (!maps_fit(op, maps, n_loops))
        return false;
    for (uint32_t i = 0; i < n_loops; i++)
        lengths[i] = IR_DYNAMIC;
    read_lengths(op, maps, lengths);
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        operands[i] = ir_op_operand(op, i);
        if (operands[i]->type->kind != IR_TYPE_TENSOR)
            continue;
        ir_type type = with_lengths(operands[i]->type, maps->items[i]->map, lengths);
        changed |= type != operands[i]->type;
        operands[i] = tensor_cast_to(rw, operands[i], type);
    }
    if (changed) {
        ir_op *made = rw_copy(rw, op);
        for (uint32_t i = 0; i < op->n_operands; i++)
            ir_op_set_operand(made, i, operands[i]);
        type_results(made);
        replace_by(rw, op, made);
    }
    free(operands);
    return changed;
}

/* A cast of a result that adds static sizes: casts the output operand instead. */
static bool cast_before(ir_op *cast, rw_rewriter *rw)
{
    ir_value *result = ir_op_operand(cast, 0);
    ir_op *op = ir_value_def(result);
    size_t first, count;
    ir_type type = cast->results[0].type;
    if (!is_structured(op) || !tensor_type_refines(type, result->type) ||
        op->block != cast->block || !inits_of(op, &first, &count) || result->index >= count)
        return false;
    ir_builder at = rw->b;
    rw->b = ir_builder_before(op);
    rw->b.created = at.created;
    rw->b.user = at.user;
    size_t init = first + result->index;
    ir_value *into = tensor_cast_to(rw, ir_op_operand(op, init), type);
    ir_op *made = rw_copy(rw, op);
    ir_op_set_operand(made, init, into);
    made->results[result->index].type = type;
    rw_replace1(rw, cast, &made->results[result->index]);
    replace_by(rw, op, made);
    rw->b = at;
    return true;
}

/* Moves casts that drop static sizes from the operands to the results. */
static bool cast_after(ir_op *op, rw_rewriter *rw)
{
    size_t first, count;
    bool any = false;
    for (uint32_t i = 0; i < op->n_operands && !any; i++)
        any = tensor_before_cast(ir_op_operand(op, i)) != NULL;
    if (!any || op->def == TENSOR_OP(insert_slice) || !inits_of(op, &first, &count))
        return false;
    ir_op *made = rw_copy(rw, op);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *from = tensor_before_cast(ir_op_operand(op, i));
        if (from)
            ir_op_set_operand(made, i, from);
    }
    type_results(made);
    replace_by(rw, op, made);
    return true;
}

/* A result has the sizes of its output operand. */
static bool dim_of_init(ir_op *op, rw_rewriter *rw)
{
    ir_value *source = ir_op_operand(op, 0);
    ir_op *producer = ir_value_def(source);
    size_t first, count;
    if (!producer || !inits_of(producer, &first, &count) || source->index >= count)
        return false;
    ir_op_set_operand(op, 0, ir_op_operand(producer, first + source->index));
    rw_modified(rw, op);
    rw_modified(rw, producer); /* it may be unused now */
    return true;
}

/* ---- copies ------------------------------------------------------------------------- */

static bool maps_are_identity(const ir_op *op)
{
    uint32_t n_loops;
    ir_attr maps = linalg_maps_of(op, &n_loops);
    for (uint32_t i = 0; maps && i < maps->count; i++)
        if (!ir_affine_map_is_identity(maps->items[i]->map))
            return false;
    return maps != NULL;
}

static bool is_argument_of(const ir_value *v, const ir_block *block)
{
    return v->is_argument && v->owner == block;
}

/* Erases an operation whose body yields its inputs under identical maps. */
static bool drop_identity(ir_op *op, rw_rewriter *rw)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *yield = body ? body->last : NULL;
    if (!yield || yield != body->first || yield->def != LINALG_OP(yield) ||
        !maps_are_identity(op))
        return false;
    for (uint32_t i = 0; i < yield->n_operands; i++)
        if (!is_argument_of(ir_op_operand(yield, i), body))
            return false;
    if (all_are(op, IR_TYPE_MEMREF)) {
        if (op->n_operands != 2 || ir_op_operand(op, 0) != ir_op_operand(op, 1))
            return false;
        rw_erase(rw, op);
        return true;
    }
    if (!all_are(op, IR_TYPE_TENSOR) || yield->n_operands != op->n_results)
        return false;
    ir_value **values = tw_xmalloc((op->n_results + 1) * sizeof *values);
    bool fits = true;
    for (uint32_t i = 0; i < op->n_results && fits; i++) {
        values[i] = ir_op_operand(op, ir_op_operand(yield, i)->index);
        fits = values[i]->type->kind == IR_TYPE_TENSOR &&
               shape_compatible(values[i]->type, op->results[i].type);
    }
    for (uint32_t i = 0; i < op->n_results && fits; i++)
        values[i] = tensor_cast_to(rw, values[i], op->results[i].type);
    if (fits)
        rw_replace(rw, op, values, op->n_results);
    free(values);
    return fits;
}

static bool copy_onto_itself(ir_op *op, rw_rewriter *rw)
{
    ir_value *from = ir_op_operand(op, 0);
    if (op->n_operands != 2 || from != ir_op_operand(op, 1))
        return false;
    if (op->n_results)
        rw_replace1(rw, op, from);
    else
        rw_erase(rw, op);
    return true;
}

/* ---- transpositions, broadcasts ----------------------------------------------------- */

static bool join_transpositions(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = ir_value_def(ir_op_operand(op, 0));
    int64_t outer_p[SHAPE_MAX_RANK], inner_p[SHAPE_MAX_RANK], both[SHAPE_MAX_RANK];
    if (!ir_op_is(inner, op->def) || op->n_results != 1)
        return false;
    int64_t n = shape_ints(op, "permutation", outer_p);
    if (n < 0 || shape_ints(inner, "permutation", inner_p) != n)
        return false;
    for (int64_t i = 0; i < n; i++)
        both[i] = inner_p[outer_p[i]];
    ir_op *made = rw_copy(rw, op);
    ir_op_set_operand(made, 0, ir_op_operand(inner, 0));
    ir_op_set_attr(made, "permutation", ir_dense_i64_array(op->ctx, both, (size_t)n));
    rw_replace1(rw, op, &made->results[0]);
    return true;
}

/* The permutation of the remaining dimensions, renumbered. */
static int64_t without(const int64_t *perm, int64_t n, const int64_t *gone, int64_t n_gone,
                       int64_t *out)
{
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t before = 0;
        bool stays = true;
        for (int64_t g = 0; g < n_gone; g++) {
            stays &= gone[g] != perm[i];
            before += gone[g] < perm[i];
        }
        if (stays)
            out[k++] = perm[i] - before;
    }
    return k;
}

static ir_value *empty_transposed(rw_rewriter *rw, ir_value *from, const int64_t *perm)
{
    ir_type t = from->type;
    int64_t dims[SHAPE_MAX_RANK];
    ir_value *sizes[SHAPE_MAX_RANK], *ordered[SHAPE_MAX_RANK];
    size_t n = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        ir_value *at = NULL;
        if (t->dims[i] == IR_DYNAMIC) {
            at = mixed_index(rw, i);
            at = ir_build1(&rw->b, TENSOR_OP(dim), at->type, IR_VALUES(from, at), NULL, 0);
        }
        sizes[i] = at;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        dims[i] = t->dims[perm[i]];
        if (sizes[perm[i]])
            ordered[n++] = sizes[perm[i]];
    }
    ir_type type = ir_type_with_shape(t, dims, t->count);
    return ir_build1(&rw->b, TENSOR_OP(empty), type, ordered, n, NULL, 0);
}

/* Transposes the smaller tensor, then broadcasts. */
static bool transpose_before_broadcast(ir_op *op, rw_rewriter *rw)
{
    ir_value *input = ir_op_operand(op, 0);
    ir_op *broadcast = ir_value_def(input);
    int64_t perm[SHAPE_MAX_RANK], added[SHAPE_MAX_RANK], few[SHAPE_MAX_RANK];
    if (!ir_op_is(broadcast, LINALG_OP(broadcast)) || !ir_value_has_one_use(input) ||
        op->n_results != 1)
        return false;
    ir_value *small = ir_op_operand(broadcast, 0);
    int64_t n = shape_ints(op, "permutation", perm);
    int64_t n_added = shape_ints(broadcast, "dimensions", added);
    if (n < 0 || n_added < 0 || small->type->kind != IR_TYPE_TENSOR ||
        without(perm, n, added, n_added, few) != small->type->count)
        return false;
    for (int64_t k = 0; k < n_added; k++)
        for (int64_t i = 0; i < n; i++)
            if (perm[i] == added[k]) {
                added[k] = i;
                break;
            }
    ir_value *into = empty_transposed(rw, small, few);
    ir_op *turned = rw_copy(rw, op), *made = rw_copy(rw, broadcast);
    ir_op_remove(made);
    ir_op_insert_before(made, op);
    ir_op_set_operand(turned, 0, small);
    ir_op_set_operand(turned, 1, into);
    ir_op_set_attr(turned, "permutation",
                   ir_dense_i64_array(op->ctx, few, small->type->count));
    turned->results[0].type = into->type;
    ir_op_set_operand(made, 0, &turned->results[0]);
    ir_op_set_operand(made, 1, ir_op_operand(op, 1));
    ir_op_set_attr(made, "dimensions", ir_dense_i64_array(op->ctx, added, (size_t)n_added));
    made->results[0].type = op->results[0].type;
    made->loc = op->loc;
    rw_replace1(rw, op, &made->results[0]);
    return true;
}

static const rw_pattern patterns[] = {
    {NULL, drop_empty, "linalg.EraseDeadLinalgOp"},
    {TENSOR_OP(cast), cast_before, "linalg.FoldTensorCastConsumerOp"},
    {NULL, infer_sizes, "linalg.InferStaticShapeOfOperands"},
    {NULL, cast_after, "tensor.FoldTensorCastProducerOp"},
    {TENSOR_OP(dim), dim_of_init, "tensor.DimOfDestStyleOp"},
    {LINALG_OP(broadcast), drop_identity, "linalg.EraseIdentityLinalgOp"},
    {LINALG_OP(copy), copy_onto_itself, "linalg.EraseIdentityCopyOp"},
    {LINALG_OP(generic), drop_identity, "linalg.EraseIdentityLinalgOp"},
    {LINALG_OP(transpose), join_transpositions, "linalg.FoldTransposeWithTranspose"},
    {LINALG_OP(transpose), transpose_before_broadcast, "linalg.SwapTransposeWithBroadcast"},
};

const rw_pattern_table canonicalize_linalg = {patterns, TW_COUNT(patterns)};
