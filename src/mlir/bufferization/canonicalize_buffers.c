/* canonicalize_buffers.c: canonical forms between tensors and memrefs: cancels round trips
 * and redundant clones. */
#include "ir/rewrite/effects.h"
#include "mlir/bufferization/bufferization.h"
#include "mlir/memref/memref.h"
#include "mlir/memref/memref_layout.h"
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

static ir_value *memref_as(rw_rewriter *rw, ir_value *v, ir_type type)
{
    return v->type == type
               ? v
               : ir_build1(&rw->b, MEMREF_OP(cast), type, IR_VALUES(v), NULL, 0);
}

/* ---- alloc_tensor ------------------------------------------------------------------- */

/* Moves known sizes into the type. */
static bool fold_known_sizes(ir_op *op, rw_rewriter *rw)
{
    ir_op *made = ir_op_operand_named(op, "copy") ? NULL : mixed_fold_sizes(rw, op, 0);
    if (made)
        rw_replace1(rw, op, tensor_cast_to(rw, &made->results[0], op->results[0].type));
    return made != NULL;
}

/* The size of a new tensor is its operand, or that of its copy's source; the size of a
 * to_tensor is the memref's. */
static bool dim_of_tensor(ir_op *op, rw_rewriter *rw)
{
    ir_value *source = ir_op_operand(op, 0);
    ir_op *alloc = defined_by(source, BUFFERIZATION_OP(alloc_tensor));
    ir_op *to_tensor = defined_by(source, BUFFERIZATION_OP(to_tensor));
    ir_attr at = rw_constant(ir_op_operand(op, 1));
    ir_type t = source->type;
    size_t first, count, before = 0;
    if (to_tensor) {
        rw_replace1(rw, op,
                    ir_build1(&rw->b, MEMREF_OP(dim), op->results[0].type,
                              IR_VALUES(ir_op_operand(to_tensor, 0), ir_op_operand(op, 1)),
                              NULL, 0));
        return true;
    }
    if (!alloc || !ir_attr_is(at, IR_ATTR_INTEGER) || !ir_type_is_ranked(t) ||
        at->value < 0 || at->value >= t->count || t->dims[at->value] != IR_DYNAMIC)
        return false;
    ir_value *copied = ir_op_operand_named(alloc, "copy");
    if (copied) {
        ir_op_set_operand(op, 0, copied);
        rw_modified(rw, op);
        rw_modified(rw, alloc);
        return true;
    }
    for (int64_t i = 0; i < at->value; i++)
        before += t->dims[i] == IR_DYNAMIC;
    if (!ir_op_operand_group(alloc, 0, &first, &count) || before >= count)
        return false;
    rw_replace1(rw, op, ir_op_operand(alloc, first + before));
    return true;
}

/* ---- clone -------------------------------------------------------------------------- */

/* The deallocation of a value; false if there are several. */
static bool find_dealloc(const ir_value *v, ir_op **out)
{
    ir_op *found = NULL;
    for (const ir_operand *use = v->uses; use; use = use->next_use) {
        if (use->owner->def != MEMREF_OP(dealloc))
            continue;
        if (found)
            return false;
        found = use->owner;
    }
    *out = found;
    return true;
}

/* The memref that views are taken of. */
static ir_value *viewed(ir_value *v)
{
    static const ir_op_def *const views[] = {
        MEMREF_OP(cast),         MEMREF_OP(subview),           MEMREF_OP(view),
        MEMREF_OP(expand_shape), MEMREF_OP(collapse_shape),    MEMREF_OP(reinterpret_cast),
        MEMREF_OP(reshape),      MEMREF_OP(memory_space_cast), MEMREF_OP(transpose),
    };
    for (;;) {
        const ir_op *producer = ir_value_def(v);
        size_t i = 0;
        while (producer && i < TW_COUNT(views) && views[i] != producer->def)
            i++;
        if (!producer || i == TW_COUNT(views))
            return v;
        v = ir_op_operand(producer, 0);
    }
}

static bool frees_before(const ir_op *from, const ir_op *to)
{
    for (const ir_op *op = from->next; op != to; op = op->next)
        if (!op || op->def == MEMREF_OP(dealloc) || op->def == MEMREF_OP(realloc) ||
            op->def == BUFFERIZATION_OP(dealloc))
            return true;
    return false;
}

/* Drops a clone if it or its source is freed in the block. */
static bool drop_clone(ir_op *op, rw_rewriter *rw)
{
    ir_value *source = ir_op_operand(op, 0), *clone = &op->results[0];
    ir_op *of_clone = NULL, *of_source = NULL, *redundant = NULL;
    if (!clone->uses) {
        rw_erase(rw, op);
        return true;
    }
    if (source->type != clone->type &&
        (source->type->kind != IR_TYPE_MEMREF || clone->type->kind != IR_TYPE_MEMREF ||
         source->type->space != clone->type->space))
        return false;
    if (!find_dealloc(clone, &of_clone) || !find_dealloc(viewed(source), &of_source) ||
        (of_clone && of_source && of_clone->block == of_source->block))
        return false;
    if (of_clone && of_clone->block == op->block)
        redundant = of_clone;
    else if (of_source && of_source->block == op->block)
        redundant = of_source;
    if (!redundant || frees_before(op, redundant))
        return false;
    rw_replace1(rw, op, memref_as(rw, source, clone->type));
    rw_erase(rw, redundant);
    return true;
}

/* ---- to_buffer ---------------------------------------------------------------------- */

/* True if the static offset and strides of `to` are static in `from`: the cast cannot
 * fail. */
static bool steps_are_known(ir_type from, ir_type to)
{
    memref_steps a, b;
    if (!memref_steps_of(from, &a) || !memref_steps_of(to, &b) ||
        (a.offset != b.offset && b.offset != IR_DYNAMIC))
        return false;
    for (uint32_t i = 0; i < from->count; i++)
        if (a.stride[i] != b.stride[i] && b.stride[i] != IR_DYNAMIC)
            return false;
    return true;
}

static ir_value *copy_as(rw_rewriter *rw, ir_value *v, ir_type type)
{
    ir_value *sizes[SHAPE_MAX_RANK];
    size_t n = 0;
    for (uint32_t i = 0; i < type->count; i++)
        if (type->dims[i] == IR_DYNAMIC) {
            ir_value *at = mixed_index(rw, i);
            sizes[n++] =
                ir_build1(&rw->b, MEMREF_OP(dim), at->type, IR_VALUES(v, at), NULL, 0);
        }
    const int64_t groups[] = {(int64_t)n, 0};
    ir_value *made = ir_build1(
        &rw->b, MEMREF_OP(alloc), type, sizes, n,
        IR_ATTRS({"operandSegmentSizes", ir_dense_i32_array(rw->b.ctx, groups, 2)}));
    ir_build_op(&rw->b, MEMREF_OP(copy), NULL, 0, IR_VALUES(v, made), NULL, 0, 0);
    return made;
}

/* to_buffer of to_tensor is the memref, cast or copied. */
static bool buffer_of_tensor(ir_op *op, rw_rewriter *rw)
{
    ir_op *to_tensor = defined_by(ir_op_operand(op, 0), BUFFERIZATION_OP(to_tensor));
    if (!to_tensor)
        return false;
    ir_value *memory = ir_op_operand(to_tensor, 0);
    ir_type from = memory->type, to = op->results[0].type;
    bool ranked = ir_type_is_ranked(from) && ir_type_is_ranked(to);
    if (from != to) {
        if (from->element != to->element || from->space != to->space)
            return false;
        if (ranked ? from->count != to->count || from->count > SHAPE_MAX_RANK
                   : ir_type_is_ranked(to))
            return false;
        if (ranked && !(steps_are_known(from, to) && shape_compatible(from, to)))
            memory = copy_as(rw, memory, to);
        else
            memory = memref_as(rw, memory, to);
    }
    rw_replace1(rw, op, memory);
    return true;
}

static bool may_be_equal(int64_t a, int64_t b)
{
    return a == b || a == IR_DYNAMIC || b == IR_DYNAMIC;
}

/* True if a memref of one type can be cast to the other. */
static bool steps_agree(ir_type from, ir_type to)
{
    memref_steps a, b;
    if (!memref_steps_of(from, &a) || !memref_steps_of(to, &b) ||
        !may_be_equal(a.offset, b.offset))
        return false;
    for (uint32_t i = 0; i < from->count; i++)
        if (!may_be_equal(a.stride[i], b.stride[i]))
            return false;
    return true;
}

/* to_buffer of a cast tensor casts the memref instead. */
static bool buffer_of_cast(ir_op *op, rw_rewriter *rw)
{
    ir_op *cast = defined_by(ir_op_operand(op, 0), TENSOR_OP(cast));
    ir_type to = op->results[0].type;
    if (!cast || to->kind != IR_TYPE_MEMREF || !ir_type_is_ranked(to))
        return false;
    ir_value *tensor = ir_op_operand(cast, 0);
    if (!ir_type_is_ranked(tensor->type) || tensor->type->count > SHAPE_MAX_RANK)
        return false;
    ir_type type = ir_memref_type(to->element, tensor->type->dims, tensor->type->count,
                                  NULL, to->space);
    if (!steps_agree(type, to))
        return false;
    ir_op *made = rw_copy(rw, op);
    ir_op_set_operand(made, 0, tensor);
    made->results[0].type = type;
    rw_replace1(rw, op, memref_as(rw, &made->results[0], to));
    return true;
}

/* A load from to_buffer is an extract from the tensor. */
static bool load_of_tensor(ir_op *op, rw_rewriter *rw)
{
    ir_op *buffer = defined_by(ir_op_operand(op, 0), BUFFERIZATION_OP(to_buffer));
    ir_value *operands[SHAPE_MAX_RANK + 1];
    if (!buffer || op->n_operands > TW_COUNT(operands))
        return false;
    operands[0] = ir_op_operand(buffer, 0);
    for (uint32_t i = 1; i < op->n_operands; i++)
        operands[i] = ir_op_operand(op, i);
    rw_replace1(rw, op,
                ir_build1(&rw->b, TENSOR_OP(extract), op->results[0].type, operands,
                          op->n_operands, NULL, 0));
    return true;
}

static bool dim_of_buffer(ir_op *op, rw_rewriter *rw)
{
    ir_op *buffer = defined_by(ir_op_operand(op, 0), BUFFERIZATION_OP(to_buffer));
    if (!buffer)
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, TENSOR_OP(dim), op->results[0].type,
                          IR_VALUES(ir_op_operand(buffer, 0), ir_op_operand(op, 1)), NULL,
                          0));
    return true;
}

static const rw_pattern patterns[] = {
    {BUFFERIZATION_OP(alloc_tensor), fold_known_sizes,
     "bufferization.ReplaceStaticShapeDims"},
    {TENSOR_OP(dim), dim_of_tensor, "bufferization.FoldDimOfAllocTensorOp"},
    {BUFFERIZATION_OP(clone), drop_clone, "bufferization.SimplifyClones"},
    {BUFFERIZATION_OP(to_buffer), buffer_of_cast, "bufferization.ToBufferOfCast"},
    {BUFFERIZATION_OP(to_buffer), buffer_of_tensor,
     "bufferization.ToBufferToTensorFolding"},
    {MEMREF_OP(load), load_of_tensor, "bufferization.LoadOfToBuffer"},
    {MEMREF_OP(dim), dim_of_buffer, "bufferization.DimOfToBuffer"},
};

const rw_pattern_table canonicalize_buffers = {patterns, TW_COUNT(patterns)};
