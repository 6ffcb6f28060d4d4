/* memref_fold.c: folds of memref operations by their operands' definitions: casts are
 * skipped, sizes are those given at the definition. */
#include "mlir/memref/memref_fold.h"

#include "mlir/memref/memref.h"
#include "mlir/shared/shape_checks.h"

bool memref_fold_cast_operands(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    bool changed = false;
    (void)constants;
    (void)results;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_op *cast = ir_value_def(ir_op_operand(op, i));
        if (!ir_op_is(cast, MEMREF_OP(cast)) ||
            ir_op_operand(cast, 0)->type->kind != IR_TYPE_MEMREF)
            continue;
        ir_op_set_operand(op, i, ir_op_operand(cast, 0));
        changed = true;
    }
    return changed;
}

bool memref_fold_cast(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    if (ir_op_operand(op, 0)->type == op->results[0].type) {
        results[0].value = ir_op_operand(op, 0);
        return true;
    }
    return memref_fold_cast_operands(op, constants, results);
}

bool memref_fold_rank(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = ir_op_operand(op, 0)->type;
    (void)constants;
    if (ir_type_is_ranked(type))
        results[0].attr = ir_index_attr(op->ctx, type->count);
    return results[0].attr != NULL;
}

/* The size operand of a dimension at its defining operation. */
static ir_value *given_size(const ir_op *producer, ir_type type, int64_t dim)
{
    static const struct {
        const ir_op_def *def;
        const char *group, *statics;
    } makers[] = {
        {MEMREF_OP(alloc), "dynamicSizes", NULL},
        {MEMREF_OP(alloca), "dynamicSizes", NULL},
        {MEMREF_OP(view), "sizes", NULL},
        {MEMREF_OP(subview), "sizes", "static_sizes"},
    };
    size_t before = 0, first, count;
    for (int64_t i = 0; i < dim; i++)
        before += type->dims[i] == IR_DYNAMIC;
    for (size_t i = 0; producer && i < TW_COUNT(makers); i++) {
        int64_t sizes[SHAPE_MAX_RANK];
        if (makers[i].def != producer->def)
            continue;
        /* a subview may drop dimensions of size 1 */
        if (makers[i].statics &&
            shape_ints(producer, makers[i].statics, sizes) != type->count)
            return NULL;
        return ir_op_operand_group(producer,
                                   ir_op_operand_index(producer->def, makers[i].group),
                                   &first, &count) &&
                       before < count
                   ? ir_op_operand(producer, first + before)
                   : NULL;
    }
    return NULL;
}

bool memref_fold_dim(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = ir_op_operand(op, 0)->type;
    int64_t dim = ir_attr_is(constants[1], IR_ATTR_INTEGER) ? constants[1]->value : -1;
    if (ir_type_is_ranked(type) && dim >= 0 && dim < type->count) {
        if (type->dims[dim] != IR_DYNAMIC)
            results[0].attr = ir_index_attr(op->ctx, type->dims[dim]);
        else
            results[0].value = given_size(ir_value_def(ir_op_operand(op, 0)), type, dim);
    }
    return results[0].attr || results[0].value ||
           memref_fold_cast_operands(op, constants, results);
}

/* A subview of everything with the same type. */
bool memref_fold_subview(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *source = ir_op_operand(op, 0);
    int64_t offsets[SHAPE_MAX_RANK], strides[SHAPE_MAX_RANK];
    int64_t n = shape_ints(op, "static_offsets", offsets);
    (void)constants;
    if (source->type != op->results[0].type || shape_dynamic_dims(source->type) ||
        n != source->type->count || shape_ints(op, "static_strides", strides) != n)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (offsets[i] != 0 || strides[i] != 1)
            return false;
    results[0].value = source;
    return true;
}
