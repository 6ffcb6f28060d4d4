/* func_verify.c: verifies functions, calls and returns. */
#include "mlir/func/func.h"
#include "mlir/func/func_hooks.h"

/* The function's type, or NULL: the function may not be verified yet. */
static ir_type type_of(const ir_op *func)
{
    ir_attr attr = ir_op_attr(func, "function_type");
    ir_type type = ir_attr_is(attr, IR_ATTR_TYPE) ? attr->type : NULL;
    return type && type->kind == IR_TYPE_FUNCTION ? type : NULL;
}

/* Attributes of arguments and results must have a dialect prefix. */
static bool has_dialect_attributes(ir_op *op, const char *name, const char *what)
{
    ir_attr list = ir_op_attr(op, name);
    for (uint32_t i = 0; ir_attr_is(list, IR_ATTR_ARRAY) && i < list->count; i++) {
        ir_attr entry = list->items[i];
        for (uint32_t k = 0; ir_attr_is(entry, IR_ATTR_DICT) && k < entry->count; k++) {
            tw_str attr = ir_ident_str(entry->entries[k].name);
            if (!memchr(attr.data, '.', attr.size))
                return ir_op_error(op, "%s may only have dialect attributes", what);
        }
    }
    return true;
}

bool func_signature_verify(ir_op *op)
{
    ir_type type = type_of(op);
    ir_block *entry = ir_op_body(op, 0);
    if (!type)
        return ir_op_error(op,
                           "requires attribute 'function_type' to hold a function type");
    static const struct {
        const char *attr, *what;
    } lists[] = {{"arg_attrs", "argument"}, {"res_attrs", "result"}};
    for (size_t i = 0; i < TW_COUNT(lists); i++) {
        ir_attr list = ir_op_attr(op, lists[i].attr);
        uint32_t want = i == 0 ? type->count : type->results;
        if (list && list->count != want)
            return ir_op_error(
                op,
                "expects %s attribute array to have the same number of elements "
                "as the number of function %ss, got %u, but expected %u",
                lists[i].what, lists[i].what, list->count, want);
    }
    if (!has_dialect_attributes(op, "arg_attrs", "arguments") ||
        !has_dialect_attributes(op, "res_attrs", "results"))
        return false;
    if (!entry)
        return true;
    if (entry->n_args != type->count)
        return ir_op_error(op,
                           "entry block must have %u arguments to match function signature",
                           type->count);
    for (uint32_t i = 0; i < type->count; i++)
        if (entry->args[i]->type != type->types[i])
            return ir_op_error(op,
                               "type of entry block argument #%u('%s') must match the type "
                               "of the corresponding "
                               "argument in function signature('%s')",
                               i, ir_type_text(op->ctx, entry->args[i]->type),
                               ir_type_text(op->ctx, type->types[i]));
    return true;
}

bool func_func_verify(ir_op *op)
{
    ir_attr visibility = ir_op_attr(op, "sym_visibility");
    if (!func_signature_verify(op))
        return false;
    return ir_op_body(op, 0) ||
           (ir_attr_is(visibility, IR_ATTR_STRING) &&
            !tw_str_is(ir_attr_str(visibility), "public")) ||
           ir_op_error(op, "symbol declaration cannot have public visibility");
}

bool func_return_verify(ir_op *op)
{
    ir_op *parent = ir_op_parent(op);
    if (!parent || parent->def != FUNC_OP(func))
        return ir_op_error(op, "expects parent op 'func.func'");
    ir_type type = type_of(parent);
    if (!type)
        return ir_op_error(op, "expects a function with a type around it");
    if (op->n_operands != type->results)
        return ir_op_error(op, "has %u operands, but enclosing function (@%.*s) returns %u",
                           op->n_operands, (int)ir_symbol_name(parent).size,
                           ir_symbol_name(parent).data, type->results);
    for (uint32_t i = 0; i < type->results; i++)
        if (op->operands[i].value->type != ir_function_results(type)[i])
            return ir_error_at_op(
                op,
                "type of return operand %u ('%s') doesn't match function result type "
                "('%s') in function @%.*s",
                i, ir_type_text(op->ctx, op->operands[i].value->type),
                ir_type_text(op->ctx, ir_function_results(type)[i]),
                (int)ir_symbol_name(parent).size, ir_symbol_name(parent).data);
    return true;
}

bool func_constant_verify(ir_op *op)
{
    ir_attr value = ir_op_attr(op, "value");
    ir_op *target = ir_symbol_resolve(op, value);
    if (!ir_nearest_symbol_table(op))
        return true;
    if (!target || target->def != FUNC_OP(func))
        return ir_op_error(op, "reference to undefined function '%.*s'",
                           (int)ir_symbol_leaf(value).size, ir_symbol_leaf(value).data);
    return type_of(target) == op->results[0].type ||
           ir_op_error(op, "reference to function with mismatched type");
}

bool func_call_indirect_verify(ir_op *op)
{
    ir_type type = ir_op_operand(op, 0)->type;
    bool inputs = type->count == op->n_operands - 1,
         results = type->results == op->n_results;
    for (uint32_t i = 0; inputs && i < type->count; i++)
        inputs = ir_op_operand(op, i + 1)->type == type->types[i];
    for (uint32_t i = 0; results && i < type->results; i++)
        results = op->results[i].type == ir_function_results(type)[i];
    if (!inputs)
        return ir_op_error(op, "failed to verify that callee input types match argument "
                               "types");
    return results || ir_op_error(op, "failed to verify that callee result types match "
                                      "result types");
}

bool func_callee_verify(ir_op *op, const ir_op_def *function)
{
    ir_attr callee = ir_op_attr(op, "callee");
    ir_op *target = ir_symbol_resolve(op, callee);
    if (!ir_nearest_symbol_table(op))
        return true;
    if (!ir_op_is(target, function))
        return ir_op_error(op, "'%.*s' does not reference a valid function",
                           (int)ir_symbol_leaf(callee).size, ir_symbol_leaf(callee).data);
    ir_type type = type_of(target);
    if (!type)
        return ir_op_error(op, "calls a function without a type");
    if (type->count != op->n_operands)
        return ir_op_error(op, "incorrect number of operands for callee");
    for (uint32_t i = 0; i < type->count; i++)
        if (op->operands[i].value->type != type->types[i])
            return ir_op_error(
                op,
                "operand type mismatch: expected operand type '%s', but provided "
                "'%s' for operand number %u",
                ir_type_text(op->ctx, type->types[i]),
                ir_type_text(op->ctx, op->operands[i].value->type), i);
    if (type->results != op->n_results)
        return ir_op_error(op, "incorrect number of results for callee");
    for (uint32_t i = 0; i < type->results; i++)
        if (op->results[i].type != ir_function_results(type)[i])
            return ir_op_error(op, "result type mismatch at index %u", i);
    return true;
}

bool func_call_verify(ir_op *op)
{
    return func_callee_verify(op, FUNC_OP(func));
}
