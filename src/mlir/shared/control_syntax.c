/* control_syntax.c: the text of for and if in scf and emitc. */
#include "mlir/shared/control_syntax.h"

/* ---- carried values ----------------------------------------------------------------- */

static void grow(ir_parser *p, ir_carried *c)
{
    uint32_t capacity = c->capacity ? c->capacity * 2 : 8;
    ir_parsed_arg *args = ir_scratch(p, capacity * sizeof *args);
    ir_ssa_use *starts = ir_scratch(p, capacity * sizeof *starts);
    if (c->count) {
        memcpy(args, c->args, c->count * sizeof *args);
        memcpy(starts, c->starts, c->count * sizeof *starts);
    }
    c->args = args;
    c->starts = starts;
    c->capacity = capacity;
}

bool ir_parse_carried(ir_parser *p, ir_carried *c)
{
    if (!ir_expect_punct(p, '('))
        return false;
    if (ir_accept_punct(p, ')'))
        return true;
    do {
        if (c->count == c->capacity)
            grow(p, c);
        c->args[c->count] = (ir_parsed_arg){.loc = ir_loc_at(p, p->tok.at)};
        if (!ir_parse_ssa(p, &c->args[c->count].name) || !ir_expect_punct(p, '=') ||
            !ir_parse_ssa(p, &c->starts[c->count]))
            return false;
        c->count++;
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ')');
}

void ir_put_carried(ir_printer *p, const ir_block *block, size_t first_arg, const ir_op *op,
                    size_t first_operand, size_t count)
{
    ir_putc(p, '(');
    for (size_t i = 0; i < count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_value(p, block->args[first_arg + i]);
        ir_put(p, " = ");
        ir_put_value(p, ir_op_operand(op, first_operand + i));
    }
    ir_putc(p, ')');
}

void ir_put_loop_ids(ir_printer *p, const ir_block *body, uint32_t count)
{
    ir_putc(p, '(');
    for (uint32_t i = 0; i < count && i < body->n_args; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_value(p, body->args[i]);
    }
    ir_putc(p, ')');
}

bool ir_parse_loop_ids(ir_parser *p, ir_arg_list *args)
{
    ir_ssa_list ids = {0};
    if (!ir_expect_punct(p, '(') || !ir_parse_ssa_list(p, &ids) || !ir_expect_punct(p, ')'))
        return false;
    for (uint32_t i = 0; i < ids.count; i++)
        ir_arg_list_add(p, args,
                        (ir_parsed_arg){.name = ids.at[i],
                                        .type = ir_index_type(p->ctx),
                                        .loc = ir_loc_at(p, ids.at[i].at)});
    return true;
}

void ir_put_results_in_parens(ir_printer *p, const ir_op *op)
{
    if (!op->n_results)
        return;
    ir_put(p, " -> (");
    ir_put_result_types(p, op, 0, op->n_results);
    ir_putc(p, ')');
}

bool ir_add_carried(ir_parser *p, ir_parsed_op *op, ir_carried *carried,
                    const ir_type_list *types, ir_arg_list *args)
{
    for (uint32_t i = 0; i < carried->count; i++) {
        carried->args[i].type = types->at[i];
        ir_arg_list_add(p, args, carried->args[i]);
        if (!ir_add_operand(p, op, carried->starts[i], types->at[i]))
            return false;
    }
    ir_add_results(p, op, types);
    return true;
}

/* ---- for ---------------------------------------------------------------------------- */

void ir_parse_for_op(ir_parser *p, ir_parsed_op *op)
{
    ir_parsed_arg induction = {0};
    ir_ssa_use lower, upper, step;
    ir_carried carried = {0};
    ir_type_list types = {0};
    if (ir_accept_keyword(p, "unsigned"))
        ir_add_attr(p, op, "unsignedCmp", ir_unit_attr(p->ctx));
    induction.loc = ir_loc_at(p, p->tok.at);
    if (!ir_parse_ssa(p, &induction.name) || !ir_expect_punct(p, '=') ||
        !ir_parse_ssa(p, &lower) || !ir_expect_keyword(p, "to") ||
        !ir_parse_ssa(p, &upper) || !ir_expect_keyword(p, "step") ||
        !ir_parse_ssa(p, &step))
        return;
    const char *at = p->tok.at;
    if (ir_accept_keyword(p, "iter_args") &&
        (!ir_parse_carried(p, &carried) || !ir_parse_arrow_types(p, &types)))
        return;
    if (types.count != carried.count) {
        ir_fail_own(
            p, at,
            "mismatch in number of loop-carried values and defined values: %u and %u",
            carried.count, types.count);
        return;
    }
    induction.type = ir_index_type(p->ctx);
    if (ir_accept_punct(p, ':') && !(induction.type = ir_parse_a_type(p)))
        return;
    if (!ir_add_operand(p, op, lower, induction.type) ||
        !ir_add_operand(p, op, upper, induction.type) ||
        !ir_add_operand(p, op, step, induction.type))
        return;
    ir_arg_list args = {0};
    ir_arg_list_add(p, &args, induction);
    if (!ir_add_carried(p, op, &carried, &types, &args))
        return;
    if (ir_parse_op_region(p, op, args.at, args.count))
        ir_parse_op_attr_dict(p, op);
}

void ir_print_for_op(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"unsignedCmp"};
    const ir_block *body = ir_op_body(op, 0);
    if (ir_op_attr(op, "unsignedCmp"))
        ir_put(p, " unsigned");
    ir_putc(p, ' ');
    ir_put_value(p, body->args[0]);
    ir_put(p, " = ");
    ir_put_value(p, ir_op_operand(op, 0));
    ir_put(p, " to ");
    ir_put_value(p, ir_op_operand(op, 1));
    ir_put(p, " step ");
    ir_put_value(p, ir_op_operand(op, 2));
    if (op->n_operands > 3) {
        ir_put(p, " iter_args");
        ir_put_carried(p, body, 1, op, 3, op->n_operands - 3);
        ir_put_results_in_parens(p, op);
    }
    ir_putc(p, ' ');
    if (body->args[0]->type->kind != IR_TYPE_INDEX) {
        ir_put(p, " : ");
        ir_put_type(p, body->args[0]->type);
        ir_putc(p, ' ');
    }
    ir_put_region(p, &op->regions[0], false, op->n_results > 0);
    ir_put_op_attr_dict(p, op, elided, 1);
}

/* ---- if ----------------------------------------------------------------------------- */

bool ir_parse_then_else(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_parse_op_body(p, op))
        return false;
    if (ir_accept_keyword(p, "else"))
        return ir_parse_op_body(p, op);
    ir_add_empty_region(p, op);
    return true;
}

void ir_put_then_else(ir_printer *p, ir_op *op, bool terminators)
{
    ir_put_region(p, &op->regions[0], false, terminators);
    if (op->n_regions > 1 && op->regions[1].first) {
        ir_put(p, " else ");
        ir_put_region(p, &op->regions[1], false, terminators);
    }
}

void ir_parse_if_op(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_use condition;
    ir_type_list types = {0};
    if (!ir_parse_ssa(p, &condition) ||
        !ir_add_operand(p, op, condition, ir_integer_type(p->ctx, 1, IR_SIGNLESS)))
        return;
    if (p->tok.kind == IR_TOK_ARROW && !ir_parse_arrow_types(p, &types))
        return;
    ir_add_results(p, op, &types);
    if (ir_parse_then_else(p, op))
        ir_parse_op_attr_dict(p, op);
}

void ir_print_if_op(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    ir_put_value(p, ir_op_operand(op, 0));
    ir_put_results_in_parens(p, op);
    ir_putc(p, ' ');
    ir_put_then_else(p, op, op->n_results > 0);
    ir_put_op_attr_dict(p, op, NULL, 0);
}
