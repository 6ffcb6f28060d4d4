/* arith_fold.c: integer arithmetic on constants, element by element, and identities with a
 * constant right operand or a known operand (constants of commutative operations are moved
 * to the right).  Undefined results, a division by zero or a shift too far, are not
 * folded. */
#include "mlir/arith/arith.h"
#include "mlir/arith/arith_syntax.h"
#include "mlir/shared/fold_elements.h"

/* ---- binary integer operations ------------------------------------------------------ */

/* Constants with identities. */
typedef enum known {
    NOTHING,
    ZERO,
    ONE,
    ONES,  /* all bits */
    LEAST, /* as signed integers */
    CAPACITY,
} known;

enum { SAME_IS_ZERO = 1, SAME_IS_LEFT = 2 };

static bool is_known(known k, ir_type e, int64_t v)
{
    uint64_t sign = (uint64_t)1 << (fold_width(e) - 1), bits = fold_low(v, e);
    switch (k) {
    case ZERO:
        return bits == 0;
    case ONE:
        return bits == 1;
    case ONES:
        return bits == fold_low(-1, e);
    case LEAST:
        return bits == sign;
    case CAPACITY:
        return bits == sign - 1;
    case NOTHING:
        break;
    }
    return false;
}

typedef bool whole_fn(int64_t a, int64_t b, ir_type e, int64_t *out);

#define WHOLE_IF(name, condition, expr)                                                    \
    static bool whole_##name(int64_t a, int64_t b, ir_type e, int64_t *out)                \
    {                                                                                      \
        (void)e;                                                                           \
        if (!(condition))                                                                  \
            return false;                                                                  \
        *out = (int64_t)(expr);                                                            \
        return true;                                                                       \
    }
#define WHOLE(name, expr) WHOLE_IF(name, true, expr)

/* The quotient of the minimum and -1 overflows. */
static bool divides(int64_t a, int64_t b, ir_type e)
{
    return b != 0 && !(b == -1 && is_known(LEAST, e, a));
}

static bool shifts(int64_t by, ir_type e)
{
    return fold_low(by, e) < fold_width(e);
}

WHOLE(addi, (uint64_t)a + (uint64_t)b)
WHOLE(subi, (uint64_t)a - (uint64_t)b)
WHOLE(muli, (uint64_t)a *(uint64_t)b)
WHOLE(andi, a &b)
WHOLE(ori, a | b)
WHOLE(xori, a ^ b)
WHOLE(maxsi, a > b ? a : b)
WHOLE(minsi, a < b ? a : b)
WHOLE(maxui, fold_low(a, e) > fold_low(b, e) ? a : b)
WHOLE(minui, fold_low(a, e) < fold_low(b, e) ? a : b)
WHOLE_IF(divsi, divides(a, b, e), a / b)
WHOLE_IF(remsi, b != 0, b == -1 ? 0 : a % b)
WHOLE_IF(divui, b != 0, fold_low(a, e) / fold_low(b, e))
WHOLE_IF(remui, b != 0, fold_low(a, e) % fold_low(b, e))
WHOLE_IF(ceildivui, b != 0,
         fold_low(a, e) / fold_low(b, e) + (fold_low(a, e) % fold_low(b, e) != 0))
WHOLE_IF(floordivsi, divides(a, b, e), a / b - ((a % b != 0) && ((a < 0) != (b < 0))))
WHOLE_IF(ceildivsi, divides(a, b, e), a / b + ((a % b != 0) && ((a < 0) == (b < 0))))
WHOLE_IF(shli, shifts(b, e), (uint64_t)a << b)
WHOLE_IF(shrsi, shifts(b, e), a >> b)
WHOLE_IF(shrui, shifts(b, e), fold_low(a, e) >> b)

typedef struct whole_row {
    const ir_op_def *def;
    whole_fn *fn;
    known keeps;   /* x op k = x */
    known absorbs; /* x op k = k */
    known clears;  /* x op k = 0 */
    int same;      /* x op x */
} whole_row;

#define ROW(id, ...)                                                                       \
    {                                                                                      \
        ARITH_OP(id), whole_##id, __VA_ARGS__                                              \
    }
static const whole_row rows[] = {
    ROW(addi, ZERO, 0, 0, 0),
    ROW(subi, ZERO, 0, 0, SAME_IS_ZERO),
    ROW(muli, ONE, ZERO, 0, 0),
    ROW(andi, ONES, ZERO, 0, SAME_IS_LEFT),
    ROW(ori, ZERO, ONES, 0, SAME_IS_LEFT),
    ROW(xori, ZERO, 0, 0, SAME_IS_ZERO),
    ROW(maxsi, LEAST, CAPACITY, 0, SAME_IS_LEFT),
    ROW(minsi, CAPACITY, LEAST, 0, SAME_IS_LEFT),
    ROW(maxui, ZERO, ONES, 0, SAME_IS_LEFT),
    ROW(minui, ONES, ZERO, 0, SAME_IS_LEFT),
    ROW(divsi, ONE, 0, 0, 0),
    ROW(remsi, 0, 0, ONE, 0),
    ROW(divui, ONE, 0, 0, 0),
    ROW(remui, 0, 0, ONE, 0),
    ROW(ceildivui, ONE, 0, 0, 0),
    ROW(floordivsi, ONE, 0, 0, 0),
    ROW(ceildivsi, ONE, 0, 0, 0),
    ROW(shli, ZERO, 0, 0, 0),
    ROW(shrsi, ZERO, 0, 0, 0),
    ROW(shrui, ZERO, 0, 0, 0),
};

static bool integer_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    const whole_row *row = call->user;
    return row->fn(in[0].integer, in[1].integer, call->to, &out->integer);
}

/* Operand `i` of v's defining operation if it has that row, or NULL. */
static ir_value *part_of(const ir_value *v, const ir_op_def *def, uint32_t i)
{
    const ir_op *producer = ir_value_def(v);
    return ir_op_is(producer, def) ? ir_op_operand(producer, i) : NULL;
}

/* True if v is ~x. */
static bool is_not_of(const ir_value *v, const ir_value *x)
{
    fold_cell c;
    const ir_op *producer = ir_value_def(v);
    if (!ir_op_is(producer, ARITH_OP(xori)) || ir_op_operand(producer, 0) != x)
        return false;
    const ir_op *right = ir_value_def(ir_op_operand(producer, 1));
    return ir_op_is(right, ARITH_OP(constant)) &&
           fold_splat(ir_op_attr(right, "value"), &c) &&
           is_known(ONES, ir_type_element(x->type), c.integer);
}

/* Cancels an operand's inverse operation: (a - b) + b = a. */
static ir_value *cancelled(const ir_op *op)
{
    ir_value *x = ir_op_operand(op, 0), *y = ir_op_operand(op, 1);
    const ir_op_def *add = ARITH_OP(addi), *sub = ARITH_OP(subi), *xor = ARITH_OP(xori);
    if (op->def == add) {
        if (part_of(x, sub, 1) == y)
            return part_of(x, sub, 0);
        if (part_of(y, sub, 1) == x)
            return part_of(y, sub, 0);
    } else if (op->def == sub) {
        if (part_of(x, add, 1) == y)
            return part_of(x, add, 0);
        if (part_of(x, add, 0) == y)
            return part_of(x, add, 1);
    } else if (op->def == xor) {
        for (uint32_t i = 0; i < 2; i++) {
            if (part_of(x, xor, i) == y)
                return part_of(x, xor, 1 - i);
            if (part_of(y, xor, i) == x)
                return part_of(y, xor, 1 - i);
        }
    } else if (op->def == ARITH_OP(andi)) {
        for (uint32_t i = 0; i < 2; i++) {
            if (part_of(x, op->def, i) == y)
                return x;
            if (part_of(y, op->def, i) == x)
                return y;
        }
    }
    return NULL;
}

/* x & ~x and x | ~x. */
static ir_attr complements(const ir_op *op)
{
    ir_value *x = ir_op_operand(op, 0), *y = ir_op_operand(op, 1);
    bool and = op->def == ARITH_OP(andi);
    if ((!and&&op->def != ARITH_OP(ori)) || !(is_not_of(y, x) || is_not_of(x, y)))
        return NULL;
    return fold_constant(x->type, (fold_cell){.integer = and? 0 : -1});
}

static const whole_row *row_of(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].def == def)
            return &rows[i];
    return NULL;
}

bool arith_fold_binary(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    const whole_row *row = row_of(op->def);
    ir_type type = op->results[0].type, e = ir_type_element(type);
    ir_value *left = ir_op_operand(op, 0);
    const fold_cell zero = {0};
    fold_cell right;
    if (!row || !fold_is_numeric(e))
        return false;
    if (fold_splat(constants[1], &right)) {
        if (is_known(row->keeps, e, right.integer))
            results[0].value = left;
        else if (is_known(row->absorbs, e, right.integer))
            results[0].attr = constants[1];
        else if (is_known(row->clears, e, right.integer))
            results[0].attr = fold_constant(type, zero);
    }
    if (!results[0].attr && !results[0].value && left == ir_op_operand(op, 1)) {
        if (row->same == SAME_IS_ZERO)
            results[0].attr = fold_constant(type, zero);
        else if (row->same == SAME_IS_LEFT)
            results[0].value = left;
    }
    if (!results[0].attr && !results[0].value)
        results[0].value = cancelled(op);
    if (!results[0].attr && !results[0].value)
        results[0].attr = complements(op);
    if (!results[0].attr && !results[0].value)
        results[0].attr = fold_elements(type, constants, 2, integer_cell, row);
    return results[0].attr || results[0].value;
}

/* ---- operations with two results ---------------------------------------------------- */

static bool sum_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    out->integer = (int64_t)((uint64_t)in[0].integer + (uint64_t)in[1].integer);
    (void)call;
    return true;
}

static bool carry_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    uint64_t a = fold_low(in[0].integer, call->from);
    uint64_t sum = fold_low((int64_t)(a + (uint64_t)in[1].integer), call->from);
    out->integer = sum < a;
    return true;
}

static bool product_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    (void)call;
    out->integer = (int64_t)((uint64_t)in[0].integer * (uint64_t)in[1].integer);
    return true;
}

static bool high_signed_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    __int128 p = (__int128)in[0].integer * in[1].integer;
    out->integer = (int64_t)(p >> fold_width(call->from));
    return true;
}

static bool high_unsigned_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    unsigned __int128 p = (unsigned __int128)fold_low(in[0].integer, call->from) *
                          fold_low(in[1].integer, call->from);
    out->integer = (int64_t)(p >> fold_width(call->from));
    return true;
}

/* addui_extended, mulsi_extended, mului_extended: a value and its carry or high half. */
bool arith_fold_extended(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    bool sum = op->def == ARITH_OP(addui_extended);
    bool is_signed = op->def == ARITH_OP(mulsi_extended);
    ir_type type = op->results[0].type, high = op->results[1].type;
    ir_type e = ir_type_element(type);
    const fold_cell zero = {0};
    fold_cell right;
    if (!fold_is_numeric(e))
        return false;
    if (fold_splat(constants[1], &right)) {
        known keeps = sum ? ZERO : is_signed ? NOTHING : ONE;
        if (is_known(keeps, e, right.integer))
            results[0].value = ir_op_operand(op, 0);
        else if (!sum && is_known(ZERO, e, right.integer))
            results[0].attr = constants[1];
        if (results[0].value || results[0].attr) {
            results[1].attr = fold_constant(high, zero);
            return results[1].attr != NULL;
        }
    }
    results[0].attr =
        fold_elements(type, constants, 2, sum ? sum_cell : product_cell, NULL);
    results[1].attr = fold_elements(high, constants, 2,
                                    sum         ? carry_cell
                                    : is_signed ? high_signed_cell
                                                : high_unsigned_cell,
                                    NULL);
    return results[0].attr && results[1].attr;
}

/* ---- comparisons -------------------------------------------------------------------- */

static bool compares(int64_t predicate, int64_t a, int64_t b, ir_type e, bool *out)
{
    uint64_t ua = fold_low(a, e), ub = fold_low(b, e);
    const bool holds[] = {
        [ARITH_CmpIPredicate_eq] = a == b,
        [ARITH_CmpIPredicate_ne] = a != b,
        [ARITH_CmpIPredicate_slt] =
            a<b, [ARITH_CmpIPredicate_sle] = a <= b, [ARITH_CmpIPredicate_sgt] = a> b,
        [ARITH_CmpIPredicate_sge] = a >= b,
        [ARITH_CmpIPredicate_ult] =
            ua<ub, [ARITH_CmpIPredicate_ule] = ua <= ub, [ARITH_CmpIPredicate_ugt] = ua> ub,
        [ARITH_CmpIPredicate_uge] = ua >= ub,
    };
    if (predicate < 0 || (size_t)predicate >= TW_COUNT(holds))
        return false;
    *out = holds[predicate];
    return true;
}

static bool compare_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    bool result;
    if (!compares(*(const int64_t *)call->user, in[0].integer, in[1].integer, call->from,
                  &result))
        return false;
    out->integer = result;
    return true;
}

/* The predicate with swapped operands. */
static int64_t swapped(int64_t predicate)
{
    static const uint8_t to[] = {
        [ARITH_CmpIPredicate_eq] = ARITH_CmpIPredicate_eq,
        [ARITH_CmpIPredicate_ne] = ARITH_CmpIPredicate_ne,
        [ARITH_CmpIPredicate_slt] = ARITH_CmpIPredicate_sgt,
        [ARITH_CmpIPredicate_sle] = ARITH_CmpIPredicate_sge,
        [ARITH_CmpIPredicate_sgt] = ARITH_CmpIPredicate_slt,
        [ARITH_CmpIPredicate_sge] = ARITH_CmpIPredicate_sle,
        [ARITH_CmpIPredicate_ult] = ARITH_CmpIPredicate_ugt,
        [ARITH_CmpIPredicate_ule] = ARITH_CmpIPredicate_uge,
        [ARITH_CmpIPredicate_ugt] = ARITH_CmpIPredicate_ult,
        [ARITH_CmpIPredicate_uge] = ARITH_CmpIPredicate_ule,
    };
    return (size_t)predicate < TW_COUNT(to) ? to[predicate] : predicate;
}

/* A boolean compared with a constant may be that boolean: b != false, ext(b) != 0, b ==
 * true. */
static ir_value *same_boolean(const ir_op *op, int64_t predicate, int64_t right)
{
    ir_value *x = ir_op_operand(op, 0);
    ir_type e = ir_type_element(x->type);
    bool is_bool = e->kind == IR_TYPE_INTEGER && e->width == 1;
    if (predicate == ARITH_CmpIPredicate_ne && fold_low(right, e) == 0) {
        const ir_op *producer = ir_value_def(x);
        if (is_bool)
            return x;
        if (ir_op_is(producer, ARITH_OP(extsi)) || ir_op_is(producer, ARITH_OP(extui))) {
            ir_value *in = ir_op_operand(producer, 0);
            return ir_type_element(in->type)->width == 1 ? in : NULL;
        }
    }
    return predicate == ARITH_CmpIPredicate_eq && is_bool && fold_low(right, e) == 1 ? x
                                                                                     : NULL;
}

bool arith_fold_cmpi(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *x = ir_op_operand(op, 0), *y = ir_op_operand(op, 1);
    ir_type type = op->results[0].type, e = ir_type_element(x->type);
    int64_t predicate = ir_enum_value(ir_op_attr(op, "predicate"), -1);
    fold_cell right;
    bool equal;
    if (!fold_is_numeric(e) || !compares(predicate, 0, 0, e, &equal))
        return false;
    if (x == y) {
        results[0].attr = fold_constant(type, (fold_cell){.integer = equal});
        return results[0].attr != NULL;
    }
    if (fold_splat(constants[1], &right))
        results[0].value = same_boolean(op, predicate, right.integer);
    if (results[0].value)
        return true;
    if (constants[0] && !constants[1]) {
        ir_op_set_operand(op, 0, y);
        ir_op_set_operand(op, 1, x);
        ir_op_set_attr(op, "predicate", ir_i64_attr(op->ctx, swapped(predicate)));
        return true;
    }
    results[0].attr = fold_elements(type, constants, 2, compare_cell, &predicate);
    return results[0].attr != NULL;
}

/* ---- select ------------------------------------------------------------------------- */

static bool select_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    (void)call;
    *out = in[in[0].integer ? 1 : 2];
    return true;
}

/* select(x == y, x, y) is y, for x != y it is x. */
static ir_value *equal_sides(const ir_op *op)
{
    const ir_op *cmp = ir_value_def(ir_op_operand(op, 0));
    ir_value *t = ir_op_operand(op, 1), *f = ir_op_operand(op, 2);
    if (!ir_op_is(cmp, ARITH_OP(cmpi)))
        return NULL;
    ir_value *a = ir_op_operand(cmp, 0), *b = ir_op_operand(cmp, 1);
    if (!(a == t && b == f) && !(a == f && b == t))
        return NULL;
    int64_t predicate = ir_enum_value(ir_op_attr(cmp, "predicate"), -1);
    return predicate == ARITH_CmpIPredicate_ne   ? t
           : predicate == ARITH_CmpIPredicate_eq ? f
                                                 : NULL;
}

bool arith_fold_select(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *t = ir_op_operand(op, 1), *f = ir_op_operand(op, 2);
    ir_type type = op->results[0].type, e = ir_type_element(type);
    fold_cell c, a, b;
    if (t == f)
        results[0].value = t;
    else if (fold_splat(constants[0], &c))
        results[0].value = c.integer ? t : f;
    else if (type == ir_op_operand(op, 0)->type && e->kind == IR_TYPE_INTEGER &&
             e->width == 1 && fold_splat(constants[1], &a) &&
             fold_splat(constants[2], &b) && a.integer && !b.integer)
        results[0].value = ir_op_operand(op, 0);
    else
        results[0].value = equal_sides(op);
    if (!results[0].value && ir_type_is_shaped(type))
        results[0].attr = fold_elements(type, constants, 3, select_cell, NULL);
    return results[0].value || results[0].attr;
}

ir_op *arith_materialize(void *builder, ir_attr value, ir_type type, ir_loc loc)
{
    ir_builder b = *(ir_builder *)builder;
    b.loc = loc;
    if (!value->type || value->type != type)
        return NULL;
    return ir_value_def(
        ir_build1(&b, ARITH_OP(constant), type, NULL, 0, IR_ATTRS({"value", value})));
}
