/* canonicalize.c: canonical forms of tensor operations: known sizes move into types, casts
 * that only drop them move after their users. */
#include "ir/rewrite/effects.h"
#include "mlir/passes/canonical.h"
#include "mlir/shared/mixed_list.h"
#include "mlir/tensor/casts.h"
#include "mlir/tensor/tensor.h"

#include <stdlib.h>

static ir_op *defined_by(const ir_value *v, const ir_op_def *def)
{
    ir_op *producer = ir_value_def(v);
    return ir_op_is(producer, def) ? producer : NULL;
}

/* ---- building ----------------------------------------------------------------------- */

/* Moves known sizes into the type: tensor.empty(%c4) : tensor<?xf32> is a cast of
 * tensor.empty() : tensor<4xf32>.  Also tensor.generate and tensor.splat. */
static bool fold_known_sizes(ir_op *op, rw_rewriter *rw)
{
    ir_op *made = mixed_fold_sizes(rw, op, op->def == TENSOR_OP(splat));
    if (made)
        rw_replace1(rw, op, tensor_cast_to(rw, &made->results[0], op->results[0].type));
    return made != NULL;
}

/* ---- casts -------------------------------------------------------------------------- */

/* A size merged from two types; -2 if they disagree. */
static int64_t joined(int64_t a, int64_t b)
{
    return a == IR_DYNAMIC ? b : b == IR_DYNAMIC || a == b ? a : -2;
}

/* Skips the intermediate type of two casts if it adds no static size. */
static bool chained_cast(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = defined_by(ir_op_operand(op, 0), op->def);
    if (!inner)
        return false;
    ir_type from = ir_op_operand(inner, 0)->type, between = inner->results[0].type;
    ir_type to = op->results[0].type;
    bool ranked = ir_type_is_ranked(between);
    if (ranked && (!ir_type_is_ranked(from) || !ir_type_is_ranked(to)))
        return false;
    for (uint32_t i = 0; ranked && i < between->count; i++) {
        int64_t without = joined(from->dims[i], to->dims[i]);
        int64_t with = joined(joined(from->dims[i], between->dims[i]), to->dims[i]);
        if (with == -2 || with != without)
            return false;
    }
    rw_replace1(
        rw, op,
        ir_build1(&rw->b, op->def, to, IR_VALUES(ir_op_operand(inner, 0)), NULL, 0));
    return true;
}

/* A cast of tensor.empty that adds static sizes: creates it with these. */
static bool cast_of_empty(ir_op *op, rw_rewriter *rw)
{
    ir_op *empty = defined_by(ir_op_operand(op, 0), TENSOR_OP(empty));
    ir_type to = op->results[0].type;
    if (!empty || !ir_type_is_ranked(to))
        return false;
    ir_type from = empty->results[0].type;
    ir_value *sizes[SHAPE_MAX_RANK];
    uint32_t next = 0, kept = 0;
    if (from->count > SHAPE_MAX_RANK)
        return false;
    for (uint32_t i = 0; i < from->count; i++) {
        if (from->dims[i] != IR_DYNAMIC) {
            if (to->dims[i] == IR_DYNAMIC)
                return false;
            continue;
        }
        ir_value *size = ir_op_operand(empty, next++);
        ir_attr value = rw_constant(size);
        if (to->dims[i] == IR_DYNAMIC)
            sizes[kept++] = size;
        else if (ir_attr_is(value, IR_ATTR_INTEGER) && value->value != to->dims[i])
            return false;
    }
    rw_replace1(rw, op, ir_build1(&rw->b, empty->def, to, sizes, kept, NULL, 0));
    return true;
}

static bool extract_of_cast(ir_op *op, rw_rewriter *rw)
{
    ir_op *cast = defined_by(ir_op_operand(op, 0), TENSOR_OP(cast));
    if (!cast || !ir_type_is_ranked(ir_op_operand(cast, 0)->type))
        return false;
    ir_op_set_operand(op, 0, ir_op_operand(cast, 0));
    rw_modified(rw, op);
    return true;
}

/* ---- elements ----------------------------------------------------------------------- */

/* An element of tensor.generate is its body's value at the index. */
static bool extract_of_generate(ir_op *op, rw_rewriter *rw)
{
    ir_op *generate = defined_by(ir_op_operand(op, 0), TENSOR_OP(generate));
    ir_block *body = generate ? ir_op_body(generate, 0) : NULL;
    if (!body || body->next || body->n_args != op->n_operands - 1)
        return false;
    for (const ir_op *o = body->first; o != body->last; o = o->next)
        if (o->n_regions || !rw_would_be_dead(o))
            return false;
    ir_mapping *map = ir_mapping_create();
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_mapping_set(map, body->args[i], ir_op_operand(op, i + 1));
    for (ir_op *o = body->first; o != body->last; o = o->next) {
        ir_op *made = ir_op_clone(o, map);
        ir_op_insert_before(made, op);
        for (uint32_t i = 0; i < o->n_results; i++)
            ir_mapping_set(map, &o->results[i], &made->results[i]);
        rw_modified(rw, made);
    }
    ir_value *yielded = ir_op_operand(body->last, 0);
    ir_value *value = ir_mapping_get(map, yielded);
    ir_mapping_free(map);
    rw_replace1(rw, op, value ? value : yielded);
    return true;
}

/* ---- slices ------------------------------------------------------------------------- */

/* The type of a slice with the given sizes and the rank of `like`. */
static ir_type sliced_type(ir_type like, const mixed_part *s)
{
    int64_t dims[SHAPE_MAX_RANK];
    uint32_t k = 0;
    if (like->count > s->sizes.n)
        return NULL;
    for (int64_t i = 0; i < s->sizes.n; i++) {
        bool stays = k < like->count && (like->count - k == s->sizes.n - i ||
                                         s->sizes.number[i] != 1 || like->dims[k] == 1);
        if (stays)
            dims[k++] = s->sizes.number[i];
        else if (s->sizes.number[i] != 1)
            return NULL;
    }
    return k == like->count ? ir_type_with_shape(like, dims, k) : NULL;
}

static bool slice_with_known_sizes(ir_op *op, rw_rewriter *rw)
{
    mixed_part s;
    ir_type old = op->results[0].type;
    if (!mixed_part_read(op, &s) || !mixed_part_fold(&s))
        return false;
    ir_type type = sliced_type(old, &s);
    if (!type)
        return false;
    ir_op *made = rw_copy(rw, op);
    mixed_part_write(made, &s);
    made->results[0].type = type;
    rw_replace1(rw, op, tensor_cast_to(rw, &made->results[0], old));
    return true;
}

static bool slice_of_cast(ir_op *op, rw_rewriter *rw)
{
    ir_value *from = tensor_before_cast(ir_op_operand(op, 0));
    if (!from)
        return false;
    ir_op_set_operand(op, 0, from);
    rw_modified(rw, op);
    return true;
}

/* The inserted tensor has the operation's static sizes. */
static bool insert_with_known_sizes(ir_op *op, rw_rewriter *rw)
{
    mixed_part s;
    ir_value *source = ir_op_operand(op, 0);
    bool in_parallel = op->def == TENSOR_OP(parallel_insert_slice);
    if (!mixed_part_read(op, &s) || !mixed_part_fold(&s))
        return false;
    ir_type type = sliced_type(source->type, &s);
    if (!type)
        return false;
    ir_builder b = rw->b;
    if (in_parallel) /* no casts allowed inside in_parallel */
        rw->b = ir_builder_before(ir_op_parent(op)), rw->b.created = b.created,
        rw->b.user = b.user;
    ir_value *put = tensor_cast_to(rw, source, type);
    rw->b = b;
    ir_op_set_operand(op, 0, put);
    mixed_part_write(op, &s);
    rw_modified(rw, op);
    return true;
}

static bool insert_of_cast(ir_op *op, rw_rewriter *rw)
{
    mixed_part s;
    ir_value *source = tensor_before_cast(ir_op_operand(op, 0));
    ir_value *into = tensor_before_cast(ir_op_operand(op, 1));
    if ((!source && !into) || !mixed_part_read(op, &s))
        return false;
    if (source) { /* its static sizes must still match */
        ir_type type = sliced_type(source->type, &s);
        if (!type)
            return false;
        for (uint32_t i = 0; i < type->count; i++)
            if (type->dims[i] != source->type->dims[i])
                source = NULL, i = type->count;
    }
    if (source) {
        ir_op_set_operand(op, 0, source);
        rw_modified(rw, op);
        return true;
    }
    if (!into || op->n_results != 1)
        return false;
    ir_op *made = rw_copy(rw, op);
    ir_op_set_operand(made, 1, into);
    made->results[0].type = into->type;
    rw_replace1(rw, op, tensor_cast_to(rw, &made->results[0], op->results[0].type));
    return true;
}

/* ---- tensor.pad --------------------------------------------------------------------- */

/* The result type implied by padding and source; NULL if it adds no static size. */
static ir_type padded_type(ir_type from, ir_type old, const mixed_list *low,
                           const mixed_list *high)
{
    int64_t dims[SHAPE_MAX_RANK];
    bool more = false;
    if (from->count != old->count || low->n != from->count || high->n != from->count)
        return NULL;
    for (uint32_t i = 0; i < from->count; i++) {
        int64_t l = low->number[i], h = high->number[i], sum;
        dims[i] = old->dims[i];
        if (dims[i] == IR_DYNAMIC && from->dims[i] != IR_DYNAMIC && l != IR_DYNAMIC &&
            h != IR_DYNAMIC && !__builtin_add_overflow(from->dims[i], l, &sum) &&
            !__builtin_add_overflow(sum, h, &sum)) {
            dims[i] = sum;
            more = true;
        }
    }
    return more ? ir_type_with_shape(old, dims, old->count) : NULL;
}

static bool simplify_pad(ir_op *op, rw_rewriter *rw)
{
    mixed_list low, high;
    ir_value *source = ir_op_operand(op, 0), *from = tensor_before_cast(source);
    ir_type old = op->results[0].type;
    if (!mixed_read(op, "low", "static_low", &low) ||
        !mixed_read(op, "high", "static_high", &high))
        return false;
    bool known = mixed_fold(&low, false);
    known |= mixed_fold(&high, false);
    source = from ? from : source;
    ir_type type = padded_type(source->type, old, &low, &high);
    if (!known && !from && !type)
        return false;
    ir_op *made = rw_copy(rw, op);
    ir_op_set_operand(made, 0, source);
    mixed_write(made, "low", "static_low", &low);
    mixed_write(made, "high", "static_high", &high);
    if (type)
        made->results[0].type = type;
    rw_replace1(rw, op, tensor_cast_to(rw, &made->results[0], old));
    return true;
}

static const rw_pattern patterns[] = {
    {TENSOR_OP(cast), chained_cast, "tensor.ChainedTensorCast"},
    {TENSOR_OP(cast), cast_of_empty, "tensor.FoldEmptyTensorWithCastOp"},
    {TENSOR_OP(empty), fold_known_sizes, "tensor.ReplaceEmptyTensorStaticShapeDims"},
    {TENSOR_OP(extract), extract_of_cast, "tensor.ExtractFromTensorCast"},
    {TENSOR_OP(extract), extract_of_generate, "tensor.ExtractFromTensorGenerate"},
    {TENSOR_OP(extract_slice), slice_with_known_sizes, "tensor.ExtractSliceConstants"},
    {TENSOR_OP(extract_slice), slice_of_cast, "tensor.ExtractSliceOpCastFolder"},
    {TENSOR_OP(generate), fold_known_sizes, "tensor.StaticTensorGenerate"},
    {TENSOR_OP(insert_slice), insert_with_known_sizes, "tensor.InsertSliceConstants"},
    {TENSOR_OP(insert_slice), insert_of_cast, "tensor.InsertSliceOpCastFolder"},
    {TENSOR_OP(parallel_insert_slice), insert_with_known_sizes,
     "tensor.ParallelInsertSliceConstants"},
    {TENSOR_OP(parallel_insert_slice), insert_of_cast,
     "tensor.ParallelInsertSliceOpCastFolder"},
    {TENSOR_OP(pad), simplify_pad, "tensor.SimplifyPad"},
    {TENSOR_OP(splat), fold_known_sizes, "tensor.ReplaceSplatStaticShapeDims"},
};

const rw_pattern_table canonicalize_tensor = {patterns, TW_COUNT(patterns)};
