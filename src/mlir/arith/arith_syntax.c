/* arith_syntax.c: the hand-written text of select. */
#include "mlir/arith/arith_syntax.h"

/* ssa "," ssa "," ssa attr-dict ":" [ cond-type "," ] type */
void arith_select_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_type types[3] = {0};
    const char *at = p->tok.at;
    if (!ir_parse_ssa_list(p, &uses))
        return;
    if (uses.count != 3) {
        ir_fail_own(p, at, "expected 3 operands");
        return;
    }
    if (!ir_parse_op_attr_dict(p, op) || !(types[1] = ir_parse_colon_type(p)))
        return;
    types[0] = ir_integer_type(p->ctx, 1, IR_SIGNLESS);
    if (ir_accept_punct(p, ',')) { /* the condition's type comes first unless it is i1 */
        types[0] = types[1];
        if (!(types[1] = ir_parse_a_type(p)))
            return;
    }
    types[2] = types[1];
    ir_add_result(p, op, types[1]);
    ir_add_operands(p, op, &uses, types, 3, at);
}

void arith_select_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, 3);
    ir_put_op_attr_dict(p, op, NULL, 0);
    ir_put(p, " : ");
    ir_type condition = ir_op_operand(op, 0)->type;
    if (!ir_type_is_signless(condition, 1)) {
        ir_put_type(p, condition);
        ir_put(p, ", ");
    }
    ir_put_type(p, op->results[0].type);
}
