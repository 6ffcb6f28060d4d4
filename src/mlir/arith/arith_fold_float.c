/* arith_fold_float.c: floating-point arithmetic and casts on constants, element by element.
 * Two floats are computed in double and rounded once to their format, which gives the same
 * bits. */
#include "ir/number.h"
#include "mlir/arith/arith.h"
#include "mlir/arith/arith_syntax.h"
#include "mlir/shared/fold_elements.h"

#include <math.h>

/* ---- binary float operations -------------------------------------------------------- */

typedef double real_fn(double a, double b);

static double real_addf(double a, double b)
{
    return a + b;
}

static double real_subf(double a, double b)
{
    return a - b;
}

static double real_mulf(double a, double b)
{
    return a * b;
}

static double real_divf(double a, double b)
{
    return a / b;
}

/* NaN is propagated; -0 is less than +0. */
static double real_maximumf(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? a : b;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

static double real_minimumf(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? a : b;
    return a < b || (a == b && signbit(a)) ? a : b;
}

/* NaN is ignored if the other operand is not NaN. */
static double real_maxnumf(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : real_maximumf(a, b);
}

static double real_minnumf(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : real_minimumf(a, b);
}

typedef enum known_float {
    NO_FLOAT,
    PLUS_ZERO,
    MINUS_ZERO,
    FLOAT_ONE,
    PLUS_INF,
    MINUS_INF,
} known_float;

static bool is_known(known_float k, double v)
{
    switch (k) {
    case PLUS_ZERO:
        return v == 0 && !signbit(v);
    case MINUS_ZERO:
        return v == 0 && signbit(v);
    case FLOAT_ONE:
        return v == 1;
    case PLUS_INF:
        return isinf(v) && v > 0;
    case MINUS_INF:
        return isinf(v) && v < 0;
    case NO_FLOAT:
        break;
    }
    return false;
}

static const struct {
    const ir_op_def *def;
    real_fn *fn;
    known_float keeps; /* x op k = x */
    bool same_is_left; /* x op x = x */
} rows[] = {
    {ARITH_OP(addf), real_addf, MINUS_ZERO, false},
    {ARITH_OP(subf), real_subf, PLUS_ZERO, false},
    {ARITH_OP(mulf), real_mulf, FLOAT_ONE, false},
    {ARITH_OP(divf), real_divf, FLOAT_ONE, false},
    {ARITH_OP(remf), fmod, NO_FLOAT, false},
    {ARITH_OP(maximumf), real_maximumf, MINUS_INF, true},
    {ARITH_OP(minimumf), real_minimumf, PLUS_INF, true},
    {ARITH_OP(maxnumf), real_maxnumf, NO_FLOAT, true},
    {ARITH_OP(minnumf), real_minnumf, NO_FLOAT, true},
};

static bool real_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    real_fn *const *fn = call->user;
    out->real = (*fn)(in[0].real, in[1].real);
    /* the NaN of an invalid operation has no sign here, unlike on some processors */
    if (isnan(out->real) && !isnan(in[0].real) && !isnan(in[1].real))
        out->real = (double)NAN;
    return true;
}

bool arith_fold_float(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = op->results[0].type;
    fold_cell right;
    size_t i = 0;
    while (i < TW_COUNT(rows) && rows[i].def != op->def)
        i++;
    if (i == TW_COUNT(rows))
        return false;
    bool trivial =
        (fold_splat(constants[1], &right) && is_known(rows[i].keeps, right.real)) ||
        (rows[i].same_is_left && ir_op_operand(op, 0) == ir_op_operand(op, 1));
    if (trivial)
        results[0].value = ir_op_operand(op, 0);
    else
        results[0].attr = fold_elements(type, constants, 2, real_cell, &rows[i].fn);
    return results[0].value || results[0].attr;
}

static bool negate_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    (void)call;
    out->real = -in[0].real;
    return true;
}

bool arith_fold_negf(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    const ir_op *inner = ir_value_def(ir_op_operand(op, 0));
    if (ir_op_is(inner, op->def))
        results[0].value = ir_op_operand(inner, 0);
    else
        results[0].attr =
            fold_elements(op->results[0].type, constants, 1, negate_cell, NULL);
    return results[0].value || results[0].attr;
}

/* ---- comparisons -------------------------------------------------------------------- */

/* The orderings (less, equal, greater, unordered) that satisfy a predicate. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const uint8_t holds[] = {
    [ARITH_CmpFPredicate_AlwaysFalse] = 0,
    [ARITH_CmpFPredicate_OEQ] = EQUAL,
    [ARITH_CmpFPredicate_OGT] = GREATER,
    [ARITH_CmpFPredicate_OGE] = GREATER | EQUAL,
    [ARITH_CmpFPredicate_OLT] = LESS,
    [ARITH_CmpFPredicate_OLE] = LESS | EQUAL,
    [ARITH_CmpFPredicate_ONE] = LESS | GREATER,
    [ARITH_CmpFPredicate_ORD] = LESS | EQUAL | GREATER,
    [ARITH_CmpFPredicate_UEQ] = EQUAL | UNORDERED,
    [ARITH_CmpFPredicate_UGT] = GREATER | UNORDERED,
    [ARITH_CmpFPredicate_UGE] = GREATER | EQUAL | UNORDERED,
    [ARITH_CmpFPredicate_ULT] = LESS | UNORDERED,
    [ARITH_CmpFPredicate_ULE] = LESS | EQUAL | UNORDERED,
    [ARITH_CmpFPredicate_UNE] = LESS | GREATER | UNORDERED,
    [ARITH_CmpFPredicate_UNO] = UNORDERED,
    [ARITH_CmpFPredicate_AlwaysTrue] = LESS | EQUAL | GREATER | UNORDERED,
};

static bool order_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    double a = in[0].real, b = in[1].real;
    int order = a < b ? LESS : a == b ? EQUAL : a > b ? GREATER : UNORDERED;
    out->integer = (holds[*(const int64_t *)call->user] & order) != 0;
    return true;
}

bool arith_fold_cmpf(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = op->results[0].type;
    int64_t predicate = ir_enum_value(ir_op_attr(op, "predicate"), -1);
    fold_cell c;
    if (predicate < 0 || (size_t)predicate >= TW_COUNT(holds))
        return false;
    bool nan = (fold_splat(constants[0], &c) && isnan(c.real)) ||
               (fold_splat(constants[1], &c) && isnan(c.real));
    if (nan)
        results[0].attr = fold_constant(
            type, (fold_cell){.integer = (holds[predicate] & UNORDERED) != 0});
    if (!results[0].attr)
        results[0].attr = fold_elements(type, constants, 2, order_cell, &predicate);
    return results[0].attr != NULL;
}

/* ---- casts -------------------------------------------------------------------------- */

static bool same_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    (void)call;
    *out = in[0];
    return true;
}

static bool unsigned_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    out->integer = (int64_t)fold_low(in[0].integer, call->from);
    return true;
}

/* Folds a truncation only if it is exact. */
static bool narrow_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    ir_float_kind kind = (ir_float_kind)call->to->sign;
    *out = in[0];
    double back = ir_float_decode(kind, ir_float_encode(kind, in[0].real));
    return isnan(in[0].real) ? isnan(back) : back == in[0].real;
}

/* An integer rounded once to the float's format. */
static bool to_float_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    bool is_unsigned = call->user != NULL, single = call->to->sign == IR_F32;
    if (is_unsigned) {
        uint64_t v = fold_low(in[0].integer, call->from);
        out->real = single ? (double)(float)v : (double)v;
    } else {
        out->real = single ? (double)(float)in[0].integer : (double)in[0].integer;
    }
    return true;
}

static bool to_signed_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    double v = trunc(in[0].real), limit = ldexp(1, (int)fold_width(call->to) - 1);
    if (!(v >= -limit && v < limit))
        return false;
    out->integer = (int64_t)v;
    return true;
}

static bool to_unsigned_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    double v = trunc(in[0].real);
    if (!(v >= 0 && v < ldexp(1, (int)fold_width(call->to))))
        return false;
    out->integer = (int64_t)(uint64_t)v;
    return true;
}

static const struct {
    const ir_op_def *def;
    fold_fn *fn;
    const char *user;
} casts[] = {
    {ARITH_OP(extf), same_cell, NULL},
    {ARITH_OP(extsi), same_cell, NULL},
    {ARITH_OP(extui), unsigned_cell, NULL},
    {ARITH_OP(fptosi), to_signed_cell, NULL},
    {ARITH_OP(fptoui), to_unsigned_cell, NULL},
    {ARITH_OP(index_cast), same_cell, NULL},
    {ARITH_OP(index_castui), unsigned_cell, NULL},
    {ARITH_OP(sitofp), to_float_cell, NULL},
    {ARITH_OP(truncf), narrow_cell, NULL},
    {ARITH_OP(trunci), same_cell, NULL},
    {ARITH_OP(uitofp), to_float_cell, "unsigned"},
};

static bool extends(const ir_op *op)
{
    return ir_op_is(op, ARITH_OP(extsi)) || ir_op_is(op, ARITH_OP(extui));
}

/* True if two casts combine into one. */
static bool skips_inner(const ir_op *op, const ir_op *inner)
{
    if (op->def == ARITH_OP(trunci))
        return ir_op_is(inner, ARITH_OP(trunci));
    return ir_op_is(inner, op->def) && extends(op);
}

/* The same bits, also of a NaN. */
bool arith_fold_bitcast(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = op->results[0].type, to = ir_type_element(type);
    ir_attr c = constants[0];
    if (!c || !c->type || !fold_is_numeric(ir_type_element(c->type)) ||
        !fold_is_numeric(to))
        return false;
    if (ir_attr_is(c, IR_ATTR_DENSE) && !(c->splat & 2))
        results[0].attr = ir_dense_attr(type, c->blob->data, c->blob->size);
    else if (ir_attr_is(c, IR_ATTR_INTEGER))
        results[0].attr = to->kind == IR_TYPE_FLOAT
                              ? ir_float_attr_bits(type, fold_low(c->value, c->type))
                              : ir_integer_attr(type, c->value);
    else if (ir_attr_is(c, IR_ATTR_FLOAT))
        results[0].attr = to->kind == IR_TYPE_FLOAT
                              ? ir_float_attr_bits(type, c->bits)
                              : ir_integer_attr(type, (int64_t)c->bits);
    return results[0].attr != NULL;
}

bool arith_fold_cast(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = op->results[0].type;
    ir_op *inner = ir_value_def(ir_op_operand(op, 0));
    size_t i = 0;
    while (i < TW_COUNT(casts) && casts[i].def != op->def)
        i++;
    if (i == TW_COUNT(casts))
        return false;
    /* a truncated extension */
    if (op->def == ARITH_OP(trunci) && extends(inner) &&
        ir_op_operand(inner, 0)->type == type) {
        results[0].value = ir_op_operand(inner, 0);
        return true;
    }
    if (skips_inner(op, inner)) {
        ir_op_set_operand(op, 0, ir_op_operand(inner, 0));
        return true;
    }
    results[0].attr = fold_elements(type, constants, 1, casts[i].fn, casts[i].user);
    return results[0].attr != NULL;
}
