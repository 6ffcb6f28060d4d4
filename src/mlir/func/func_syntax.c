/* func_syntax.c: the text of func.func.
 *
 *   func.func = [visibility] @name "(" args ")" ["->" results] ["attributes" dict] [region]
 */
#include "mlir/func/func_hooks.h"

#include <stdlib.h>

static void add(ir_parser *p, func_side *s, ir_type type, ir_attr attrs)
{
    if (s->types.count == s->capacity) {
        uint32_t capacity = s->capacity ? s->capacity * 2 : 8;
        ir_attr *bigger = ir_scratch(p, capacity * sizeof *bigger);
        if (s->capacity)
            memcpy(bigger, s->attrs, s->types.count * sizeof *bigger);
        s->attrs = bigger;
        s->capacity = capacity;
    }
    s->attrs[s->types.count] = attrs;
    s->any |= attrs != NULL;
    ir_type_list_add(p, &s->types, type);
}

static bool accept_dict(ir_parser *p, ir_attr *out)
{
    ir_attr_list list = {0};
    *out = NULL;
    if (!ir_at_punct(p, '{'))
        return true;
    if (!ir_parse_attr_dict(p, &list))
        return false;
    if (list.count)
        *out = ir_dict_attr(p->ctx, list.at, list.count);
    return true;
}

/* Arguments are either all named or all types. */
static bool parse_args(ir_parser *p, func_signature *s)
{
    ir_arg_list *named = &s->named;
    func_side *in = &s->in;
    if (!ir_expect_punct(p, '('))
        return false;
    if (ir_accept_punct(p, ')'))
        return true;
    do {
        ir_parsed_arg arg = {.loc = ir_loc_at(p, p->tok.at)};
        if (s->may_vary && p->tok.kind == IR_TOK_ELLIPSIS) {
            ir_next(p);
            s->varies = true;
            break;
        }
        if (p->tok.kind == IR_TOK_VALUE) {
            if (in->types.count && named->count == 0)
                return ir_fail_own(p, p->tok.at, "expected type instead of SSA identifier");
            if (!ir_parse_ssa(p, &arg.name) || !(arg.type = ir_parse_colon_type(p)))
                return false;
        } else {
            if (named->count)
                return ir_fail_own(p, p->tok.at, "expected SSA identifier");
            if (!(arg.type = ir_parse_a_type(p)))
                return false;
        }
        bool present;
        if (!accept_dict(p, &arg.attrs) || !ir_accept_loc(p, &arg.loc, &present))
            return false;
        if (arg.name.name.size)
            ir_arg_list_add(p, named, arg);
        add(p, in, arg.type, arg.attrs);
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ')');
}

static bool parse_results(ir_parser *p, func_side *out)
{
    if (!ir_accept_arrow(p))
        return true;
    if (!ir_accept_punct(p, '(')) {
        ir_type type = ir_parse_a_type(p);
        if (type)
            add(p, out, type, NULL);
        return type != NULL;
    }
    if (ir_accept_punct(p, ')'))
        return true;
    do {
        ir_attr attrs;
        ir_type type = ir_parse_a_type(p);
        if (!type || !accept_dict(p, &attrs))
            return false;
        add(p, out, type, attrs);
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ')');
}

static void add_attrs(ir_parser *p, ir_parsed_op *op, const char *name, const func_side *s)
{
    if (!s->any)
        return;
    ir_attr *items = ir_scratch(p, s->types.count * sizeof *items);
    for (uint32_t i = 0; i < s->types.count; i++)
        items[i] = s->attrs[i] ? s->attrs[i] : ir_dict_attr(p->ctx, NULL, 0);
    ir_add_attr(p, op, name, ir_array_attr(p->ctx, items, s->types.count));
}

bool func_signature_parse(ir_parser *p, func_signature *s)
{
    return parse_args(p, s) && parse_results(p, &s->out);
}

void func_signature_add_attrs(ir_parser *p, ir_parsed_op *op, const func_signature *s)
{
    add_attrs(p, op, "arg_attrs", &s->in);
    add_attrs(p, op, "res_attrs", &s->out);
}

static void body_parse(ir_parser *p, ir_parsed_op *op, const func_signature *s)
{
    if (!ir_at_punct(p, '{')) {
        ir_add_empty_region(p, op);
        return;
    }
    const char *at = p->tok.at;
    if (ir_parse_op_region(p, op, s->named.at, s->named.count) &&
        !op->regions[op->n_regions - 1]->first)
        ir_fail_own(p, at, "expected non-empty function body");
}

void func_rest_parse(ir_parser *p, ir_parsed_op *op, ir_attr name, ir_type type,
                     const func_signature *s)
{
    ir_add_attr(p, op, "sym_name", name);
    ir_add_attr(p, op, "function_type", ir_type_attr(type));
    if (!ir_parse_op_attr_dict_keyword(p, op))
        return;
    func_signature_add_attrs(p, op, s);
    body_parse(p, op, s);
}

void func_func_parse(ir_parser *p, ir_parsed_op *op)
{
    static const char *const visibilities[] = {"public", "private", "nested"};
    func_signature s = {0};
    ir_attr name;
    for (size_t i = 0; i < TW_COUNT(visibilities); i++)
        if (ir_accept_keyword(p, visibilities[i])) {
            ir_add_attr(p, op, "sym_visibility",
                        ir_string_attr(p->ctx, tw_str_from(visibilities[i])));
            break;
        }
    if (!ir_parse_symbol_name(p, &name) || !func_signature_parse(p, &s))
        return;
    ir_type type = ir_function_type(p->ctx, s.in.types.at, s.in.types.count, s.out.types.at,
                                    s.out.types.count);
    func_rest_parse(p, op, name, type, &s);
}

static ir_attr dict_at(ir_attr list, uint32_t i)
{
    return ir_attr_is(list, IR_ATTR_ARRAY) && i < list->count && list->items[i]->count
               ? list->items[i]
               : NULL;
}

static void put_dict(ir_printer *p, ir_attr dict)
{
    if (dict)
        ir_put_attr_dict(p, dict->entries, dict->count, NULL, 0, false);
}

void func_signature_print(ir_printer *p, ir_op *op, const ir_type *in, size_t n_in,
                          bool varies, const ir_type *out, size_t n_out)
{
    ir_attr arg_attrs = ir_op_attr(op, "arg_attrs"),
            res_attrs = ir_op_attr(op, "res_attrs");
    const ir_block *entry = ir_op_body(op, 0);
    ir_putc(p, '(');
    for (uint32_t i = 0; i < n_in; i++) {
        if (i)
            ir_put(p, ", ");
        if (entry && i < entry->n_args) {
            ir_put_arg(p, entry->args[i], dict_at(arg_attrs, i), true);
        } else {
            ir_put_type(p, in[i]);
            put_dict(p, dict_at(arg_attrs, i));
        }
    }
    ir_put(p, varies ? n_in ? ", ...)" : "...)" : ")");
    if (!n_out)
        return;
    bool bare = n_out == 1 && out[0]->kind != IR_TYPE_FUNCTION && !dict_at(res_attrs, 0);
    ir_put(p, bare ? " -> " : " -> (");
    for (uint32_t i = 0; i < n_out; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_type(p, out[i]);
        put_dict(p, dict_at(res_attrs, i));
    }
    if (!bare)
        ir_putc(p, ')');
}

void func_body_print(ir_printer *p, ir_op *op)
{
    if (!ir_op_body(op, 0))
        return;
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, true);
}

void func_func_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"sym_name", "function_type", "sym_visibility",
                                         "arg_attrs", "res_attrs"};
    ir_type type = ir_op_attr(op, "function_type")->type;
    ir_attr visibility = ir_op_attr(op, "sym_visibility");
    ir_putc(p, ' ');
    if (visibility) {
        ir_put_str(p, ir_attr_str(visibility));
        ir_putc(p, ' ');
    }
    ir_put_symbol(p, ir_symbol_name(op));
    func_signature_print(p, op, type->types, type->count, false, ir_function_results(type),
                         type->results);
    ir_put_op_attr_dict_keyword(p, op, elided, TW_COUNT(elided));
    func_body_print(p, op);
}
