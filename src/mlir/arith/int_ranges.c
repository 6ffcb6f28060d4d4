/* int_ranges.c: int-range-optimizations: what the bounds of loops say about integers.
 *
 * A value's range follows from its definition: constants, induction variables between
 * constant bounds, sums, products, quotients, remainders.  Comparisons and values with one
 * possible result become constants; remainders of smaller numbers go. */
#include "ir/pass/pass.h"
#include "ir/rewrite/effects.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

enum {
    MAX_DEPTH = 24,  /* of definitions that are followed */
    LIMIT = 1 << 30, /* of magnitudes: all arithmetic within it is exact */
};

typedef struct range {
    int64_t low, high; /* inclusive */
} range;

static bool range_of(const ir_value *v, unsigned depth, range *out);

static bool accept(int64_t low, int64_t high, range *out)
{
    *out = (range){low, high};
    return low <= high && low >= -LIMIT && high <= LIMIT;
}

static bool loop_range(const ir_value *v, unsigned depth, range *out)
{
    const ir_op *loop = ir_value_block(v)->region->owner;
    range from, to, step;
    if (!loop || ir_op_body(loop, 0) != ir_value_block(v) ||
        ir_op_body(loop, 0)->n_args == 0 || ir_op_body(loop, 0)->args[0] != v)
        return false;
    if (loop->def == SCF_OP(for))
        return range_of(ir_op_operand(loop, 0), depth, &from) &&
               range_of(ir_op_operand(loop, 1), depth, &to) &&
               range_of(ir_op_operand(loop, 2), depth, &step) && step.low > 0 &&
               accept(from.low, to.high - 1, out);
    int64_t bounds[2];
    for (size_t i = 0; i < 2; i++) {
        affine_mapping m;
        if (loop->def != AFFINE_OP(for) || !affine_for_bound(loop, i == 0, &m) ||
            m.n_results != 1 || m.results[0]->kind != IR_AFFINE_CONSTANT)
            return false;
        bounds[i] = m.results[0]->value;
    }
    return accept(bounds[0], bounds[1] - 1, out);
}

static bool product(const range *x, const range *y, range *out)
{
    int64_t ends[] = {x->low * y->low, x->low * y->high, x->high * y->low,
                      x->high * y->high};
    int64_t low = ends[0], high = ends[0];
    for (size_t i = 1; i < 4; i++) {
        low = ends[i] < low ? ends[i] : low;
        high = ends[i] > high ? ends[i] : high;
    }
    return accept(low, high, out);
}

static bool binary_range(const ir_op_def *def, const range *x, const range *y, range *out)
{
    if (def == ARITH_OP(addi))
        return accept(x->low + y->low, x->high + y->high, out);
    if (def == ARITH_OP(subi))
        return accept(x->low - y->high, x->high - y->low, out);
    if (def == ARITH_OP(muli))
        return product(x, y, out);
    if (def == ARITH_OP(minsi))
        return accept(x->low < y->low ? x->low : y->low,
                      x->high < y->high ? x->high : y->high, out);
    if (def == ARITH_OP(maxsi))
        return accept(x->low > y->low ? x->low : y->low,
                      x->high > y->high ? x->high : y->high, out);
    if (x->low < 0 || y->low <= 0)
        return false;
    if (def == ARITH_OP(divsi) || def == ARITH_OP(divui) || def == ARITH_OP(floordivsi))
        return accept(x->low / y->high, x->high / y->low, out);
    if (def == ARITH_OP(remsi) || def == ARITH_OP(remui))
        return x->high < y->low ? accept(x->low, x->high, out)
                                : accept(0, y->high - 1, out);
    return false;
}

static bool is_binary(const ir_op *op)
{
    static const ir_op_def *const defs[] = {
        ARITH_OP(addi),  ARITH_OP(subi),  ARITH_OP(muli),  ARITH_OP(minsi),
        ARITH_OP(maxsi), ARITH_OP(divsi), ARITH_OP(divui), ARITH_OP(floordivsi),
        ARITH_OP(remsi), ARITH_OP(remui),
    };
    for (size_t i = 0; i < TW_COUNT(defs); i++)
        if (op->def == defs[i])
            return true;
    return false;
}

static bool range_of(const ir_value *v, unsigned depth, range *out)
{
    int64_t n;
    const ir_op *def = ir_value_def(v);
    range x, y;
    if (loop_constant(v, &n))
        return accept(n, n, out);
    if (depth == MAX_DEPTH)
        return false;
    if (!def)
        return loop_range(v, depth + 1, out);
    if (def->def == ARITH_OP(index_cast) || def->def == ARITH_OP(index_castui))
        return range_of(ir_op_operand(def, 0), depth + 1, out) &&
               (ir_type_is_integer(v->type, 32) || ir_type_is_integer(v->type, 64) ||
                v->type->kind == IR_TYPE_INDEX);
    if (!is_binary(def) ||
        !(ir_type_is_integer(v->type, 32) || ir_type_is_integer(v->type, 64) ||
          v->type->kind == IR_TYPE_INDEX))
        return false;
    return range_of(ir_op_operand(def, 0), depth + 1, &x) &&
           range_of(ir_op_operand(def, 1), depth + 1, &y) &&
           binary_range(def->def, &x, &y, out);
}

/* ---- rewriting ----------------------------------------------------------------------- */

/* 1 or 0 if the comparison holds for all or for no values of the ranges, else -1. */
static int compare(int64_t predicate, const range *x, const range *y)
{
    bool apart = x->high < y->low || y->high < x->low;
    bool same = x->low == x->high && y->low == y->high && x->low == y->low;
    bool natural = x->low >= 0 && y->low >= 0;
    switch (predicate) {
    case ARITH_CmpIPredicate_eq:
        return same ? 1 : apart ? 0 : -1;
    case ARITH_CmpIPredicate_ne:
        return same ? 0 : apart ? 1 : -1;
    case ARITH_CmpIPredicate_ult:
        if (!natural)
            return -1; /* fall through */
    case ARITH_CmpIPredicate_slt:
        return x->high < y->low ? 1 : x->low >= y->high ? 0 : -1;
    case ARITH_CmpIPredicate_ule:
        if (!natural)
            return -1; /* fall through */
    case ARITH_CmpIPredicate_sle:
        return x->high <= y->low ? 1 : x->low > y->high ? 0 : -1;
    case ARITH_CmpIPredicate_ugt:
        if (!natural)
            return -1; /* fall through */
    case ARITH_CmpIPredicate_sgt:
        return x->low > y->high ? 1 : x->high <= y->low ? 0 : -1;
    case ARITH_CmpIPredicate_uge:
        if (!natural)
            return -1; /* fall through */
    case ARITH_CmpIPredicate_sge:
        return x->low >= y->high ? 1 : x->high < y->low ? 0 : -1;
    default:
        return -1;
    }
}

static void replace(ir_op *op, ir_value *by)
{
    ir_value_replace_uses(&op->results[0], by);
    ir_op_erase(op);
}

static bool is_candidate(const ir_op *op)
{
    return op->def == ARITH_OP(cmpi) || is_binary(op);
}

static void narrow(ir_op *op)
{
    range x, y, all;
    ir_builder b = ir_builder_before(op);
    ir_type type = op->results[0].type;
    if (!range_of(ir_op_operand(op, 0), 0, &x) || !range_of(ir_op_operand(op, 1), 0, &y))
        return;
    if (op->def == ARITH_OP(cmpi)) {
        int holds = compare(ir_op_int(op, "predicate", -1), &x, &y);
        if (holds >= 0)
            replace(op, loop_build_constant(&b, type, holds));
        return;
    }
    if (!range_of(&op->results[0], 0, &all))
        return;
    if (all.low == all.high)
        replace(op, loop_build_constant(&b, type, all.low));
    else if ((op->def == ARITH_OP(remsi) || op->def == ARITH_OP(remui)) && x.low >= 0 &&
             x.high < y.low)
        replace(op, ir_op_operand(op, 0));
}

static bool run(ir_op *root, pass_run *run)
{
    (void)run;
    ir_visit_ops(root, is_candidate, narrow);
    return true;
}

const pass_def int_range_optimizations_pass = {
    .name = "int-range-optimizations",
    .title = "ArithIntRangeOpts",
    .summary = "Do optimizations based on integer range analysis",
    .run = run,
};
