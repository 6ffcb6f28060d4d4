/* eval_check.c: the assertions of self-checking functions. */
#include "stablehlo/eval/eval.h"

#include "ir/number.h"
#include "stablehlo/check/check.h"
#include "stablehlo/stablehlo.h"
#include "support/strbuf.h"

#include <math.h>

typedef struct bounds {
    double tolerance;  /* absolute */
    uint64_t min, max; /* units in the last place; max 0: exactly equal */
} bounds;

/* A float's rank among all of its format. */
static int64_t rank_of(ir_type t, double x)
{
    uint64_t bits = ir_float_encode(t->sign, x);
    uint64_t sign = UINT64_C(1) << (t->width - 1);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static bool agree(ir_type t, double a, double b, const bounds *limit)
{
    if ((isnan(a) && isnan(b)) || a == b)
        return limit->min == 0;
    if (!isfinite(a) || !isfinite(b)) /* beyond any finite distance */
        return limit->max == UINT64_MAX;
    if (limit->max) {
        int64_t x = rank_of(t, a), y = rank_of(t, b);
        uint64_t distance = x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
        return distance >= limit->min && distance <= limit->max;
    }
    return limit->tolerance > 0 && fabs(a - b) <= limit->tolerance;
}

static void put(tw_strbuf *out, const hlo_value *v, size_t i)
{
    if (v->class == HLO_INT)
        tw_strbuf_printf(out, "%lld", (long long)v->at[i].i);
    else if (v->class == HLO_FLOAT)
        tw_strbuf_printf(out, "%.17g", v->at[i].re);
    else
        tw_strbuf_printf(out, "(%.17g, %.17g)", v->at[i].re, v->at[i].im);
}

static bool holds(const hlo_value *a, const hlo_value *b, size_t i, const bounds *limit)
{
    if (a->class == HLO_INT)
        return a->at[i].i == b->at[i].i;
    ir_type t = a->class == HLO_COMPLEX ? a->element->element : a->element;
    return agree(t, a->at[i].re, b->at[i].re, limit) &&
           (a->class == HLO_FLOAT || agree(t, a->at[i].im, b->at[i].im, limit));
}

static bool compare(hlo_eval *e, ir_op *op, const hlo_value *a, const hlo_value *b,
                    const bounds *limit)
{
    tw_strbuf text = {0};
    if (!a || !b)
        return false;
    if (a->n != b->n || a->class != b->class) {
        e->failed++;
        if (e->report)
            e->report(e->user, op, "shapes or elements differ");
        return true;
    }
    for (size_t i = 0; i < a->n; i++) {
        if (holds(a, b, i, limit))
            continue;
        tw_strbuf_printf(&text, "element %zu is ", i);
        put(&text, a, i);
        tw_strbuf_puts(&text, ", expected ");
        put(&text, b, i);
        e->failed++;
        if (e->report)
            e->report(e->user, op, tw_strbuf_text(&text));
        break;
    }
    tw_strbuf_free(&text);
    return true;
}

static bool eval_expect(hlo_eval *e, ir_op *op)
{
    bounds limit = {0};
    const hlo_value *a = hlo_operand(e, op, 0);
    const hlo_value *b = op->n_operands > 1
                             ? hlo_operand(e, op, 1)
                             : hlo_from_attr(e, op, ir_op_attr(op, "value"), NULL);
    if (op->def == CHECK_OP(expect_close)) {
        limit.max = (uint64_t)ir_op_int(op, "max_ulp_difference", 1);
        limit.min = (uint64_t)ir_op_int(op, "min_ulp_difference", 0);
    } else if (op->def == CHECK_OP(expect_almost_eq) ||
               op->def == CHECK_OP(expect_almost_eq_const)) {
        limit.tolerance = ir_op_real(op, "tolerance", 1e-4);
    }
    return compare(e, op, a, b, &limit);
}

/* Sets the check's boolean result, if it has one, to true: failures are reported
 * separately. */
static bool set_true(hlo_eval *e, ir_op *op)
{
    hlo_value *v = hlo_new_as(e, op, op->results[0].type, NULL);
    for (size_t i = 0; v && i < v->n; i++)
        v->at[i].i = 1;
    return hlo_set(e, op, 0, v);
}

/* Checks in the form of custom calls have fixed bounds. */
static const struct called {
    const char *name;
    bounds limit;
} calls[] = {
    {"check.eq", {0}},
    {"check.expect_almost_eq", {.tolerance = 1e-3}},
    {"check.expect_close", {.max = 3}},
    {"check.expect_eq", {0}},
};

static const struct called *called_check(const ir_op *op)
{
    tw_str name = ir_attr_str(ir_op_attr(op, "call_target_name"));
    for (size_t i = 0; i < TW_COUNT(calls); i++)
        if (tw_str_is(name, calls[i].name) && op->n_operands == 2)
            return &calls[i];
    return NULL;
}

bool hlo_knows_target(const ir_op *op)
{
    return called_check(op) || hlo_is_lapack(op);
}

static bool eval_custom_call(hlo_eval *e, ir_op *op)
{
    const struct called *check = called_check(op);
    if (check)
        return compare(e, op, hlo_operand(e, op, 0), hlo_operand(e, op, 1),
                       &check->limit) &&
               (op->n_results != 1 || set_true(e, op));
    return hlo_is_lapack(op) ? hlo_lapack(e, op)
                             : hlo_stuck(e, op, "a call of this target");
}

hlo_fn *hlo_find_check(const ir_op_def *def)
{
    if (def == STABLEHLO_OP(custom_call))
        return eval_custom_call;
    return def == CHECK_OP(expect_almost_eq) || def == CHECK_OP(expect_almost_eq_const) ||
                   def == CHECK_OP(expect_close) || def == CHECK_OP(expect_eq) ||
                   def == CHECK_OP(expect_eq_const)
               ? eval_expect
               : NULL;
}
