/* emitc_op_syntax.c: the hand-written text of include, do and expression. */
#include "mlir/emitc/emitc_hooks.h"

/* ---- include: "<" string ">" | string, then attr-dict ------------------------------- */

void emitc_include_parse(ir_parser *p, ir_parsed_op *op)
{
    tw_str file;
    bool standard = ir_accept_punct(p, '<');
    if (!ir_parse_string(p, &file))
        return;
    if (standard && !ir_accept_punct(p, '>')) {
        ir_fail_own(p, op->at, "expected trailing '>' for standard include");
        return;
    }
    ir_add_attr(p, op, "include", ir_string_attr(p->ctx, file));
    if (standard)
        ir_add_attr(p, op, "is_standard_include", ir_unit_attr(p->ctx));
    ir_parse_op_attr_dict(p, op);
}

void emitc_include_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"include", "is_standard_include"};
    bool standard = ir_op_attr(op, "is_standard_include") != NULL;
    ir_put(p, standard ? " <" : " ");
    ir_put_quoted(p, ir_attr_str(ir_op_attr(op, "include")));
    if (standard)
        ir_putc(p, '>');
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
}

/* ---- do: region "while" region attr-dict-kw ----------------------------------------- */

void emitc_do_parse(ir_parser *p, ir_parsed_op *op)
{
    if (ir_parse_op_body(p, op) && ir_expect_keyword(p, "while") && ir_parse_op_body(p, op))
        ir_parse_op_attr_dict_keyword(p, op);
}

void emitc_do_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, true);
    ir_put(p, " while ");
    ir_put_region(p, &op->regions[1], false, true);
    ir_put_op_attr_dict_keyword(p, op, NULL, 0);
}

/* ---- expression: ssa-list [ "noinline" ] attr-dict ":" fn-type region
 * --------------------------
 *
 * The region's arguments take the operands' names. */

void emitc_expression_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_type_list inputs = {0}, results = {0};
    ir_arg_list args = {0};
    const char *at = p->tok.at;
    if (!ir_parse_ssa_list(p, &uses))
        return;
    if (ir_accept_keyword(p, "noinline"))
        ir_add_attr(p, op, "do_not_inline", ir_unit_attr(p->ctx));
    if (!ir_parse_op_attr_dict(p, op) || !ir_expect_punct(p, ':') ||
        !ir_parse_fn_type(p, &inputs, &results) ||
        !ir_add_operands(p, op, &uses, inputs.at, inputs.count, at))
        return;
    if (results.count != 1) {
        ir_fail_own(p, at, "expected single return type");
        return;
    }
    ir_add_result(p, op, results.at[0]);
    for (uint32_t i = 0; i < uses.count; i++)
        ir_arg_list_add(p, &args,
                        (ir_parsed_arg){.name = uses.at[i],
                                        .type = inputs.at[i],
                                        .loc = ir_loc_at(p, uses.at[i].at)});
    ir_parse_op_region_shadowing(p, op, args.at, args.count);
}

/* The same value given twice is one argument's name, so the text has it once. */
static bool is_first(const ir_op *op, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (ir_op_operand(op, k) == ir_op_operand(op, i))
            return false;
    return true;
}

static void put_expression_operands(ir_printer *p, const ir_op *op, bool types)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        if (!is_first(op, i))
            continue;
        if (i)
            ir_put(p, ", ");
        if (types)
            ir_put_type(p, ir_op_operand(op, i)->type);
        else
            ir_put_value(p, ir_op_operand(op, i));
    }
}

void emitc_expression_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"do_not_inline"};
    const ir_block *body = ir_op_body(op, 0);
    ir_putc(p, ' ');
    put_expression_operands(p, op, false);
    if (ir_op_attr(op, "do_not_inline"))
        ir_put(p, " noinline");
    ir_put_op_attr_dict(p, op, elided, 1);
    ir_put(p, " : (");
    put_expression_operands(p, op, true);
    ir_putc(p, ')');
    ir_put_arrow_results(p, op);
    ir_putc(p, ' ');
    for (uint32_t i = 0; body && i < body->n_args && i < op->n_operands; i++)
        body->args[i]->print_id = ir_op_operand(op, i)->print_id;
    ir_put_region(p, &op->regions[0], false, true);
}

/* ---- for ---------------------------------------------------------------------------- */

/* Checks for one argument of the bounds' type: the printer relies on it. */
bool emitc_for_verify(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    if (!body || body->n_args != 1)
        return ir_op_error(op, "expected body to have a single argument for the induction "
                               "variable");
    if (body->args[0]->type != ir_op_operand(op, 0)->type)
        return ir_op_error(
            op, "expected induction variable to be same type as bounds and step");
    return true;
}
