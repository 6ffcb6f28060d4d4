/* builtin.c: the tables of the builtin dialect. */
#include "mlir/builtin/builtin.h"

/* Folds casts to the same type, and casts back to the original type. */
static bool fold_cast(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    (void)constants;
    if (op->n_operands != 1 || op->n_results != 1)
        return false;
    ir_value *v = op->operands[0].value;
    ir_op *inner = ir_value_def(v);
    if (ir_op_is(inner, BUILTIN_OP(unrealized_conversion_cast)) && inner->n_operands == 1 &&
        inner->operands[0].value->type == op->results[0].type)
        v = inner->operands[0].value;
    if (v->type == op->results[0].type)
        results[0].value = v;
    return results[0].value != NULL;
}

static bool verify_cast(ir_op *op)
{
    return op->n_results ||
           ir_op_error(op, "expected at least one result for cast operation");
}

static bool verify_module(ir_op *op)
{
    for (uint32_t i = 0; op->attrs && i < op->attrs->count; i++) {
        const char *name = op->attrs->entries[i].name->text;
        if (!strchr(name, '.'))
            return ir_op_error(op,
                               "can only contain attributes with dialect-prefixed names, "
                               "found: '%s'",
                               name);
    }
    return true;
}

#define IR_DIALECT builtin
#define IR_ROWS "mlir/builtin/builtin.def"
#include "ir/dialect_tables.h"

const ir_dialect builtin_dialect = {
    .name = "builtin",
    IR_DIALECT_TABLES,
    .uses_properties = true,
};
