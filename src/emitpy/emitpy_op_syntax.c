/* emitpy_op_syntax.c: custom syntax of assign, assign_global, class, expression and
 * import. */
#include "emitpy/emitpy_hooks.h"

/* ---- assign: ssa "=" ssa ":" "(" type "," type ")" attr-dict ------------------------ */

void emitpy_assign_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_use target, value;
    ir_type types[2];
    if (!ir_parse_ssa(p, &target) || !ir_expect_punct(p, '=') || !ir_parse_ssa(p, &value) ||
        !ir_expect_punct(p, ':') || !ir_expect_punct(p, '(') ||
        !(types[0] = ir_parse_a_type(p)) || !ir_expect_punct(p, ',') ||
        !(types[1] = ir_parse_a_type(p)) || !ir_expect_punct(p, ')'))
        return;
    if (ir_parse_op_attr_dict(p, op) && ir_add_operand(p, op, target, types[0]))
        ir_add_operand(p, op, value, types[1]);
}

void emitpy_assign_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    ir_put_value(p, ir_op_operand(op, 0));
    ir_put(p, " = ");
    ir_put_value(p, ir_op_operand(op, 1));
    ir_put(p, " : (");
    ir_put_operand_types(p, op, 0, 2);
    ir_putc(p, ')');
    ir_put_op_attr_dict(p, op, NULL, 0);
}

/* ---- assign_global: symbol "=" ssa ":" type ----------------------------------------- */

void emitpy_assign_global_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_attr name;
    ir_ssa_use value;
    ir_type type;
    if (!ir_parse_symbol_name(p, &name) || !ir_expect_punct(p, '=') ||
        !ir_parse_ssa(p, &value) || !(type = ir_parse_colon_type(p)))
        return;
    ir_add_attr(p, op, "name", ir_symbol_ref_nested(p->ctx, &name, 1));
    ir_add_operand(p, op, value, type);
}

void emitpy_assign_global_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    ir_put_attr(p, ir_op_attr(op, "name"));
    ir_put(p, " = ");
    ir_put_value(p, ir_op_operand(op, 0));
    ir_put(p, " : ");
    ir_put_type(p, ir_op_operand(op, 0)->type);
}

/* ---- class: symbol [ "(" bases ")" ] [ "attributes" dict ] region ------------------- */

void emitpy_class_parse(ir_parser *p, ir_parsed_op *op)
{
    enum { MAX_BASES = 64 };
    ir_attr name, bases[MAX_BASES];
    uint32_t count = 0;
    if (!ir_parse_symbol_name(p, &name))
        return;
    ir_add_attr(p, op, "sym_name", name);
    if (ir_accept_punct(p, '(') && !ir_accept_punct(p, ')')) {
        do {
            if (count == MAX_BASES) {
                ir_fail_here(p, "a class takes at most %d bases", MAX_BASES);
                return;
            }
            if (!(bases[count++] = ir_parse_an_attr(p, NULL)))
                return;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ')'))
            return;
    }
    if (count)
        ir_add_attr(p, op, "base_classes", ir_array_attr(p->ctx, bases, count));
    if (!ir_parse_op_attr_dict_keyword(p, op) || !ir_parse_op_region(p, op, NULL, 0))
        return;
    if (!op->regions[0]->first)
        ir_region_append(op->regions[0], ir_block_create(p->ctx));
}

void emitpy_class_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"sym_name", "base_classes"};
    ir_attr bases = ir_op_attr(op, "base_classes");
    ir_putc(p, ' ');
    ir_put_symbol(p, ir_attr_str(ir_op_attr(op, "sym_name")));
    for (uint32_t i = 0; bases && i < bases->count; i++) {
        ir_put(p, i ? ", " : "(");
        ir_put_attr(p, bases->items[i]);
    }
    if (bases && bases->count)
        ir_putc(p, ')');
    ir_put_op_attr_dict_keyword(p, op, elided, TW_COUNT(elided));
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, false);
}

/* ---- expression: [ "(" ssa-list ")" ] [ "{" "do_not_inline" "}" ] ":" [ "(" types ")" ]
 * "->" type region
 * --------------------------------------------------------------------------------- */

void emitpy_expression_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_type_list types = {0};
    const char *at = p->tok.at;
    if (ir_accept_punct(p, '(') &&
        (!ir_parse_ssa_list(p, &uses) || !ir_expect_punct(p, ')')))
        return;
    if (ir_accept_punct(p, '{')) {
        if (!ir_expect_keyword(p, "do_not_inline") || !ir_expect_punct(p, '}'))
            return;
        ir_add_attr(p, op, "do_not_inline", ir_unit_attr(p->ctx));
    }
    if (!ir_expect_punct(p, ':'))
        return;
    if (ir_accept_punct(p, '(') && !ir_accept_punct(p, ')') &&
        (!ir_parse_type_list(p, &types) || !ir_expect_punct(p, ')')))
        return;
    ir_type result;
    if (!ir_expect_arrow(p) || !(result = ir_parse_a_type(p)) ||
        !ir_add_operands(p, op, &uses, types.at, types.count, at))
        return;
    ir_add_result(p, op, result);
    ir_parse_op_region(p, op, NULL, 0);
}

void emitpy_expression_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    if (op->n_operands) {
        ir_putc(p, '(');
        ir_put_operands(p, op, 0, op->n_operands);
        ir_put(p, ") ");
    }
    if (ir_op_attr(op, "do_not_inline"))
        ir_put(p, "{do_not_inline} ");
    ir_put(p, ": ");
    if (op->n_operands) {
        ir_putc(p, '(');
        ir_put_operand_types(p, op, 0, op->n_operands);
        ir_put(p, ") ");
    }
    ir_put(p, "-> ");
    ir_put_type(p, op->results[0].type);
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], true, true);
}

/* ---- import: "import" str [ "as" str ] | "from" str "import" ( "*" | member , ... ) - */

static ir_attr parse_text(ir_parser *p)
{
    tw_str text;
    return ir_parse_string(p, &text) ? ir_string_attr(p->ctx, text) : NULL;
}

/* [ "as" str ]; *out keeps its value without one */
static bool parse_alias(ir_parser *p, ir_attr *out)
{
    return !ir_accept_keyword(p, "as") || (*out = parse_text(p));
}

static void parse_members(ir_parser *p, ir_parsed_op *op)
{
    enum { MAX_MEMBERS = 256 };
    ir_attr members[MAX_MEMBERS], aliases[MAX_MEMBERS];
    uint32_t count = 0;
    do {
        if (count == MAX_MEMBERS) {
            ir_fail_here(p, "an import takes at most %d members", MAX_MEMBERS);
            return;
        }
        aliases[count] = ir_string_attr(p->ctx, TW_STR(""));
        if (!(members[count] = parse_text(p)) || !parse_alias(p, &aliases[count]))
            return;
        count++;
    } while (ir_accept_punct(p, ','));
    ir_add_attr(p, op, "members_to_import", ir_array_attr(p->ctx, members, count));
    ir_add_attr(p, op, "member_aliases", ir_array_attr(p->ctx, aliases, count));
}

void emitpy_import_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_attr module, alias = NULL;
    bool from = ir_accept_keyword(p, "from");
    if (!from && !ir_expect_keyword(p, "import"))
        return;
    if (!(module = parse_text(p)))
        return;
    ir_add_attr(p, op, "module_name", module);
    if (!from) {
        if (parse_alias(p, &alias) && alias)
            ir_add_attr(p, op, "module_alias", alias);
    } else if (ir_expect_keyword(p, "import")) {
        if (ir_accept_punct(p, '*'))
            ir_add_attr(p, op, "import_all", ir_unit_attr(p->ctx));
        else
            parse_members(p, op);
    }
}

void emitpy_import_print(ir_printer *p, ir_op *op)
{
    ir_attr module = ir_op_attr(op, "module_name"), alias = ir_op_attr(op, "module_alias");
    ir_attr members = ir_op_attr(op, "members_to_import");
    ir_attr aliases = ir_op_attr(op, "member_aliases");
    bool all = ir_op_attr(op, "import_all") != NULL;
    if (!all && (!members || !members->count)) {
        ir_put(p, " import ");
        ir_put_attr(p, module);
        if (alias) {
            ir_put(p, " as ");
            ir_put_attr(p, alias);
        }
        return;
    }
    ir_put(p, " from ");
    ir_put_attr(p, module);
    ir_put(p, all ? " import *" : " import ");
    for (uint32_t i = 0; !all && i < members->count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_attr(p, members->items[i]);
        if (aliases && i < aliases->count && ir_attr_str(aliases->items[i]).size) {
            ir_put(p, " as ");
            ir_put_attr(p, aliases->items[i]);
        }
    }
}
