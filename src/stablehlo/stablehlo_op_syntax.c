/* stablehlo_op_syntax.c: custom syntax of constant, reduce and while. */
#include "mlir/shared/control_syntax.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_hooks.h"

#include <stdlib.h>

/* ---- constant: attr-dict value | "(" ")" [<props>] attr-dict ":" fn-type ------------ */

void stablehlo_constant_parse(ir_parser *p, ir_parsed_op *op)
{
    if (ir_accept_punct(p, '(')) {
        ir_type_list inputs = {0}, results = {0};
        if (!ir_expect_punct(p, ')'))
            return;
        if (ir_accept_punct(p, '<') &&
            (!ir_parse_attr_dict(p, &op->attrs) || !ir_expect_punct(p, '>')))
            return;
        if (!ir_parse_op_attr_dict(p, op) || !ir_expect_punct(p, ':') ||
            !ir_parse_fn_type(p, &inputs, &results))
            return;
        ir_add_results(p, op, &results);
        return;
    }
    if (!ir_parse_op_attr_dict(p, op))
        return;
    const char *at = p->tok.at;
    ir_attr value = ir_parse_an_attr(p, NULL);
    if (!value)
        return;
    if (value->kind != IR_ATTR_DENSE && value->kind != IR_ATTR_RESOURCE) {
        ir_fail_own(p, at, "expected elements attribute");
        return;
    }
    ir_add_attr(p, op, "value", value);
    ir_add_result(p, op, value->type);
}

void stablehlo_constant_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"value"};
    ir_attr value = ir_op_attr(op, "value");
    if (value->type == op->results[0].type) {
        ir_put_op_attr_dict(p, op, elided, 1);
        ir_putc(p, ' ');
        ir_put_attr(p, value);
        return;
    }
    ir_put(p, "() <{value = ");
    ir_put_attr(p, value);
    ir_put(p, "}>");
    ir_put_op_attr_dict(p, op, elided, 1);
    ir_put(p, " : () -> ");
    ir_put_type(p, op->results[0].type);
}

void stablehlo_constant_names(ir_printer *p, ir_op *op)
{
    ir_type t = ir_type_element(op->results[0].type);
    ir_name_value(p, &op->results[0], t->kind == IR_TYPE_INTEGER ? "c" : "cst");
}

/* Room for one more item behind n items of that size; the room doubles at powers of two. */
static void *with_room(ir_parser *p, void *items, uint32_t n, size_t size)
{
    enum { FIRST = 8 };
    if (n && (n < FIRST || (n & (n - 1))))
        return items;
    void *more = ir_scratch(p, (n ? 2 * (size_t)n : FIRST) * size);
    if (n)
        memcpy(more, items, n * size);
    return more;
}

/* ---- reduce ------------------------------------------------------------------------- */

static bool parse_pairs(ir_parser *p, ir_ssa_list *inputs, ir_ssa_list *inits)
{
    ir_ssa_use *in = NULL, *init = NULL;
    uint32_t n = 0;
    do {
        in = with_room(p, in, n, sizeof *in);
        init = with_room(p, init, n, sizeof *init);
        if (!ir_expect_punct(p, '(') || !ir_parse_ssa(p, &in[n]) ||
            !ir_expect_keyword(p, "init") || !ir_expect_punct(p, ':') ||
            !ir_parse_ssa(p, &init[n]) || !ir_expect_punct(p, ')'))
            return false;
        n++;
    } while (ir_accept_punct(p, ','));
    inputs->at = in;
    inits->at = init;
    inputs->count = inits->count = n;
    return true;
}

static bool resolve_pairs(ir_parser *p, ir_parsed_op *op, const ir_ssa_list *inputs,
                          const ir_ssa_list *inits, const ir_type_list *types,
                          const char *at)
{
    if (types->count != inputs->count + inits->count)
        return ir_fail_counts(p, at, inputs->count + inits->count, types->count);
    for (uint32_t i = 0; i < types->count; i++) {
        ir_ssa_use use = i < inputs->count ? inputs->at[i] : inits->at[i - inputs->count];
        if (!ir_add_operand(p, op, use, types->at[i]))
            return false;
    }
    return true;
}

/* `applies op`: builds the body denoted by the operation's name. */
static bool build_applied(ir_parser *p, ir_parsed_op *op, tw_str name, const char *at,
                          ir_type input, ir_loc loc)
{
    const ir_op_def *inner = ir_context_op_def(p->ctx, name);
    if (!inner || inner->operands.count != 2 || inner->results.count != 1 ||
        !(inner->traits & (IR_HLO_COMMUTATIVE | IR_COMMUTATIVE)))
        return ir_fail_own(p, at,
                           "expected the inner-op to be a commutative binary-op from the "
                           "stablehlo dialect, with zero region, producing single result");
    if (!ir_type_is_shaped(input))
        return ir_fail_own(p, at, "expected a tensor to reduce");
    ir_type scalar = ir_tensor_type(input->element, NULL, 0, NULL);
    ir_add_empty_region(p, op);
    ir_block *block = ir_block_create(p->ctx);
    ir_region_append(op->regions[op->n_regions - 1], block);
    ir_value *a = ir_block_add_arg(p->ctx, block, scalar, loc);
    ir_value *b = ir_block_add_arg(p->ctx, block, scalar, loc);
    ir_builder builder = ir_builder_at_end(p->ctx, block, loc);
    ir_value *result = ir_build1(&builder, inner, scalar, IR_VALUES(a, b), NULL, 0);
    ir_build(&builder, &(ir_op_state){.def = STABLEHLO_OP(return ),
                                      .loc = loc,
                                      .operands = &result,
                                      .n_operands = 1});
    return true;
}

static bool parse_dims(ir_parser *p, ir_parsed_op *op)
{
    ir_dims dims = {0};
    if (!ir_expect_keyword(p, "across") || !ir_expect_keyword(p, "dimensions") ||
        !ir_expect_punct(p, '=') || !ir_parse_int_list(p, &dims))
        return false;
    ir_add_attr(p, op, "dimensions", ir_dense_i64_array(p->ctx, dims.at, dims.count));
    return ir_parse_op_attr_dict(p, op) && ir_expect_punct(p, ':');
}

/* "reducer" { (%x: t, %y: t) } region: all elements first, then all accumulators. */
static bool parse_reducer(ir_parser *p, ir_parsed_op *op, uint32_t pairs)
{
    if (!ir_expect_keyword(p, "reducer"))
        return false;
    ir_parsed_arg *args = ir_scratch(p, 2 * pairs * sizeof *args);
    for (uint32_t i = 0; i < pairs; i++) {
        ir_arg_list two = {0};
        const char *at = p->tok.at;
        if (!ir_parse_arg_list(p, &two))
            return false;
        if (two.count != 2)
            return ir_fail_own(p, at, "expected an element and an accumulator");
        args[i] = two.at[0];
        args[pairs + i] = two.at[1];
    }
    return ir_parse_op_region(p, op, args, 2 * pairs);
}

void stablehlo_reduce_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list inputs = {0}, inits = {0};
    ir_type_list in = {0}, out = {0};
    const char *at = p->tok.at, *name_at = NULL;
    tw_str name = {0};
    if (!parse_pairs(p, &inputs, &inits))
        return;
    if (ir_accept_keyword(p, "applies")) {
        name_at = p->tok.at;
        if (!ir_parse_keyword(p, &name))
            return;
    }
    if (!parse_dims(p, op) || !ir_parse_fn_type(p, &in, &out) ||
        !resolve_pairs(p, op, &inputs, &inits, &in, at))
        return;
    ir_add_results(p, op, &out);
    if (!name.size) {
        parse_reducer(p, op, inputs.count);
        return;
    }
    ir_loc loc = op->loc;
    bool present;
    if (!ir_accept_loc(p, &loc, &present))
        return;
    if (present) /* the text has one location for both */
        op->loc = loc;
    build_applied(p, op, name, name_at, in.at[0], loc);
}

/* The short form denotes exactly one form of body (custom-syntax.md 3.7). */
static const ir_op *applied_op(const ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    if (op->n_operands < 2 || !body || !body->first || body->first->next != body->last ||
        body->first == body->last || body->n_args != 2)
        return NULL;
    const ir_op *inner = body->first, *ret = body->last;
    ir_type scalar =
        ir_tensor_type(ir_type_element(op->operands[0].value->type), NULL, 0, NULL);
    bool ok = ret->def == STABLEHLO_OP(return ) && inner->n_operands == 2 &&
              inner->n_results == 1 && strncmp(inner->def->name, "stablehlo.", 10) == 0 &&
              (inner->def->traits & IR_HLO_COMMUTATIVE) && inner->n_regions == 0 &&
              inner->operands[0].value == body->args[0] &&
              inner->operands[1].value == body->args[1] &&
              inner->results[0].type == scalar && body->args[0]->type == scalar &&
              body->args[1]->type == scalar && ret->n_operands == 1 &&
              ret->operands[0].value == &inner->results[0];
    return ok ? inner : NULL;
}

static void put_pairs(ir_printer *p, const ir_op *op)
{
    uint32_t half = op->n_operands / 2;
    for (uint32_t i = 0; i < half; i++) {
        ir_put(p, i ? ", (" : "(");
        ir_put_value(p, op->operands[i].value);
        ir_put(p, " init: ");
        ir_put_value(p, op->operands[half + i].value);
        ir_putc(p, ')');
    }
}

void stablehlo_reduce_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"dimensions"};
    const ir_op *inner = applied_op(op);
    put_pairs(p, op);
    if (inner)
        ir_putf(p, " applies %s", inner->def->name);
    ir_put(p, " across dimensions = ");
    ir_put_dense_array_bare(p, ir_op_attr(op, "dimensions"));
    ir_put_op_attr_dict(p, op, elided, 1);
    ir_put(p, " : ");
    ir_put_functional_type(p, op);
    if (inner)
        return;
    ir_put_newline(p);
    ir_put(p, " reducer");
    ir_block *body = ir_op_body(op, 0);
    uint32_t half = body->n_args / 2;
    for (uint32_t i = 0; i < half; i++) {
        ir_putc(p, '(');
        ir_put_arg(p, body->args[i], NULL, true);
        ir_put(p, ", ");
        ir_put_arg(p, body->args[half + i], NULL, true);
        ir_put(p, ") ");
    }
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, true);
}

/* ---- while -------------------------------------------------------------------------- */

void stablehlo_while_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_parsed_arg *args = NULL;
    ir_ssa_use *starts = NULL;
    uint32_t n = 0;
    const char *at = p->tok.at;
    if (!ir_expect_punct(p, '('))
        return;
    if (!ir_accept_punct(p, ')')) {
        do {
            args = with_room(p, args, n, sizeof *args);
            starts = with_room(p, starts, n, sizeof *starts);
            args[n] = (ir_parsed_arg){.loc = ir_loc_at(p, p->tok.at)};
            if (!ir_parse_ssa(p, &args[n].name) || !ir_expect_punct(p, '=') ||
                !ir_parse_ssa(p, &starts[n]))
                return;
            n++;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ')'))
            return;
    }
    if (n) {
        ir_type_list types = {0};
        if (!ir_expect_punct(p, ':') || !ir_parse_type_list(p, &types))
            return;
        if (types.count != n) {
            ir_fail_counts(p, at, n, types.count);
            return;
        }
        for (uint32_t i = 0; i < n; i++) {
            args[i].type = types.at[i];
            if (!ir_add_operand(p, op, starts[i], types.at[i]))
                return;
            ir_add_result(p, op, types.at[i]);
        }
    }
    if (!ir_parse_op_attr_dict_keyword(p, op) || !ir_expect_keyword(p, "cond") ||
        !ir_parse_op_region(p, op, args, n) || !ir_expect_keyword(p, "do"))
        return;
    ir_parse_op_region(p, op, args, n);
}

void stablehlo_while_print(ir_printer *p, ir_op *op)
{
    ir_block *cond = ir_op_body(op, 0);
    ir_put_carried(p, cond, 0, op, 0, op->n_operands);
    if (op->n_operands) {
        ir_put(p, " : ");
        ir_put_operand_types(p, op, 0, op->n_operands);
    }
    ir_put_op_attr_dict_keyword(p, op, NULL, 0);
    ir_put_newline(p);
    ir_put(p, "cond ");
    ir_put_region(p, &op->regions[0], false, true);
    ir_put(p, " do ");
    ir_put_region(p, &op->regions[1], false, true);
}

void stablehlo_while_names(ir_printer *p, ir_op *op)
{
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                ir_name_value(p, b->args[i], "iterArg");
}
