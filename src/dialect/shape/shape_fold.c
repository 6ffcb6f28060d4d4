/* shape_fold.c: what is known of shapes, and the constants it becomes. */
#include "dialect/arith/arith_syntax.h"
#include "dialect/shape/shape.h"
#include "dialect/shape/shape_hooks.h"

bool shape_fold_const_shape(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    (void)constants;
    results[0].attr = ir_op_attr(op, "shape");
    return results[0].attr != NULL;
}

/* A shape broadcasts to itself: each counts once, and one alone always does. */
bool shape_fold_is_broadcastable(ir_op *op, const ir_attr *constants,
                                 ir_fold_result *results)
{
    bool changed = false;
    (void)constants;
    if (op->n_operands < 2) {
        results[0].attr = ir_bool_attr(op->ctx, true);
        return true;
    }
    for (uint32_t i = 1; i < op->n_operands; i++) {
        uint32_t k = 0;
        while (k < i && op->operands[k].value != op->operands[i].value)
            k++;
        if (k == i)
            continue;
        ir_op_splice_operands(op, i, 1, NULL, 0);
        changed = true;
        i--;
    }
    return changed;
}

bool shape_fold_shape_of(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = ir_op_operand(op, 0)->type;
    (void)constants;
    if (!ir_type_is_ranked(type))
        return false;
    for (uint32_t i = 0; i < type->count; i++)
        if (type->dims[i] == IR_DYNAMIC)
            return false;
    int64_t rank = type->count;
    results[0].attr = ir_dense_i64(ir_tensor_type(ir_index_type(op->ctx), &rank, 1, NULL),
                                   type->dims, type->count);
    return true;
}

/* Lists of extents are const_shape, if they are as long as the type says. */
ir_op *shape_materialize(void *builder, ir_attr value, ir_type type, ir_loc loc)
{
    ir_builder b = *(ir_builder *)builder;
    b.loc = loc;
    if (!ir_attr_is(value, IR_ATTR_DENSE))
        return arith_materialize(builder, value, type, loc);
    if (type->kind == IR_TYPE_TENSOR && type != value->type)
        return NULL;
    return ir_value_def(
        ir_build1(&b, SHAPE_OP(const_shape), type, NULL, 0, IR_ATTRS({"shape", value})));
}
