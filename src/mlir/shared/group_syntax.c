/* group_syntax.c: reads and prints operands in groups. */
#include "mlir/shared/group_syntax.h"

bool ir_parse_operand_group(ir_parser *p, ir_parsed_op *op, const char *word,
                            int32_t *out_count)
{
    ir_ssa_list uses = {0};
    ir_type_list types = {0};
    if (!ir_expect_keyword(p, word) || !ir_expect_punct(p, '('))
        return false;
    const char *at = p->tok.at;
    if (!ir_parse_ssa_list(p, &uses))
        return false;
    if (uses.count && !ir_at_punct(p, ':'))
        return ir_fail_here(p, "expected ':' followed by %s operand types", word);
    if (ir_accept_punct(p, ':') && !ir_parse_type_list(p, &types))
        return false;
    *out_count = (int32_t)uses.count;
    return ir_add_operands(p, op, &uses, types.at, types.count, at) &&
           ir_expect_punct(p, ')');
}

void ir_put_operand_group(ir_printer *p, const ir_op *op, const char *word, size_t start,
                          size_t count)
{
    ir_put(p, word);
    ir_putc(p, '(');
    ir_put_operands(p, op, start, count);
    if (count) {
        ir_put(p, " : ");
        ir_put_operand_types(p, op, start, count);
    }
    ir_putc(p, ')');
}
