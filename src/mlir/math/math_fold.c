/* math_fold.c: mathematical functions of constants, element by element.  Functions that
 * only round or copy are computed in every format; the others in f32 and f64, by the C
 * library's functions of that format, and only where they are defined. */
#include "mlir/math/math_fold.h"
#include "mlir/math/math.h"
#include "mlir/shared/fold_elements.h"

#include <math.h>

typedef double real_fn(double a, double b);

/* Functions of one or two floats: of f32 and of f64. */
#define REAL(name, f32, f64)                                                               \
    static double single_##name(double a, double b)                                        \
    {                                                                                      \
        const float x = (float)a, y = (float)b;                                            \
        (void)x, (void)y;                                                                  \
        return (double)(f32);                                                              \
    }                                                                                      \
    static double double_##name(double x, double y)                                        \
    {                                                                                      \
        (void)x, (void)y;                                                                  \
        return f64;                                                                        \
    }
#define REAL1(name) REAL(name, name##f(x), name(x))
#define REAL2(name) REAL(name, name##f(x, y), name(x, y))

REAL1(acos)
REAL1(acosh)
REAL1(asin)
REAL1(asinh)
REAL1(atan)
REAL1(atanh)
REAL1(ceil)
REAL1(cos)
REAL1(cosh)
REAL1(erf)
REAL1(erfc)
REAL1(exp)
REAL1(exp2)
REAL1(expm1)
REAL1(floor)
REAL1(log)
REAL1(log10)
REAL1(log1p)
REAL1(log2)
REAL1(round)
REAL1(sin)
REAL1(sinh)
REAL1(sqrt)
REAL1(tan)
REAL1(tanh)
REAL1(trunc)
REAL(absf, fabsf(x), fabs(x))
REAL(roundeven, rintf(x), rint(x))
REAL2(atan2)
REAL2(copysign)
REAL(powf, powf(x, y), pow(x, y))

/* Where a function is defined. */
typedef enum domain { ALL, NOT_NEGATIVE, OVER_MINUS_ONE } domain;

#define ROW(id, ...)                                                                       \
    {                                                                                      \
        MATH_OP(id), single_##id, double_##id, __VA_ARGS__                                 \
    }
typedef struct real_row {
    const ir_op_def *def;
    real_fn *f32, *f64;
    bool any_format; /* exact in all of them */
    domain of;
} real_row;

static const real_row rows[] = {
    ROW(absf, true, ALL),
    ROW(acos, false, ALL),
    ROW(acosh, false, ALL),
    ROW(asin, false, ALL),
    ROW(asinh, false, ALL),
    ROW(atan, false, ALL),
    ROW(atan2, false, ALL),
    ROW(atanh, false, ALL),
    ROW(ceil, true, ALL),
    ROW(copysign, true, ALL),
    ROW(cos, false, ALL),
    ROW(cosh, false, ALL),
    ROW(erf, false, ALL),
    ROW(erfc, false, ALL),
    ROW(exp, false, ALL),
    ROW(exp2, false, ALL),
    ROW(expm1, false, ALL),
    ROW(floor, true, ALL),
    ROW(log, false, NOT_NEGATIVE),
    ROW(log10, false, NOT_NEGATIVE),
    ROW(log1p, false, OVER_MINUS_ONE),
    ROW(log2, false, NOT_NEGATIVE),
    ROW(powf, false, ALL),
    ROW(round, false, ALL),
    ROW(roundeven, true, ALL),
    ROW(sin, false, ALL),
    ROW(sinh, false, ALL),
    ROW(sqrt, false, NOT_NEGATIVE),
    ROW(tan, false, ALL),
    ROW(tanh, false, ALL),
    ROW(trunc, false, ALL),
};

static bool real_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    const real_row *row = call->user;
    double a = in[0].real;
    bool f32 = call->to->sign == IR_F32, f64 = call->to->sign == IR_F64;
    if ((row->of == NOT_NEGATIVE && signbit(a)) || (row->of == OVER_MINUS_ONE && a < -1) ||
        (!row->any_format && !f32 && !f64))
        return false;
    out->real = (f32 ? row->f32 : row->f64)(a, in[1].real);
    return true;
}

bool math_fold_real(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    size_t i = 0;
    while (i < TW_COUNT(rows) && rows[i].def != op->def)
        i++;
    if (i == TW_COUNT(rows))
        return false;
    results[0].attr =
        fold_elements(op->results[0].type, constants, op->n_operands, real_cell, &rows[i]);
    return results[0].attr != NULL;
}

/* ---- integers ----------------------------------------------------------------------- */

static int64_t leading_zeros(uint64_t bits, unsigned width)
{
    return bits ? __builtin_clzll(bits) - (64 - (int)width) : (int64_t)width;
}

static bool integer_cell(const fold_call *call, const fold_cell *in, fold_cell *out)
{
    const ir_op_def *def = call->user;
    uint64_t bits = fold_low(in[0].integer, call->from);
    unsigned width = fold_width(call->from);
    if (def == MATH_OP(absi))
        out->integer =
            in[0].integer < 0 ? (int64_t)(0 - (uint64_t)in[0].integer) : in[0].integer;
    else if (def == MATH_OP(ctlz))
        out->integer = leading_zeros(bits, width);
    else if (def == MATH_OP(cttz))
        out->integer = bits ? __builtin_ctzll(bits) : (int64_t)width;
    else
        out->integer = __builtin_popcountll(bits);
    return true;
}

bool math_fold_whole(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    results[0].attr =
        fold_elements(op->results[0].type, constants, 1, integer_cell, op->def);
    return results[0].attr != NULL;
}
