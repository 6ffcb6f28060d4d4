/* tensor_verify.c: verifies ranks, sizes and indices of tensor operations.  Messages are
 * MLIR's. */
#include "ir/text.h"
#include "mlir/shared/shape_checks.h"
#include "mlir/tensor/tensor.h"
#include "mlir/tensor/tensor_hooks.h"

static ir_type operand_type(const ir_op *op, uint32_t i)
{
    return ir_op_operand(op, i)->type;
}

static const char *text(const ir_op *op, ir_type type)
{
    return ir_type_text(op->ctx, type);
}

/* ---- sizes and indices -------------------------------------------------------------- */

bool tensor_dynamic_sizes_verify(ir_op *op)
{
    size_t sizes = shape_group_count(op, "dynamicSizes"),
           wanted = shape_dynamic_dims(op->results[0].type);
    return sizes == wanted ||
           ir_op_error(op, "incorrect number of dynamic sizes, has %zu, expected %zu",
                       sizes, wanted);
}

bool tensor_indices_verify(ir_op *op)
{
    bool extract = op->def == TENSOR_OP(extract);
    ir_type type = operand_type(op, extract ? 0 : 1);
    return shape_group_count(op, "indices") == type->count ||
           ir_op_error(op, extract ? "incorrect number of indices for extract_element"
                                   : "incorrect number of indices");
}

bool tensor_from_elements_verify(ir_op *op)
{
    ir_type type = op->results[0].type;
    bool same = (int64_t)op->n_operands == ir_type_num_elements(type);
    for (uint32_t i = 0; same && i < op->n_operands; i++)
        same = operand_type(op, i) == type->element;
    return same || ir_op_error(op, "failed to verify that operand types match result "
                                   "element type");
}

bool tensor_generate_verify(ir_op *op)
{
    return op->n_operands == shape_dynamic_dims(op->results[0].type) ||
           ir_error_at_op(
               op, "must have as many index operands as dynamic extents in the result "
                   "type");
}

static bool all_indices(const ir_block *body)
{
    bool all = true;
    for (uint32_t i = 0; i < body->n_args; i++)
        all &= body->args[i]->type->kind == IR_TYPE_INDEX;
    return all;
}

bool tensor_generate_verify_body(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    ir_type type = op->results[0].type;
    if (body->n_args != type->count)
        return ir_error_at_op(op, "must have one body argument per input dimension");
    if (!all_indices(body))
        return ir_error_at_op(op, "all body arguments must be index");
    if (!ir_op_is(body->last, TENSOR_OP(yield)))
        return ir_op_error(body->last, "expects region to end with '%s', found '%s'",
                           "tensor.yield", body->last->def->name);
    return operand_type(body->last, 0) == type->element ||
           ir_error_at_op(
               op, "body must be terminated with a `yield` operation of the same type as "
                   "the element type");
}

/* ---- casts, reshape ----------------------------------------------------------------- */

bool tensor_cast_verify(ir_op *op)
{
    ir_type a = operand_type(op, 0), b = op->results[0].type;
    ir_type from = ir_type_element(a), to = ir_type_element(b);
    bool bits = op->def == TENSOR_OP(bitcast);
    bool fits = bits ? from->width == to->width : from == to;
    return (fits && shape_compatible(a, b)) || shape_cast_error(op);
}

bool tensor_reshape_verify(ir_op *op)
{
    ir_type from = operand_type(op, 0), to = op->results[0].type;
    if (ir_type_element(from) != ir_type_element(to))
        return ir_op_error(op, "element types of source and destination tensor types "
                               "should be the same");
    if (!ir_type_is_ranked(to))
        return true;
    int64_t elements = ir_type_is_ranked(from) ? ir_type_num_elements(from) : -1;
    if (elements >= 0 && ir_type_num_elements(to) >= 0 &&
        elements != ir_type_num_elements(to))
        return ir_op_error(op, "source and destination tensor should have the same number "
                               "of elements");
    return shape_check_shape_operand(op, "tensor");
}

/* Checks the dimensions of one group of the expanded type. */
static bool check_group(ir_op *op, ir_type expanded, ir_type collapsed, size_t group,
                        size_t first, size_t n)
{
    int64_t product = shape_group_size(expanded, first, n);
    bool dynamic = product == IR_DYNAMIC;
    if (dynamic)
        return collapsed->dims[group] == IR_DYNAMIC ||
               ir_op_error(op,
                           "expected dimension %zu of collapsed type to be dynamic since "
                           "one or more of the corresponding dimensions in the expanded "
                           "type is dynamic",
                           group);
    return collapsed->dims[group] == product ||
           ir_op_error(op,
                       "expected dimension %zu of collapsed type to be static value of "
                       "%lld",
                       group, (long long)product);
}

static bool check_reshape(ir_op *op, ir_type expanded, ir_type collapsed)
{
    shape_groups groups;
    if (!ir_type_is_ranked(expanded) || !ir_type_is_ranked(collapsed))
        return ir_op_error(op, "converts between ranked tensors, not from '%s' to '%s'",
                           text(op, operand_type(op, 0)), text(op, op->results[0].type));
    if (!shape_groups_of(op, &groups))
        return true;
    if (expanded->count < collapsed->count)
        return ir_op_error(op,
                           "expected the expanded type, '%s' to have a higher (or same) "
                           "rank than the collapsed type, '%s'.",
                           text(op, expanded), text(op, collapsed));
    if (groups.count != collapsed->count)
        return ir_op_error(op,
                           "expected collapsed rank (%u) to equal the number of "
                           "reassociation maps (%zu).",
                           collapsed->count, groups.count);
    if (groups.count && groups.max_index != expanded->count)
        return ir_op_error(op,
                           "expected reassociation map #0 to have size equal to the "
                           "expanded rank (%u), but it is  %zu.",
                           expanded->count, groups.max_index);
    if (!groups.contiguous)
        return ir_op_error(op,
                           "expected reassociation map #%zu to be valid and contiguous.",
                           groups.first_invalid);
    for (size_t g = 0, first = 0; g < groups.count; first += groups.sizes[g++])
        if (!check_group(op, expanded, collapsed, g, first, groups.sizes[g]))
            return false;
    if (expanded->element != collapsed->element)
        return ir_op_error(op, "expected collapsed type to be '%s', but got '%s'",
                           text(op, ir_type_with_element(collapsed, expanded->element)),
                           text(op, collapsed));
    for (uint32_t i = 0; !groups.count && i < expanded->count; i++)
        if (expanded->dims[i] != 1)
            return ir_op_error(op, "expected a tensor of one element, found '%s'",
                               text(op, expanded));
    return true;
}

bool tensor_collapse_shape_verify(ir_op *op)
{
    return check_reshape(op, operand_type(op, 0), op->results[0].type);
}

bool tensor_expand_shape_verify(ir_op *op)
{
    const ir_attr shape = ir_op_attr(op, "static_output_shape");
    const size_t dynamic = shape_marks(shape);
    ir_type result = op->results[0].type;
    size_t values = shape_group_count(op, "output_shape");
    if (!ir_type_is_ranked(result))
        return check_reshape(op, result, operand_type(op, 0));
    if (shape->count != result->count)
        return ir_op_error(op,
                           "expected number of static shape dims to be equal to the output "
                           "rank (%u) but found %u inputs instead",
                           result->count, shape->count);
    if (dynamic != values)
        return ir_op_error(op,
                           "mismatch in dynamic dims in output_shape and "
                           "static_output_shape: static_output_shape has %zu dynamic dims "
                           "while output_shape has %zu values",
                           dynamic, values);
    return check_reshape(op, result, operand_type(op, 0));
}

/* ---- slices ------------------------------------------------------------------------- */

bool tensor_extract_slice_verify(ir_op *op)
{
    ir_type source = operand_type(op, 0);
    return shape_check_slice(op,
                             (size_t[3]){source->count, source->count, source->count}) &&
           shape_check_slice_type(op, source, op->results[0].type);
}

bool tensor_parallel_insert_slice_verify(ir_op *op)
{
    ir_op *around = ir_op_parent(op);
    if (around && !ir_def_has(around->def, "InParallelOpInterface")) {
        tw_strbuf text = {0};
        ir_print_op(around, &(ir_print_options){.generic = true}, &text);
        ir_error_at_op(op, "expected InParallelOpInterface parent, got:\n%s",
                       tw_strbuf_text(&text));
        tw_strbuf_free(&text);
        return false;
    }
    return tensor_insert_slice_verify(op);
}

bool tensor_insert_slice_verify(ir_op *op)
{
    ir_type dest = operand_type(op, 1);
    return shape_check_slice(op, (size_t[3]){dest->count, dest->count, dest->count}) &&
           shape_check_slice_type(op, dest, operand_type(op, 0));
}

/* ---- pad, concat -------------------------------------------------------------------- */

bool tensor_pad_verify(ir_op *op)
{
    int64_t low[SHAPE_MAX_RANK], high[SHAPE_MAX_RANK];
    ir_type source = operand_type(op, 0), result = op->results[0].type;
    if (shape_ints(op, "static_low", low) != source->count ||
        shape_ints(op, "static_high", high) != source->count)
        return ir_error_at_op(
            op,
            "failed to infer expectedType from sourceType '%s', specified "
            "resultType is '%s'",
            text(op, source), text(op, result));
    int64_t dims[SHAPE_MAX_RANK];
    for (uint32_t i = 0; i < source->count; i++) {
        bool dynamic =
            source->dims[i] == IR_DYNAMIC || low[i] == IR_DYNAMIC || high[i] == IR_DYNAMIC;
        dims[i] = dynamic ? IR_DYNAMIC
                          : (int64_t)((uint64_t)source->dims[i] + (uint64_t)low[i] +
                                      (uint64_t)high[i]);
    }
    bool same = result->count == source->count;
    for (uint32_t i = 0; same && i < source->count; i++)
        same = dims[i] == IR_DYNAMIC || dims[i] == result->dims[i];
    return same ||
           ir_error_at_op(
               op, "specified type '%s' does not match the inferred type '%s'",
               text(op, result),
               text(op, ir_tensor_type(source->element, dims, source->count, NULL)));
}

bool tensor_pad_verify_body(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    ir_type result = op->results[0].type;
    if (body->n_args != result->count)
        return ir_error_at_op(op, "expected the block to have %u arguments", result->count);
    for (uint32_t i = 0; i < body->n_args; i++)
        if (body->args[i]->type->kind != IR_TYPE_INDEX)
            return ir_op_error(op, "expected block argument %u to be an index", i + 1);
    return !ir_op_is(body->last, TENSOR_OP(yield)) ||
           operand_type(body->last, 0) == result->element ||
           ir_op_error(op, "expected yield type to match shape element type");
}

bool tensor_concat_verify(ir_op *op)
{
    ir_type result = op->results[0].type;
    int64_t dim = ir_op_int(op, "dim", 0), along = 0;
    if (op->n_operands == 0)
        return ir_op_error(op, "requires at least one input");
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (operand_type(op, i)->count != result->count)
            return ir_op_error(op, "rank of concatenated inputs must match result rank");
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (operand_type(op, i)->element != result->element)
            return ir_op_error(op, "inputs and result element type must match");
    if (dim < 0 || dim >= result->count)
        return ir_op_error(op, "concatenation dim must be less than the tensor rank");
    int64_t dims[SHAPE_MAX_RANK];
    for (uint32_t d = 0; d < TW_MIN(result->count, (uint32_t)SHAPE_MAX_RANK); d++) {
        dims[d] = IR_DYNAMIC;
        for (uint32_t i = 0; d != dim && i < op->n_operands; i++) {
            int64_t size = operand_type(op, i)->dims[d];
            if (size != IR_DYNAMIC && dims[d] != IR_DYNAMIC && size != dims[d])
                return ir_op_error(op,
                                   "static concatenation size mismatch along "
                                   "non-concatenated dimension %u",
                                   d);
            dims[d] = size != IR_DYNAMIC ? size : dims[d];
        }
    }
    for (uint32_t i = 0; i < op->n_operands; i++) {
        int64_t size = operand_type(op, i)->dims[dim];
        along = along == IR_DYNAMIC || size == IR_DYNAMIC ? IR_DYNAMIC : along + size;
    }
    dims[dim] = along;
    ir_type inferred = ir_tensor_type(result->element, dims, result->count, NULL);
    return shape_compatible(inferred, result) ||
           ir_op_error(op,
                       "result type '%s'does not match inferred shape '%s' static sizes",
                       text(op, result), text(op, inferred));
}

/* ---- gather, scatter ---------------------------------------------------------------- */

static bool check_dims(ir_op *op, const char *what, const char *whose, ir_type indices,
                       const int64_t *dims, int64_t count, uint32_t rank)
{
    if (count <= 0)
        return ir_op_error(op, "%s_dims must be non-empty", what);
    if (count > rank)
        return ir_op_error(op, "%s_dims overflow %s rank", what, whose);
    if (indices->count == 0 || indices->dims[indices->count - 1] != count)
        return ir_op_error(
            op, "%s_dims length must match the size of last dimension of indices", what);
    for (int64_t i = 0; i < count; i++) {
        if (dims[i] < 0)
            return ir_op_error(op, "%s_dims value must be non-negative", what);
        if (dims[i] >= rank)
            return ir_op_error(op, "%s_dims value must be smaller than %s rank", what,
                               whose);
    }
    for (int64_t i = 1; i < count; i++)
        if (dims[i - 1] >= dims[i])
            return ir_op_error(op, "%s_dims values must be strictly increasing", what);
    return true;
}

/* The type of the slices: the gathered dimensions are 1, or dropped. */
static ir_type slices_of(ir_type whole, ir_type indices, const int64_t *dims, int64_t count,
                         bool reduced)
{
    int64_t shape[2 * SHAPE_MAX_RANK];
    size_t n = 0;
    for (uint32_t i = 0; i + 1 < indices->count && n < SHAPE_MAX_RANK; i++)
        shape[n++] = indices->dims[i];
    for (uint32_t i = 0, k = 0; i < whole->count && i < SHAPE_MAX_RANK; i++) {
        bool gathered = k < count && dims[k] == i;
        k += gathered;
        if (!gathered || !reduced)
            shape[n++] = gathered ? 1 : whole->dims[i];
    }
    return ir_tensor_type(whole->element, shape, n, whole->encoding);
}

bool tensor_gather_verify(ir_op *op)
{
    bool gather = op->def == TENSOR_OP(gather);
    int64_t dims[SHAPE_MAX_RANK],
        count = shape_ints(op, gather ? "gather_dims" : "scatter_dims", dims);
    ir_type whole = operand_type(op, gather ? 0 : 1),
            indices = operand_type(op, gather ? 1 : 2),
            slices = gather ? op->results[0].type : operand_type(op, 0);
    if (!check_dims(op, gather ? "gather" : "scatter", gather ? "source" : "dest", indices,
                    dims, count, whole->count))
        return false;
    if (!gather && !ir_op_attr(op, "unique"))
        return ir_op_error(op, "requires 'unique' attribute to be set");
    ir_type full = slices_of(whole, indices, dims, count, false),
            reduced = slices_of(whole, indices, dims, count, true);
    return slices == full || slices == reduced ||
           ir_op_error(op,
                       "%s type mismatch: expected '%s' or its rank-reduced variant '%s' "
                       "(got: '%s')",
                       gather ? "result" : "source", text(op, full), text(op, reduced),
                       text(op, slices));
}
