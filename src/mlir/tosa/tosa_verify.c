/* tosa_verify.c: the order of an operation's checks: shape operands, its rules, and (after
 * its regions) inferred types. */
#include "mlir/shared/shape_checks.h"
#include "mlir/tosa/tosa.h"
#include "mlir/tosa/tosa_hooks.h"

static bool is_shape(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def == TOSA_TYPE(shape);
}

/* Shape-computing operations have only shape results. */
static bool computes_shapes(const ir_op *op)
{
    return op->def >= tosa_ops && op->def < tosa_ops + TOSA_OP_COUNT &&
           op->n_results == 1 && is_shape(op->results[0].type);
}

/* Shapes must come from operations that the compiler can evaluate. */
static bool check_resolvable(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_value *v = op->operands[i].value;
        ir_op *def = is_shape(v->type) ? ir_value_def(v) : NULL;
        if (is_shape(v->type) && !(def && computes_shapes(def)))
            return ir_op_error(op, "shape operand is not compile time resolvable");
    }
    return true;
}

static bool check_shape_ranks(ir_op *op)
{
    if (!computes_shapes(op) || op->n_operands != 2)
        return true;
    ir_attr rank = ir_op_operand(op, 0)->type->params[0];
    if (ir_op_operand(op, 1)->type->params[0] != rank)
        return ir_op_error(op, "operands don't have matching ranks");
    return op->results[0].type->params[0] == rank ||
           ir_op_error(op, "result shape has different rank than operands");
}

bool tosa_verify(ir_op *op)
{
    return check_resolvable(op) && check_shape_ranks(op) &&
           chk_verify(op, tosa_own_rules(op->def));
}

/* ---- inferred types ----------------------------------------------------------------- */

static ir_type inferred_type(const ir_op *op)
{
    int64_t dims[SHAPE_MAX_RANK], axis = ir_attr_int(ir_op_attr(op, "axis"), 0), size = 0;
    ir_type first = NULL, element = ir_op_operand(op, 0)->type->element;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = ir_op_operand(op, i)->type;
        bool known = ir_type_is_ranked(t) && axis < t->count && t->count <= SHAPE_MAX_RANK;
        size = !known || size == IR_DYNAMIC || t->dims[axis] == IR_DYNAMIC
                   ? IR_DYNAMIC
                   : size + t->dims[axis];
        for (uint32_t k = 0; known && k < t->count; k++)
            if (!first || dims[k] == IR_DYNAMIC)
                dims[k] = t->dims[k];
        first = first ? first : known ? t : NULL;
    }
    if (!first)
        return ir_unranked_tensor_type(element);
    dims[axis] = op->def == TOSA_OP(concat) ? size : 1;
    return ir_tensor_type(element, dims, first->count, NULL);
}

bool tosa_verify_inferred(ir_op *op)
{
    ir_type want = inferred_type(op), have = op->results[0].type;
    if (want->element == have->element && shape_compatible(want, have))
        return true;
    ir_op_error(op,
                "inferred type(s) '%s' are incompatible with return type(s) of operation "
                "'%s'",
                ir_type_text(op->ctx, want), ir_type_text(op->ctx, have));
    return ir_op_error(op, "failed to infer returned types");
}
