/* lower_affine.c: lowers affine operations to arithmetic on index values, loops and
 * branches of scf and accesses of memref.  Terms are evaluated from the left; a
 * multiplication by a constant keeps it on the right. */
#include "mlir/affine/lower_affine.h"

#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine.h"
#include "mlir/memref/memref.h"

#include <stdlib.h>

typedef struct point {
    ir_builder *b;
    const ir_op *op;
    size_t first; /* operand */
    uint32_t n_dims;
    ir_value *const *dims; /* the dimensions' values instead of operands, or NULL */
} point;

ir_value *lower_binary(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(b, def, ir_index_type(b->ctx), IR_VALUES(x, y), NULL, 0);
}

ir_value *lower_exact(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y,
                      bool as_unsigned)
{
    ir_attr flags =
        ir_raw_int(b->ctx, ARITH_IntegerOverflowFlags_nsw |
                               (as_unsigned ? ARITH_IntegerOverflowFlags_nuw : 0));
    return ir_build1(b, def, ir_index_type(b->ctx), IR_VALUES(x, y),
                     IR_ATTRS({"overflowFlags",
                               ir_dialect_attr(b->ctx, ARITH_ATTR(overflow), &flags, 1)}));
}

ir_value *lower_compare(ir_builder *b, int64_t predicate, ir_value *x, ir_value *y)
{
    return ir_build1(b, ARITH_OP(cmpi), ir_integer_type(b->ctx, 1, IR_SIGNLESS),
                     IR_VALUES(x, y),
                     IR_ATTRS({"predicate", ir_i64_attr(b->ctx, predicate)}));
}

static ir_value *less(ir_builder *b, ir_value *x, ir_value *y)
{
    return lower_compare(b, ARITH_CmpIPredicate_slt, x, y);
}

static ir_value *choose(ir_builder *b, ir_value *when, ir_value *x, ir_value *y)
{
    return ir_build1(b, ARITH_OP(select), x->type, IR_VALUES(when, x, y), NULL, 0);
}

/* The remainder of a positive divisor, never negative. */
static ir_value *modulo(ir_builder *b, ir_value *x, ir_value *y)
{
    ir_value *r = lower_binary(b, ARITH_OP(remsi), x, y);
    ir_value *negative = less(b, r, arith_index(b, 0));
    return choose(b, negative, lower_binary(b, ARITH_OP(addi), r, y), r);
}

/* floor(x / y): for x < 0, -1 - (-1 - x) / y. */
static ir_value *floor_of(ir_builder *b, ir_value *x, ir_value *y)
{
    ir_value *zero = arith_index(b, 0), *one = arith_index(b, -1);
    ir_value *negative = less(b, x, zero);
    ir_value *dividend = choose(b, negative, lower_binary(b, ARITH_OP(subi), one, x), x);
    ir_value *q = lower_binary(b, ARITH_OP(divsi), dividend, y);
    return choose(b, negative, lower_binary(b, ARITH_OP(subi), one, q), q);
}

/* ceil(x / y): for x <= 0, -(-x / y), else (x - 1) / y + 1. */
static ir_value *ceil_of(ir_builder *b, ir_value *x, ir_value *y)
{
    ir_value *zero = arith_index(b, 0), *one = arith_index(b, 1);
    ir_value *rest = lower_compare(b, ARITH_CmpIPredicate_sle, x, zero);
    ir_value *minus = lower_binary(b, ARITH_OP(subi), zero, x);
    ir_value *less_one = lower_binary(b, ARITH_OP(subi), x, one);
    ir_value *q = lower_binary(b, ARITH_OP(divsi), choose(b, rest, minus, less_one), y);
    ir_value *negated = lower_binary(b, ARITH_OP(subi), zero, q);
    return choose(b, rest, negated, lower_binary(b, ARITH_OP(addi), q, one));
}

static ir_value *expand(const point *p, ir_affine e)
{
    switch (e->kind) {
    case IR_AFFINE_DIM:
        return p->dims ? p->dims[e->value]
                       : ir_op_operand(p->op, p->first + (size_t)e->value);
    case IR_AFFINE_SYMBOL:
        return ir_op_operand(p->op, p->first + p->n_dims + (size_t)e->value);
    case IR_AFFINE_CONSTANT:
        return arith_index(p->b, e->value);
    default: {
        ir_value *x = expand(p, e->lhs), *y = expand(p, e->rhs);
        switch (e->kind) {
        case IR_AFFINE_ADD:
            return lower_binary(p->b, ARITH_OP(addi), x, y);
        case IR_AFFINE_MUL:
            return lower_exact(p->b, ARITH_OP(muli), x, y, false);
        case IR_AFFINE_MOD:
            return modulo(p->b, x, y);
        case IR_AFFINE_FLOORDIV:
            return floor_of(p->b, x, y);
        default:
            return ceil_of(p->b, x, y);
        }
    }
    }
}

ir_value *lower_expression(ir_builder *b, const ir_op *op, size_t first, ir_affine e,
                           uint32_t n_dims)
{
    return expand(&(point){b, op, first, n_dims, NULL}, e);
}

ir_value *lower_expression_of(ir_builder *b, ir_value *const *dims, ir_affine e)
{
    return expand(&(point){.b = b, .dims = dims}, e);
}

/* ---- what is known ------------------------------------------------------------------ */

/* The constant value of the expression if all values that it uses are constants. */
static bool known(const ir_op *op, size_t first, ir_affine_map map, ir_affine e,
                  int64_t *out)
{
    if (e->kind == IR_AFFINE_DIM || e->kind == IR_AFFINE_SYMBOL) {
        size_t i = (size_t)e->value + (e->kind == IR_AFFINE_DIM ? 0 : map->n_dims);
        ir_attr value = rw_constant(ir_op_operand(op, first + i));
        *out = ir_attr_int(value, 0);
        return ir_attr_is(value, IR_ATTR_INTEGER);
    }
    int64_t x, y;
    if (e->kind == IR_AFFINE_CONSTANT) {
        *out = e->value;
        return true;
    }
    if (!known(op, first, map, e->lhs, &x) || !known(op, first, map, e->rhs, &y))
        return false;
    return ir_affine_eval(ir_affine_binary(op->ctx, e->kind, ir_affine_constant(op->ctx, x),
                                           ir_affine_constant(op->ctx, y)),
                          NULL, NULL, out);
}

ir_value *lower_extreme(ir_builder *b, const ir_op *op, size_t first, ir_affine_map map,
                        uint32_t from, uint32_t n, bool greatest)
{
    ir_value *result = NULL;
    int64_t best = 0, number;
    bool all = true;
    for (uint32_t i = from; all && i < from + n; i++) {
        all = known(op, first, map, map->results[i], &number);
        best = i == from ? number : greatest ? TW_MAX(best, number) : TW_MIN(best, number);
    }
    if (all && n)
        return arith_index(b, best);
    ir_value **values = tw_xmalloc((n + 1) * sizeof *values);
    for (uint32_t i = 0; i < n; i++)
        values[i] = lower_expression(b, op, first, map->results[from + i], map->n_dims);
    for (uint32_t i = 0; i < n; i++)
        result = result ? lower_binary(b, greatest ? ARITH_OP(maxsi) : ARITH_OP(minsi),
                                       result, values[i])
                        : values[i];
    free(values);
    return result;
}

/* ---- operations --------------------------------------------------------------------- */

static void lower_value(ir_op *op)
{
    ir_affine_map map = ir_op_attr(op, "map")->map;
    ir_builder b = ir_builder_before(op);
    ir_value_replace_uses(&op->results[0], lower_extreme(&b, op, 0, map, 0, map->n_results,
                                                         op->def == AFFINE_OP(max)));
    ir_op_erase(op);
}

/* Loads, stores and prefetches: the subscripts become arithmetic. */
static void lower_access(ir_op *op, const ir_op_def *def)
{
    enum { CAPACITY = 64 };
    ir_affine_map map = ir_op_attr(op, "map")->map;
    size_t before = op->def == AFFINE_OP(store) ? 2 : 1;
    ir_value *operands[CAPACITY + 2];
    ir_builder b = ir_builder_before(op);
    if (map->n_results > CAPACITY)
        return;
    for (size_t i = 0; i < before; i++)
        operands[i] = ir_op_operand(op, i);
    for (uint32_t i = 0; i < map->n_results; i++)
        operands[before + i] =
            lower_expression(&b, op, before, map->results[i], map->n_dims);
    ir_type type = op->n_results ? op->results[0].type : NULL;
    ir_op *made =
        ir_build_op(&b, def, &type, op->n_results, operands, before + map->n_results,
                    IR_ATTRS({"isWrite", ir_op_attr(op, "isWrite")},
                             {"localityHint", ir_op_attr(op, "localityHint")},
                             {"isDataCache", ir_op_attr(op, "isDataCache")}),
                    0);
    if (op->n_results)
        ir_value_replace_uses(&op->results[0], &made->results[0]);
    ir_op_erase(op);
}

static bool is_affine(const ir_op *op)
{
    return strncmp(op->def->name, "affine.", 7) == 0;
}

static bool lower(ir_op *op)
{
    if (op->def == AFFINE_OP(apply) || op->def == AFFINE_OP(min) ||
        op->def == AFFINE_OP(max))
        lower_value(op);
    else if (op->def == AFFINE_OP(load))
        lower_access(op, MEMREF_OP(load));
    else if (op->def == AFFINE_OP(store))
        lower_access(op, MEMREF_OP(store));
    else if (op->def == AFFINE_OP(prefetch))
        lower_access(op, MEMREF_OP(prefetch));
    else if (op->def == AFFINE_OP(for))
        lower_affine_for(op);
    else if (op->def == AFFINE_OP(if))
        lower_affine_if(op);
    else if (op->def == AFFINE_OP(parallel))
        return lower_affine_parallel(op);
    else if (op->def == AFFINE_OP(linearize_index))
        lower_affine_linearize(op);
    else if (op->def == AFFINE_OP(delinearize_index))
        lower_affine_delinearize(op);
    else if (op->def == AFFINE_OP(vector_load) || op->def == AFFINE_OP(vector_store))
        return ir_op_error(op, "cannot be lowered: the vector dialect is not supported");
    return true; /* yields are lowered with their parents */
}

static bool run(ir_op *op, pass_run *run)
{
    bool ok = true;
    (void)run;
    /* Inner ones first, so that erasing an operation does not erase later list entries. */
    ir_op_list list = ir_ops_in_post(op, is_affine);
    for (size_t i = 0; i < list.n && ok; i++)
        ok = list.at[i]->def == AFFINE_OP(yield) || lower(list.at[i]);
    ir_op_list_free(&list);
    return ok;
}

const pass_def lower_affine_pass = {
    .name = "lower-affine",
    .title = "LowerAffinePass",
    .summary = "Lower Affine operations to a combination of Arith and SCF operations",
    .run = run,
};
