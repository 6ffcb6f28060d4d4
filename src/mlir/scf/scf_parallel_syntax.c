/* scf_parallel_syntax.c: the hand-written text of parallel, forall and forall.in_parallel.
 */
#include "mlir/scf/scf_hooks.h"
#include "mlir/shared/control_syntax.h"

/* ---- parallel --------------------------------------------------------------------------
 *
 * ids "=" "(" values ")" "to" "(" values ")" "step" "(" values ")"
 *     [ "init" "(" values ")" ] [ "->" types ] region attr-dict */

static bool parse_values(ir_parser *p, ir_parsed_op *op, uint32_t wanted)
{
    ir_ssa_list uses = {0};
    const char *at = p->tok.at;
    if (!ir_expect_punct(p, '(') || !ir_parse_ssa_list(p, &uses) ||
        !ir_expect_punct(p, ')'))
        return false;
    if (uses.count != wanted)
        return ir_fail_own(p, at, "expected %u operands", wanted);
    for (uint32_t i = 0; i < uses.count; i++)
        if (!ir_add_operand(p, op, uses.at[i], ir_index_type(p->ctx)))
            return false;
    return true;
}

void scf_parallel_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_arg_list args = {0};
    ir_ssa_list inits = {0};
    ir_type_list types = {0};
    if (!ir_parse_loop_ids(p, &args) || !ir_expect_punct(p, '=') ||
        !parse_values(p, op, args.count) || !ir_expect_keyword(p, "to") ||
        !parse_values(p, op, args.count) || !ir_expect_keyword(p, "step") ||
        !parse_values(p, op, args.count))
        return;
    const char *at = p->tok.at;
    if (ir_accept_keyword(p, "init") &&
        (!ir_expect_punct(p, '(') || !ir_parse_ssa_list(p, &inits) ||
         !ir_expect_punct(p, ')')))
        return;
    if (!ir_accept_arrow_types(p, &types) ||
        !ir_add_operands(p, op, &inits, types.at, types.count, at))
        return;
    ir_add_results(p, op, &types);
    int32_t n = (int32_t)args.count;
    ir_add_operand_segments(p, op, (int32_t[]){n, n, n, (int32_t)inits.count}, 4);
    if (ir_parse_op_region(p, op, args.at, args.count))
        ir_parse_op_attr_dict(p, op);
}

void scf_parallel_print(ir_printer *p, ir_op *op)
{
    static const char *const words[] = {" = (", " to (", " step (", " init ("};
    static const char *const elided[] = {"operandSegmentSizes"};
    const ir_block *body = ir_op_body(op, 0);
    ir_putc(p, ' ');
    ir_put_loop_ids(p, body, body->n_args);
    for (size_t group = 0; group < TW_COUNT(words); group++) {
        size_t start = 0, count = 0;
        ir_op_operand_group(op, group, &start, &count);
        if (group == 3 && !count)
            break;
        ir_put(p, words[group]);
        ir_put_operands(p, op, start, count);
        ir_putc(p, ')');
    }
    ir_put_arrow_results(p, op);
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, true);
    ir_put_op_attr_dict(p, op, elided, 1);
}

/* ---- forall ----------------------------------------------------------------------------
 *
 * ids ( "in" bounds | "=" bounds "to" bounds "step" bounds )
 *     [ "shared_outs" "(" ssa "=" ssa , ... ")" "->" "(" types ")" ] region attr-dict
 * bounds = "(" ( ssa | int ) , ... ")" */

static const char *const static_names[] = {"staticLowerBound", "staticUpperBound",
                                           "staticStep"};

static bool parse_bounds(ir_parser *p, ir_parsed_op *op, size_t which, uint32_t wanted,
                         int32_t *out_dynamic)
{
    ir_dims statics = {0};
    const char *at = p->tok.at;
    if (!ir_expect_punct(p, '('))
        return false;
    if (!ir_accept_punct(p, ')')) {
        do {
            ir_ssa_use use;
            int64_t value = IR_DYNAMIC;
            if (ir_accept_ssa(p, &use)) {
                if (!ir_add_operand(p, op, use, ir_index_type(p->ctx)))
                    return false;
                ++*out_dynamic;
            } else if (!ir_parse_int(p, &value)) {
                return false;
            }
            ir_dims_add(p, &statics, value);
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ')'))
            return false;
    }
    if (statics.count != wanted)
        return ir_fail_own(p, at, "expected as many bounds as loop variables: %u", wanted);
    ir_add_attr(p, op, static_names[which],
                ir_dense_i64_array(p->ctx, statics.at, statics.count));
    return true;
}

/* Bounds of an "in" loop that the text omits. */
static void add_uniform(ir_parser *p, ir_parsed_op *op, size_t which, uint32_t count,
                        int64_t value)
{
    ir_dims dims = {0};
    for (uint32_t i = 0; i < count; i++)
        ir_dims_add(p, &dims, value);
    ir_add_attr(p, op, static_names[which],
                ir_dense_i64_array(p->ctx, dims.at, dims.count));
}

static bool parse_forall_bounds(ir_parser *p, ir_parsed_op *op, uint32_t rank,
                                int32_t sizes[4])
{
    if (ir_accept_keyword(p, "in")) {
        add_uniform(p, op, 0, rank, 0);
        add_uniform(p, op, 2, rank, 1);
        return parse_bounds(p, op, 1, rank, &sizes[1]);
    }
    return ir_expect_punct(p, '=') && parse_bounds(p, op, 0, rank, &sizes[0]) &&
           ir_expect_keyword(p, "to") && parse_bounds(p, op, 1, rank, &sizes[1]) &&
           ir_expect_keyword(p, "step") && parse_bounds(p, op, 2, rank, &sizes[2]);
}

void scf_forall_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_arg_list args = {0};
    ir_carried outs = {0};
    ir_type_list types = {0};
    int32_t sizes[4] = {0};
    if (!ir_parse_loop_ids(p, &args) || !parse_forall_bounds(p, op, args.count, sizes))
        return;
    const char *at = p->tok.at;
    if (ir_accept_keyword(p, "shared_outs") &&
        (!ir_parse_carried(p, &outs) || !ir_parse_arrow_types(p, &types)))
        return;
    if (types.count != outs.count) {
        ir_fail_own(p, at, "mismatch between out operands and types");
        return;
    }
    if (!ir_add_carried(p, op, &outs, &types, &args))
        return;
    sizes[3] = (int32_t)outs.count;
    ir_add_operand_segments(p, op, sizes, 4);
    if (ir_parse_op_region(p, op, args.at, args.count))
        ir_parse_op_attr_dict(p, op);
}

static void put_bounds(ir_printer *p, const ir_op *op, size_t which)
{
    ir_attr statics = ir_op_attr(op, static_names[which]);
    size_t start = 0, count = 0, next = 0;
    ir_op_operand_group(op, which, &start, &count);
    ir_putc(p, '(');
    for (uint32_t i = 0; i < statics->count; i++) {
        int64_t value = ir_dense_array_int(statics, i);
        if (i)
            ir_put(p, ", ");
        if (value == IR_DYNAMIC && next < count)
            ir_put_value(p, ir_op_operand(op, start + next++));
        else
            ir_put_int(p, value);
    }
    ir_putc(p, ')');
}

static bool all_are(const ir_op *op, size_t which, int64_t value)
{
    ir_attr statics = ir_op_attr(op, static_names[which]);
    for (uint32_t i = 0; i < statics->count; i++)
        if (ir_dense_array_int(statics, i) != value)
            return false;
    return true;
}

void scf_forall_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"staticLowerBound", "staticUpperBound",
                                         "staticStep", "operandSegmentSizes"};
    const ir_block *body = ir_op_body(op, 0);
    uint32_t rank = ir_op_attr(op, "staticUpperBound")->count;
    size_t start = 0, count = 0;
    ir_putc(p, ' ');
    ir_put_loop_ids(p, body, rank);
    if (all_are(op, 0, 0) && all_are(op, 2, 1)) {
        ir_put(p, " in ");
        put_bounds(p, op, 1);
    } else {
        ir_put(p, " = ");
        put_bounds(p, op, 0);
        ir_put(p, " to ");
        put_bounds(p, op, 1);
        ir_put(p, " step ");
        put_bounds(p, op, 2);
    }
    ir_op_operand_group(op, 3, &start, &count);
    if (count) {
        ir_put(p, " shared_outs");
        ir_put_carried(p, body, rank, op, start, count);
        ir_put_results_in_parens(p, op);
    }
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, op->n_results > 0);
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
}

/* ---- forall.in_parallel: region attr-dict ------------------------------------------- */

void scf_in_parallel_parse(ir_parser *p, ir_parsed_op *op)
{
    if (ir_parse_op_body(p, op))
        ir_parse_op_attr_dict(p, op);
}

void scf_in_parallel_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, true);
    ir_put_op_attr_dict(p, op, NULL, 0);
}
