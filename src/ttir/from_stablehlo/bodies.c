/* bodies.c: recognises the computation of bodies of reductions, scatters and windows.
 *
 * A body that picks one of two (value, index) pairs is recognised by evaluation, since
 * exporters write it in many ways.  If it only compares values with values and indices
 * with indices, combines conditions and selects, its result depends only on the order of
 * the two values and of the two indices: it is evaluated for each of these cases. */
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

const ir_op *s2t_combiner(const ir_op *op, size_t region)
{
    const ir_block *body = ir_op_body(op, region);
    const ir_op *made = body ? body->first : NULL;
    if (!made || body->n_args != 2 || made->next != body->last || made->n_operands != 2 ||
        made->n_results != 1 || body->last->n_operands != 1 ||
        body->last->operands[0].value != &made->results[0])
        return NULL;
    const ir_value *a = made->operands[0].value, *b = made->operands[1].value;
    const ir_value *x = body->args[0], *y = body->args[1];
    return (a == x && b == y) || (a == y && b == x) ? made : NULL;
}

/* ---- bodies that pick a pair -------------------------------------------------------- */

enum { MAX_OPS = 32, N_ARGS = 4 };

/* The abstract value of an SSA value of the body in one case. */
typedef struct meaning {
    enum { UNKNOWN, ARGUMENT, CONDITION } kind;
    int n; /* argument: its index; condition: whether it holds */
} meaning;

/* One ordering of the arguments (value, index, value, index). */
typedef struct order {
    int rank[N_ARGS];
    bool nan[N_ARGS];
} order;

typedef struct picking {
    const ir_block *body;
    order now;
    const ir_value *values[MAX_OPS];
    meaning meanings[MAX_OPS];
    size_t n;
} picking;

static meaning look_up(const picking *p, const ir_value *v)
{
    for (int i = 0; i < N_ARGS; i++)
        if (v == p->body->args[i])
            return (meaning){ARGUMENT, i};
    for (size_t i = 0; i < p->n; i++)
        if (p->values[i] == v)
            return p->meanings[i];
    return (meaning){UNKNOWN, 0};
}

static bool holds(int64_t direction, int order, bool unordered)
{
    switch (direction) {
    case STABLEHLO_ComparisonDirection_EQ:
        return !unordered && order == 0;
    case STABLEHLO_ComparisonDirection_NE:
        return unordered || order != 0;
    case STABLEHLO_ComparisonDirection_GE:
        return !unordered && order >= 0;
    case STABLEHLO_ComparisonDirection_GT:
        return !unordered && order > 0;
    case STABLEHLO_ComparisonDirection_LE:
        return !unordered && order <= 0;
    default:
        return !unordered && order < 0;
    }
}

static meaning compared(const picking *p, const ir_op *op, meaning a, meaning b)
{
    const order *o = &p->now;
    bool total = ir_enum_value(ir_op_attr(op, "compare_type"), -1) ==
                 STABLEHLO_ComparisonType_TOTALORDER;
    if (a.kind != ARGUMENT || b.kind != ARGUMENT || a.n % 2 != b.n % 2 || total)
        return (meaning){UNKNOWN, 0};
    return (meaning){CONDITION,
                     holds(ir_enum_value(ir_op_attr(op, "comparison_direction"), -1),
                           o->rank[a.n] - o->rank[b.n], o->nan[a.n] || o->nan[b.n])};
}

/* The larger or smaller of two values, or of two indices; either if one is NaN. */
static meaning extreme(const picking *p, meaning a, meaning b, bool largest)
{
    const order *o = &p->now;
    if (a.kind != ARGUMENT || b.kind != ARGUMENT || a.n % 2 != b.n % 2)
        return (meaning){UNKNOWN, 0};
    if (o->nan[a.n] || o->nan[b.n])
        return o->nan[a.n] ? a : b;
    return (o->rank[a.n] > o->rank[b.n]) == largest ? a : b;
}

static meaning combined(const ir_op *op, meaning a, meaning b)
{
    if (a.kind != CONDITION || b.kind != CONDITION)
        return (meaning){UNKNOWN, 0};
    return (meaning){CONDITION, op->def == STABLEHLO_OP(and)  ? a.n && b.n
                                : op->def == STABLEHLO_OP(or) ? a.n || b.n
                                                              : a.n != b.n};
}

static meaning compute(const picking *p, const ir_op *op)
{
    meaning in[3] = {{UNKNOWN, 0}, {UNKNOWN, 0}, {UNKNOWN, 0}};
    for (uint32_t i = 0; i < op->n_operands && i < TW_COUNT(in); i++)
        in[i] = look_up(p, op->operands[i].value);
    if (op->def == STABLEHLO_OP(compare))
        return compared(p, op, in[0], in[1]);
    if (op->def == STABLEHLO_OP(maximum) || op->def == STABLEHLO_OP(minimum))
        return extreme(p, in[0], in[1], op->def == STABLEHLO_OP(maximum));
    if (op->def == STABLEHLO_OP(and) || op->def == STABLEHLO_OP(or) ||
        op->def == STABLEHLO_OP(xor))
        return combined(op, in[0], in[1]);
    if (op->def == STABLEHLO_OP(not ) && in[0].kind == CONDITION)
        return (meaning){CONDITION, !in[0].n};
    if (op->def == STABLEHLO_OP(select) && in[0].kind == CONDITION)
        return in[0].n ? in[1] : in[2];
    return (meaning){UNKNOWN, 0};
}

/* True if the body returns the left pair (or the right one, as requested); for equal
 * values it may return either. */
static bool returns(const ir_block *body, order now, bool left)
{
    picking p = {.body = body, .now = now};
    for (const ir_op *op = body->first; op != body->last; op = op->next) {
        if (p.n == MAX_OPS || op->n_results != 1)
            return false;
        meaning m = compute(&p, op);
        p.values[p.n] = &op->results[0];
        p.meanings[p.n++] = m;
    }
    meaning value = look_up(&p, body->last->operands[0].value);
    meaning index = look_up(&p, body->last->operands[1].value);
    bool equal = now.rank[0] == now.rank[2];
    return value.kind == ARGUMENT && value.n % 2 == 0 &&
           (equal || value.n == (left ? 0 : 2)) && index.kind == ARGUMENT &&
           index.n == (left ? 1 : 3);
}

/* True if the body compares a value with itself, which is a NaN test.  Without one, the
 * result for NaN depends on the operand order. */
static bool tests_nan(const ir_block *body)
{
    for (const ir_op *op = body->first; op != body->last; op = op->next)
        if (op->def == STABLEHLO_OP(compare) &&
            op->operands[0].value == op->operands[1].value)
            return true;
    return false;
}

/* True if the body picks the pair of the larger (or smaller) value, the first of equal
 * ones, and the first NaN before all others.  The left pair is the earlier one, except
 * for the initial pair. */
static bool picks(const ir_block *body, bool smallest)
{
    enum { NAN_RANK = 2 }; /* values have rank 0 and 1 */
    bool nan = tests_nan(body);
    for (int a = 0; a <= NAN_RANK; a++)
        for (int b = 0; b <= NAN_RANK; b++) {
            bool any_nan = a == NAN_RANK || b == NAN_RANK;
            bool left = any_nan ? a == NAN_RANK : smallest ? a <= b : a >= b;
            order first = {{a, 0, b, 1}, {a == NAN_RANK, false, b == NAN_RANK, false}};
            order last = {{a, 1, b, 0}, {false}};
            if ((!any_nan || nan) && !returns(body, first, left))
                return false;
            if (!any_nan && a != b && !returns(body, last, left))
                return false;
        }
    return true;
}

bool s2t_picks_extreme(const ir_op *op, bool *out_least)
{
    const ir_block *body = ir_op_body(op, 0);
    if (!body || body->n_args != N_ARGS || body->last->n_operands != 2)
        return false;
    *out_least = picks(body, true);
    return *out_least || picks(body, false);
}
