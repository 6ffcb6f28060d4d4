/* scf_syntax.c: the hand-written text of while and execute_region (for and if are in
 * control_syntax.c). */
#include "mlir/scf/scf_hooks.h"
#include "mlir/shared/control_syntax.h"

/* ---- while: [ "(" carried ")" ] ":" fn-type region "do" region attr-dict-kw --------- */

void scf_while_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_carried carried = {0};
    ir_type_list inputs = {0}, results = {0};
    if (ir_at_punct(p, '(') && !ir_parse_carried(p, &carried))
        return;
    const char *at = p->tok.at;
    if (!ir_expect_punct(p, ':') || !ir_parse_fn_type(p, &inputs, &results))
        return;
    if (inputs.count != carried.count) {
        ir_fail_own(p, at, "expected as many input types as operands (expected %u got %u)",
                    carried.count, inputs.count);
        return;
    }
    for (uint32_t i = 0; i < carried.count; i++) {
        carried.args[i].type = inputs.at[i];
        if (!ir_add_operand(p, op, carried.starts[i], inputs.at[i]))
            return;
    }
    ir_add_results(p, op, &results);
    if (ir_parse_op_region(p, op, carried.args, carried.count) &&
        ir_expect_keyword(p, "do") && ir_parse_op_region(p, op, NULL, 0))
        ir_parse_op_attr_dict_keyword(p, op);
}

void scf_while_print(ir_printer *p, ir_op *op)
{
    if (op->n_operands) {
        ir_putc(p, ' ');
        ir_put_carried(p, ir_op_body(op, 0), 0, op, 0, op->n_operands);
    }
    ir_put(p, " : ");
    ir_put_functional_type(p, op);
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, true);
    ir_put(p, " do ");
    ir_put_region(p, &op->regions[1], true, true);
    ir_put_op_attr_dict_keyword(p, op, NULL, 0);
}

/* ---- execute_region: [ "->" types ] [ "no_inline" ] region attr-dict ---------------- */

void scf_execute_region_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_type_list types = {0};
    if (p->tok.kind == IR_TOK_ARROW && !ir_parse_arrow_types(p, &types))
        return;
    ir_add_results(p, op, &types);
    if (ir_accept_keyword(p, "no_inline"))
        ir_add_attr(p, op, "no_inline", ir_unit_attr(p->ctx));
    if (ir_parse_op_region(p, op, NULL, 0))
        ir_parse_op_attr_dict(p, op);
}

void scf_execute_region_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"no_inline"};
    ir_put_arrow_results(p, op);
    ir_putc(p, ' ');
    if (ir_op_attr(op, "no_inline"))
        ir_put(p, "no_inline ");
    ir_put_region(p, &op->regions[0], false, true);
    ir_put_op_attr_dict(p, op, elided, 1);
}
