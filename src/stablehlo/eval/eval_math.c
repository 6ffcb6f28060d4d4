/* eval_math.c: element-wise operations of eval.h, as functions of wide numbers. */
#include "stablehlo/eval/eval.h"

#include "stablehlo/chlo/chlo.h"

#include "ir/number.h"
#include "stablehlo/stablehlo.h"

#include <complex.h>
#include <math.h>

/* ---- one operand -------------------------------------------------------------------- */

static double sign_of(double x)
{
    return isnan(x) || x == 0 ? x : x > 0 ? 1 : -1;
}
static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}
static double inverse_root(double x)
{
    return 1 / sqrt(x);
}
static double negative(double x)
{
    return -x;
}

static double complex negative_z(double complex z)
{
    return -z;
}
static double complex inverse_root_z(double complex z)
{
    return 1 / csqrt(z);
}
static double complex logistic_z(double complex z)
{
    return 1 / (1 + cexp(-z));
}
static double complex sign_z(double complex z)
{
    double size = cabs(z);
    return size == 0 ? 0 : isnan(size) ? hlo_complex(NAN, NAN) : z / size;
}
/* expm1(x + iy) = expm1(x) cos y - 2 sin^2(y/2) + i exp(x) sin y */
static double complex expm1_z(double complex z)
{
    double x = creal(z), y = cimag(z), s = sin(y / 2);
    /* infinity times the sine of zero is zero here */
    return hlo_complex(expm1(x) * cos(y) - 2 * s * s, y == 0 ? y : exp(x) * sin(y));
}
/* log|1+z| = log1p(x (2 + x) + y^2) / 2 where |z| is small */
static double complex log1p_z(double complex z)
{
    double x = creal(z), y = cimag(z);
    double re = fabs(x) < 0.5 && fabs(y) < 0.5 ? log1p(x * (2 + x) + y * y) / 2
                                               : log(cabs(hlo_complex(1 + x, y)));
    return hlo_complex(re, atan2(y, 1 + x));
}

/* As XLA: neither part is known where the angle is infinite, also on the real axis. */
static double complex tan_z(double complex z)
{
    return isinf(creal(z)) && isfinite(cimag(z)) ? hlo_complex(NAN, NAN) : ctan(z);
}

static double complex cbrt_z(double complex z)
{
    return cpow(z, 1.0 / 3);
}

static uint32_t width_of(ir_type t)
{
    return t->kind == IR_TYPE_INDEX ? 64 : t->width;
}
static uint64_t bits_in(ir_type t, int64_t x)
{
    uint32_t w = width_of(t);
    return w >= 64 ? (uint64_t)x : (uint64_t)x & ((UINT64_C(1) << w) - 1);
}
static int64_t abs_i(ir_type t, int64_t x)
{
    return hlo_is_unsigned(t) || x >= 0 ? x : (int64_t)(0 - (uint64_t)x);
}
static int64_t negate_i(ir_type t, int64_t x)
{
    (void)t;
    return (int64_t)(0 - (uint64_t)x);
}
static int64_t sign_i(ir_type t, int64_t x)
{
    return hlo_is_unsigned(t) ? x != 0 : (x > 0) - (x < 0);
}
static int64_t not_i(ir_type t, int64_t x)
{
    (void)t;
    return ~x;
}
static int64_t popcnt_i(ir_type t, int64_t x)
{
    return __builtin_popcountll(bits_in(t, x));
}
static int64_t clz_i(ir_type t, int64_t x)
{
    uint64_t b = bits_in(t, x);
    return b ? __builtin_clzll(b) - 64 + (int)width_of(t) : (int)width_of(t);
}

static const struct unary {
    uint16_t row;
    double (*real)(double);
    double complex (*of_complex)(double complex);
    int64_t (*integer)(ir_type, int64_t);
} chlo_unaries[] =
    {
        {CHLO_acos, acos, cacos, NULL}, {CHLO_acosh, acosh, cacosh, NULL},
        {CHLO_asin, asin, casin, NULL}, {CHLO_asinh, asinh, casinh, NULL},
        {CHLO_atan, atan, catan, NULL}, {CHLO_atanh, atanh, catanh, NULL},
        {CHLO_cosh, cosh, ccosh, NULL}, {CHLO_erf, erf, NULL, NULL},
        {CHLO_erfc, erfc, NULL, NULL},  {CHLO_sinh, sinh, csinh, NULL},
},
  unaries[] = {
      {STABLEHLO_abs, fabs, NULL, abs_i},
      {STABLEHLO_cbrt, cbrt, cbrt_z, NULL},
      {STABLEHLO_ceil, ceil, NULL, NULL},
      {STABLEHLO_cosine, cos, ccos, NULL},
      {STABLEHLO_count_leading_zeros, NULL, NULL, clz_i},
      {STABLEHLO_exponential, exp, cexp, NULL},
      {STABLEHLO_exponential_minus_one, expm1, expm1_z, NULL},
      {STABLEHLO_floor, floor, NULL, NULL},
      {STABLEHLO_log, log, clog, NULL},
      {STABLEHLO_log_plus_one, log1p, log1p_z, NULL},
      {STABLEHLO_logistic, logistic, logistic_z, NULL},
      {STABLEHLO_negate, negative, negative_z, negate_i},
      {STABLEHLO_not, NULL, NULL, not_i},
      {STABLEHLO_popcnt, NULL, NULL, popcnt_i},
      {STABLEHLO_round_nearest_afz, round, NULL, NULL},
      {STABLEHLO_round_nearest_even, rint, NULL, NULL},
      {STABLEHLO_rsqrt, inverse_root, inverse_root_z, NULL},
      {STABLEHLO_sign, sign_of, sign_z, sign_i},
      {STABLEHLO_sine, sin, csin, NULL},
      {STABLEHLO_sqrt, sqrt, csqrt, NULL},
      {STABLEHLO_tan, tan, tan_z, NULL},
      {STABLEHLO_tanh, tanh, ctanh, NULL},
};

static const struct unary *find_unary(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(unaries); i++)
        if (def == &stablehlo_ops[unaries[i].row])
            return &unaries[i];
    for (size_t i = 0; i < TW_COUNT(chlo_unaries); i++)
        if (def == &chlo_ops[chlo_unaries[i].row])
            return &chlo_unaries[i];
    return NULL;
}

static bool eval_unary(hlo_eval *e, ir_op *op)
{
    const hlo_value *x = hlo_operand(e, op, 0);
    const struct unary *u = find_unary(op->def);
    if (!u || (x->class == HLO_INT && !u->integer) || (x->class == HLO_FLOAT && !u->real) ||
        (x->class == HLO_COMPLEX && !u->of_complex))
        return hlo_stuck(e, op, "elements of this type");
    hlo_value *y = hlo_new(e, op, x->element, x->dims, x->rank);
    for (size_t i = 0; y && i < y->n; i++) {
        hlo_num r = {.im = 0};
        if (x->class == HLO_INT) {
            r.i = u->integer(x->element, x->at[i].i);
        } else if (x->class == HLO_FLOAT) {
            r.re = u->real(x->at[i].re);
        } else {
            double complex z = u->of_complex(hlo_complex(x->at[i].re, x->at[i].im));
            r.re = creal(z);
            r.im = cimag(z);
        }
        y->at[i] = hlo_round(x->element, r);
    }
    return hlo_set(e, op, 0, y);
}

/* ---- two operands ------------------------------------------------------------------- */

static double max_f(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : a > b || (a == b && signbit(b)) ? a : b;
}
static double min_f(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : a < b || (a == b && signbit(a)) ? a : b;
}
static double add_f(double a, double b)
{
    return a + b;
}
static double subtract_f(double a, double b)
{
    return a - b;
}
static double multiply_f(double a, double b)
{
    return a * b;
}
static double divide_f(double a, double b)
{
    return a / b;
}

static double complex add_z(double complex a, double complex b)
{
    return a + b;
}
static double complex subtract_z(double complex a, double complex b)
{
    return a - b;
}
static double complex multiply_z(double complex a, double complex b)
{
    return hlo_complex(creal(a) * creal(b) - cimag(a) * cimag(b),
                       creal(a) * cimag(b) + cimag(a) * creal(b));
}
static double complex divide_z(double complex a, double complex b)
{
    return a / b;
}
static double complex atan2_z(double complex y, double complex x)
{
    return -I * clog((x + I * y) / csqrt(x * x + y * y));
}
/* Lexicographic order of complex numbers: real parts, then imaginary ones. */
static bool less_z(double complex a, double complex b)
{
    return creal(a) < creal(b) || (creal(a) == creal(b) && cimag(a) < cimag(b));
}
static double complex max_z(double complex a, double complex b)
{
    return less_z(a, b) ? b : a;
}
static double complex min_z(double complex a, double complex b)
{
    return less_z(b, a) ? b : a;
}

static bool less_i(ir_type t, int64_t a, int64_t b)
{
    return hlo_is_unsigned(t) ? (uint64_t)a < (uint64_t)b : a < b;
}
static int64_t add_i(ir_type t, int64_t a, int64_t b)
{
    if (t->width == 1)
        return a | b;
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static int64_t subtract_i(ir_type t, int64_t a, int64_t b)
{
    (void)t;
    return (int64_t)((uint64_t)a - (uint64_t)b);
}
static int64_t multiply_i(ir_type t, int64_t a, int64_t b)
{
    (void)t;
    return (int64_t)((uint64_t)a * (uint64_t)b);
}
/* Division by zero sets all bits; the minimum divided by -1 is itself. */
static int64_t divide_i(ir_type t, int64_t a, int64_t b)
{
    if (b == 0)
        return -1;
    if (hlo_is_unsigned(t))
        return (int64_t)((uint64_t)a / (uint64_t)b);
    return b == -1 ? negate_i(t, a) : a / b;
}
static int64_t remainder_i(ir_type t, int64_t a, int64_t b)
{
    if (b == 0)
        return a;
    if (hlo_is_unsigned(t))
        return (int64_t)((uint64_t)a % (uint64_t)b);
    return b == -1 ? 0 : a % b;
}
static int64_t max_i(ir_type t, int64_t a, int64_t b)
{
    return less_i(t, a, b) ? b : a;
}
static int64_t min_i(ir_type t, int64_t a, int64_t b)
{
    return less_i(t, a, b) ? a : b;
}
static int64_t and_i(ir_type t, int64_t a, int64_t b)
{
    (void)t;
    return a & b;
}
static int64_t or_i(ir_type t, int64_t a, int64_t b)
{
    (void)t;
    return a | b;
}
static int64_t xor_i(ir_type t, int64_t a, int64_t b)
{
    (void)t;
    return a ^ b;
}
static bool shifts_out(ir_type t, int64_t b)
{
    return b < 0 || b >= (int64_t)width_of(t);
}
static int64_t shift_left_i(ir_type t, int64_t a, int64_t b)
{
    return shifts_out(t, b) ? 0 : (int64_t)((uint64_t)a << b);
}
static int64_t shift_right_i(ir_type t, int64_t a, int64_t b)
{
    return shifts_out(t, b) ? 0 : (int64_t)(bits_in(t, a) >> b);
}
static int64_t shift_sign_i(ir_type t, int64_t a, int64_t b)
{
    uint32_t w = width_of(t);
    int64_t x = (int64_t)((uint64_t)a << (64 - w)) >> (64 - w);
    return x >> (shifts_out(t, b) ? (int64_t)w - 1 : b);
}
static int64_t power_i(ir_type t, int64_t a, int64_t b)
{
    uint64_t r = 1, x = (uint64_t)a;
    if (!hlo_is_unsigned(t) && b < 0)
        return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    for (uint64_t n = (uint64_t)b; n; n >>= 1, x *= x)
        r *= n & 1 ? x : 1;
    return (int64_t)r;
}

static const struct binary {
    uint16_t row;
    double (*real)(double, double);
    double complex (*of_complex)(double complex, double complex);
    int64_t (*integer)(ir_type, int64_t, int64_t);
} binaries[] = {
    {STABLEHLO_add, add_f, add_z, add_i},
    {STABLEHLO_and, NULL, NULL, and_i},
    {STABLEHLO_atan2, atan2, atan2_z, NULL},
    {STABLEHLO_divide, divide_f, divide_z, divide_i},
    {STABLEHLO_maximum, max_f, max_z, max_i},
    {STABLEHLO_minimum, min_f, min_z, min_i},
    {STABLEHLO_multiply, multiply_f, multiply_z, multiply_i},
    {STABLEHLO_or, NULL, NULL, or_i},
    {STABLEHLO_power, pow, cpow, power_i},
    {STABLEHLO_remainder, fmod, NULL, remainder_i},
    {STABLEHLO_shift_left, NULL, NULL, shift_left_i},
    {STABLEHLO_shift_right_arithmetic, NULL, NULL, shift_sign_i},
    {STABLEHLO_shift_right_logical, NULL, NULL, shift_right_i},
    {STABLEHLO_subtract, subtract_f, subtract_z, subtract_i},
    {STABLEHLO_xor, NULL, NULL, xor_i},
};

static bool eval_binary(hlo_eval *e, ir_op *op)
{
    const hlo_value *x = hlo_operand(e, op, 0), *y = hlo_operand(e, op, 1);
    const struct binary *b = NULL;
    for (size_t i = 0; i < TW_COUNT(binaries) && !b; i++)
        if (op->def == &stablehlo_ops[binaries[i].row])
            b = &binaries[i];
    if (!b || x->class != y->class || x->n != y->n ||
        (x->class == HLO_INT && !b->integer) || (x->class == HLO_FLOAT && !b->real) ||
        (x->class == HLO_COMPLEX && !b->of_complex))
        return hlo_stuck(e, op, "elements of this type");
    hlo_value *z = hlo_new(e, op, x->element, x->dims, x->rank);
    for (size_t i = 0; z && i < z->n; i++) {
        hlo_num r = {.im = 0};
        if (x->class == HLO_INT) {
            r.i = b->integer(x->element, x->at[i].i, y->at[i].i);
        } else if (x->class == HLO_FLOAT) {
            r.re = b->real(x->at[i].re, y->at[i].re);
        } else {
            double complex c = b->of_complex(hlo_complex(x->at[i].re, x->at[i].im),
                                             hlo_complex(y->at[i].re, y->at[i].im));
            r.re = creal(c);
            r.im = cimag(c);
        }
        z->at[i] = hlo_round(x->element, r);
    }
    return hlo_set(e, op, 0, z);
}

/* ---- comparison and selection ------------------------------------------------------- */

/* The rank of a float in total order: negative NaN first, -0 before +0, positive NaN
 * last. */
static int64_t total_order(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

/* -1, 0, 1; 2 if unordered */
static int order_of(ir_type t, hlo_class class, hlo_num a, hlo_num b, bool total)
{
    if (class == HLO_INT)
        return less_i(t, a.i, b.i) ? -1 : a.i != b.i;
    if (class == HLO_COMPLEX) {
        if (isnan(a.re) || isnan(a.im) || isnan(b.re) || isnan(b.im))
            return 2;
        if (a.re != b.re)
            return a.re < b.re ? -1 : 1;
        return a.im < b.im ? -1 : a.im > b.im;
    }
    if (total) {
        int64_t x = total_order(a.re), y = total_order(b.re);
        return x < y ? -1 : x > y;
    }
    if (isnan(a.re) || isnan(b.re))
        return 2;
    return a.re < b.re ? -1 : a.re > b.re;
}

static bool eval_compare(hlo_eval *e, ir_op *op)
{
    const hlo_value *x = hlo_operand(e, op, 0), *y = hlo_operand(e, op, 1);
    int64_t how = ir_enum_value(ir_op_attr(op, "comparison_direction"), 0);
    ir_attr type = ir_op_attr(op, "compare_type");
    bool total = type && ir_enum_value(type, 0) == STABLEHLO_ComparisonType_TOTALORDER;
    hlo_value *z =
        hlo_new(e, op, ir_integer_type(e->ctx, 1, IR_SIGNLESS), x->dims, x->rank);
    if (x->n != y->n)
        return hlo_stuck(e, op, "shapes that differ");
    for (size_t i = 0; z && i < z->n; i++) {
        int o = order_of(x->element, x->class, x->at[i], y->at[i], total);
        z->at[i].i = how == STABLEHLO_ComparisonDirection_EQ   ? o == 0
                     : how == STABLEHLO_ComparisonDirection_NE ? o != 0
                     : how == STABLEHLO_ComparisonDirection_GE ? o == 0 || o == 1
                     : how == STABLEHLO_ComparisonDirection_GT ? o == 1
                     : how == STABLEHLO_ComparisonDirection_LE ? o == 0 || o == -1
                                                               : o == -1;
    }
    return hlo_set(e, op, 0, z);
}

static bool eval_select(hlo_eval *e, ir_op *op)
{
    const hlo_value *p = hlo_operand(e, op, 0), *x = hlo_operand(e, op, 1),
                    *y = hlo_operand(e, op, 2);
    hlo_value *z = hlo_new(e, op, x->element, x->dims, x->rank);
    for (size_t i = 0; z && i < z->n; i++)
        z->at[i] = p->at[p->rank ? i : 0].i ? x->at[i] : y->at[i];
    return hlo_set(e, op, 0, z);
}

static bool eval_clamp(hlo_eval *e, ir_op *op)
{
    const hlo_value *low = hlo_operand(e, op, 0), *x = hlo_operand(e, op, 1),
                    *high = hlo_operand(e, op, 2);
    hlo_value *z = hlo_new(e, op, x->element, x->dims, x->rank);
    if (x->class == HLO_COMPLEX)
        return hlo_stuck(e, op, "elements of this type");
    for (size_t i = 0; z && i < z->n; i++) {
        hlo_num a = low->at[low->rank ? i : 0], b = high->at[high->rank ? i : 0];
        if (x->class == HLO_INT)
            z->at[i].i = min_i(x->element, max_i(x->element, a.i, x->at[i].i), b.i);
        else
            z->at[i].re = min_f(max_f(a.re, x->at[i].re), b.re);
    }
    return hlo_set(e, op, 0, z);
}

/* ---- between types ------------------------------------------------------------------ */

static bool eval_convert(hlo_eval *e, ir_op *op)
{
    const hlo_value *x = hlo_operand(e, op, 0);
    ir_type to = hlo_result_element(e, op, 0);
    hlo_value *z = hlo_new(e, op, to, x->dims, x->rank);
    for (size_t i = 0; z && i < z->n; i++)
        z->at[i] = hlo_convert(x->element, to, x->at[i]);
    return hlo_set(e, op, 0, z);
}

/* complex, real, imag, is_finite, abs of complex numbers */
static bool eval_parts(hlo_eval *e, ir_op *op)
{
    const hlo_value *x = hlo_operand(e, op, 0);
    if (op->def == STABLEHLO_OP(abs) && x->class != HLO_COMPLEX)
        return eval_unary(e, op);
    ir_type to = hlo_result_element(e, op, 0);
    hlo_value *z = hlo_new(e, op, to, x->dims, x->rank);
    for (size_t i = 0; z && i < z->n; i++) {
        hlo_num v = x->at[i], r = v;
        if (op->def == STABLEHLO_OP(complex))
            r.im = hlo_operand(e, op, 1)->at[i].re;
        else if (op->def == STABLEHLO_OP(imag))
            r.re = x->class == HLO_COMPLEX ? v.im : 0;
        else if (op->def == STABLEHLO_OP(abs))
            r.re = cabs(hlo_complex(v.re, v.im));
        else if (op->def == STABLEHLO_OP(is_finite))
            r.i = isfinite(v.re) != 0;
        z->at[i] = hlo_round(to, r);
    }
    return hlo_set(e, op, 0, z);
}

/* Rounds to fewer bits of exponent and mantissa: nearest even, overflow to infinity,
 * underflow to 0. */
static double reduced(double x, int exponent_bits, int mantissa_bits)
{
    int exponent, bias = (1 << (exponent_bits - 1)) - 1;
    if (!isfinite(x) || x == 0)
        return isnan(x) && mantissa_bits == 0 ? copysign(INFINITY, x) : x;
    double m = frexp(x, &exponent);
    double r = ldexp(rint(ldexp(m, mantissa_bits + 1)), exponent - mantissa_bits - 1);
    if (fabs(r) >= ldexp(1, bias + 1))
        return copysign(INFINITY, x);
    return fabs(r) < ldexp(1, 1 - bias) ? copysign(0, x) : r;
}

static bool eval_reduce_precision(hlo_eval *e, ir_op *op)
{
    const hlo_value *x = hlo_operand(e, op, 0);
    int exponent = (int)ir_op_int(op, "exponent_bits", 8);
    int mantissa = (int)ir_op_int(op, "mantissa_bits", 23);
    hlo_value *z = hlo_new(e, op, x->element, x->dims, x->rank);
    if (x->class != HLO_FLOAT || exponent > 11)
        return hlo_stuck(e, op, "elements of this type");
    for (size_t i = 0; z && i < z->n; i++) {
        z->at[i].re = reduced(x->at[i].re, exponent, TW_MIN(mantissa, 52));
        z->at[i] = hlo_round(x->element, z->at[i]);
    }
    return hlo_set(e, op, 0, z);
}

static uint64_t bits_of(ir_type t, hlo_num x)
{
    return t->kind == IR_TYPE_FLOAT ? ir_float_encode(t->sign, x.re) : bits_in(t, x.i);
}

static hlo_num from_bits(ir_type t, uint64_t bits)
{
    hlo_num x = {.im = 0};
    if (t->kind == IR_TYPE_FLOAT)
        x.re = ir_float_decode(t->sign, bits);
    else
        x.i = (int64_t)bits;
    return t->kind == IR_TYPE_FLOAT ? x : hlo_round(t, x);
}

static uint32_t total_width(ir_type t)
{
    return t->kind == IR_TYPE_COMPLEX ? 2 * t->element->width : width_of(t);
}

/* Reads `width` bits of a tensor as stored in memory, from bit `at` on. */
static uint64_t read_bits(const hlo_value *x, size_t at, uint32_t width)
{
    ir_type part = x->class == HLO_COMPLEX        ? x->element->element
                   : hlo_is_quantized(x->element) ? hlo_storage(x->element)
                                                  : x->element;
    uint32_t own = width_of(part);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < width; i++) {
        size_t k = (at + i) / own;
        hlo_num v = x->at[x->class == HLO_COMPLEX ? k / 2 : k];
        if (x->class == HLO_COMPLEX && k % 2)
            v.re = v.im;
        bits |= (bits_of(part, v) >> ((at + i) % own) & 1) << i;
    }
    return bits;
}

/* Keeps the bits; the smaller type has one more dimension at the end, lowest bits first. */
static bool eval_bitcast(hlo_eval *e, ir_op *op)
{
    const hlo_value *x = hlo_operand(e, op, 0);
    ir_type to = hlo_result_element(e, op, 0);
    int64_t dims[HLO_MAX_RANK];
    ir_type from = hlo_is_quantized(x->element) ? hlo_storage(x->element) : x->element;
    if (hlo_is_quantized(to))
        to = hlo_storage(to);
    if (hlo_class_of(to) == HLO_OTHER || x->rank + 1 >= HLO_MAX_RANK)
        return hlo_stuck(e, op, "elements of this type");
    uint32_t a = total_width(from), b = total_width(to);
    size_t rank = x->rank;
    memcpy(dims, x->dims, rank * sizeof *dims);
    if (a > b)
        dims[rank++] = a / b;
    else if (a < b)
        rank--;
    hlo_value *z = hlo_new(e, op, to, dims, rank);
    ir_type part = to->kind == IR_TYPE_COMPLEX ? to->element : to;
    for (size_t i = 0; z && i < z->n; i++) {
        z->at[i] = from_bits(part, read_bits(x, i * b, width_of(part)));
        if (to->kind == IR_TYPE_COMPLEX)
            z->at[i].im =
                from_bits(part, read_bits(x, i * b + width_of(part), width_of(part))).re;
    }
    return hlo_set(e, op, 0, z);
}

hlo_fn *hlo_find_math(const ir_op_def *def)
{
    static const struct {
        uint16_t row;
        hlo_fn *fn;
    } rows[] = {
        {STABLEHLO_abs, eval_parts},
        {STABLEHLO_bitcast_convert, eval_bitcast},
        {STABLEHLO_clamp, eval_clamp},
        {STABLEHLO_compare, eval_compare},
        {STABLEHLO_complex, eval_parts},
        {STABLEHLO_convert, eval_convert},
        {STABLEHLO_imag, eval_parts},
        {STABLEHLO_is_finite, eval_parts},
        {STABLEHLO_real, eval_parts},
        {STABLEHLO_reduce_precision, eval_reduce_precision},
        {STABLEHLO_select, eval_select},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (def == &stablehlo_ops[rows[i].row])
            return rows[i].fn;
    for (size_t i = 0; i < TW_COUNT(binaries); i++)
        if (def == &stablehlo_ops[binaries[i].row])
            return eval_binary;
    return find_unary(def) ? eval_unary : NULL;
}
