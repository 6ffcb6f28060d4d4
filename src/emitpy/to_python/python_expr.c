/* python_expr.c: names and expressions of Python from emitpy operations.
 *
 * A value is named by its `emitpy.name`; others are inputs, inputs_0, ... and var_0,
 * var_1, ...  Literals, global variables and expressions whose only user directly follows
 * are written inline. */
#include "emitpy/emitpy.h"
#include "emitpy/to_python/python_impl.h"
#include "mlir/func/func.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- names --------------------------------------------------------------------------- */

/* https://docs.python.org/3/reference/lexical_analysis.html#keywords */
static const char *const keywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",
};

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

bool py_is_identifier(tw_str name)
{
    if (!name.size || !is_letter(name.data[0]))
        return false;
    for (size_t i = 0; i < name.size; i++)
        if (!is_letter(name.data[i]) && !isdigit((unsigned char)name.data[i]))
            return false;
    for (size_t i = 0; i < TW_COUNT(keywords); i++)
        if (tw_str_is(name, keywords[i]))
            return false;
    return true;
}

void py_name_value(py_emitter *e, const ir_value *v, tw_str hint)
{
    tw_strbuf text = {0};
    if (!hint.size || !is_letter(hint.data[0]))
        tw_strbuf_putc(&text, '_');
    for (size_t i = 0; i < hint.size; i++)
        tw_strbuf_putc(&text,
                       is_letter(hint.data[i]) || isdigit((unsigned char)hint.data[i])
                           ? hint.data[i]
                           : '_');
    size_t stem = text.size;
    ir_attr name = ir_string_attr(e->ctx, (tw_str){text.data, text.size});
    for (unsigned n = 0;
         ir_mapping_get(e->used, name) || ir_mapping_get(e->globals, name) ||
         !py_is_identifier(ir_attr_str(name));
         n++) {
        text.size = stem;
        tw_strbuf_printf(&text, "_%u", n);
        name = ir_string_attr(e->ctx, (tw_str){text.data, text.size});
    }
    tw_strbuf_free(&text);
    ir_mapping_set(e->used, name, (void *)name);
    ir_mapping_set(e->names, v, (void *)name);
}

/* ---- constants ----------------------------------------------------------------------- */

static void put_string(tw_strbuf *out, tw_str s)
{
    tw_strbuf_putc(out, '"');
    for (size_t i = 0; i < s.size; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c == '"' || c == '\\')
            tw_strbuf_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            tw_strbuf_printf(out, "\\x%02x", c);
        else
            tw_strbuf_putc(out, (char)c);
    }
    tw_strbuf_putc(out, '"');
}

static void put_float(tw_strbuf *out, double v)
{
    if (isnan(v) || isinf(v)) {
        tw_strbuf_printf(out, "float('%s')", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
        return;
    }
    char text[64];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    tw_strbuf_puts(out, text);
    if (!strpbrk(text, ".e"))
        tw_strbuf_puts(out, ".0");
}

static bool put_list(py_emitter *e, ir_op *op, ir_attr a)
{
    tw_strbuf_putc(e->out, '[');
    for (uint32_t i = 0; i < a->count; i++) {
        tw_strbuf_puts(e->out, i ? ", " : "");
        if (!py_put_attr(e, op, a->items[i]))
            return false;
    }
    tw_strbuf_putc(e->out, ']');
    return true;
}

bool py_put_attr(py_emitter *e, ir_op *op, ir_attr a)
{
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        if (ir_attr_is_bool(a))
            tw_strbuf_puts(e->out, a->value ? "True" : "False");
        else if (a->type && a->type->kind == IR_TYPE_INTEGER &&
                 a->type->sign == IR_UNSIGNED)
            tw_strbuf_u64(e->out, (uint64_t)a->value);
        else
            tw_strbuf_i64(e->out, a->value);
        return true;
    case IR_ATTR_FLOAT:
        put_float(e->out, a->real);
        return true;
    case IR_ATTR_STRING:
        put_string(e->out, ir_attr_str(a));
        return true;
    case IR_ATTR_ARRAY:
        return put_list(e, op, a);
    case IR_ATTR_SYMBOL_REF:
        tw_strbuf_str(e->out, ir_symbol_leaf(a));
        return true;
    case IR_ATTR_DIALECT:
        if (a->def == EMITPY_ATTR(opaque)) {
            tw_strbuf_str(e->out, ir_attr_str(a->params[0]));
            return true;
        }
        break;
    default:
        break;
    }
    return ir_op_error(op, "cannot be written as Python: attribute %s",
                       ir_attr_text(op->ctx, a));
}

/* ---- expressions --------------------------------------------------------------------- */

static bool is_index(ir_attr a)
{
    return a->kind == IR_ATTR_INTEGER && a->type && a->type->kind == IR_TYPE_INDEX;
}

static bool put_argument(py_emitter *e, ir_op *op, ir_attr arg, uint32_t i)
{
    if (arg && !is_index(arg))
        return py_put_attr(e, op, arg);
    uint64_t n = arg ? (uint64_t)arg->value : i;
    if (n >= op->n_operands)
        return ir_op_error(op,
                           "argument %u names operand %llu, but there are %u operands; "
                           "number them from 0",
                           i, (unsigned long long)n, (unsigned)op->n_operands);
    return py_put_value(e, op->operands[n].value);
}

/* An index in `args` refers to that operand; an empty keyword marks a positional
 * argument. */
static bool put_arguments(py_emitter *e, ir_op *op)
{
    ir_attr args = ir_op_attr(op, "args"), keywords_ = ir_op_attr(op, "keyword_args");
    uint32_t n = args ? args->count : op->n_operands;
    for (uint32_t i = 0; i < n; i++) {
        tw_strbuf_puts(e->out, i ? ", " : "");
        tw_str keyword = keywords_ && i < keywords_->count
                             ? ir_attr_str(keywords_->items[i])
                             : TW_STR("");
        if (keyword.size)
            tw_strbuf_printf(e->out, "%.*s=", (int)keyword.size, keyword.data);
        if (!put_argument(e, op, args ? args->items[i] : NULL, i))
            return false;
    }
    return true;
}

static bool put_call(py_emitter *e, ir_op *op)
{
    ir_attr callee = ir_op_attr(op, "callee");
    tw_str name =
        callee->kind == IR_ATTR_STRING ? ir_attr_str(callee) : ir_symbol_leaf(callee);
    /* a call of this name is written as a list literal */
    bool list = tw_str_is(name, "util_create_list");
    if (!list)
        tw_strbuf_str(e->out, name);
    tw_strbuf_putc(e->out, list ? '[' : '(');
    if (!put_arguments(e, op))
        return false;
    tw_strbuf_putc(e->out, list ? ']' : ')');
    return true;
}

static bool put_dict(py_emitter *e, ir_op *op)
{
    ir_attr text = ir_op_attr(op, "literal_expr");
    if (text) {
        tw_strbuf_str(e->out, ir_attr_str(text));
        return true;
    }
    tw_strbuf_putc(e->out, '{');
    for (uint32_t i = 0; i < op->n_operands; i++) {
        tw_strbuf_puts(e->out, i % 2 ? ": " : i ? ", " : "");
        if (!py_put_value(e, op->operands[i].value))
            return false;
    }
    tw_strbuf_putc(e->out, '}');
    return true;
}

bool py_put_expression(py_emitter *e, ir_op *op)
{
    if (op->def == EMITPY_OP(call_opaque) || op->def == FUNC_OP(call))
        return put_call(e, op);
    if (op->def == EMITPY_OP(constant))
        return py_put_attr(e, op, ir_op_attr(op, "value"));
    if (op->def == EMITPY_OP(create_dict))
        return put_dict(e, op);
    if (op->def == EMITPY_OP(literal)) {
        tw_strbuf_str(e->out, ir_attr_str(ir_op_attr(op, "value")));
        return true;
    }
    if (op->def == EMITPY_OP(global_statement)) {
        tw_strbuf_str(e->out, ir_symbol_leaf(ir_op_attr(op, "name")));
        return true;
    }
    if (op->def == EMITPY_OP(subscript)) {
        if (!py_put_value(e, op->operands[0].value))
            return false;
        tw_strbuf_putc(e->out, '[');
        if (!py_put_value(e, op->operands[1].value))
            return false;
        tw_strbuf_putc(e->out, ']');
        return true;
    }
    if (op->def == EMITPY_OP(get_attr)) {
        tw_str name = ir_attr_str(ir_op_attr(op, "attr_name"));
        if (!py_put_value(e, op->operands[0].value))
            return false;
        tw_strbuf_printf(e->out, ".%.*s", (int)name.size, name.data);
        return true;
    }
    if (op->def == EMITPY_OP(expression))
        return py_put_value(e, ir_op_body(op, 0)->last->operands[0].value);
    return ir_op_error(op, "cannot be written as Python: no expression is known for it");
}

/* True if no operation with side effects is between an expression and its only user. */
static bool is_next_to_user(const ir_op *op)
{
    const ir_value *v = &op->results[0];
    if (!ir_value_has_one_use(v))
        return false;
    const ir_op *user = v->uses->owner;
    for (const ir_op *o = op->next; o; o = o->next) {
        if (o == user)
            return true;
        if (o->def != EMITPY_OP(literal) && o->def != EMITPY_OP(expression) &&
            o->def != EMITPY_OP(global_statement))
            return false;
    }
    return false;
}

bool py_is_inline(const ir_op *op)
{
    if (op->def == EMITPY_OP(literal) || op->def == EMITPY_OP(global_statement) ||
        ir_op_is(ir_op_parent(op), EMITPY_OP(expression)))
        return true;
    if (op->def != EMITPY_OP(expression) || ir_op_attr(op, "do_not_inline"))
        return false;
    /* the target of an assignment has no name */
    const ir_operand *use = op->results[0].uses;
    if (use && use->owner->def == EMITPY_OP(assign) && use == &use->owner->operands[0])
        return true;
    return is_next_to_user(op);
}

bool py_put_value(py_emitter *e, ir_value *v)
{
    ir_op *op = ir_value_def(v);
    ir_op *outer = v->is_argument ? ((ir_block *)v->owner)->region->owner : NULL;
    if (outer && outer->def == EMITPY_OP(expression)) {
        if (v->index >= outer->n_operands)
            return ir_op_error(outer, "has more block arguments than operands");
        return py_put_value(e, outer->operands[v->index].value);
    }
    if (op && py_is_inline(op))
        return py_put_expression(e, op);
    const struct ir_attr_data *name = ir_mapping_get(e->names, v);
    if (!name)
        return ir_op_error(op ? op : outer, "its value is used before it is written");
    tw_strbuf_str(e->out, ir_attr_str(name));
    return true;
}

bool py_put_format(py_emitter *e, ir_op *op, tw_str text)
{
    uint32_t next = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i], after = i + 1 < text.size ? text.data[i + 1] : '\0';
        if (op->n_operands && c == '{' && after == '}') {
            if (next >= op->n_operands)
                return ir_op_error(op, "has more {} than operands");
            if (!py_put_value(e, op->operands[next++].value))
                return false;
            i++;
        } else {
            tw_strbuf_putc(e->out, c);
            i += op->n_operands && c == '{' && after == '{';
        }
    }
    return true;
}
