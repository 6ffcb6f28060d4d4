/* emitc_symbols.c: verifies that referenced functions, globals and fields exist and have
 * the types used.  Messages are MLIR's. */
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/emitc_hooks.h"
#include "mlir/func/func_hooks.h"

static const char *text(const ir_op *op, ir_type type)
{
    return ir_type_text(op->ctx, type);
}

bool emitc_call_verify_symbols(ir_op *op)
{
    return func_callee_verify(op, EMITC_OP(func));
}

bool emitc_declare_func_verify_symbols(ir_op *op)
{
    ir_attr name = ir_op_attr(op, "sym_name");
    tw_str leaf = ir_symbol_leaf(name);
    return ir_op_is(ir_symbol_resolve(op, name), EMITC_OP(func)) ||
           ir_op_error(op, "'%.*s' does not reference a valid function", (int)leaf.size,
                       leaf.data);
}

bool emitc_get_global_verify_symbols(ir_op *op)
{
    ir_attr name = ir_op_attr(op, "name");
    ir_op *global = ir_symbol_resolve(op, name);
    tw_str leaf = ir_symbol_leaf(name);
    if (!ir_op_is(global, EMITC_OP(global)))
        return ir_op_error(op, "'%.*s' does not reference a valid emitc.global",
                           (int)leaf.size, leaf.data);
    ir_type type = ir_op_attr(global, "type")->type, result = op->results[0].type;
    if (type->kind == IR_TYPE_DIALECT && type->def == EMITC_TYPE(array))
        return type == result ||
               ir_op_error(op,
                           "on array type expects result type '%s' to match type '%s' of "
                           "the global @%.*s",
                           text(op, result), text(op, type), (int)leaf.size, leaf.data);
    if (result->kind != IR_TYPE_DIALECT || result->def != EMITC_TYPE(lvalue))
        return ir_op_error(op,
                           "on non-array type expects result type to be an lvalue type for "
                           "the global @%.*s",
                           (int)leaf.size, leaf.data);
    ir_type held = result->params[0]->type;
    return held == type ||
           ir_op_error(op,
                       "on non-array type expects result inner type '%s' "
                       "to match type '%s' of the global @%.*s",
                       text(op, held), text(op, type), (int)leaf.size, leaf.data);
}

bool emitc_verify_get_field(ir_op *op)
{
    const ir_op *around = ir_op_parent(op);
    while (around && around->def != EMITC_OP(class))
        around = ir_op_parent(around);
    return around || ir_op_error(op, " must be nested within an emitc.class operation");
}

bool emitc_get_field_verify_symbols(ir_op *op)
{
    ir_attr name = ir_op_attr(op, "field_name");
    ir_op *field = ir_symbol_resolve(op, name);
    if (!ir_op_is(field, EMITC_OP(field)))
        return ir_op_error(op, "field '%s' not found in the class",
                           ir_attr_text(op->ctx, name));
    ir_type type = ir_op_attr(field, "type")->type;
    return type == op->results[0].type ||
           ir_op_error(op, "result type '%s' does not match field '%s' type '%s'",
                       text(op, op->results[0].type), ir_attr_text(op->ctx, name),
                       text(op, type));
}
