/* arith_fold.c: integer arithmetic on constants, and what a constant on the right makes
 * trivial (constants of commutative operations are moved there).  What is undefined at run
 * time, a division by zero or a shift too far, is left for run time. */
#include "dialect/arith/arith.h"
#include "dialect/arith/arith_syntax.h"
#include "ir/number.h"

typedef enum rule {
    RIGHT_ZERO_IS_LEFT = 1, /* x op 0 = x */
    RIGHT_ONE_IS_LEFT = 2,  /* x op 1 = x */
    RIGHT_ZERO_IS_ZERO = 4, /* x op 0 = 0 */
    SAME_IS_ZERO = 8,       /* x op x = 0 */
    SAME_IS_LEFT = 16,      /* x op x = x */
} rule;

/* false: undefined */
typedef bool whole_fn(int64_t a, int64_t b, unsigned width, int64_t *out);

#define WHOLE_IF(name, condition, expr)                                                    \
    static bool whole_##name(int64_t a, int64_t b, unsigned width, int64_t *out)           \
    {                                                                                      \
        (void)width;                                                                       \
        if (!(condition))                                                                  \
            return false;                                                                  \
        *out = (int64_t)(expr);                                                            \
        return true;                                                                       \
    }
#define WHOLE(name, expr) WHOLE_IF(name, true, expr)

static uint64_t low(int64_t v, unsigned width)
{
    return width < 64 ? (uint64_t)v & (((uint64_t)1 << width) - 1) : (uint64_t)v;
}

WHOLE(addi, (uint64_t)a + (uint64_t)b)
WHOLE(subi, (uint64_t)a - (uint64_t)b)
WHOLE(muli, (uint64_t)a *(uint64_t)b)
WHOLE(andi, a &b)
WHOLE(ori, a | b)
WHOLE(xori, a ^ b)
WHOLE(maxsi, a > b ? a : b)
WHOLE(minsi, a < b ? a : b)
WHOLE(maxui, low(a, width) > low(b, width) ? a : b)
WHOLE(minui, low(a, width) < low(b, width) ? a : b)
WHOLE_IF(divsi, b != 0 && !(b == -1 && a == INT64_MIN), a / b)
WHOLE_IF(remsi, b != 0 && b != -1, a % b)
WHOLE_IF(divui, b != 0, low(a, width) / low(b, width))
WHOLE_IF(remui, b != 0, low(a, width) % low(b, width))
WHOLE_IF(floordivsi, b != 0 && !(b == -1 && a == INT64_MIN),
         a / b - ((a % b != 0) && ((a < 0) != (b < 0))))
WHOLE_IF(ceildivsi, b != 0 && !(b == -1 && a == INT64_MIN),
         a / b + ((a % b != 0) && ((a < 0) == (b < 0))))
WHOLE_IF(shli, b >= 0 && (uint64_t)b < width, (uint64_t)a << b)
WHOLE_IF(shrsi, b >= 0 && (uint64_t)b < width, a >> b)
WHOLE_IF(shrui, b >= 0 && (uint64_t)b < width, low(a, width) >> b)

#define ROW(id, ...)                                                                       \
    {                                                                                      \
        ARITH_OP(id), whole_##id, __VA_ARGS__                                              \
    }
static const struct {
    const ir_op_def *def;
    whole_fn *fn;
    unsigned rules;
} rows[] = {
    ROW(addi, RIGHT_ZERO_IS_LEFT),
    ROW(subi, RIGHT_ZERO_IS_LEFT | SAME_IS_ZERO),
    ROW(muli, RIGHT_ONE_IS_LEFT | RIGHT_ZERO_IS_ZERO),
    ROW(andi, RIGHT_ZERO_IS_ZERO | SAME_IS_LEFT),
    ROW(ori, RIGHT_ZERO_IS_LEFT | SAME_IS_LEFT),
    ROW(xori, RIGHT_ZERO_IS_LEFT | SAME_IS_ZERO),
    ROW(maxsi, SAME_IS_LEFT),
    ROW(minsi, SAME_IS_LEFT),
    ROW(maxui, SAME_IS_LEFT),
    ROW(minui, SAME_IS_LEFT),
    ROW(divsi, RIGHT_ONE_IS_LEFT),
    ROW(remsi, 0),
    ROW(divui, RIGHT_ONE_IS_LEFT),
    ROW(remui, 0),
    ROW(floordivsi, RIGHT_ONE_IS_LEFT),
    ROW(ceildivsi, RIGHT_ONE_IS_LEFT),
    ROW(shli, RIGHT_ZERO_IS_LEFT),
    ROW(shrsi, RIGHT_ZERO_IS_LEFT),
    ROW(shrui, RIGHT_ZERO_IS_LEFT),
};

static bool is_whole(ir_type t)
{
    return t->kind == IR_TYPE_INDEX || (t->kind == IR_TYPE_INTEGER && t->width <= 64);
}

static unsigned width_of(ir_type t)
{
    return t->kind == IR_TYPE_INDEX ? 64 : t->width;
}

/* The value as a signed number of its type's width. */
static bool whole(ir_attr a, int64_t *out)
{
    if (!ir_attr_is(a, IR_ATTR_INTEGER) || !a->type || !is_whole(a->type))
        return false;
    unsigned spare = 64 - width_of(a->type);
    *out = spare ? (int64_t)((uint64_t)a->value << spare) >> spare : a->value;
    return true;
}

bool arith_fold_binary(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = op->results[0].type;
    size_t row = 0;
    while (row < TW_COUNT(rows) && rows[row].def != op->def)
        row++;
    if (row == TW_COUNT(rows) || !is_whole(type))
        return false;
    unsigned rules = rows[row].rules;
    ir_value *left = op->operands[0].value, *right = op->operands[1].value;
    int64_t a, b, value;
    if (whole(constants[1], &b)) {
        if (whole(constants[0], &a) && rows[row].fn(a, b, width_of(type), &value))
            results[0].attr = ir_integer_attr(type, value);
        else if ((b == 0 && (rules & RIGHT_ZERO_IS_LEFT)) ||
                 (b == 1 && (rules & RIGHT_ONE_IS_LEFT) && width_of(type) > 1))
            results[0].value = left;
        else if (b == 0 && (rules & RIGHT_ZERO_IS_ZERO))
            results[0].attr = ir_integer_attr(type, 0);
    } else if (left == right) {
        if (rules & SAME_IS_ZERO)
            results[0].attr = ir_integer_attr(type, 0);
        else if (rules & SAME_IS_LEFT)
            results[0].value = left;
    }
    return results[0].attr || results[0].value;
}

bool arith_fold_cmpi(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    int64_t a = 0, b = 0;
    ir_type type = op->operands[0].value->type;
    bool same = op->operands[0].value == op->operands[1].value && is_whole(type);
    if (!same && !(whole(constants[0], &a) && whole(constants[1], &b)))
        return false;
    uint64_t ua = low(a, width_of(type)), ub = low(b, width_of(type));
    const bool truth[] = {
        [ARITH_CmpIPredicate_eq] = a == b,
        [ARITH_CmpIPredicate_ne] = a != b,
        [ARITH_CmpIPredicate_slt] =
            a<b, [ARITH_CmpIPredicate_sle] = a <= b, [ARITH_CmpIPredicate_sgt] = a> b,
        [ARITH_CmpIPredicate_sge] = a >= b,
        [ARITH_CmpIPredicate_ult] =
            ua<ub, [ARITH_CmpIPredicate_ule] = ua <= ub, [ARITH_CmpIPredicate_ugt] = ua> ub,
        [ARITH_CmpIPredicate_uge] = ua >= ub,
    };
    int64_t predicate = ir_enum_value(ir_op_attr(op, "predicate"), -1);
    if (predicate < 0 || (size_t)predicate >= TW_COUNT(truth))
        return false;
    results[0].attr = ir_bool_attr(op->ctx, truth[predicate]);
    return true;
}

bool arith_fold_select(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    if (op->operands[1].value == op->operands[2].value)
        results[0].value = op->operands[1].value;
    else if (ir_attr_is_bool(constants[0]))
        results[0].value = op->operands[constants[0]->value ? 1 : 2].value;
    return results[0].value != NULL;
}

/* index_cast, extsi, trunci: sign-extended or cut; index_castui, extui: zero-extended. */
bool arith_fold_cast(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type to = op->results[0].type, from = op->operands[0].value->type;
    int64_t value;
    if (!is_whole(to) || !is_whole(from))
        return false;
    if (whole(constants[0], &value)) {
        bool zeros = op->def == ARITH_OP(index_castui) || op->def == ARITH_OP(extui);
        results[0].attr =
            ir_integer_attr(to, zeros ? (int64_t)low(value, width_of(from)) : value);
        return true;
    }
    /* there and back through a type at least as wide */
    ir_op *inner = ir_value_def(op->operands[0].value);
    if (ir_op_is(inner, op->def) && inner->operands[0].value->type == to &&
        width_of(from) >= width_of(to))
        results[0].value = inner->operands[0].value;
    return results[0].value != NULL;
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
