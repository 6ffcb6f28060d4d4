/* models_tensor.c: what operations of the tensor dialect do with buffers. */
#include "mlir/arith/arith.h"
#include "mlir/bufferization/one_shot/one_shot.h"
#include "mlir/memref/memref.h"
#include "mlir/memref/memref_layout.h"
#include "mlir/shared/mixed_list.h"
#include "mlir/tensor/tensor.h"

#include <stdlib.h>

/* ---- shared answers ----------------------------------------------------------------- */

static void result_is_operand(buf_state *s, ir_operand *use, buf_aliases *out)
{
    (void)s;
    if (ir_operand_number(use) == 0)
        buf_add_alias(out, ir_op_result(use->owner, 0), use, true, true);
}

static void result_is_part(buf_state *s, ir_operand *use, buf_aliases *out)
{
    (void)s;
    if (ir_operand_number(use) == 0)
        buf_add_alias(out, ir_op_result(use->owner, 0), use, false, true);
}

static void result_is_destination(buf_state *s, ir_operand *use, buf_aliases *out)
{
    (void)s;
    if (ir_operand_number(use) == 1)
        buf_add_alias(out, ir_op_result(use->owner, 0), use, true, true);
}

static bool defines_nothing(buf_state *s, ir_value *result)
{
    (void)s, (void)result;
    return false;
}

/* The operation's operands from `first` on, as they are. */
static void copy_operands(const ir_op *op, size_t first, ir_value **out)
{
    for (size_t i = first; i < op->n_operands; i++)
        out[i - first] = ir_op_operand(op, i);
}

/* ---- allocations and sizes ---------------------------------------------------------- */

static bool empty_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *sizes[SHAPE_MAX_RANK];
    ir_type type = op->results[0].type;
    if (ir_op_is_unused(op)) {
        ir_value *none[] = {NULL};
        buf_replace(r, op, none);
        return true;
    }
    size_t n = TW_MIN(op->n_operands, (uint32_t)SHAPE_MAX_RANK);
    copy_operands(op, 0, sizes);
    buf_replace1(r, op, buf_alloc(r, buf_identity_type(type, NULL), sizes, n));
    return true;
}

static bool dim_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *buffer = buf_buffer(r, ir_op_operand(op, 0));
    buf_replace1(r, op,
                 ir_build1(&r->b, MEMREF_OP(dim), op->results[0].type,
                           IR_VALUES(buffer, ir_op_operand(op, 1)), NULL, 0));
    return true;
}

static bool rank_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *buffer = buf_buffer(r, ir_op_operand(op, 0));
    buf_replace1(
        r, op, ir_build1(&r->b, MEMREF_OP(rank), op->results[0].type, &buffer, 1, NULL, 0));
    return true;
}

/* ---- elements ----------------------------------------------------------------------- */

static bool extract_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *operands[SHAPE_MAX_RANK + 1];
    if (op->n_operands > SHAPE_MAX_RANK)
        return ir_error_at_op(op, "op was not bufferized");
    copy_operands(op, 0, operands);
    operands[0] = buf_buffer(r, operands[0]);
    buf_replace1(r, op,
                 ir_build1(&r->b, MEMREF_OP(load), op->results[0].type, operands,
                           op->n_operands, NULL, 0));
    return true;
}

static bool insert_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *operands[SHAPE_MAX_RANK + 2];
    if (op->n_operands > SHAPE_MAX_RANK + 1)
        return ir_error_at_op(op, "op was not bufferized");
    copy_operands(op, 0, operands);
    operands[1] = buf_buffer(r, operands[1]);
    ir_build_op(&r->b, MEMREF_OP(store), NULL, 0, operands, op->n_operands, NULL, 0, 0);
    buf_replace1(r, op, operands[1]);
    return true;
}

/* Stores one element after the other, in row-major order. */
static bool from_elements_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_type type = op->results[0].type;
    ir_value *operands[SHAPE_MAX_RANK + 2];
    if (type->count > SHAPE_MAX_RANK)
        return ir_error_at_op(op, "op was not bufferized");
    ir_value *buffer = buf_alloc(r, buf_identity_type(type, NULL), NULL, 0);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        int64_t rest = i;
        operands[0] = ir_op_operand(op, i);
        operands[1] = buffer;
        for (uint32_t d = type->count; d-- > 0; rest /= type->dims[d])
            operands[2 + d] = arith_index(&r->b, rest % type->dims[d]);
        ir_build_op(&r->b, MEMREF_OP(store), NULL, 0, operands, type->count + 2, NULL, 0,
                    0);
    }
    buf_replace1(r, op, buffer);
    return true;
}

/* ---- casts and reshapes ------------------------------------------------------------- */

static bool cast_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *buffer = buf_buffer(r, ir_op_operand(op, 0));
    ir_type from = buffer->type, to = op->results[0].type, type;
    ir_attr space = from->space;
    if (from->kind == IR_TYPE_MEMREF && to->kind == IR_TYPE_TENSOR)
        type = ir_memref_type(to->element, to->dims, to->count, from->encoding, space);
    else
        type = to->kind == IR_TYPE_TENSOR ? buf_dynamic_type(to, space)
                                          : ir_unranked_memref_type(to->element, space);
    buf_replace1(r, op,
                 type == from
                     ? buffer
                     : ir_build1(&r->b, MEMREF_OP(cast), type, &buffer, 1, NULL, 0));
    return true;
}

/* A copy with an identity layout where the buffer has another one. */
static ir_value *contiguous(buf_rewrite *r, ir_value *buffer)
{
    ir_type type = buffer->type;
    if (type->kind != IR_TYPE_MEMREF || !type->encoding)
        return buffer;
    ir_type plain =
        ir_memref_type(type->element, type->dims, type->count, NULL, type->space);
    ir_value *copy = buf_alloc_like(r, buffer, plain);
    ir_build_op(&r->b, MEMREF_OP(copy), NULL, 0, IR_VALUES(buffer, copy), NULL, 0, 0);
    return copy;
}

static bool reshape_bufferize(buf_rewrite *r, ir_op *op)
{
    bool expands = op->def == TENSOR_OP(expand_shape);
    ir_type to = op->results[0].type;
    ir_value *operands[SHAPE_MAX_RANK + 1];
    if (op->n_operands > SHAPE_MAX_RANK)
        return ir_error_at_op(op, "op was not bufferized");
    copy_operands(op, 0, operands);
    operands[0] = contiguous(r, buf_buffer(r, operands[0]));
    ir_type type =
        ir_memref_type(to->element, to->dims, to->count, NULL, operands[0]->type->space);
    buf_replace1(
        r, op,
        ir_build1(&r->b, expands ? MEMREF_OP(expand_shape) : MEMREF_OP(collapse_shape),
                  type, operands, op->n_operands,
                  IR_ATTRS({"reassociation", ir_op_attr(op, "reassociation")},
                           {"static_output_shape",
                            expands ? ir_op_attr(op, "static_output_shape") : NULL})));
    return true;
}

/* ---- slices ------------------------------------------------------------------------- */

/* memref.subview of `whole` with the positions of `op`, of the rank of `like`. */
static ir_value *subview(buf_rewrite *r, const ir_op *op, ir_value *whole, size_t first,
                         ir_type like)
{
    mixed_part part;
    ir_value *operands[3 * SHAPE_MAX_RANK + 1];
    size_t n = op->n_operands - first;
    if (n > 3 * SHAPE_MAX_RANK || !mixed_part_read(op, &part))
        return NULL;
    ir_type shape = ir_memref_type(like->element, like->dims, like->count, NULL, NULL);
    ir_type type = memref_part_type(whole->type, part.offsets.number, part.sizes.number,
                                    part.strides.number, shape);
    if (!type)
        return NULL;
    operands[0] = whole;
    copy_operands(op, first, operands + 1);
    int64_t segments[4] = {1};
    const char *const lists[] = {"offsets", "sizes", "strides"};
    for (size_t k = 0; k < 3; k++) {
        size_t start, count = 0;
        ir_op_operand_group(op, ir_op_operand_index(op->def, lists[k]), &start, &count);
        segments[k + 1] = (int64_t)count;
    }
    return ir_build1(
        &r->b, MEMREF_OP(subview), type, operands, n + 1,
        IR_ATTRS({"static_offsets", ir_op_attr(op, "static_offsets")},
                 {"static_sizes", ir_op_attr(op, "static_sizes")},
                 {"static_strides", ir_op_attr(op, "static_strides")},
                 {"operandSegmentSizes", ir_dense_i32_array(r->b.ctx, segments, 4)}));
}

static bool extract_slice_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *view =
        subview(r, op, buf_buffer(r, ir_op_operand(op, 0)), 1, op->results[0].type);
    if (!view)
        return ir_error_at_op(op, "op was not bufferized");
    buf_replace1(r, op, view);
    return true;
}

/* True if the source replaces the whole destination. */
static bool replaces_all(const ir_op *op)
{
    mixed_part part;
    ir_type dest = ir_op_operand(op, 1)->type;
    if (!mixed_part_read(op, &part) || !ir_type_is_ranked(dest) ||
        part.sizes.n != dest->count)
        return false;
    for (uint32_t i = 0; i < dest->count; i++)
        if (part.offsets.number[i] != 0 || part.strides.number[i] != 1 ||
            dest->dims[i] == IR_DYNAMIC || part.sizes.number[i] != dest->dims[i])
            return false;
    return true;
}

static bool insert_slice_reads(buf_state *s, const ir_operand *use)
{
    (void)s;
    return ir_operand_number(use) == 0 ||
           (ir_operand_number(use) == 1 && !replaces_all(use->owner));
}

static bool insert_slice_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *source = buf_buffer(r, ir_op_operand(op, 0));
    ir_value *dest = buf_buffer(r, ir_op_operand(op, 1));
    ir_value *view = subview(r, op, dest, 2, source->type);
    if (!view)
        return ir_error_at_op(op, "op was not bufferized");
    ir_build_op(&r->b, MEMREF_OP(copy), NULL, 0, IR_VALUES(source, view), NULL, 0, 0);
    buf_replace1(r, op, dest);
    return true;
}

static const buf_model models[] = {
    {.def = TENSOR_OP(cast), .aliases = result_is_operand, .bufferize = cast_bufferize},
    {.def = TENSOR_OP(collapse_shape),
     .reads = buf_is_first,
     .aliases = result_is_part,
     .bufferize = reshape_bufferize},
    {.def = TENSOR_OP(dim), .bufferize = dim_bufferize},
    {.def = TENSOR_OP(empty),
     .defines = defines_nothing,
     .bufferize = empty_bufferize,
     .is_allocation = true},
    {.def = TENSOR_OP(expand_shape),
     .aliases = result_is_part,
     .bufferize = reshape_bufferize},
    {.def = TENSOR_OP(extract), .reads = buf_always, .bufferize = extract_bufferize},
    {.def = TENSOR_OP(extract_slice),
     .aliases = result_is_part,
     .bufferize = extract_slice_bufferize},
    {.def = TENSOR_OP(from_elements),
     .bufferize = from_elements_bufferize,
     .is_allocation = true},
    {.def = TENSOR_OP(insert),
     .reads = buf_is_second,
     .writes = buf_is_second,
     .aliases = result_is_destination,
     .bufferize = insert_bufferize},
    {.def = TENSOR_OP(insert_slice),
     .reads = insert_slice_reads,
     .writes = buf_is_second,
     .aliases = result_is_destination,
     .bufferize = insert_slice_bufferize},
    {.def = TENSOR_OP(rank), .bufferize = rank_bufferize},
};
const buf_model_table buf_tensor_models = {models, TW_COUNT(models)};
