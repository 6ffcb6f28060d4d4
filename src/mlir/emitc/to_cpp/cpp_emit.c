/* cpp_emit.c: emits C++ statements, expressions and types from emitc operations.
 *
 * Each value gets a name at its definition: v1, v2, ... and, for loops, i1, j2, ... by
 * depth. Literals and the values of an emitc.expression are written where they are used.
 * Functions with the attribute emitc.readable are written as a person would (readable.c).
 */
#include "mlir/builtin/builtin.h"
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "mlir/emitc/to_cpp/cpp_emitter.h"
#include "mlir/func/func.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool emit_block(emitter *e, ir_block *block);
static bool emit_value(emitter *e, ir_value *v);

static bool unsupported(ir_op *op, const char *what)
{
    return ir_op_error(op, "cannot be written as C++: %s", what);
}

/* ---- types --------------------------------------------------------------------------- */

static bool put_type(emitter *e, ir_op *op, ir_type t)
{
    tw_strbuf *out = e->out;
    switch (t->kind) {
    case IR_TYPE_INDEX:
        tw_strbuf_puts(out, "size_t");
        return true;
    case IR_TYPE_INTEGER:
        if (t->width == 1)
            tw_strbuf_puts(out, "bool");
        else if (t->width == 8 || t->width == 16 || t->width == 32 || t->width == 64)
            tw_strbuf_printf(out, "%sint%u_t", t->sign == IR_UNSIGNED ? "u" : "", t->width);
        else
            break;
        return true;
    case IR_TYPE_FLOAT: {
        static const struct {
            ir_float_kind kind;
            const char *text;
        } rows[] = {{IR_F16, "_Float16"},
                    {IR_BF16, "__bf16"},
                    {IR_F32, "float"},
                    {IR_F64, "double"}};
        for (size_t i = 0; i < TW_COUNT(rows); i++)
            if (rows[i].kind == (ir_float_kind)t->sign) {
                tw_strbuf_puts(out, rows[i].text);
                return true;
            }
        break;
    }
    case IR_TYPE_DIALECT:
        if (t->def == EMITC_TYPE(opaque)) {
            tw_strbuf_str(out, ir_attr_str(t->params[0]));
        } else if (t->def == EMITC_TYPE(size_t)) {
            tw_strbuf_puts(out, e->readable ? "uint32_t" : "size_t");
        } else if (t->def == EMITC_TYPE(ssize_t)) {
            tw_strbuf_puts(out, e->readable ? "int32_t" : "ssize_t");
        } else if (t->def == EMITC_TYPE(ptrdiff_t)) {
            tw_strbuf_puts(out, e->readable ? "int32_t" : "ptrdiff_t");
        } else if (t->def == EMITC_TYPE(lvalue)) {
            return put_type(e, op, t->params[0]->type);
        } else if (t->def == EMITC_TYPE(ptr)) {
            if (!put_type(e, op, t->params[0]->type))
                return false;
            tw_strbuf_putc(out, '*');
        } else {
            break;
        }
        return true;
    default:
        break;
    }
    return ir_op_error(op, "cannot be written as C++: type '%s'", ir_type_text(op->ctx, t));
}

static bool is_array(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def == EMITC_TYPE(array);
}

/* "T name" or "T name[2][3]" */
static bool put_declaration(emitter *e, ir_op *op, ir_type t, const char *name)
{
    if (!put_type(e, op, is_array(t) ? t->params[1]->type : t))
        return false;
    tw_strbuf_printf(e->out, " %s", name);
    for (uint32_t i = 0; is_array(t) && i < t->params[0]->count; i++)
        tw_strbuf_printf(e->out, "[%lld]", (long long)t->params[0]->items[i]->value);
    return true;
}

/* ---- constants ----------------------------------------------------------------------- */

static void put_float(emitter *e, double v, bool single)
{
    if (isnan(v) || isinf(v)) {
        tw_strbuf_puts(e->out, isnan(v) ? "NAN" : v > 0 ? "INFINITY" : "-INFINITY");
        return;
    }
    char text[64];
    snprintf(text, sizeof text, single ? "%.9g" : "%.17g", v);
    tw_strbuf_puts(e->out, text);
    if (!strpbrk(text, ".e"))
        tw_strbuf_puts(e->out, ".0");
    if (single)
        tw_strbuf_puts(e->out, "f");
}

static bool put_attr(emitter *e, ir_op *op, ir_attr a)
{
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        if (ir_attr_is_bool(a))
            tw_strbuf_puts(e->out, a->value ? "true" : "false");
        else if (a->type && a->type->kind == IR_TYPE_INTEGER &&
                 a->type->sign == IR_UNSIGNED && a->type->width == 64)
            tw_strbuf_printf(e->out, "%llu", (unsigned long long)a->value);
        else if (e->readable && e->modular && cpp_is_pattern(a))
            tw_strbuf_printf(e->out, "0x%08x", (unsigned)a->value);
        else
            tw_strbuf_printf(e->out, "%lld", (long long)a->value);
        return true;
    case IR_ATTR_FLOAT:
        put_float(e, a->real, ir_type_is_float(a->type, IR_F32));
        return true;
    case IR_ATTR_DIALECT:
        if (a->def == EMITC_ATTR(opaque)) {
            tw_strbuf_str(e->out, ir_attr_str(a->params[0]));
            return true;
        }
        break;
    case IR_ATTR_SYMBOL_REF:
        tw_strbuf_str(e->out, ir_symbol_leaf(a));
        return true;
    case IR_ATTR_TYPE:
        return put_type(e, op, a->type);
    default:
        break;
    }
    return ir_op_error(op, "cannot be written as C++: attribute %s",
                       ir_attr_text(op->ctx, a));
}

/* ---- names --------------------------------------------------------------------------- */

static const char *name_value(emitter *e, const ir_value *v, char letter)
{
    char text[24];
    snprintf(text, sizeof text, "%c%u", letter, (unsigned)++e->count);
    ir_context *ctx = ir_value_block(v)->region->owner->ctx;
    const char *name = e->readable ? cpp_readable_name(e, v, letter)
                                   : ir_ident_get(ctx, tw_str_from(text))->text;
    ir_mapping_set(e->names, v, (void *)(uintptr_t)name);
    return name;
}

static void put_name(emitter *e, const ir_value *v)
{
    const char *name = ir_mapping_get(e->names, v);
    tw_strbuf_puts(e->out, name ? name : "?");
}

static void put_indent(emitter *e)
{
    for (int i = 0; i < e->indent; i++)
        tw_strbuf_puts(e->out, "  ");
}

/* ---- expressions --------------------------------------------------------------------- */

static const struct {
    const ir_op_def *def;
    const char *text;
    bool unary;
} operators[] = {
    {EMITC_OP(add), "+", false},
    {EMITC_OP(sub), "-", false},
    {EMITC_OP(mul), "*", false},
    {EMITC_OP(div), "/", false},
    {EMITC_OP(rem), "%", false},
    {EMITC_OP(bitwise_and), "&", false},
    {EMITC_OP(bitwise_or), "|", false},
    {EMITC_OP(bitwise_xor), "^", false},
    {EMITC_OP(bitwise_left_shift), "<<", false},
    {EMITC_OP(bitwise_right_shift), ">>", false},
    {EMITC_OP(logical_and), "&&", false},
    {EMITC_OP(logical_or), "||", false},
    {EMITC_OP(bitwise_not), "~", true},
    {EMITC_OP(logical_not), "!", true},
    {EMITC_OP(unary_minus), "-", true},
    {EMITC_OP(unary_plus), "+", true},
};

/* An operand of an operator: in parentheses where its own operator binds less. */
static bool emit_operand(emitter *e, ir_op *op, uint32_t i)
{
    ir_op *inner = ir_value_def(op->operands[i].value);
    bool parens = e->readable && inner && cpp_readable_inline(e, inner) &&
                  cpp_needs_parentheses(inner, op, i);
    bool modular = e->modular && cpp_is_modular(op);
    if (parens)
        tw_strbuf_putc(e->out, '(');
    e->modular = modular;
    e->typed = false;
    bool ok = emit_value(e, op->operands[i].value);
    if (parens)
        tw_strbuf_putc(e->out, ')');
    return ok;
}

static bool put_arguments(emitter *e, ir_op *op)
{
    ir_attr args = op->def == EMITC_OP(call_opaque) ? ir_op_attr(op, "args") : NULL;
    uint32_t n = args ? args->count : op->n_operands;
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            tw_strbuf_puts(e->out, ", ");
        /* an index in `args` refers to that operand */
        ir_attr a = args ? args->items[i] : NULL;
        bool operand =
            !a || (a->kind == IR_ATTR_INTEGER && a->type && a->type->kind == IR_TYPE_INDEX);
        if (operand ? !emit_value(e, op->operands[a ? (uint32_t)a->value : i].value)
                    : !put_attr(e, op, a))
            return false;
    }
    return true;
}

static bool put_call(emitter *e, ir_op *op)
{
    ir_attr callee = ir_op_attr(op, "callee");
    ir_attr args =
        op->def == EMITC_OP(call_opaque) ? ir_op_attr(op, "template_args") : NULL;
    tw_strbuf_str(e->out, callee->kind == IR_ATTR_STRING ? ir_attr_str(callee)
                                                         : ir_symbol_leaf(callee));
    for (uint32_t i = 0; args && i < args->count; i++) {
        tw_strbuf_puts(e->out, i ? ", " : "<");
        if (!put_attr(e, op, args->items[i]))
            return false;
    }
    tw_strbuf_puts(e->out, args && args->count ? ">(" : "(");
    /* templates of the standard library want arguments of one type, functions convert */
    e->typed = callee->kind == IR_ATTR_STRING && ir_attr_str(callee).size > 5 &&
               memcmp(ir_attr_str(callee).data, "std::", 5) == 0;
    e->modular = !e->typed;
    if (!put_arguments(e, op))
        return false;
    tw_strbuf_putc(e->out, ')');
    return true;
}

static bool put_subscript(emitter *e, ir_op *op)
{
    if (!emit_value(e, op->operands[0].value))
        return false;
    for (uint32_t i = 1; i < op->n_operands; i++) {
        tw_strbuf_putc(e->out, '[');
        if (!emit_value(e, op->operands[i].value))
            return false;
        tw_strbuf_putc(e->out, ']');
    }
    return true;
}

static bool put_compare(emitter *e, ir_op *op)
{
    static const char *const texts[] = {"==", "!=", "<", "<=", ">", ">=", "<=>"};
    int64_t p = ir_enum_value(ir_op_attr(op, "predicate"), 0);
    if (!emit_operand(e, op, 0))
        return false;
    tw_strbuf_printf(e->out, " %s ", texts[p >= 0 && p < 7 ? p : 0]);
    return emit_operand(e, op, 1);
}

/* Writes the right side of `T v = `; the operation has one result. */
static bool put_expression(emitter *e, ir_op *op)
{
    bool modular = e->modular;
    for (size_t i = 0; i < TW_COUNT(operators); i++) {
        if (operators[i].def != op->def)
            continue;
        if (operators[i].unary)
            tw_strbuf_puts(e->out, operators[i].text);
        if (!emit_operand(e, op, 0))
            return false;
        if (operators[i].unary)
            return true;
        tw_strbuf_printf(e->out, " %s ", operators[i].text);
        e->modular = modular;
        return emit_operand(e, op, 1);
    }
    if (op->def == EMITC_OP(constant))
        return put_attr(e, op, ir_op_attr(op, "value"));
    if (op->def == EMITC_OP(call_opaque) || op->def == EMITC_OP(call))
        return put_call(e, op);
    if (op->def == EMITC_OP(cmp))
        return put_compare(e, op);
    if (op->def == EMITC_OP(load))
        return emit_value(e, op->operands[0].value);
    if (op->def == EMITC_OP(cast)) {
        tw_strbuf_putc(e->out, '(');
        if (!put_type(e, op, op->results[0].type))
            return false;
        tw_strbuf_puts(e->out, e->readable ? ")" : ") ");
        return emit_operand(e, op, 0);
    }
    if (op->def == EMITC_OP(address_of) || op->def == EMITC_OP(apply)) {
        if (op->def == EMITC_OP(apply))
            tw_strbuf_str(e->out, ir_attr_str(ir_op_attr(op, "applicableOperator")));
        else
            tw_strbuf_putc(e->out, '&');
        return emit_value(e, op->operands[0].value);
    }
    if (op->def == EMITC_OP(conditional)) {
        static const char *const between[] = {" ? ", " : ", ""};
        for (uint32_t i = 0; i < 3; i++) {
            if (!emit_operand(e, op, i))
                return false;
            tw_strbuf_puts(e->out, between[i]);
        }
        return true;
    }
    return unsupported(op, "no expression is known for it");
}

/* True if a value is written where it is used. */
static bool is_inline(const emitter *e, const ir_op *op)
{
    return (e->readable && cpp_readable_inline(e, op)) || op->def == EMITC_OP(literal) ||
           op->def == EMITC_OP(subscript) || op->def == EMITC_OP(get_global) ||
           ir_op_is(ir_op_parent(op), EMITC_OP(expression));
}

static bool emit_value(emitter *e, ir_value *v)
{
    ir_op *op = ir_value_def(v);
    if (v->is_argument &&
        ir_op_is(((ir_block *)v->owner)->region->owner, EMITC_OP(expression)))
        return emit_value(e,
                          ((ir_block *)v->owner)->region->owner->operands[v->index].value);
    if (!op || !is_inline(e, op)) {
        put_name(e, v);
        return true;
    }
    if (op->def == EMITC_OP(literal)) {
        tw_strbuf_str(e->out, ir_attr_str(ir_op_attr(op, "value")));
        return true;
    }
    if (op->def == EMITC_OP(get_global)) {
        tw_strbuf_str(e->out, ir_symbol_leaf(ir_op_attr(op, "name")));
        return true;
    }
    if (op->def == EMITC_OP(subscript))
        return put_subscript(e, op);
    if (e->readable && cpp_drops_cast(e, op))
        return emit_value(e, op->operands[0].value);
    if (e->readable) {
        if (e->typed && op->def == EMITC_OP(constant)) {
            tw_strbuf_putc(e->out, '(');
            if (!put_type(e, op, op->results[0].type))
                return false;
            tw_strbuf_putc(e->out, ')');
        }
        return put_expression(e, op);
    }
    tw_strbuf_putc(e->out, '(');
    if (!put_expression(e, op))
        return false;
    tw_strbuf_putc(e->out, ')');
    return true;
}

/* ---- statements ---------------------------------------------------------------------- */

static bool emit_for(emitter *e, ir_op *op)
{
    ir_value *iv = ir_op_body(op, 0)->args[0];
    const char *name = name_value(e, iv, e->loops < 12 ? (char)('i' + e->loops) : 'u');
    bool by_one = e->readable && cpp_is_one(op->operands[2].value);
    tw_strbuf_puts(e->out, "for (");
    if (!put_type(e, op, iv->type))
        return false;
    static const char *const parts[] = {" = ", " < ", " += "};
    for (uint32_t i = 0; i < (by_one ? 2 : 3); i++) {
        tw_strbuf_printf(e->out, "%s%s%s", i ? "; " : " ", name, parts[i]);
        e->modular = i != 1;
        if (!emit_value(e, op->operands[i].value))
            return false;
    }
    if (by_one)
        tw_strbuf_printf(e->out, "; ++%s", name);
    tw_strbuf_puts(e->out, ") {\n");
    e->loops++;
    e->indent++;
    bool ok = emit_block(e, ir_op_body(op, 0));
    e->indent--;
    e->loops--;
    put_indent(e);
    tw_strbuf_puts(e->out, "}\n");
    return ok;
}

static bool emit_if(emitter *e, ir_op *op)
{
    tw_strbuf_puts(e->out, "if (");
    if (!emit_value(e, op->operands[0].value))
        return false;
    for (uint16_t r = 0; r < 2 && ir_op_body(op, r); r++) {
        if (r && e->readable && ir_op_body(op, r)->first == ir_op_body(op, r)->last)
            break;
        tw_strbuf_puts(e->out, r ? " else {\n" : ") {\n");
        e->indent++;
        if (!emit_block(e, ir_op_body(op, r)))
            return false;
        e->indent--;
        put_indent(e);
        tw_strbuf_putc(e->out, '}');
    }
    tw_strbuf_putc(e->out, '\n');
    return true;
}

/* {} in the text is replaced by an operand, {{ by a brace. */
static bool emit_verbatim(emitter *e, ir_op *op)
{
    tw_str text = ir_attr_str(ir_op_attr(op, "value"));
    uint32_t next = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i], after = i + 1 < text.size ? text.data[i + 1] : '\0';
        if (op->n_operands && c == '{' && after == '}') {
            if (next >= op->n_operands || !emit_value(e, op->operands[next++].value))
                return false;
            i++;
        } else {
            tw_strbuf_putc(e->out, c);
            i += op->n_operands && c == '{' && after == '{';
        }
    }
    tw_strbuf_putc(e->out, '\n');
    return true;
}

static bool emit_variable(emitter *e, ir_op *op, ir_type type, const char *name,
                          ir_attr value)
{
    bool none =
        !value || (ir_attr_is(value, IR_ATTR_DIALECT) && value->def == EMITC_ATTR(opaque) &&
                   ir_attr_str(value->params[0]).size == 0);
    if (!put_declaration(e, op, type, name))
        return false;
    if (!none) {
        tw_strbuf_puts(e->out, " = ");
        if (!put_attr(e, op, value))
            return false;
    }
    tw_strbuf_puts(e->out, ";\n");
    return true;
}

static bool emit_return(emitter *e, ir_op *op)
{
    tw_strbuf_puts(e->out, op->n_operands ? "return " : "return");
    if (op->n_operands > 1)
        tw_strbuf_puts(e->out, "std::make_tuple(");
    for (uint32_t i = 0; i < op->n_operands; i++) {
        tw_strbuf_puts(e->out, i ? ", " : "");
        if (!emit_value(e, op->operands[i].value))
            return false;
    }
    tw_strbuf_puts(e->out, op->n_operands > 1 ? ");\n" : ";\n");
    return true;
}

static bool emit_include(emitter *e, ir_op *op)
{
    bool standard = ir_attr_bool(ir_op_attr(op, "is_standard_include"));
    tw_str name = ir_attr_str(ir_op_attr(op, "include"));
    tw_strbuf_printf(e->out, standard ? "#include <%.*s>\n" : "#include \"%.*s\"\n",
                     (int)name.size, name.data);
    return true;
}

/* T v = expression; or the expression alone */
static bool emit_assignment(emitter *e, ir_op *op)
{
    if (op->n_results > 1)
        return unsupported(op, "more than one result");
    e->modular = true;
    e->typed = false;
    if (op->n_results == 1) {
        const char *name = name_value(e, &op->results[0], 'v');
        if (e->readable)
            tw_strbuf_puts(e->out, "const ");
        if (e->readable && cpp_makes_object(op))
            tw_strbuf_printf(e->out, "auto %s", name);
        else if (!put_declaration(e, op, op->results[0].type, name))
            return false;
        tw_strbuf_puts(e->out, " = ");
    }
    ir_op *inner = op;
    if (op->def == EMITC_OP(expression))
        inner = ir_value_def(ir_op_body(op, 0)->last->operands[0].value);
    if (!put_expression(e, inner))
        return false;
    tw_strbuf_puts(e->out, ";\n");
    return true;
}

static bool emit_statement(emitter *e, ir_op *op)
{
    if (op->def == EMITC_OP(yield) || (op->n_results && is_inline(e, op)))
        return true;
    e->modular = e->typed = false;
    if (e->readable) {
        if (op->def == FUNC_OP(return ) && !op->n_operands)
            return true;
        cpp_put_source(e, op);
    }
    put_indent(e);
    if (op->def == EMITC_OP(for))
        return emit_for(e, op);
    if (op->def == EMITC_OP(if))
        return emit_if(e, op);
    if (op->def == EMITC_OP(verbatim))
        return emit_verbatim(e, op);
    if (op->def == EMITC_OP(include))
        return emit_include(e, op);
    if (op->def == FUNC_OP(return ) || op->def == EMITC_OP(return ))
        return emit_return(e, op);
    if (op->def == EMITC_OP(variable)) {
        ir_type type = op->results[0].type;
        const char *name = name_value(e, &op->results[0], 'v');
        return emit_variable(e, op, is_array(type) ? type : type->params[0]->type, name,
                             ir_op_attr(op, "value"));
    }
    if (op->def == EMITC_OP(assign)) {
        if (!emit_value(e, op->operands[0].value))
            return false;
        tw_strbuf_puts(e->out, " = ");
        e->modular = true;
        if (!emit_value(e, op->operands[1].value))
            return false;
        tw_strbuf_puts(e->out, ";\n");
        return true;
    }
    return emit_assignment(e, op);
}

static bool emit_block(emitter *e, ir_block *block)
{
    for (ir_op *op = block->first; op; op = op->next)
        if (!emit_statement(e, op))
            return false;
    return true;
}

/* ---- functions and modules ----------------------------------------------------------- */

static bool emit_function(emitter *e, ir_op *func)
{
    ir_type type = ir_op_attr(func, "function_type")->type;
    ir_block *entry = ir_op_body(func, 0);
    ir_attr specifiers =
        func->def == EMITC_OP(func) ? ir_op_attr(func, "specifiers") : NULL;
    tw_str own = ir_symbol_name(func);
    if (entry && entry->next)
        return unsupported(func, "branches");
    for (uint32_t i = 0; specifiers && i < specifiers->count; i++)
        tw_strbuf_printf(e->out, "%.*s ", (int)ir_attr_str(specifiers->items[i]).size,
                         ir_attr_str(specifiers->items[i]).data);
    if (!type->results)
        tw_strbuf_puts(e->out, "void");
    if (type->results > 1)
        tw_strbuf_puts(e->out, "std::tuple<");
    for (uint32_t i = 0; i < type->results; i++) {
        tw_strbuf_puts(e->out, i ? ", " : "");
        if (!put_type(e, func, ir_function_results(type)[i]))
            return false;
    }
    if (type->results > 1)
        tw_strbuf_putc(e->out, '>');
    if (e->function)
        tw_strbuf_printf(e->out, " %s(", e->function);
    else
        tw_strbuf_printf(e->out, " %.*s(", (int)own.size, own.data);
    e->names = ir_mapping_create();
    e->count = 0;
    e->readable = ir_op_attr(func, "emitc.readable") != NULL;
    if (e->readable)
        cpp_readable_begin(e, func);
    bool ok = true;
    for (uint32_t i = 0; ok && i < type->count; i++) {
        const char *name = entry ? name_value(e, entry->args[i], 'v') : "";
        tw_strbuf_puts(e->out, i ? ", " : "");
        ok = entry ? put_declaration(e, func, type->types[i], name)
                   : put_type(e, func, type->types[i]);
    }
    tw_strbuf_puts(e->out, entry ? ") {\n" : ");\n");
    e->indent++;
    ok = ok && (!entry || emit_block(e, entry));
    e->indent--;
    if (entry)
        tw_strbuf_puts(e->out, "}\n\n");
    if (e->readable)
        cpp_readable_end(e);
    ir_mapping_free(e->names);
    return ok;
}

static bool emit_global(emitter *e, ir_op *op)
{
    tw_str name = ir_symbol_name(op);
    static const char *const words[] = {"extern", "static", "const"};
    char text[32];
    for (size_t i = 0; i < TW_COUNT(words); i++) {
        snprintf(text, sizeof text, "%s_specifier", words[i]);
        if (ir_op_attr(op, text))
            tw_strbuf_printf(e->out, "%s ", words[i]);
    }
    return emit_variable(e, op, ir_op_attr(op, "type")->type,
                         ir_ident_get(op->ctx, name)->text,
                         ir_op_attr(op, "initial_value"));
}

static bool emit_top(emitter *e, ir_op *op)
{
    if (op->def == FUNC_OP(func) || op->def == EMITC_OP(func))
        return emit_function(e, op);
    if (op->def == EMITC_OP(global))
        return emit_global(e, op);
    if (op->def == EMITC_OP(include))
        return emit_include(e, op);
    if (op->def == EMITC_OP(verbatim))
        return emit_verbatim(e, op);
    if (op->def == BUILTIN_OP(module) || op->def == EMITC_OP(file)) {
        for (ir_op *o = ir_op_body(op, 0)->first; o; o = o->next)
            if (!emit_top(e, o))
                return false;
        return true;
    }
    return unsupported(op, "no statement is known for it");
}

bool cpp_emit(ir_op *module, tw_strbuf *out)
{
    if (ir_attr_is(ir_op_attr(module, "ttkernel.programs"), IR_ATTR_ARRAY))
        return cpp_emit_dylib(module, out);
    emitter e = {.out = out};
    return emit_top(&e, module);
}

bool cpp_emit_function(ir_op *func, const char *name, tw_strbuf *out)
{
    emitter e = {.out = out, .function = name};
    return emit_function(&e, func);
}
