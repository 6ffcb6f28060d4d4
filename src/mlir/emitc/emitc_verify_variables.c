/* emitc_verify_variables.c: verifies variables, pointers, globals, functions and regions,
 * in MLIR's words. */
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/emitc_constraints.h"
#include "mlir/emitc/emitc_hooks.h"
#include "mlir/func/func_hooks.h"

static bool is_of(ir_type type, const ir_type_def *def)
{
    return type && type->kind == IR_TYPE_DIALECT && type->def == def;
}

static bool is_pointer(ir_type type)
{
    return is_of(type, EMITC_TYPE(ptr));
}

/* The value type of an lvalue, the pointee of a pointer, the element of an array. */
static ir_type inner(ir_type type)
{
    return type->params[is_of(type, EMITC_TYPE(array)) ? 1 : 0]->type;
}

static ir_type operand_type(const ir_op *op, size_t i)
{
    return ir_op_operand(op, i)->type;
}

static const char *text(const ir_op *op, ir_type type)
{
    return ir_type_text(op->ctx, type);
}

/* ---- variables and values ----------------------------------------------------------- */

/* True if the value can initialise the result; index constants may also initialise C's
 * integer types. */
static bool fits_result(ir_op *op, ir_attr value, ir_type type)
{
    if (value->kind == IR_ATTR_DIALECT && value->def == EMITC_ATTR(opaque))
        return true;
    if (value->kind == IR_ATTR_STRING)
        return ir_op_error(op, "string attributes are not supported, use #emitc.opaque "
                               "instead");
    if (is_of(type, EMITC_TYPE(lvalue)))
        type = inner(type);
    bool wide = is_of(type, EMITC_TYPE(size_t)) || is_of(type, EMITC_TYPE(ssize_t)) ||
                is_of(type, EMITC_TYPE(ptrdiff_t));
    if (value->type == type || (wide && value->type && value->type->kind == IR_TYPE_INDEX))
        return true;
    return ir_op_error(op,
                       "requires attribute to either be an #emitc.opaque attribute or it's "
                       "type ('%s') to match the op's result type ('%s')",
                       value->type ? text(op, value->type) : "none", text(op, type));
}

bool emitc_verify_variable(ir_op *op)
{
    return fits_result(op, ir_op_attr(op, "value"), op->results[0].type);
}

bool emitc_verify_literal(ir_op *op)
{
    return ir_attr_str(ir_op_attr(op, "value")).size ||
           ir_op_error(op, "value must not be empty");
}

bool emitc_verify_assign(ir_op *op)
{
    ir_value *variable = ir_op_operand(op, 0);
    ir_type held = inner(variable->type), given = operand_type(op, 1);
    if (!ir_value_def(variable))
        return ir_op_error(op, "cannot assign to block argument");
    if (held != given)
        return ir_op_error(op,
                           "requires value's type ('%s') to match variable's type ('%s')",
                           text(op, given), text(op, held));
    if (is_of(held, EMITC_TYPE(array)))
        return ir_op_error(op, "cannot assign to array type");
    return true;
}

bool emitc_verify_address_of(ir_op *op)
{
    return inner(op->results[0].type) == inner(operand_type(op, 0)) ||
           ir_op_error(op, "requires result to be a pointer to the type referenced by "
                           "operand");
}

bool emitc_verify_dereference(ir_op *op)
{
    return inner(op->results[0].type) == inner(operand_type(op, 0)) ||
           ir_op_error(op, "requires result to be an lvalue of the type pointed to by "
                           "operand");
}

static bool verify_pointer_subscript(ir_op *op)
{
    ir_type index = op->n_operands > 1 ? operand_type(op, 1) : NULL;
    ir_type element = inner(operand_type(op, 0)), result = inner(op->results[0].type);
    if (op->n_operands != 2)
        return ir_op_error(op, "on pointer operand requires one index operand, but got %u",
                           op->n_operands - 1);
    if (!ir_type_satisfies(index, &C_IntegerIndexOrOpaqueType))
        return ir_op_error(op,
                           "on pointer operand requires index operand to be integer-like, "
                           "but got '%s'",
                           text(op, index));
    return element == result ||
           ir_op_error(op,
                       "on pointer operand requires pointee type ('%s') and result "
                       "type ('%s') to match",
                       text(op, element), text(op, result));
}

static bool verify_array_subscript(ir_op *op)
{
    ir_type array = operand_type(op, 0), result = inner(op->results[0].type);
    size_t rank = array->params[0]->count;
    if (op->n_operands - 1 != rank)
        return ir_op_error(op,
                           "on array operand requires number of indices (%u) to match the "
                           "rank of the array type (%zu)",
                           op->n_operands - 1, rank);
    for (size_t i = 0; i < rank; i++)
        if (!ir_type_satisfies(operand_type(op, i + 1), &C_IntegerIndexOrOpaqueType))
            return ir_op_error(op,
                               "on array operand requires index operand %zu to be "
                               "integer-like, but got '%s'",
                               i, text(op, operand_type(op, i + 1)));
    return inner(array) == result ||
           ir_op_error(op,
                       "on array operand requires element type ('%s') and result type "
                       "('%s') to match",
                       text(op, inner(array)), text(op, result));
}

bool emitc_verify_subscript(ir_op *op)
{
    ir_type value = operand_type(op, 0);
    return is_pointer(value)                 ? verify_pointer_subscript(op)
           : is_of(value, EMITC_TYPE(array)) ? verify_array_subscript(op)
                                             : true;
}

/* ---- functions and globals ---------------------------------------------------------- */

bool emitc_verify_func(ir_op *op)
{
    ir_type type = ir_op_attr(op, "function_type")->type;
    if (!func_signature_verify(op))
        return false;
    for (uint32_t i = 0; i < type->count; i++)
        if (is_of(type->types[i], EMITC_TYPE(lvalue)))
            return ir_op_error(op, "cannot have lvalue type as argument");
    if (type->results > 1)
        return ir_op_error(op, "requires zero or exactly one result, but has %u",
                           type->results);
    if (type->results && is_of(ir_function_results(type)[0], EMITC_TYPE(array)))
        return ir_op_error(op, "cannot return array type");
    return true;
}

/* Checks the declared type, and that the value has that type (for an array, that of a
 * tensor of its shape). */
static bool verify_initial(ir_op *op)
{
    ir_type type = ir_op_attr(op, "type")->type;
    ir_attr value = ir_op_attr(op, "initial_value");
    if (!ir_type_satisfies(type, &C_EmitCType))
        return ir_op_error(op, "expected valid emitc type");
    if (!value || (value->kind == IR_ATTR_DIALECT && value->def == EMITC_ATTR(opaque)))
        return true;
    bool elements = value->kind == IR_ATTR_DENSE || value->kind == IR_ATTR_RESOURCE ||
                    value->kind == IR_ATTR_SPARSE;
    if (!elements && value->kind != IR_ATTR_INTEGER && value->kind != IR_ATTR_FLOAT)
        return ir_op_error(op,
                           "initial value should be a integer, float, elements or opaque "
                           "attribute, but got %s",
                           ir_attr_text(op->ctx, value));
    ir_type want = type;
    if (elements) {
        int64_t dims[16];
        if (!is_of(type, EMITC_TYPE(array)) || type->params[0]->count > TW_COUNT(dims))
            return ir_op_error(op, "expected array type, but got '%s'", text(op, type));
        for (uint32_t i = 0; i < type->params[0]->count; i++)
            dims[i] = type->params[0]->items[i]->value;
        want = ir_tensor_type(inner(type), dims, type->params[0]->count, NULL);
    }
    return value->type == want ||
           ir_op_error(op,
                       "initial value expected to be of type '%s', but was of type '%s'",
                       text(op, type), text(op, value->type));
}

bool emitc_verify_global(ir_op *op)
{
    if (!verify_initial(op))
        return false;
    return !ir_op_attr(op, "static_specifier") || !ir_op_attr(op, "extern_specifier") ||
           ir_op_error(op, "cannot have both static and extern specifiers");
}

/* Its initial value is not checked, as in MLIR. */
bool emitc_verify_field(ir_op *op)
{
    if (!ir_type_satisfies(ir_op_attr(op, "type")->type, &C_EmitCType))
        return ir_op_error(op, "expected valid emitc type");
    if (!ir_op_is(ir_op_parent(op), EMITC_OP(class)))
        return ir_op_error(op, "field must be nested within an emitc.class operation");
    return ir_attr_str(ir_op_attr(op, "sym_name")).size ||
           ir_op_error(op, "field must have a non-empty symbol name");
}

/* ---- regions ------------------------------------------------------------------------ */

bool emitc_verify_switch(ir_op *op)
{
    ir_attr cases = ir_op_attr(op, "cases");
    if (cases->count != op->n_regions - 1u)
        return ir_op_error(op, "has %u case regions but %u case values", op->n_regions - 1u,
                           cases->count);
    for (uint32_t i = 0; i < cases->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (ir_dense_array_int(cases, i) == ir_dense_array_int(cases, k))
                return ir_op_error(op, "has duplicate case value: %lld",
                                   (long long)ir_dense_array_int(cases, i));
    for (uint16_t r = 0; r < op->n_regions; r++)
        if (op->regions[r].first && op->regions[r].first->n_args)
            return ir_op_error(op, "region #%u should have no arguments", r);
    return true;
}

/* Reads, and calls of unknown functions. */
static bool has_effects(const ir_op *op)
{
    return op->def == EMITC_OP(call_opaque) || op->def == EMITC_OP(load) ||
           (op->def == EMITC_OP(apply) &&
            tw_str_is(ir_attr_str(ir_op_attr(op, "applicableOperator")), "*"));
}

/* Checks that an expression's results are used inside it, the last one by the yield. */
static bool verify_member(ir_op *op, ir_op *member)
{
    if (!ir_def_has(member->def, "CExpressionInterface"))
        return ir_op_error(op, "contains an unsupported operation");
    if (member->n_results != 1)
        return ir_op_error(op, "requires exactly one result for each operation");
    return !ir_value_unused(&member->results[0]) ||
           ir_op_error(op, "contains an unused operation");
}

bool emitc_verify_expression(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *yield = body ? body->last : NULL;
    if (!yield || yield->def != EMITC_OP(yield) || !yield->n_operands)
        return ir_op_error(op, "must yield a value at termination");
    if (body->n_args != op->n_operands)
        return ir_op_error(op, "has %u operands but its region has %u arguments",
                           op->n_operands, body->n_args);
    for (uint32_t i = 0; i < body->n_args; i++)
        if (body->args[i]->type != operand_type(op, i))
            return ir_op_error(op, "operand #%u and the region's argument differ in type",
                               i);
    ir_op *root = ir_value_def(ir_op_operand(yield, 0));
    if (!root)
        return ir_op_error(op, "yielded value has no defining op");
    if (ir_op_parent(root) != op)
        return ir_op_error(op, "yielded value not defined within expression");
    if (operand_type(yield, 0) != op->results[0].type)
        return ir_op_error(op, "requires yielded type to match return type");
    for (ir_op *member = body->first; member != yield; member = member->next)
        if (!verify_member(op, member))
            return false;
    for (ir_op *member = body->first; member != yield; member = member->next)
        if (has_effects(member) && !ir_value_has_one_use(&member->results[0]))
            return ir_op_error(op,
                               "requires exactly one use for operations with side effects");
    return true;
}

/* Checks that the condition is one expression and its yield; the body has no terminator. */
bool emitc_verify_do(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0), *condition = ir_op_body(op, 1);
    const ir_op *first = condition->first, *last = condition->last;
    size_t count = 0;
    for (const ir_op *o = first; o; o = o->next)
        count++;
    if (body->n_args || condition->n_args)
        return ir_op_error(op, "regions should have no arguments");
    if (count != 2)
        return ir_op_error(op,
                           "condition region must contain exactly two operations: "
                           "'emitc.expression' followed by 'emitc.yield', but found %zu "
                           "operations",
                           count);
    if (!ir_op_is(first, EMITC_OP(expression)))
        return ir_op_error(op,
                           "expected first op in condition region to be "
                           "'emitc.expression', but got %s",
                           first->def->name);
    if (!ir_type_is_signless(first->results[0].type, 1))
        return ir_op_error(op,
                           "emitc.expression in condition region must return 'i1', but "
                           "returns '%s'",
                           text(op, first->results[0].type));
    if (!ir_op_is(last, EMITC_OP(yield)))
        return ir_op_error(op,
                           "expected last op in condition region to be 'emitc.yield', but "
                           "got %s",
                           last->def->name);
    if (last->n_operands != 1)
        return ir_op_error(op,
                           "expected condition region to return 1 value, but it returns %u "
                           "values",
                           last->n_operands);
    if (ir_op_operand(last, 0) != &first->results[0])
        return ir_error_at_op(
            op, "'emitc.yield' must return result of 'emitc.expression' from this "
                "condition region");
    return !(body->last && (body->last->def->traits & IR_TERMINATOR)) ||
           ir_op_error(op, "body region must not contain terminator");
}
