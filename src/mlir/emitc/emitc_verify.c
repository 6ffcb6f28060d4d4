/* emitc_verify.c: verifies operations that emit C++.  Messages are mlir-opt's. */
#include "ir/rules/rules.h"
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/emitc_hooks.h"

static ir_type type_at(const ir_op *op, uint32_t operand)
{
    return ir_op_operand(op, operand)->type;
}

static const char *text(const ir_op *op, ir_type type)
{
    return ir_type_text(op->ctx, type);
}

static bool is_of(ir_type t, const ir_type_def *def)
{
    return t->kind == IR_TYPE_DIALECT && t->def == def;
}

static bool is_pointer(ir_type t)
{
    return is_of(t, EMITC_TYPE(ptr));
}

static bool is_whole(ir_type t) /* or opaque */
{
    return t->kind == IR_TYPE_INTEGER || is_of(t, EMITC_TYPE(opaque));
}

/* Pointer-wide types, whose constants are of type index. */
static bool is_wide(ir_type t)
{
    return is_of(t, EMITC_TYPE(size_t)) || is_of(t, EMITC_TYPE(ssize_t)) ||
           is_of(t, EMITC_TYPE(ptrdiff_t));
}

static bool is_opaque(ir_attr a)
{
    return ir_attr_is(a, IR_ATTR_DIALECT) && a->def == EMITC_ATTR(opaque);
}

/* ---- calls and constants ------------------------------------------------------------ */

bool emitc_verify_call_opaque(ir_op *op)
{
    ir_attr args = ir_op_attr(op, "args"), templates = ir_op_attr(op, "template_args");
    CHK_ERROR_IF(!ir_attr_str(ir_op_attr(op, "callee")).size, "callee must not be empty");
    for (uint32_t i = 0; args && i < args->count; i++) {
        ir_attr a = args->items[i];
        bool index = ir_attr_is(a, IR_ATTR_INTEGER) && a->type->kind == IR_TYPE_INDEX;
        CHK_ERROR_IF(index && (a->value < 0 || a->value >= op->n_operands),
                     "index argument is out of range");
        CHK_ERROR_IF(ir_attr_is(a, IR_ATTR_ARRAY), "array argument has no type");
    }
    for (uint32_t i = 0; templates && i < templates->count; i++) {
        ir_attr a = templates->items[i];
        CHK_ERROR_IF(!ir_attr_is(a, IR_ATTR_TYPE) && !ir_attr_is(a, IR_ATTR_INTEGER) &&
                         !ir_attr_is(a, IR_ATTR_FLOAT) && !is_opaque(a),
                     "template argument has invalid type");
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        CHK_ERROR_IF(is_of(op->results[i].type, EMITC_TYPE(array)),
                     "cannot return array type");
    return true;
}

/* With operands, "{}" is a placeholder for each in order and "{{" an escaped brace. */
bool emitc_verify_verbatim(ir_op *op)
{
    tw_str text = ir_attr_str(ir_op_attr(op, "value"));
    uint32_t placeholders = 0;
    for (size_t i = 0; op->n_operands && i < text.size; i++) {
        if (text.data[i] != '{')
            continue;
        CHK_ERROR_IF(i + 1 == text.size,
                     "expected '}' after unescaped '{' at end of string");
        i++;
        CHK_ERROR_IF(text.data[i] != '{' && text.data[i] != '}',
                     "expected '}' after unescaped '{'");
        placeholders += text.data[i] == '}';
    }
    CHK_ERROR_IF(placeholders != op->n_operands,
                 "requires operands for each placeholder in the format string");
    return true;
}

bool emitc_verify_apply(ir_op *op)
{
    tw_str what = ir_attr_str(ir_op_attr(op, "applicableOperator"));
    CHK_ERROR_IF(!what.size, "applicable operator must not be empty");
    CHK_ERROR_IF(!tw_str_is(what, "&") && !tw_str_is(what, "*"),
                 "applicable operator is illegal");
    return true;
}

bool emitc_verify_constant(ir_op *op)
{
    ir_attr value = ir_op_attr(op, "value");
    ir_type type = op->results[0].type;
    CHK_ERROR_IF(ir_attr_is(value, IR_ATTR_STRING),
                 "string attributes are not supported, use #emitc.opaque instead");
    if (is_opaque(value)) {
        CHK_ERROR_IF(op->def == EMITC_OP(constant) && !ir_attr_str(value->params[0]).size,
                     "value must not be empty");
        return true;
    }
    bool index = value && value->type && value->type->kind == IR_TYPE_INDEX;
    CHK_ERROR_IF(value && value->type && value->type != type && !(index && is_wide(type)),
                 "requires attribute to either be an #emitc.opaque attribute or it's type "
                 "('%s') to match the op's result type ('%s')",
                 text(op, value->type), text(op, type));
    return true;
}

static bool is_castable(ir_type t)
{
    return t->kind == IR_TYPE_INTEGER || t->kind == IR_TYPE_INDEX ||
           t->kind == IR_TYPE_FLOAT || t->kind == IR_TYPE_DIALECT;
}

bool emitc_verify_cast(ir_op *op)
{
    ir_type from = type_at(op, 0), to = op->results[0].type;
    CHK_ERROR_IF(!is_castable(from) || !is_castable(to),
                 "operand type '%s' and result type '%s' are cast incompatible",
                 text(op, from), text(op, to));
    return true;
}

/* ---- arithmetic on pointers --------------------------------------------------------- */

bool emitc_verify_add(ir_op *op)
{
    ir_type a = type_at(op, 0), b = type_at(op, 1);
    CHK_ERROR_IF(is_pointer(a) && is_pointer(b),
                 "requires that at most one operand is a pointer");
    CHK_ERROR_IF(
        (is_pointer(a) && !is_whole(b)) || (is_pointer(b) && !is_whole(a)),
        "requires that one operand is an integer or of opaque type if the other is "
        "a pointer");
    return true;
}

bool emitc_verify_sub(ir_op *op)
{
    ir_type a = type_at(op, 0), b = type_at(op, 1), to = op->results[0].type;
    CHK_ERROR_IF(is_pointer(b) && !is_pointer(a),
                 "rhs can only be a pointer if lhs is a pointer");
    CHK_ERROR_IF(is_pointer(a) && !is_whole(b) && !is_pointer(b),
                 "requires that rhs is an integer, pointer or of opaque type if lhs is a "
                 "pointer");
    CHK_ERROR_IF(
        is_pointer(a) && is_pointer(b) && !is_whole(to) &&
            !is_of(to, EMITC_TYPE(ptrdiff_t)),
        "requires that the result is an integer, ptrdiff_t or of opaque type if lhs "
        "and rhs are pointers");
    return true;
}

/* ---- terminators */

bool emitc_verify_yield(ir_op *op)
{
    const ir_op *around = ir_op_parent(op);
    if (ir_op_is(around, EMITC_OP(do)))
        return true; /* verifies its yield itself */
    CHK_ERROR_IF(around && op->n_operands && around->n_results != 1,
                 "yields a value not returned by parent");
    CHK_ERROR_IF(around && !op->n_operands && around->n_results != 0,
                 "does not yield a value to be returned by parent");
    return true;
}

bool emitc_verify_return(ir_op *op)
{
    const ir_op *around = ir_op_parent(op);
    ir_attr attr = around ? ir_op_attr(around, "function_type") : NULL;
    ir_type type = ir_attr_is(attr, IR_ATTR_TYPE) ? attr->type : NULL;
    if (!type || type->kind != IR_TYPE_FUNCTION)
        return true;
    tw_str name = ir_symbol_name(around);
    CHK_ERROR_IF(op->n_operands != type->results,
                 "has %u operands, but enclosing function (@%.*s) returns %u",
                 op->n_operands, (int)name.size, name.data, type->results);
    if (type->results == 1 && type_at(op, 0) != ir_function_results(type)[0])
        return ir_error_at_op(
            op,
            "type of the return operand ('%s') doesn't match function result "
            "type ('%s') in function @%.*s",
            text(op, type_at(op, 0)), text(op, ir_function_results(type)[0]),
            (int)name.size, name.data);
    return true;
}
