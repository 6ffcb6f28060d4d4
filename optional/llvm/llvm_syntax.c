/* llvm_syntax.c: the text of llvm's arithmetic on floats, comparisons, members of
 * aggregates and addresses, and their verification. */
#include "llvm/llvm_hooks.h"

/* The rest of an operation whose operands are all of one type: [dict] ":" type. */
static ir_type parse_common_type(ir_parser *p, ir_parsed_op *op, const ir_ssa_list *uses)
{
    ir_type type = ir_parse_op_attr_dict(p, op) ? ir_parse_colon_type(p) : NULL;
    for (uint32_t i = 0; type && i < uses->count; i++)
        if (!ir_add_operand(p, op, uses->at[i], type))
            return NULL;
    return type;
}

/* ---- floats: ssa [ "," ssa ] [dict] ":" type ---------------------------------------- */

void llvm_float_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    for (uint32_t i = 0; i < op->def->operands.count; i++) {
        ir_ssa_use use;
        if ((i && !ir_expect_punct(p, ',')) || !ir_parse_ssa(p, &use))
            return;
        ir_ssa_list_add(p, &uses, use);
    }
    ir_type type = parse_common_type(p, op, &uses);
    if (type)
        ir_add_result(p, op, type);
}

/* Default flags are omitted. */
void llvm_float_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"fastmathFlags"};
    ir_attr flags = ir_op_attr(op, "fastmathFlags");
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, op->n_operands);
    ir_put_op_attr_dict(p, op, elided, !flags || !ir_enum_value(flags, 0));
    ir_put(p, " : ");
    ir_put_type(p, op->results[0].type);
}

/* ---- comparisons: "predicate" ssa "," ssa [dict] ":" type --------------------------- */

void llvm_compare_parse(ir_parser *p, ir_parsed_op *op)
{
    const ir_enum_def *cases =
        op->def == LLVM_OP(icmp) ? &llvm_enum_ICmpPredicate : &llvm_enum_FCmpPredicate;
    tw_str word;
    ir_ssa_use use;
    ir_ssa_list uses = {0};
    const char *at = p->tok.at;
    if (!ir_parse_string(p, &word))
        return;
    const ir_enum_case *known = ir_enum_by_text(cases, word);
    if (!known) {
        ir_fail_own(p, at, "'%.*s' is an incorrect value of the 'predicate' attribute",
                    (int)word.size, word.data);
        return;
    }
    for (int i = 0; i < 2; i++) {
        if ((i && !ir_expect_punct(p, ',')) || !ir_parse_ssa(p, &use))
            return;
        ir_ssa_list_add(p, &uses, use);
    }
    ir_add_attr(p, op, "predicate",
                ir_integer_attr(ir_integer_type(p->ctx, 64, IR_SIGNLESS), known->value));
    ir_type type = parse_common_type(p, op, &uses);
    if (type)
        ir_add_result(p, op,
                      type->kind == IR_TYPE_VECTOR
                          ? ir_type_i1_like(type)
                          : ir_integer_type(p->ctx, 1, IR_SIGNLESS));
}

void llvm_compare_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"predicate", "fastmathFlags"};
    const ir_enum_def *cases =
        op->def == LLVM_OP(icmp) ? &llvm_enum_ICmpPredicate : &llvm_enum_FCmpPredicate;
    const ir_enum_case *known = ir_enum_by_value(cases, ir_op_int(op, "predicate", 0));
    ir_attr flags = ir_op_attr(op, "fastmathFlags");
    ir_putf(p, " \"%s\" ", known ? known->text : "");
    ir_put_operands(p, op, 0, op->n_operands);
    ir_put_op_attr_dict(p, op, elided, 1 + (!flags || !ir_enum_value(flags, 0)));
    ir_put(p, " : ");
    ir_put_type(p, ir_op_operand(op, 0)->type);
}

/* ---- members: [ value "," ] aggregate "[" ints "]" [dict] ":" type ------------------ */

void llvm_member_parse(ir_parser *p, ir_parsed_op *op)
{
    bool inserts = op->def == LLVM_OP(insertvalue);
    ir_ssa_use value, aggregate;
    ir_dims where = {0};
    if (inserts && (!ir_parse_ssa(p, &value) || !ir_expect_punct(p, ',')))
        return;
    if (!ir_parse_ssa(p, &aggregate))
        return;
    if (!ir_parse_int_list(p, &where))
        return;
    ir_attr position =
        ir_dense_array(ir_integer_type(p->ctx, 64, IR_SIGNLESS), where.at, where.count);
    ir_add_attr(p, op, "position", position);
    if (!ir_parse_op_attr_dict(p, op))
        return;
    ir_type type = ir_parse_colon_type(p);
    int64_t beyond;
    ir_type member = type ? llvm_type_at(type, position, &beyond) : NULL;
    if (!type)
        return;
    if (!member) {
        ir_fail_own(p, p->tok.at, "position out of bounds: %lld", (long long)beyond);
        return;
    }
    if (!ir_add_operand(p, op, aggregate, type) ||
        (inserts && !ir_add_operand(p, op, value, member)))
        return;
    ir_add_result(p, op, inserts ? type : member);
}

void llvm_member_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"position"};
    ir_putc(p, ' ');
    if (op->n_operands > 1) {
        ir_put_operands(p, op, 1, 1);
        ir_put(p, ", ");
    }
    ir_put_operands(p, op, 0, 1);
    ir_put_dense_array_bare(p, ir_op_attr(op, "position"));
    ir_put_op_attr_dict(p, op, elided, 1);
    ir_put(p, " : ");
    ir_put_type(p, ir_op_operand(op, 0)->type);
    ir_putc(p, ' ');
}

bool llvm_member_verify(ir_op *op)
{
    ir_type aggregate = ir_op_operand(op, 0)->type;
    bool inserts = op->n_operands > 1;
    int64_t beyond;
    ir_type member = llvm_type_at(aggregate, ir_op_attr(op, "position"), &beyond);
    ir_type have = inserts ? ir_op_operand(op, 1)->type : op->results[0].type;
    if (!member)
        return ir_op_error(op, "position out of bounds: %lld", (long long)beyond);
    if (member == have)
        return true;
    return inserts
               ? ir_op_error(op, "Type mismatch: cannot insert '%s' into '%s'",
                             ir_type_text(op->ctx, have), ir_type_text(op->ctx, aggregate))
               : ir_op_error(op,
                             "Type mismatch: extracting from '%s' should produce '%s' but "
                             "this op returns '%s'",
                             ir_type_text(op->ctx, aggregate),
                             ir_type_text(op->ctx, member), ir_type_text(op->ctx, have));
}

/* ---- addresses: ["inbounds"] base "[" ( int | ssa ) , ... "]" [dict] ":" fn-type ","
 * type ------------------------------------------------------------------------------ */

/* Flags that exclude overflow in an address computation, [ flag "|" ... ]. */
static bool parse_wrap_flags(ir_parser *p, ir_parsed_op *op)
{
    int64_t flags = 0;
    if (p->tok.kind == IR_TOK_BARE_ID &&
        !ir_parse_enum(p, &llvm_enum_GEPNoWrapFlags, &flags))
        return false;
    ir_add_attr(p, op, "noWrapFlags",
                ir_integer_attr(ir_integer_type(p->ctx, 32, IR_SIGNLESS), flags));
    return true;
}

static void put_wrap_flags(ir_printer *p, const ir_op *op)
{
    int64_t flags = ir_op_int(op, "noWrapFlags", 0);
    if (!flags)
        return;
    ir_putc(p, ' ');
    ir_put_enum(p, &llvm_enum_GEPNoWrapFlags, flags);
}

void llvm_address_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_ssa_use use;
    ir_dims constants = {0};
    ir_type_list in = {0}, out = {0};
    if (!parse_wrap_flags(p, op) || !ir_parse_ssa(p, &use) || !ir_expect_punct(p, '['))
        return;
    ir_ssa_list_add(p, &uses, use);
    while (!ir_at_punct(p, ']')) {
        int64_t index = INT32_MIN;
        if (constants.count && !ir_expect_punct(p, ','))
            return;
        if (ir_accept_ssa(p, &use))
            ir_ssa_list_add(p, &uses, use);
        else if (p->failed || !ir_parse_int(p, &index))
            return;
        ir_dims_add(p, &constants, index);
    }
    if (!ir_expect_punct(p, ']') || !ir_parse_op_attr_dict(p, op) ||
        !ir_expect_punct(p, ':'))
        return;
    const char *at = p->tok.at;
    if (!ir_parse_fn_type(p, &in, &out) || !ir_expect_punct(p, ','))
        return;
    ir_type element = ir_parse_a_type(p);
    if (!element)
        return;
    int32_t *raw = ir_scratch(p, (constants.count + 1) * sizeof *raw);
    for (uint32_t i = 0; i < constants.count; i++)
        raw[i] = (int32_t)constants.at[i];
    ir_add_attr(
        p, op, "rawConstantIndices",
        ir_dense_array(ir_integer_type(p->ctx, 32, IR_SIGNLESS), raw, constants.count));
    ir_add_attr(p, op, "elem_type", ir_type_attr(element));
    if (ir_add_operands(p, op, &uses, in.at, in.count, at))
        ir_add_results(p, op, &out);
}

void llvm_address_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"rawConstantIndices", "elem_type", "noWrapFlags"};
    ir_attr constants = ir_op_attr(op, "rawConstantIndices");
    size_t next = 1;
    put_wrap_flags(p, op);
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, 1);
    ir_putc(p, '[');
    for (uint32_t i = 0; i < constants->count; i++) {
        int64_t index = ir_dense_array_int(constants, i);
        ir_put(p, i ? ", " : "");
        if (index == INT32_MIN && next < op->n_operands)
            ir_put_operands(p, op, next++, 1);
        else
            ir_put_int(p, index);
    }
    ir_putc(p, ']');
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
    ir_put(p, " : ");
    ir_put_functional_type(p, op);
    ir_put(p, ", ");
    ir_put_type(p, ir_op_attr(op, "elem_type")->type);
}

bool llvm_address_verify(ir_op *op)
{
    ir_attr constants = ir_op_attr(op, "rawConstantIndices");
    uint32_t dynamic = 0;
    enum {
        ALONE = LLVM_GEPNoWrapFlags_inboundsFlag,
        INBOUNDS = LLVM_GEPNoWrapFlags_inbounds
    };
    if ((ir_op_int(op, "noWrapFlags", 0) & INBOUNDS) == ALONE)
        return ir_op_error(op, "'inbounds_flag' cannot be used directly.");
    for (uint32_t i = 0; i < constants->count; i++)
        dynamic += ir_dense_array_int(constants, i) == INT32_MIN;
    return dynamic + 1 == op->n_operands ||
           ir_op_error(op, "expected as many dynamic indices as specified in '%s'",
                       "rawConstantIndices");
}
