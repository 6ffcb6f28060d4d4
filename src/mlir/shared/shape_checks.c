/* shape_checks.c: see shape_checks.h. */
#include "mlir/shared/shape_checks.h"

int64_t shape_ints(const ir_op *op, const char *attr, int64_t *out)
{
    ir_attr a = ir_op_attr(op, attr);
    int64_t count = a ? ir_attr_ints(a, out, SHAPE_MAX_RANK) : -1;
    return count > SHAPE_MAX_RANK ? -1 : count;
}

size_t shape_group_count(const ir_op *op, const char *group)
{
    size_t start, count = 0, index = ir_op_operand_index(op->def, group);
    return index != SIZE_MAX && ir_op_operand_group(op, index, &start, &count) ? count : 0;
}

size_t shape_dynamic_dims(ir_type type)
{
    size_t n = 0;
    for (uint32_t i = 0; ir_type_is_ranked(type) && i < type->count; i++)
        n += type->dims[i] == IR_DYNAMIC;
    return n;
}

size_t shape_marks(ir_attr list)
{
    size_t marks = 0;
    for (uint32_t i = 0; list && i < list->count; i++)
        marks += ir_dense_array_int(list, i) == IR_DYNAMIC;
    return marks;
}

bool shape_check_marks(ir_op *op, ir_attr list, size_t group, const char *name)
{
    size_t start, count = 0, marks = shape_marks(list);
    return (ir_op_operand_group(op, group, &start, &count) && count == marks) ||
           ir_error_at_op(op, "expected %zu dynamic %s values, got %zu", marks, name,
                          count);
}

/* ---- offsets, sizes, strides -------------------------------------------------------- */

static bool check_list(ir_op *op, const char *name, const char *attr, const char *group,
                       size_t rank)
{
    int64_t values[SHAPE_MAX_RANK], count = shape_ints(op, attr, values);
    if (count < 0 || (size_t)count != rank)
        return ir_error_at_op(op, "expected %zu %s values, got %lld", rank, name,
                              (long long)count);
    return shape_check_marks(op, ir_op_attr(op, attr), ir_op_operand_index(op->def, group),
                             name);
}

static bool not_negative(ir_op *op, const char *name, const char *attr)
{
    int64_t values[SHAPE_MAX_RANK], count = shape_ints(op, attr, values);
    for (int64_t i = 0; i < count; i++)
        if (values[i] < 0 && values[i] != IR_DYNAMIC)
            return ir_error_at_op(op, "expected %s to be non-negative, but got %lld", name,
                                  (long long)values[i]);
    return true;
}

bool shape_check_slice(ir_op *op, const size_t ranks[3])
{
    int64_t ignored[SHAPE_MAX_RANK];
    int64_t offsets = shape_ints(op, "static_offsets", ignored);
    int64_t sizes = shape_ints(op, "static_sizes", ignored);
    int64_t strides = shape_ints(op, "static_strides", ignored);
    if (!(offsets == 1 && ranks[0] == 1) && offsets != sizes)
        return ir_error_at_op(
            op,
            "expected mixed offsets rank to match mixed sizes rank (%lld vs "
            "%lld) so the rank of the result type is well-formed.",
            (long long)offsets, (long long)sizes);
    if (sizes != strides)
        return ir_error_at_op(
            op,
            "expected mixed sizes rank to match mixed strides rank (%lld vs "
            "%lld) so the rank of the result type is well-formed.",
            (long long)sizes, (long long)strides);
    return check_list(op, "offset", "static_offsets", "offsets", ranks[0]) &&
           check_list(op, "size", "static_sizes", "sizes", ranks[1]) &&
           check_list(op, "stride", "static_strides", "strides", ranks[2]) &&
           not_negative(op, "offsets", "static_offsets") &&
           not_negative(op, "sizes", "static_sizes");
}

bool shape_check_slice_type(ir_op *op, ir_type whole, ir_type slice)
{
    int64_t sizes[SHAPE_MAX_RANK], rank = shape_ints(op, "static_sizes", sizes);
    ir_type expected =
        ir_tensor_type(whole->element, sizes, (size_t)TW_MAX(rank, 0), whole->encoding);
    if (slice->count > expected->count)
        return ir_error_at_op(op,
                              "expected rank to be smaller or equal to the other rank. ");
    uint32_t at = 0;
    bool fits = true;
    for (uint32_t i = 0; fits && i < expected->count; i++) {
        if (at < slice->count && slice->dims[at] == expected->dims[i])
            at++;
        else
            fits = expected->dims[i] == 1;
    }
    if (!fits || at != slice->count)
        return ir_error_at_op(op,
                              "expected type to be '%s' or a rank-reduced version. (size "
                              "mismatch) ",
                              ir_type_text(op->ctx, expected));
    return slice->element == expected->element ||
           ir_error_at_op(op, "expected element type to be '%s'",
                          ir_type_text(op->ctx, expected->element));
}

/* ---- casts -------------------------------------------------------------------------- */

bool shape_compatible(ir_type a, ir_type b)
{
    if (!ir_type_is_ranked(a) || !ir_type_is_ranked(b))
        return true;
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = a->dims[i] == b->dims[i] || a->dims[i] == IR_DYNAMIC ||
               b->dims[i] == IR_DYNAMIC;
    return same;
}

bool shape_cast_error(ir_op *op)
{
    return ir_op_error(op, "operand type '%s' and result type '%s' are cast incompatible",
                       ir_type_text(op->ctx, ir_op_operand(op, 0)->type),
                       ir_type_text(op->ctx, op->results[0].type));
}

/* ---- reassociation ------------------------------------------------------------------ */

bool shape_groups_of(const ir_op *op, shape_groups *out)
{
    ir_attr list = ir_op_attr(op, "reassociation");
    if (!ir_attr_is(list, IR_ATTR_ARRAY) || list->count > SHAPE_MAX_RANK)
        return false;
    *out = (shape_groups){.count = list->count, .contiguous = true};
    int64_t next = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        int64_t group[SHAPE_MAX_RANK],
            n = ir_attr_ints(list->items[i], group, TW_COUNT(group));
        if (n < 0 || n > SHAPE_MAX_RANK)
            return false;
        out->sizes[i] = (size_t)n;
        for (int64_t k = 0; k < n; k++) {
            if (group[k] != next++ && out->contiguous) {
                out->contiguous = false;
                out->first_invalid = i;
            }
            if (group[k] >= 0)
                out->max_index = TW_MAX(out->max_index, (size_t)group[k] + 1);
        }
    }
    return true;
}

int64_t shape_group_size(ir_type expanded, size_t first, size_t n)
{
    int64_t product = 1;
    for (size_t i = first; i < first + n; i++)
        if (expanded->dims[i] == IR_DYNAMIC)
            return IR_DYNAMIC;
    for (size_t i = first; i < first + n; i++)
        if (__builtin_mul_overflow(product, expanded->dims[i], &product))
            return -1; /* overflow */
    return product;
}

bool shape_check_shape_operand(ir_op *op, const char *kind)
{
    ir_type shape = ir_op_operand(op, 1)->type, to = op->results[0].type;
    if (shape->dims[0] == IR_DYNAMIC)
        return ir_op_error(op,
                           "cannot use shape operand with dynamic length to reshape to "
                           "statically-ranked %s type",
                           kind);
    return shape->dims[0] == to->count ||
           ir_op_error(op, "length of shape operand differs from the result's %s rank",
                       kind);
}
