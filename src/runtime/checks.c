/* checks.c: functions that check themselves: check.expect_* become results.
 *
 * The device holds integers in at most 32 bits and f64 as f32. Both sides of a check are
 * computed on the device, so an expected f64 is rounded like the actual one; an integer
 * that does not fit would be truncated on both sides and could agree by accident, so it is
 * rejected. */
#include "runtime/checks.h"

#include "mlir/func/func.h"
#include "runtime/wide.h"
#include "stablehlo/check/check.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

/* Checks written as calls, and the parameters that their names imply: StableHLO's test data
 * predates the check dialect. */
static const struct called_check {
    const char *target;
    double tolerance;
    uint64_t max_ulp;
} called_checks[] = {
    {"check.eq", 0, 0},
    {"check.expect_almost_eq", 0.001, 0},
    {"check.expect_close", 0, 3},
    {"check.expect_eq", 0, 0},
};

static const struct called_check *called_check_of(const ir_op *op)
{
    ir_attr target = op->def == STABLEHLO_OP(custom_call) && op->n_operands == 2
                         ? ir_op_attr(op, "call_target_name")
                         : NULL;
    for (size_t i = 0; ir_attr_is(target, IR_ATTR_STRING) && i < TW_COUNT(called_checks);
         i++)
        if (tw_str_equal(ir_attr_str(target), tw_str_from(called_checks[i].target)))
            return &called_checks[i];
    return NULL;
}

static bool is_check(const ir_op *op)
{
    return (op->def >= check_ops && op->def < check_ops + CHECK_OP_COUNT) ||
           (op->n_results == 0 && called_check_of(op));
}

bool rt_has_checks(const ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    for (ir_op *op = body ? body->first : NULL; op; op = op->next)
        if (is_check(op))
            return true;
    return false;
}

typedef struct finding {
    const char *what;
    ir_op *at;
    ir_block *body;
} finding;

static ir_walk look(ir_op *op, void *user)
{
    finding *f = user;
    if (is_check(op) && op->block != f->body)
        f->what = "a check inside a region", f->at = op;
    else if (op->def == CHECK_OP(expect_serialized_eq))
        f->what = "a check of what a probe wrote to a file", f->at = op;
    return f->what ? IR_WALK_STOP : IR_WALK_ON;
}

/* Stores the source position, then the indices of the results and the tolerance. */
static void describe(ir_op *op, tw_check *c, size_t at)
{
    ir_ident file;
    uint32_t line = 0, column;
    const struct called_check *called = called_check_of(op);
    ir_loc_position(op->ctx, op->loc, &file, &line, &column);
    *c =
        (tw_check){.name = called ? called->target : op->def->name,
                   .line = line,
                   .actual = at,
                   .expected = at + 1,
                   .tolerance = called ? called->tolerance : ir_op_real(op, "tolerance", 0),
                   .max_ulp = called ? called->max_ulp
                                     : (uint64_t)ir_op_int(op, "max_ulp_difference", 0),
                   .min_ulp = (uint64_t)ir_op_int(op, "min_ulp_difference", 0)};
}

static void return_also(ir_op *func, ir_value *const *values, size_t n)
{
    ir_op *end = ir_op_body(func, 0)->last;
    ir_type f = ir_op_attr(func, "function_type")->type;
    size_t before = f->results, at = 0;
    ir_type *types = tw_xmalloc((f->count + before + n + 1) * sizeof *types);
    for (size_t i = 0; i < f->count + before; i++)
        types[at++] = f->types[i];
    for (size_t i = 0; i < n; i++)
        types[at++] = values[i]->type;
    ir_op_splice_operands(end, end->n_operands, 0, values, n);
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(func->ctx, types, f->count,
                                                 types + f->count, before + n)));
    ir_op_set_attr(func, "res_attrs", NULL);
    free(types);
}

tw_status rt_refuse_wide_checks(ir_op *func)
{
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next)
        if (is_check(op) && !rt_fits(ir_op_attr(op, "value")))
            return tw_error(TW_UNSUPPORTED,
                            "'%s': an integer that does not fit the device's 32 bits",
                            op->def->name);
    return TW_SUCCESS;
}

tw_status rt_checks_take(ir_op *func, tw_arena *arena, tw_check **out_checks,
                         size_t *out_count)
{
    ir_block *body = ir_op_body(func, 0);
    size_t n = 0, at = 0;
    *out_count = 0;
    for (ir_op *op = body->first; op; op = op->next)
        n += is_check(op);
    if (n == 0)
        return TW_SUCCESS;
    finding f = {.body = body};
    ir_walk_pre(func, look, &f);
    if (f.what)
        return tw_error(TW_UNSUPPORTED, "'%s': %s", f.at->def->name, f.what);
    size_t before = ir_op_attr(func, "function_type")->type->results;
    tw_check *checks = TW_ARENA_ARRAY(arena, tw_check, n);
    ir_value **values = tw_xmalloc(2 * n * sizeof *values);
    for (ir_op *op = body->first, *next; op; op = next) {
        next = op->next;
        if (!is_check(op))
            continue;
        describe(op, &checks[at], before + 2 * at);
        ir_builder b = ir_builder_before(op);
        ir_attr value = ir_op_attr(op, "value");
        values[2 * at] = op->operands[0].value;
        values[2 * at + 1] = value ? ir_build1(&b, STABLEHLO_OP(constant), value->type,
                                               NULL, 0, IR_ATTRS({"value", value}))
                                   : op->operands[1].value;
        at++;
        ir_op_erase(op);
    }
    return_also(func, values, 2 * n);
    free(values);
    *out_checks = checks;
    *out_count = n;
    return TW_SUCCESS;
}
