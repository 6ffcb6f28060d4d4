/* ttkernel_syntax.c: the hand-written text of compute_kernel_hw_startup, of accessors and
 * their arguments, and of calls without parentheses. */
#include "mlir/arith/arith.h"
#include "ttkernel/ttkernel.h"
#include "ttkernel/ttkernel_hooks.h"

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

/* ---- calls as the plan of TTL writes them */

/* What stands between the parentheses, or where they would. */
typedef struct argument {
    ir_ssa_use use;
    int64_t number; /* where `use` has no name */
    const char *at;
} argument;

enum { MAX_ARGUMENTS = 16 };

static bool parse_arguments(ir_parser *p, argument *list, uint32_t *n)
{
    bool enclosed = ir_accept_punct(p, '(');
    bool any = p->tok.kind == IR_TOK_VALUE || p->tok.kind == IR_TOK_INTEGER;
    for (bool more = any; more; more = ir_accept_punct(p, ',')) {
        argument a = {.at = p->tok.at};
        if (*n == MAX_ARGUMENTS)
            return ir_fail(p, a.at, "more than %d operands", MAX_ARGUMENTS);
        if (!(p->tok.kind == IR_TOK_INTEGER ? ir_parse_int(p, &a.number)
                                            : ir_parse_ssa(p, &a.use)))
            return false;
        list[(*n)++] = a;
    }
    return !enclosed || ir_expect_punct(p, ')');
}

/* The type that an operation's row gives a number: what it can only be, or a word. */
static ir_type type_of_number(ir_parser *p, const ir_op_def *def, uint32_t i)
{
    const ir_constraint *c = i < def->operands.count ? def->operands.at[i].type : NULL;
    if (c && strcmp(c->name, "IndexLike") == 0)
        return ir_integer_type(p->ctx, 32, IR_SIGNLESS);
    ir_type t = c && c->builds ? ir_parse_type(p->ctx, tw_str_from(c->builds)) : NULL;
    return t && t->kind == IR_TYPE_INTEGER ? t : NULL;
}

static bool add_number(ir_parser *p, ir_parsed_op *op, const argument *a, ir_type t)
{
    if (!t || (t->kind != IR_TYPE_INTEGER && t->kind != IR_TYPE_INDEX))
        return ir_fail(p, a->at, "operand %u is no number: expected a value",
                       op->n_operands);
    ir_named_attr value = {ir_ident_get(p->ctx, TW_STR("value")),
                           ir_integer_attr(t, a->number)};
    ir_add_made_operand(p, op,
                        ir_op_create(p->ctx, &(ir_op_state){.def = ARITH_OP(constant),
                                                            .loc = op->loc,
                                                            .results = &t,
                                                            .n_results = 1,
                                                            .attrs = &value,
                                                            .n_attrs = 1}));
    return true;
}

static bool add_argument(ir_parser *p, ir_parsed_op *op, const argument *a, ir_type given,
                         uint32_t i)
{
    if (!a->use.name.size)
        return add_number(p, op, a, given ? given : type_of_number(p, op->def, i));
    ir_value *v = given ? NULL : ir_find_value(p, a->use);
    if (!given && !v)
        return ir_fail(p, a->use.at,
                       "the type of '%%%.*s' is not known yet: write the types behind ':'",
                       (int)a->use.name.size, a->use.name.data);
    return ir_add_operand(p, op, a->use, given ? given : v->type);
}

/* The plan has a page's offset in front of the NoC, where it is an attribute. */
static bool take_offset(ir_parser *p, ir_parsed_op *op, argument *list, uint32_t *n)
{
    enum { OFFSET = 3 };
    if (*n != OFFSET + 2 || (op->def != TTKERNEL_OP(noc_async_read_page) &&
                             op->def != TTKERNEL_OP(noc_async_write_page)))
        return true;
    argument *a = &list[OFFSET];
    if (a->use.name.size && !arith_constant_int(ir_find_value(p, a->use), &a->number))
        return ir_fail(p, a->at, "the offset within a page must be a constant");
    if (a->number)
        ir_add_attr(p, op, "offset", ir_i32_attr(p->ctx, a->number));
    list[OFFSET] = list[OFFSET + 1];
    (*n)--;
    return true;
}

static bool add_results(ir_parser *p, ir_parsed_op *op)
{
    for (uint32_t i = 0; i < op->def->results.count; i++) {
        const char *builds = op->def->results.at[i].type->builds;
        if (!builds)
            return ir_fail(p, op->at,
                           "'%s' has a result of several types: write the types behind ':'",
                           op->def->name);
        ir_add_result(p, op, ir_parse_type(p->ctx, tw_str_from(builds)));
    }
    return true;
}

/* [ "(" ] [ operand { "," operand } ] [ ")" ] attr-dict [ ":" fn-type ]: an operand is a
 * value or a number, types may be left out where values are known already. */
void ttkernel_call_parse(ir_parser *p, ir_parsed_op *op)
{
    argument list[MAX_ARGUMENTS];
    uint32_t n = 0;
    ir_type_list inputs = {0}, results = {0};
    const char *at = p->tok.at;
    if (op->def->traits & IR_OPERAND_SEGMENTS) {
        ir_expect_punct(p, '(');
        return;
    }
    if (!parse_arguments(p, list, &n) || !ir_parse_op_attr_dict(p, op))
        return;
    bool typed = ir_accept_punct(p, ':');
    if (typed && !ir_parse_fn_type(p, &inputs, &results))
        return;
    if (typed && inputs.count != n) {
        ir_fail_counts(p, at, n, inputs.count);
        return;
    }
    if (!typed && !take_offset(p, op, list, &n))
        return;
    for (uint32_t i = 0; i < n; i++)
        if (!add_argument(p, op, &list[i], typed ? inputs.at[i] : NULL, i))
            return;
    if (typed)
        ir_add_results(p, op, &results);
    else
        add_results(p, op);
}

void ttkernel_call_print(ir_printer *p, ir_op *op)
{
    ttkernel_startup_print(p, op);
}

/* ---- accessors and semaphores by the plan's names */

ir_type ttkernel_semaphore_parse(ir_parser *p, const ir_type_def *def)
{
    (void)def;
    return ir_dialect_type(p->ctx, TTKERNEL_TYPE(local_semaphore), NULL, 0);
}

/* ssa attr-dict ":" ( type | fn-type ) */
void ttkernel_laid_accessor_parse(ir_parser *p, ir_parsed_op *op)
{
    argument address = {.at = p->tok.at};
    ir_type_list inputs = {0}, results = {0};
    if (!ir_parse_ssa(p, &address.use) || !ir_parse_op_attr_dict(p, op) ||
        !ir_expect_punct(p, ':'))
        return;
    bool typed = ir_at_punct(p, '(');
    if (!(typed ? ir_parse_fn_type(p, &inputs, &results) : ir_parse_type_list(p, &results)))
        return;
    if (typed && inputs.count != 1)
        ir_fail_counts(p, address.at, 1, inputs.count);
    else if (add_argument(p, op, &address, typed ? inputs.at[0] : NULL, 0))
        ir_add_results(p, op, &results);
}

void ttkernel_laid_accessor_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, op->n_operands);
    ir_put_op_attr_dict(p, op, NULL, 0);
    ir_put(p, " : ");
    ir_put_functional_type(p, op);
}

/* ---- arguments of accessors */

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
