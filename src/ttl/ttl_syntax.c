/* ttl_syntax.c: the hand-written text of compute. */
#include "mlir/shared/group_syntax.h"
#include "ttl/ttl_hooks.h"
#include "ttl/ttl_info.h"

/* Whether the brace here opens a dictionary and not the region: a name and what may stand
 * behind one, or nothing and another brace. */
static bool at_dictionary(ir_parser *p)
{
    const char *at = p->tok.at;
    ir_next(p);
    bool named = p->tok.kind == IR_TOK_BARE_ID || p->tok.kind == IR_TOK_STRING;
    bool closed = ir_at_punct(p, '}');
    ir_next(p);
    bool is = named && (ir_at_punct(p, '=') || ir_at_punct(p, ','));
    if (named && ir_at_punct(p, '}')) {
        closed = true;
        ir_next(p);
    }
    is = is || (closed && ir_at_punct(p, '{'));
    ir_lex_at(p, at);
    return is;
}

/* ins "(" list ")" outs "(" list ")" attr-dict region "->" types */
void ttl_compute_parse(ir_parser *p, ir_parsed_op *op)
{
    int32_t sizes[2];
    ir_type_list results = {0};
    if (!ir_parse_operand_group(p, op, "ins", &sizes[0]) ||
        !ir_parse_operand_group(p, op, "outs", &sizes[1]))
        return;
    ir_add_operand_segments(p, op, sizes, 2);
    if (ir_at_punct(p, '{') && at_dictionary(p) && !ir_parse_op_attr_dict(p, op))
        return;
    if (!ir_parse_op_region(p, op, NULL, 0))
        return;
    if (op->def != TTL_OP(compute_region)) {
        if (ir_parse_arrow_types(p, &results))
            ir_add_results(p, op, &results);
        return;
    }
    /* the plan has attributes here, and no types: a result is what its output holds */
    if (!ir_parse_op_attr_dict(p, op))
        return;
    if (p->tok.kind == IR_TOK_ARROW) {
        if (ir_parse_arrow_types(p, &results))
            ir_add_results(p, op, &results);
        return;
    }
    for (int32_t i = 0; i < sizes[1]; i++)
        ir_add_result(p, op, ttl_block_tensor(op->operands[sizes[0] + i]->type));
}

void ttl_compute_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"operandSegmentSizes"};
    static const char *const words[] = {" ins", " outs"};
    for (size_t i = 0; i < TW_COUNT(words); i++) {
        size_t start = 0, count = 0;
        ir_op_operand_group(op, i, &start, &count);
        ir_put_operand_group(p, op, words[i], start, count);
    }
    ir_put_op_attr_dict(p, op, elided, 1);
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], true, true);
    if (op->n_results)
        ir_put_arrow_results(p, op);
    else
        ir_put(p, " -> ()");
}
