/* mixed_list.c: see mixed_list.h. */
#include "mlir/shared/mixed_list.h"

#include "mlir/arith/arith.h"

bool mixed_read(const ir_op *op, const char *group, const char *attr, mixed_list *out)
{
    size_t first, count, next = 0;
    out->n = shape_ints(op, attr, out->number);
    if (out->n < 0 ||
        !ir_op_operand_group(op, ir_op_operand_index(op->def, group), &first, &count))
        return false;
    for (int64_t i = 0; i < out->n; i++) {
        out->value[i] = NULL;
        if (out->number[i] != IR_DYNAMIC)
            continue;
        if (next == count)
            return false;
        out->value[i] = ir_op_operand(op, first + next++);
    }
    return true;
}

bool mixed_fold(mixed_list *list, bool not_negative)
{
    bool changed = false;
    for (int64_t i = 0; i < list->n; i++) {
        ir_attr a = list->value[i] ? rw_constant(list->value[i]) : NULL;
        if (!ir_attr_is(a, IR_ATTR_INTEGER) || a->value == IR_DYNAMIC ||
            (not_negative && a->value < 0))
            continue;
        list->number[i] = a->value;
        list->value[i] = NULL;
        changed = true;
    }
    return changed;
}

void mixed_write(ir_op *op, const char *group, const char *attr, const mixed_list *list)
{
    ir_value *values[SHAPE_MAX_RANK];
    size_t k = 0;
    for (int64_t i = 0; i < list->n; i++)
        if (list->number[i] == IR_DYNAMIC)
            values[k++] = list->value[i];
    ir_op_set_attr(op, attr, ir_dense_i64_array(op->ctx, list->number, (size_t)list->n));
    ir_op_set_operand_group(op, ir_op_operand_index(op->def, group), values, k);
}

ir_value *mixed_index(rw_rewriter *rw, int64_t n)
{
    ir_attr a = ir_index_attr(rw->b.ctx, n);
    return ir_build1(&rw->b, ARITH_OP(constant), a->type, NULL, 0, IR_ATTRS({"value", a}));
}

ir_op *mixed_fold_sizes(rw_rewriter *rw, ir_op *op, size_t group)
{
    ir_type t = op->results[0].type;
    int64_t dims[SHAPE_MAX_RANK];
    ir_value *sizes[SHAPE_MAX_RANK];
    size_t first, count, next = 0, kept = 0;
    if (!ir_type_is_ranked(t) || t->count > SHAPE_MAX_RANK ||
        !ir_op_operand_group(op, group, &first, &count))
        return NULL;
    for (uint32_t i = 0; i < t->count; i++) {
        dims[i] = t->dims[i];
        if (dims[i] != IR_DYNAMIC || next == count)
            continue;
        ir_value *size = ir_op_operand(op, first + next++);
        ir_attr value = rw_constant(size);
        if (ir_attr_is(value, IR_ATTR_INTEGER) && value->value >= 0)
            dims[i] = value->value;
        else
            sizes[kept++] = size;
    }
    if (kept == next)
        return NULL;
    ir_op *made = rw_copy(rw, op);
    made->attrs =
        NULL; /* MLIR creates a new operation here, without discardable attributes */
    made->results[0].type = ir_type_with_shape(t, dims, t->count);
    ir_op_set_operand_group(made, group, sizes, kept);
    return made;
}

bool mixed_part_read(const ir_op *op, mixed_part *out)
{
    return mixed_read(op, "offsets", "static_offsets", &out->offsets) &&
           mixed_read(op, "sizes", "static_sizes", &out->sizes) &&
           mixed_read(op, "strides", "static_strides", &out->strides);
}

bool mixed_part_fold(mixed_part *part)
{
    bool known = mixed_fold(&part->offsets, true);
    known |= mixed_fold(&part->sizes, true);
    known |= mixed_fold(&part->strides, false);
    return known;
}

void mixed_part_write(ir_op *op, const mixed_part *part)
{
    mixed_write(op, "offsets", "static_offsets", &part->offsets);
    mixed_write(op, "sizes", "static_sizes", &part->sizes);
    mixed_write(op, "strides", "static_strides", &part->strides);
}
