/* affine_parallel_syntax.c: the hand-written text of affine.parallel.
 *
 *   "(" ids ")" "=" "(" bounds ")" "to" "(" bounds ")" [ "step" "(" ints ")" ]
 *       [ "reduce" "(" strings ")" ] [ "->" types ] region attr-dict
 *   bound = expr | ( "max" | "min" ) "(" expr , ... ")" */
#include "mlir/affine/affine_hooks.h"
#include "mlir/arith/arith.h"
#include "mlir/shared/control_syntax.h"

enum { CAPACITY = 64 };

typedef struct bounds {
    ir_affine exprs[CAPACITY];
    int64_t groups[CAPACITY]; /* number of expressions of each bound */
    uint32_t n_exprs, n_groups;
    ir_affine_uses uses;
} bounds;

static bool parse_expr(ir_parser *p, bounds *b)
{
    if (b->n_exprs == CAPACITY)
        return ir_fail_here(p, "affine maps take at most %d results", CAPACITY);
    b->exprs[b->n_exprs] = ir_parse_affine_of_values(p, &b->uses);
    if (!b->exprs[b->n_exprs])
        return false;
    b->n_exprs++;
    b->groups[b->n_groups - 1]++;
    return true;
}

/* "(" bound , ... ")"; adds the values used by the expressions. */
static bool parse_bounds(ir_parser *p, ir_parsed_op *op, const char *word, bounds *b)
{
    if (!ir_expect_punct(p, '('))
        return false;
    if (ir_accept_punct(p, ')'))
        return true;
    do {
        if (b->n_groups == CAPACITY)
            return ir_fail_here(p, "affine.parallel takes at most %d bounds", CAPACITY);
        b->groups[b->n_groups++] = 0;
        if (!ir_accept_keyword(p, word)) {
            if (!parse_expr(p, b))
                return false;
            continue;
        }
        if (!ir_expect_punct(p, '('))
            return false;
        do
            if (!parse_expr(p, b))
                return false;
        while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ')'))
            return false;
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ')') && affine_add_uses(p, op, &b->uses);
}

static void add_bounds(ir_parser *p, ir_parsed_op *op, const bounds *b, const char *map,
                       const char *groups)
{
    int32_t counts[CAPACITY];
    int64_t dims[] = {b->n_groups};
    ir_type type = ir_tensor_type(ir_integer_type(p->ctx, 32, IR_SIGNLESS), dims, 1, NULL);
    for (uint32_t i = 0; i < b->n_groups; i++)
        counts[i] = (int32_t)b->groups[i];
    ir_add_attr(p, op, map,
                ir_affine_map_attr(p->ctx, ir_affine_map_get(p->ctx, b->uses.dims.count,
                                                             b->uses.symbols.count,
                                                             b->exprs, b->n_exprs)));
    ir_add_attr(p, op, groups, ir_dense_attr(type, counts, b->n_groups * sizeof *counts));
}

static bool parse_steps(ir_parser *p, ir_parsed_op *op, uint32_t wanted)
{
    ir_attr steps[CAPACITY];
    for (uint32_t i = 0; i < wanted; i++)
        steps[i] = ir_i64_attr(p->ctx, 1);
    if (ir_accept_keyword(p, "step")) {
        const char *at = p->tok.at;
        uint32_t count = 0;
        int64_t value;
        if (!ir_expect_punct(p, '('))
            return false;
        do {
            if (count == CAPACITY || !ir_parse_int(p, &value))
                return ir_fail_here(p, "expected an integer");
            steps[count++] = ir_i64_attr(p->ctx, value);
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ')'))
            return false;
        if (count != wanted)
            return ir_fail_own(p, at, "expected %u steps, found %u", wanted, count);
    }
    ir_add_attr(p, op, "steps", ir_array_attr(p->ctx, steps, wanted));
    return true;
}

static bool parse_reductions(ir_parser *p, ir_parsed_op *op)
{
    ir_attr kinds[CAPACITY];
    uint32_t count = 0;
    if (ir_accept_keyword(p, "reduce")) {
        if (!ir_expect_punct(p, '('))
            return false;
        do {
            tw_str word;
            const char *at = p->tok.at;
            if (count == CAPACITY || !ir_parse_string(p, &word))
                return ir_fail_here(p, "expected the name of a reduction as a string");
            const ir_enum_case *kind = ir_enum_by_text(&arith_enum_AtomicRMWKind, word);
            if (!kind)
                return ir_fail_own(p, at, "invalid reduction value: \"%.*s\"",
                                   (int)word.size, word.data);
            kinds[count++] = ir_i64_attr(p->ctx, kind->value);
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ')'))
            return false;
    }
    ir_add_attr(p, op, "reductions", ir_array_attr(p->ctx, kinds, count));
    return true;
}

void affine_parallel_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_arg_list args = {0};
    ir_type_list types = {0};
    bounds *lower = ir_scratch(p, sizeof *lower), *upper = ir_scratch(p, sizeof *upper);
    memset(lower, 0, sizeof *lower);
    memset(upper, 0, sizeof *upper);
    const char *at = p->tok.at;
    if (!ir_parse_loop_ids(p, &args) || !ir_expect_punct(p, '=') ||
        !parse_bounds(p, op, "max", lower) || !ir_expect_keyword(p, "to") ||
        !parse_bounds(p, op, "min", upper))
        return;
    if (args.count != lower->n_groups || args.count != upper->n_groups) {
        ir_fail_own(
            p, at,
            "expected as many bounds as loop variables: %u variables, %u lower and %u "
            "upper bounds",
            args.count, lower->n_groups, upper->n_groups);
        return;
    }
    add_bounds(p, op, lower, "lowerBoundsMap", "lowerBoundsGroups");
    add_bounds(p, op, upper, "upperBoundsMap", "upperBoundsGroups");
    if (!parse_steps(p, op, args.count) || !parse_reductions(p, op) ||
        !ir_accept_arrow_types(p, &types))
        return;
    ir_add_results(p, op, &types);
    if (ir_parse_op_region(p, op, args.at, args.count))
        ir_parse_op_attr_dict(p, op);
}

static void put_bounds(ir_printer *p, const ir_op *op, ir_affine_map map, ir_attr groups,
                       uint32_t first, const char *word)
{
    uint32_t count = map->n_dims + map->n_symbols, next = 0;
    int64_t n = ir_type_num_elements(groups->type);
    if (first + count > op->n_operands)
        count = op->n_operands > first ? op->n_operands - first : 0;
    ir_putc(p, '(');
    for (int64_t i = 0; i < n; i++) {
        int64_t size = ir_dense_int(groups, (size_t)i);
        if (i)
            ir_put(p, ", ");
        if (size > 1)
            ir_putf(p, "%s(", word);
        for (int64_t k = 0; k < size && next < map->n_results; k++, next++) {
            if (k)
                ir_put(p, ", ");
            ir_put_affine_of_values(p, map->results[next], op->operands + first, count,
                                    map->n_dims);
        }
        if (size > 1)
            ir_putc(p, ')');
    }
    ir_putc(p, ')');
}

static void put_steps(ir_printer *p, ir_attr steps)
{
    bool ones = true;
    for (uint32_t i = 0; i < steps->count; i++)
        ones = ones && steps->items[i]->value == 1;
    if (ones)
        return;
    ir_put(p, " step (");
    for (uint32_t i = 0; i < steps->count; i++)
        ir_putf(p, "%s%lld", i ? ", " : "", (long long)steps->items[i]->value);
    ir_putc(p, ')');
}

static void put_reductions(ir_printer *p, const ir_op *op)
{
    ir_attr kinds = ir_op_attr(op, "reductions");
    if (!op->n_results)
        return;
    ir_put(p, " reduce (");
    for (uint32_t i = 0; i < kinds->count; i++) {
        const ir_enum_case *kind =
            ir_enum_by_value(&arith_enum_AtomicRMWKind, kinds->items[i]->value);
        ir_putf(p, "%s\"%s\"", i ? ", " : "", kind ? kind->text : "<<UNKNOWN>>");
    }
    ir_put(p, ") -> (");
    ir_put_result_types(p, op, 0, op->n_results);
    ir_putc(p, ')');
}

void affine_parallel_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"reductions",        "steps",
                                         "lowerBoundsMap",    "upperBoundsMap",
                                         "lowerBoundsGroups", "upperBoundsGroups"};
    ir_affine_map lower = ir_op_attr(op, "lowerBoundsMap")->map;
    ir_affine_map upper = ir_op_attr(op, "upperBoundsMap")->map;
    const ir_block *body = ir_op_body(op, 0);
    ir_putc(p, ' ');
    ir_put_loop_ids(p, body, body->n_args);
    ir_put(p, " = ");
    put_bounds(p, op, lower, ir_op_attr(op, "lowerBoundsGroups"), 0, "max");
    ir_put(p, " to ");
    put_bounds(p, op, upper, ir_op_attr(op, "upperBoundsGroups"),
               lower->n_dims + lower->n_symbols, "min");
    put_steps(p, ir_op_attr(op, "steps"));
    put_reductions(p, op);
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, op->n_results > 0);
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
}
