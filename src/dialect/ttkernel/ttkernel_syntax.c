/* ttkernel_syntax.c: the hand-written text of compute_kernel_hw_startup, of
 * TensorAccessorArgs, and of transfers of pages and shards. */
#include "dialect/ttkernel/ttkernel.h"
#include "dialect/ttkernel/ttkernel_hooks.h"

/* "(" ssa [ "," ssa ] "," ssa ")" attr-dict ":" fn-type */
void ttkernel_startup_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_type_list inputs = {0}, results = {0};
    const char *at = p->tok.at;
    if (!ir_expect_punct(p, '(') || !ir_parse_ssa_list(p, &uses) ||
        !ir_expect_punct(p, ')'))
        return;
    if (uses.count != 2 && uses.count != 3) {
        ir_fail(p, at, "expected 2 or 3 operands");
        return;
    }
    if (!ir_parse_op_attr_dict(p, op) || !ir_expect_punct(p, ':') ||
        !ir_parse_fn_type(p, &inputs, &results))
        return;
    if (inputs.count != uses.count) {
        ir_fail(p, at, "expected %u operand types", uses.count);
        return;
    }
    ir_add_operands(p, op, &uses, inputs.at, inputs.count, at);
}

void ttkernel_startup_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, '(');
    ir_put_operands(p, op, 0, op->n_operands);
    ir_putc(p, ')');
    ir_put_op_attr_dict(p, op, NULL, 0);
    ir_put(p, " : ");
    ir_put_functional_type(p, op);
}

/* "(" ssa { "," ssa } ")" attr-dict ":" fn-type; the language's plan leaves parentheses
 * out, and types, where the operands are known already */
void ttkernel_transfer_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_type_list inputs = {0}, results = {0};
    const char *at = p->tok.at;
    bool enclosed = ir_accept_punct(p, '(');
    if (!ir_parse_ssa_list(p, &uses) || (enclosed && !ir_expect_punct(p, ')')) ||
        !ir_parse_op_attr_dict(p, op))
        return;
    if (ir_accept_punct(p, ':')) {
        if (ir_parse_fn_type(p, &inputs, &results))
            ir_add_operands(p, op, &uses, inputs.at, inputs.count, at);
        return;
    }
    for (uint32_t i = 0; i < uses.count; i++) {
        ir_value *v = ir_find_value(p, uses.at[i]);
        if (!v) {
            ir_fail(p, uses.at[i].at,
                    "the type of '%%%.*s' is not known yet: write the types behind ':'",
                    (int)uses.at[i].name.size, uses.at[i].name.data);
            return;
        }
        if (!ir_add_operand(p, op, uses.at[i], v->type))
            return;
    }
}

void ttkernel_transfer_print(ir_printer *p, ir_op *op)
{
    ttkernel_startup_print(p, op);
}

/* [ name "=" str ] */
static bool parse_expr(ir_parser *p, ir_parsed_op *op, const char *name)
{
    tw_str text;
    if (!ir_accept_keyword(p, name))
        return true;
    if (!ir_expect_punct(p, '=') || !ir_parse_string(p, &text))
        return false;
    ir_add_attr(p, op, name, ir_string_attr(p->ctx, text));
    return true;
}

/* "(" ( ssa "," ssa | "prev" "=" ssa ) ")" [ "cta_expr" "=" str ] [ "crta_expr" "=" str ]
 * dict */
void ttkernel_accessor_args_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_use first, second;
    ir_type i32 = ir_integer_type(p->ctx, 32, IR_SIGNLESS);
    ir_type own = ir_dialect_type(p->ctx, TTKERNEL_TYPE(TensorAccessorArgs), NULL, 0);
    if (!ir_expect_punct(p, '('))
        return;
    bool chained = ir_accept_keyword(p, "prev");
    if (chained ? !ir_expect_punct(p, '=') || !ir_parse_ssa(p, &first)
                : !ir_parse_ssa(p, &first) || !ir_expect_punct(p, ',') ||
                      !ir_parse_ssa(p, &second))
        return;
    if (!ir_expect_punct(p, ')') || !parse_expr(p, op, "cta_expr") ||
        !parse_expr(p, op, "crta_expr") || !ir_parse_op_attr_dict(p, op))
        return;
    int32_t sizes[] = {!chained, !chained, chained};
    ir_add_attr(p, op, "operandSegmentSizes", ir_dense_array(i32, sizes, TW_COUNT(sizes)));
    ir_add_result(p, op, own);
    if (ir_add_operand(p, op, first, chained ? own : i32) && !chained)
        ir_add_operand(p, op, second, i32);
}

static void print_expr(ir_printer *p, ir_op *op, const char *name)
{
    ir_attr text = ir_op_attr(op, name);
    if (text) {
        ir_putf(p, " %s = ", name);
        ir_put_attr(p, text);
    }
}

void ttkernel_accessor_args_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"cta_expr", "crta_expr", "operandSegmentSizes"};
    ir_put(p, op->n_operands == 1 ? "(prev = " : "(");
    ir_put_operands(p, op, 0, op->n_operands);
    ir_putc(p, ')');
    print_expr(p, op, "cta_expr");
    print_expr(p, op, "crta_expr");
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
}
