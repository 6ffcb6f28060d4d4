/* sort.c: stablehlo.sort by one key, or by several in lexicographic order. */
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

#include <math.h>
#include <stdlib.h>

/* How a comparator normalises an argument before comparing: -0 and +0 to one zero, all
 * NaNs to one NaN. */
enum { TIDY_ZERO = 1, TIDY_NAN = 2 };

/* Which of both select(test, constant, ...) normalises in v, zeros or NaNs; 0 if it does
 * anything else. */
static int tidied(const ir_op *select, const ir_value *v)
{
    const ir_op *test = ir_value_def(select->operands[0].value);
    double by, zero;
    if (!ir_op_is(test, STABLEHLO_OP(compare)) || test->operands[0].value != v ||
        !s2t_splat_value(select->operands[1].value, &by))
        return 0;
    int64_t d = ir_enum_value(ir_op_attr(test, "comparison_direction"), -1);
    ir_value *with = test->operands[1].value;
    if (d == STABLEHLO_ComparisonDirection_EQ && by == 0 && s2t_splat_value(with, &zero) &&
        zero == 0)
        return TIDY_ZERO;
    return d == STABLEHLO_ComparisonDirection_NE && isnan(by) && with == v ? TIDY_NAN : 0;
}

/* The comparator's argument that a value is, unchanged or normalised; -1 if none. */
static int argument_of(const ir_block *body, ir_value *v, int *out_tidied)
{
    *out_tidied = 0;
    for (ir_op *def; !v->is_argument; v = def->operands[2].value) {
        def = ir_value_def(v);
        if (def->def != STABLEHLO_OP(select))
            return -1;
        ir_value *x = def->operands[2].value; /* tests may use either form */
        int tidy = tidied(def, x);
        while (!tidy && !x->is_argument && ir_value_def(x)->def == STABLEHLO_OP(select)) {
            x = ir_value_def(x)->operands[2].value;
            tidy = tidied(def, x);
        }
        if (!tidy)
            return -1;
        *out_tidied |= tidy;
    }
    return ir_value_block(v) == body ? (int)v->index : -1;
}

/* True if a comparison gives the device's order, which treats zeros as equal and every
 * NaN as the largest.  A partial order leaves NaN unspecified. */
static bool is_device_order(const ir_op *test, int tidied_left, int tidied_right)
{
    bool total = ir_enum_value(ir_op_attr(test, "compare_type"), -1) ==
                 STABLEHLO_ComparisonType_TOTALORDER;
    bool is_float = ir_type_element(test->operands[0].value->type)->kind == IR_TYPE_FLOAT;
    return tidied_left == tidied_right &&
           (!total || !is_float || tidied_left == (TIDY_ZERO | TIDY_NAN));
}

enum { MAX_KEYS = 8 };

/* A sort operand, and its direction. */
typedef struct sort_key {
    uint32_t operand;
    bool descending;
} sort_key;

/* The operand whose two elements a comparison tests, first against second; -1 if none. */
static int operand_of(const ir_block *body, const ir_op *test, bool *out_swapped)
{
    int left, right;
    int a = argument_of(body, test->operands[0].value, &left),
        b = argument_of(body, test->operands[1].value, &right);
    if (a < 0 || b < 0 || a / 2 != b / 2 || a == b || !is_device_order(test, left, right))
        return -1;
    *out_swapped = a > b;
    return a / 2;
}

static bool read_key(const ir_block *body, const ir_op *test, sort_key *out)
{
    if (!test || test->def != STABLEHLO_OP(compare))
        return false;
    int64_t d = ir_enum_value(ir_op_attr(test, "comparison_direction"), -1);
    bool swapped,
        greater =
            d == STABLEHLO_ComparisonDirection_GT || d == STABLEHLO_ComparisonDirection_GE,
        less =
            d == STABLEHLO_ComparisonDirection_LT || d == STABLEHLO_ComparisonDirection_LE;
    int operand = operand_of(body, test, &swapped);
    if (operand < 0 || !(greater || less))
        return false;
    *out = (sort_key){(uint32_t)operand, swapped ? less : greater};
    return true;
}

/* before(0) or equal(0) and (before(1) or equal(1) and ...): the keys, the most
 * significant first. Returns 0 for any other comparator. */
static size_t read_keys(const ir_op *op, sort_key *out)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *test = ir_value_def(body->last->operands[0].value);
    size_t n = 0;
    for (; n < MAX_KEYS; n++) {
        if (!test || test->def != STABLEHLO_OP(or))
            return read_key(body, test, &out[n]) ? n + 1 : 0;
        ir_op *equal = NULL, *more = ir_value_def(test->operands[1].value);
        bool swapped;
        if (!read_key(body, ir_value_def(test->operands[0].value), &out[n]))
            return 0;
        if (more && more->def == STABLEHLO_OP(and))
            equal = ir_value_def(more->operands[0].value);
        if (!equal || equal->def != STABLEHLO_OP(compare) ||
            ir_enum_value(ir_op_attr(equal, "comparison_direction"), -1) !=
                STABLEHLO_ComparisonDirection_EQ ||
            operand_of(body, equal, &swapped) != (int)out[n].operand)
            return 0;
        test = ir_value_def(more->operands[1].value);
    }
    return 0;
}

/* True for an iota along the sorted dimension, which the sort turns into indices. */
static bool counts_up(const ir_value *v, int64_t dim)
{
    const ir_op *def = ir_value_def(v);
    return def && def->def == TTIR_OP(arange) &&
           ir_type_element(v->type)->kind == IR_TYPE_INTEGER &&
           ir_op_int(def, "arange_dimension", 0) == dim &&
           ir_op_int(def, "start", 0) == 0 && ir_op_int(def, "step", 1) == 1;
}

static ir_op *build_sort(ir_builder *b, ir_value *x, ir_type indices, int64_t dim,
                         bool descending, bool stable)
{
    ir_type types[] = {x->type, indices};
    return ir_build_op(b, TTIR_OP(sort), types, 2, &x, 1,
                       IR_ATTRS({"dim", ir_si32_attr(b->ctx, dim)},
                                {"descending", ir_bool_attr(b->ctx, descending)},
                                {"stable", ir_bool_attr(b->ctx, stable)}),
                       0);
}

static ir_value *moved(ir_builder *b, ir_value *x, ir_op *sort, int64_t dim)
{
    return ir_build1(b, TTIR_OP(gather), x->type, IR_VALUES(x, ir_op_result(sort, 1)),
                     IR_ATTRS({"dim", ir_i32_attr(b->ctx, dim)}));
}

/* Sorts by the last key first: later sorts are stable. */
static void sort_by_keys(ir_op *op, ir_builder *b, const sort_key *keys, size_t n,
                         ir_type indices, int64_t dim)
{
    ir_value **now = tw_xmalloc(op->n_operands * sizeof *now);
    for (uint32_t i = 0; i < op->n_operands; i++)
        now[i] = op->operands[i].value;
    for (size_t k = n; k-- > 0;) {
        uint32_t key = keys[k].operand;
        ir_op *sort = build_sort(b, now[key], indices, dim, keys[k].descending, true);
        for (uint32_t i = 0; i < op->n_operands; i++)
            now[i] = i == key ? ir_op_result(sort, 0) : moved(b, now[i], sort, dim);
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], now[i]);
    free(now);
}

bool s2t_sort(ir_op *op, ir_builder *b)
{
    int64_t dim = ir_op_int(op, "dimension", -1);
    ir_type t = op->results[0].type;
    sort_key keys[MAX_KEYS];
    size_t n = read_keys(op, keys);
    if (n == 0)
        return false;
    if (dim < 0)
        dim += t->count;
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    ir_type indices = ir_tensor_type(i32, t->dims, t->count, NULL);
    if (n > 1 || keys[0].operand != 0) {
        sort_by_keys(op, b, keys, n, indices, dim);
        ir_op_erase(op);
        return true;
    }
    bool pair = op->n_operands == 2 && counts_up(op->operands[1].value, dim);
    ir_op *sort = build_sort(b, op->operands[0].value, pair ? op->results[1].type : indices,
                             dim, keys[0].descending, ir_op_bool(op, "is_stable"));
    ir_value_replace_uses(&op->results[0], ir_op_result(sort, 0));
    for (uint32_t i = 1; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i],
                              pair ? ir_op_result(sort, 1)
                                   : moved(b, op->operands[i].value, sort, dim));
    ir_op_erase(op);
    return true;
}
