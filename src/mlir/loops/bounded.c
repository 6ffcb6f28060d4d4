/* bounded.c: see bounded.h.  One result is never greater than another if the known bounds
 * and the contrary are infeasible together (linear.h). */
#include "mlir/loops/bounded.h"

#include "mlir/affine/affine.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

#include <string.h>

enum { ONE = LINEAR_VARIABLES }; /* the column of the constant */

typedef struct row {
    int64_t at[LINEAR_VARIABLES + 1];
} row;

/* ---- rows --------------------------------------------------------------------------- */

void bounded_begin(bounded *known, ir_context *ctx)
{
    memset(known, 0, sizeof *known);
    known->ctx = ctx;
}

static bool new_variable(bounded *known, ir_value *v, size_t *out)
{
    if (known->n == LINEAR_VARIABLES)
        return false;
    known->values[known->n] = v;
    *out = known->n++;
    return true;
}

/* The variable of a value; the constant column for a constant. */
static bool variable_of(bounded *known, ir_value *v, size_t *out)
{
    int64_t number;
    for (*out = 0; *out < known->n; (*out)++)
        if (known->values[*out] == v)
            return true;
    if (!new_variable(known, v, out))
        return false;
    if (loop_constant(v, &number))
        bounded_add_range(known, v, number, number);
    return true;
}

static bool add_scaled(row *to, const row *from, int64_t times)
{
    for (size_t i = 0; i <= LINEAR_VARIABLES; i++) {
        int64_t by;
        if (__builtin_mul_overflow(from->at[i], times, &by) ||
            __builtin_add_overflow(to->at[i], by, &to->at[i]))
            return false;
    }
    return true;
}

/* x + c >= 0 */
static void add_row(bounded *known, const row *x, int64_t c)
{
    row sum = *x;
    if (!__builtin_add_overflow(sum.at[ONE], c, &sum.at[ONE]))
        linear_add(&known->set, sum.at);
}

static bool row_of(bounded *known, const affine_mapping *m, ir_affine e, row *out);

/* A new variable q for `of` divided by `by`: by q <= of <= by q + by - 1. */
static bool quotient(bounded *known, const row *of, int64_t by, row *out)
{
    size_t q;
    row low = *of, high = {{0}};
    if (!new_variable(known, NULL, &q))
        return false;
    low.at[q] -= by;
    add_row(known, &low, 0);
    if (!add_scaled(&high, of, -1))
        return false;
    high.at[q] += by;
    add_row(known, &high, by - 1);
    memset(out, 0, sizeof *out);
    out->at[q] = 1;
    return true;
}

static bool divided(bounded *known, const affine_mapping *m, ir_affine e, row *out)
{
    row of, q;
    int64_t by = e->rhs->value;
    if (e->rhs->kind != IR_AFFINE_CONSTANT || by <= 0 || by > INT32_MAX ||
        !row_of(known, m, e->lhs, &of))
        return false;
    if (e->kind == IR_AFFINE_CEILDIV &&
        __builtin_add_overflow(of.at[ONE], by - 1, &of.at[ONE]))
        return false;
    if (!quotient(known, &of, by, &q))
        return false;
    *out = e->kind == IR_AFFINE_MOD ? of : q;
    return e->kind != IR_AFFINE_MOD || add_scaled(out, &q, -by);
}

/* The expression as a row; false if it is not linear. */
static bool row_of(bounded *known, const affine_mapping *m, ir_affine e, row *out)
{
    row other;
    size_t v;
    memset(out, 0, sizeof *out);
    switch ((ir_affine_kind)e->kind) {
    case IR_AFFINE_CONSTANT:
        out->at[ONE] = e->value;
        return true;
    case IR_AFFINE_DIM:
    case IR_AFFINE_SYMBOL:
        if (!variable_of(known, (e->kind == IR_AFFINE_DIM ? m->dims : m->symbols)[e->value],
                         &v))
            return false;
        out->at[v] = 1;
        return true;
    case IR_AFFINE_ADD:
        return row_of(known, m, e->lhs, out) && row_of(known, m, e->rhs, &other) &&
               add_scaled(out, &other, 1);
    case IR_AFFINE_MUL:
        return e->rhs->kind == IR_AFFINE_CONSTANT && row_of(known, m, e->lhs, &other) &&
               add_scaled(out, &other, e->rhs->value);
    case IR_AFFINE_MOD:
    case IR_AFFINE_FLOORDIV:
    case IR_AFFINE_CEILDIV:
        return divided(known, m, e, out);
    }
    return false;
}

void bounded_add(bounded *known, const affine_mapping *m)
{
    row r;
    if (row_of(known, m, m->results[0], &r))
        add_row(known, &r, 0);
}

void bounded_add_range(bounded *known, ir_value *v, int64_t low, int64_t high)
{
    row r = {{0}};
    size_t slot;
    for (slot = 0; slot < known->n && known->values[slot] != v; slot++)
        continue;
    if ((slot == known->n && !new_variable(known, v, &slot)) || low == INT64_MIN)
        return;
    r.at[slot] = 1;
    add_row(known, &r, -low);
    r.at[slot] = -1;
    add_row(known, &r, high);
}

void bounded_add_counter(bounded *known, ir_value *v, ir_value *from, ir_value *to,
                         ir_value *step)
{
    size_t at, at_from, at_to, k;
    int64_t by;
    row r = {{0}};
    if (!variable_of(known, v, &at) || !variable_of(known, from, &at_from) ||
        !variable_of(known, to, &at_to))
        return;
    r.at[at] = 1;
    r.at[at_from] -= 1;
    add_row(known, &r, 0);
    if (loop_constant(step, &by) && by > 0 && by <= INT32_MAX &&
        new_variable(known, NULL, &k)) {
        r.at[k] = -by; /* v = from + by k */
        add_row(known, &r, 0);
        row less = {{0}};
        add_scaled(&less, &r, -1);
        add_row(known, &less, 0);
    }
    memset(&r, 0, sizeof r);
    r.at[at_to] = 1;
    r.at[at] -= 1;
    add_row(known, &r, -1);
}

/* ---- affine.min, affine.max --------------------------------------------------------- */

/* True if result a of an affine.min (or max) is never greater (less) than result b. */
static bool decides(const bounded *known, const affine_mapping *m, uint32_t a, uint32_t b,
                    bool is_min)
{
    bounded with = *known;
    row x, y;
    if (!row_of(&with, m, m->results[a], &x) || !row_of(&with, m, m->results[b], &y))
        return false;
    row apart = is_min ? x : y; /* the contrary: they differ by at least one */
    if (!add_scaled(&apart, is_min ? &y : &x, -1))
        return false;
    add_row(&with, &apart, -1);
    return linear_is_empty(&with.set);
}

static bool is_extreme(const ir_op *op)
{
    return op->def == AFFINE_OP(min) || op->def == AFFINE_OP(max);
}

bool bounded_narrow(const bounded *known, const ir_op *op, bool one, affine_mapping *m)
{
    if (!is_extreme(op) || !affine_mapping_begin(op, ir_op_attr(op, "map")->map, 0, m))
        return false;
    uint32_t before = m->n_results;
    for (uint32_t b = 0; b < m->n_results;) {
        bool superfluous = false;
        for (uint32_t a = 0; a < m->n_results && !superfluous; a++)
            superfluous = a != b && decides(known, m, a, b, op->def == AFFINE_OP(min));
        if (!superfluous) {
            b++;
            continue;
        }
        memmove(m->results + b, m->results + b + 1,
                (m->n_results - b - 1) * sizeof *m->results);
        m->n_results--;
    }
    affine_mapping_canonicalize(m);
    return one ? m->n_results == 1 : m->n_results < before;
}

/* ---- surrounding operations --------------------------------------------------------- */

static void add_affine_for(bounded *known, ir_op *loop, ir_value *v)
{
    affine_mapping m;
    ir_context *ctx = known->ctx;
    for (int side = 0; side < 2; side++) {
        if (!affine_for_bound(loop, side == 0, &m) || m.n_dims == AFFINE_MAPPING_CAPACITY)
            continue;
        uint32_t n = m.n_results;
        ir_affine counter = ir_affine_dim(ctx, m.n_dims);
        ir_affine bounds[AFFINE_MAPPING_CAPACITY];
        memcpy(bounds, m.results, n * sizeof *bounds);
        m.dims[m.n_dims++] = v;
        m.n_results = 1;
        for (uint32_t i = 0; i < n; i++) {
            ir_affine minus = ir_affine_constant(ctx, -1);
            ir_affine more = side == 0 ? counter : bounds[i];
            ir_affine less = ir_affine_binary(ctx, IR_AFFINE_MUL,
                                              side == 0 ? bounds[i] : counter, minus);
            m.results[0] = ir_affine_binary(ctx, IR_AFFINE_ADD, more, less);
            if (side == 1) /* exclusive */
                m.results[0] = ir_affine_binary(ctx, IR_AFFINE_ADD, m.results[0], minus);
            bounded_add(known, &m);
        }
    }
}

/* The induction variable is the lower bound plus a multiple of the step. */
static void add_affine_step(bounded *known, ir_op *loop, ir_value *v)
{
    affine_mapping m;
    row r, less = {{0}};
    size_t at, k;
    int64_t step = affine_for_step(loop);
    if (step <= 1 || step > INT32_MAX || !affine_for_bound(loop, true, &m) ||
        m.n_results != 1 || !row_of(known, &m, m.results[0], &r) ||
        !variable_of(known, v, &at) || !new_variable(known, NULL, &k))
        return;
    r.at[k] += step; /* from + step k - v = 0 */
    r.at[at] -= 1;
    if (!add_scaled(&less, &r, -1))
        return;
    add_row(known, &r, 0);
    add_row(known, &less, 0);
}

/* v is the minimum (or maximum) of the map's results. */
static void add_definition(bounded *known, const ir_op *op, ir_value *v)
{
    affine_mapping m;
    row r, less;
    size_t at;
    if (!affine_mapping_begin(op, ir_op_attr(op, "map")->map, 0, &m) ||
        !variable_of(known, v, &at))
        return;
    for (uint32_t i = 0; i < m.n_results; i++) {
        if (!row_of(known, &m, m.results[i], &r))
            continue;
        r.at[at] -= 1;
        memset(&less, 0, sizeof less);
        add_scaled(&less, &r, -1);
        if (op->def != AFFINE_OP(max))
            add_row(known, &r, 0);
        if (op->def != AFFINE_OP(min))
            add_row(known, &less, 0);
    }
}

static void add_value(bounded *known, ir_value *v, unsigned depth)
{
    const ir_op *producer = ir_value_def(v);
    ir_op *loop = v->is_argument ? ir_value_block(v)->region->owner : NULL;
    size_t at;
    if (depth == 0 || !variable_of(known, v, &at))
        return;
    if (loop && loop->def == SCF_OP(for) && v->index == 0 &&
        !ir_op_attr(loop, "unsignedCmp")) {
        bounded_add_counter(known, v, ir_op_operand(loop, 0), ir_op_operand(loop, 1),
                            ir_op_operand(loop, 2));
        add_value(known, ir_op_operand(loop, 0), depth - 1);
        add_value(known, ir_op_operand(loop, 1), depth - 1);
    } else if (loop && loop->def == SCF_OP(parallel)) {
        size_t n = ir_value_block(v)->n_args, i = v->index;
        bounded_add_counter(known, v, ir_op_operand(loop, i), ir_op_operand(loop, n + i),
                            ir_op_operand(loop, 2 * n + i));
    } else if (loop && loop->def == AFFINE_OP(for) && v->index == 0) {
        add_affine_for(known, loop, v);
        add_affine_step(known, loop, v);
        for (uint32_t i = 0; i < loop->n_operands; i++)
            if (ir_op_operand(loop, i)->type->kind == IR_TYPE_INDEX)
                add_value(known, ir_op_operand(loop, i), depth - 1);
    } else if (producer && (producer->def == AFFINE_OP(apply) || is_extreme(producer))) {
        add_definition(known, producer, v);
        for (uint32_t i = 0; i < producer->n_operands; i++)
            add_value(known, ir_op_operand(producer, i), depth - 1);
    }
}

void bounded_add_surroundings(bounded *known, ir_op *op)
{
    enum { DEPTH = 4 };
    for (uint32_t i = 0; i < op->n_operands; i++)
        add_value(known, ir_op_operand(op, i), DEPTH);
}

/* ---- peeled loops ------------------------------------------------------------------- */

static void replace_by_one(const bounded *known, ir_op *op)
{
    affine_mapping m;
    ir_value *values[2 * AFFINE_MAPPING_CAPACITY];
    if (!bounded_narrow(known, op, true, &m))
        return;
    ir_builder b = ir_builder_before(op);
    ir_value *made =
        ir_build1(&b, AFFINE_OP(apply), op->results[0].type, values,
                  affine_mapping_values(&m, values),
                  IR_ATTRS({"map", ir_affine_map_attr(op->ctx, affine_mapping_map(&m))}));
    ir_value_replace_uses(&op->results[0], made);
    ir_op_erase(op);
}

void bounded_simplify_peeled(ir_op *loop, ir_value *to, bool whole)
{
    bounded known;
    size_t counter, end, step;
    row r = {{0}};
    bounded_begin(&known, loop->ctx);
    if (!variable_of(&known, ir_op_body(loop, 0)->args[0], &counter) ||
        !variable_of(&known, to, &end) ||
        !variable_of(&known, ir_op_operand(loop, 2), &step))
        return;
    /* a full step: iv + step <= to; the last one: iv + step > to */
    r.at[counter] += whole ? -1 : 1;
    r.at[step] += whole ? -1 : 1;
    r.at[end] += whole ? 1 : -1;
    add_row(&known, &r, whole ? 0 : -1);
    ir_op_list all = ir_ops_in_post(loop, NULL);
    for (size_t i = 0; i < all.n; i++)
        replace_by_one(&known, all.at[i]);
    ir_op_list_free(&all);
}
