/* ttir_fold_math.c: element-wise operations on constants.
 *
 * Floating point is computed in double and rounded once to the element type.  A splat
 * stays one element.  What would not be the same at run time (a division by zero, a shift
 * by a negative amount, a cast out of range) is not folded. */
#include "ir/number.h"
#include "ttir/ttir.h"
#include "ttir/ttir_hooks.h"

#include <math.h>
#include <stdlib.h>

/* ---- elements ----------------------------------------------------------------------- */

static bool is_float(ir_type t)
{
    return t->kind == IR_TYPE_FLOAT;
}

static bool is_number(ir_type t)
{
    return t->kind == IR_TYPE_FLOAT || (t->kind == IR_TYPE_INTEGER && t->width <= 64);
}

static void put(char *at, ir_type element, double real, int64_t whole)
{
    uint64_t bits = is_float(element) ? ir_float_encode((ir_float_kind)element->sign, real)
                                      : (uint64_t)ir_int_wrap(element, whole);
    memcpy(at, &bits, ir_dense_element_size(element));
}

bool ttir_is_dense(ir_attr a)
{
    return ir_attr_is(a, IR_ATTR_DENSE) && !(a->splat & 2) &&
           is_number(ir_type_element(a->type));
}

bool ttir_is_splat(ir_attr a)
{
    return ttir_is_dense(a) && (a->splat & 1);
}

ir_attr ttir_splat_as(ir_attr splat, ir_type type)
{
    return ir_dense_attr(type, splat->blob->data, splat->blob->size);
}

/* ---- functions ---------------------------------------------------------------------- */

/* false: leave this element to run time */
typedef bool real_fn(double a, double b, double *out);
typedef bool whole_fn(int64_t a, int64_t b, ir_type type, int64_t *out);

#define REAL(name, expr)                                                                   \
    static bool real_##name(double a, double b, double *out)                               \
    {                                                                                      \
        (void)b;                                                                           \
        *out = (expr);                                                                     \
        return true;                                                                       \
    }
#define REAL_IF(name, condition, expr)                                                     \
    static bool real_##name(double a, double b, double *out)                               \
    {                                                                                      \
        (void)b;                                                                           \
        if (!(condition))                                                                  \
            return false;                                                                  \
        *out = (expr);                                                                     \
        return true;                                                                       \
    }
#define WHOLE_IF(name, condition, expr)                                                    \
    static bool whole_##name(int64_t a, int64_t b, ir_type t, int64_t *out)                \
    {                                                                                      \
        (void)b;                                                                           \
        (void)t;                                                                           \
        if (!(condition))                                                                  \
            return false;                                                                  \
        *out = (int64_t)(expr);                                                            \
        return true;                                                                       \
    }
#define WHOLE(name, expr) WHOLE_IF(name, true, expr)

REAL(abs, fabs(a))
REAL(atan, atan(a))
REAL(cbrt, cbrt(a))
REAL(ceil, ceil(a))
REAL(cos, cos(a))
REAL(exp, exp(a))
REAL(expm1, expm1(a))
REAL(floor, floor(a))
REAL(isfinite, isfinite(a) ? 1 : 0)
REAL(log, log(a))
REAL(log1p, log1p(a))
REAL(logical_not, a == 0)
REAL(neg, -a)
REAL_IF(reciprocal, a != 0, 1 / a)
REAL_IF(rsqrt, a != 0, 1 / sqrt(a))
REAL(sign, isnan(a) ? a : (a > 0) - (a < 0))
REAL(sin, sin(a))
REAL(sqrt, sqrt(a))
REAL(tan, tan(a))
REAL(add, a + b)
REAL(atan2, atan2(a, b))
REAL_IF(div, b != 0, a / b)
REAL(eq, a == b)
REAL(ge, a >= b)
REAL(gt, a > b)
REAL(logical_and, a != 0 && b != 0)
REAL(logical_or, a != 0 || b != 0)
REAL(maximum, isnan(a) || isnan(b) ? NAN : fmax(a, b))
REAL(minimum, isnan(a) || isnan(b) ? NAN : fmin(a, b))
REAL(multiply, a *b)
REAL(ne, a != b)
REAL(pow, pow(a, b))
REAL(subtract, a - b)

/* the remainder has the divisor's sign */
static bool real_remainder(double a, double b, double *out)
{
    if (b == 0)
        return false;
    double r = fmod(a, b);
    *out = r != 0 && (r < 0) != (b < 0) ? r + b : r;
    return true;
}

static bool is_unsigned(ir_type t)
{
    return t->sign == IR_UNSIGNED;
}

static int64_t bits_of(ir_type t, int64_t a)
{
    return t->width == 64 ? a : (int64_t)((uint64_t)a & (((uint64_t)1 << t->width) - 1));
}

WHOLE(abs, a < 0 && !is_unsigned(t) ? (int64_t)(0 - (uint64_t)a) : a)
WHOLE(neg, (uint64_t)0 - (uint64_t)a)
WHOLE(sign, is_unsigned(t) ? a != 0 : (a > 0) - (a < 0))
WHOLE(bitwise_not, ~a)
WHOLE(logical_not, a == 0)
WHOLE(add, (uint64_t)a + (uint64_t)b)
WHOLE(subtract, (uint64_t)a - (uint64_t)b)
WHOLE(multiply, (uint64_t)a *(uint64_t)b)
WHOLE(bitwise_and, a &b)
WHOLE(bitwise_or, a | b)
WHOLE(bitwise_xor, a ^ b)
WHOLE(eq, a == b)
WHOLE(ne, a != b)
WHOLE(ge, is_unsigned(t) ? (uint64_t)a >= (uint64_t)b : a >= b)
WHOLE(gt, is_unsigned(t) ? (uint64_t)a > (uint64_t)b : a > b)
WHOLE(logical_and, a != 0 && b != 0)
WHOLE(logical_or, a != 0 || b != 0)
WHOLE(maximum, (is_unsigned(t) ? (uint64_t)a > (uint64_t)b : a > b) ? a : b)
WHOLE(minimum, (is_unsigned(t) ? (uint64_t)a < (uint64_t)b : a < b) ? a : b)
WHOLE_IF(div, b != 0 && !(a == INT64_MIN && b == -1),
         is_unsigned(t) ? (int64_t)((uint64_t)a / (uint64_t)b) : a / b)
WHOLE_IF(logical_left_shift, is_unsigned(t) || b >= 0,
         (uint64_t)b >= t->width ? 0 : (uint64_t)a << b)
WHOLE_IF(logical_right_shift, is_unsigned(t) || b >= 0,
         (uint64_t)b >= t->width ? 0 : (uint64_t)bits_of(t, a) >> b)

static bool whole_remainder(int64_t a, int64_t b, ir_type t, int64_t *out)
{
    if (b == 0 || (b == -1 && !is_unsigned(t)))
        return false;
    if (is_unsigned(t)) {
        *out = (int64_t)((uint64_t)a % (uint64_t)b);
        return true;
    }
    int64_t r = a % b;
    *out = r != 0 && (r < 0) != (b < 0) ? r + b : r;
    return true;
}

static bool whole_pow(int64_t a, int64_t b, ir_type t, int64_t *out)
{
    uint64_t result = 1, base = (uint64_t)a;
    if (b < 0 && !is_unsigned(t))
        return false;
    for (uint64_t n = (uint64_t)b; n; n >>= 1, base *= base)
        if (n & 1)
            result *= base;
    *out = (int64_t)result;
    return true;
}

/* NULL: not folded for that kind of element. */
static const struct function {
    uint16_t row;
    real_fn *real;
    whole_fn *whole;
    bool test; /* the result is 0 or 1 in its own element type */
} functions[] = {
    {TTIR_abs, real_abs, whole_abs},
    {TTIR_add, real_add, whole_add},
    {TTIR_atan, real_atan, NULL},
    {TTIR_atan2, real_atan2, NULL},
    {TTIR_bitwise_and, NULL, whole_bitwise_and},
    {TTIR_bitwise_not, NULL, whole_bitwise_not},
    {TTIR_bitwise_or, NULL, whole_bitwise_or},
    {TTIR_bitwise_xor, NULL, whole_bitwise_xor},
    {TTIR_cbrt, real_cbrt, NULL},
    {TTIR_ceil, real_ceil, NULL},
    {TTIR_cos, real_cos, NULL},
    {TTIR_div, real_div, whole_div},
    {TTIR_eq, real_eq, whole_eq, true},
    {TTIR_exp, real_exp, NULL},
    {TTIR_expm1, real_expm1, NULL},
    {TTIR_floor, real_floor, NULL},
    {TTIR_ge, real_ge, whole_ge, true},
    {TTIR_gt, real_gt, whole_gt, true},
    {TTIR_isfinite, real_isfinite, NULL, true},
    {TTIR_log, real_log, NULL},
    {TTIR_log1p, real_log1p, NULL},
    {TTIR_logical_and, real_logical_and, whole_logical_and, true},
    {TTIR_logical_left_shift, NULL, whole_logical_left_shift},
    {TTIR_logical_not, real_logical_not, whole_logical_not, true},
    {TTIR_logical_or, real_logical_or, whole_logical_or, true},
    {TTIR_logical_right_shift, NULL, whole_logical_right_shift},
    {TTIR_maximum, real_maximum, whole_maximum},
    {TTIR_minimum, real_minimum, whole_minimum},
    {TTIR_multiply, real_multiply, whole_multiply},
    {TTIR_ne, real_ne, whole_ne, true},
    {TTIR_neg, real_neg, whole_neg},
    {TTIR_pow, real_pow, whole_pow},
    {TTIR_reciprocal, real_reciprocal, NULL},
    {TTIR_remainder, real_remainder, whole_remainder},
    {TTIR_rsqrt, real_rsqrt, NULL},
    {TTIR_sign, real_sign, whole_sign},
    {TTIR_sin, real_sin, NULL},
    {TTIR_sqrt, real_sqrt, NULL},
    {TTIR_subtract, real_subtract, whole_subtract},
    {TTIR_tan, real_tan, NULL},
};

static const struct function *function_of(const ir_op *op)
{
    size_t row = (size_t)(op->def - ttir_ops);
    for (size_t i = 0; i < TW_COUNT(functions); i++)
        if (functions[i].row == row)
            return &functions[i];
    return NULL;
}

/* ---- applying ----------------------------------------------------------------------- */

static bool apply_one(const struct function *f, ir_attr a, size_t i, ir_attr b, size_t k,
                      ir_type element, char *out)
{
    ir_type from = ir_type_element(a->type);
    if (is_float(from)) {
        double value;
        if (!f->real || !f->real(ir_dense_real(a, i), b ? ir_dense_real(b, k) : 0, &value))
            return false;
        put(out, element, value, (int64_t)(f->test ? value : 0));
        return true;
    }
    int64_t value;
    if (!f->whole ||
        !f->whole(ir_dense_int(a, i), b ? ir_dense_int(b, k) : 0, from, &value))
        return false;
    put(out, element, (double)value, value);
    return true;
}

/* Which element of `a` meets element `i` of the result: dimensions align at the end, those
 * of size 1 are repeated. */
static size_t element_for(ir_attr a, ir_type result, int64_t i)
{
    ir_type t = a->type;
    int64_t at = 0, stride = 1;
    if (a->splat & 1)
        return 0;
    for (uint32_t d = 0; d < t->count; d++) {
        int64_t size = result->dims[result->count - 1 - d],
                mine = t->dims[t->count - 1 - d];
        at += mine == 1 ? 0 : i % size * stride;
        stride *= mine;
        i /= size;
    }
    return (size_t)at;
}

static ir_attr apply(const struct function *f, ir_attr a, ir_attr b, ir_type type)
{
    ir_type element = ir_type_element(type);
    size_t size = ir_dense_element_size(element);
    bool splat = (a->splat & 1) && (!b || (b->splat & 1));
    int64_t total = splat ? 1 : ir_type_num_elements(type);
    if (!is_number(element) || total < 0 || total > TTIR_MAX_FOLDED_ELEMENTS)
        return NULL;
    char *data = tw_xmalloc((size_t)total * size);
    bool ok = true;
    for (int64_t i = 0; ok && i < total; i++)
        ok = apply_one(f, a, element_for(a, type, i), b, b ? element_for(b, type, i) : 0,
                       element, data + (size_t)i * size);
    ir_attr result = ok && total ? ir_dense_attr(type, data, (size_t)total * size) : NULL;
    free(data);
    return result;
}

static bool same_shape(ir_type a, ir_type b)
{
    return a->count == b->count &&
           memcmp(a->dims, b->dims, a->count * sizeof *a->dims) == 0;
}

/* Whether a constant covers the result element by element. */
static bool covers(ir_attr a, ir_type result)
{
    return (a->splat & 1) || same_shape(a->type, result);
}

/* Whether its dimensions repeat to the result's. */
static bool repeats_to(ir_attr a, ir_type result)
{
    ir_type t = a->type;
    if (t->count > result->count)
        return false;
    for (uint32_t d = 1; d <= t->count; d++)
        if (t->dims[t->count - d] != 1 &&
            t->dims[t->count - d] != result->dims[result->count - d])
            return false;
    return true;
}

/* One value for all covers anything; beside one, the other has to be of the result's shape.
 */
static bool cover(ir_attr a, ir_attr b, ir_type result)
{
    if (!b || (a->splat & 1) || (b->splat & 1))
        return covers(a, result) && (!b || covers(b, result));
    return repeats_to(a, result) && repeats_to(b, result);
}

/* x op x, whatever x is.  Comparisons only of whole numbers: NaN is not equal to itself. */
static bool fold_self(ir_op *op, ir_type type, ir_fold_result *results)
{
    int64_t value;
    if (op->n_operands != 2 || op->operands[0].value != op->operands[1].value)
        return false;
    if (op->def == TTIR_OP(eq))
        value = 1;
    else if (op->def == TTIR_OP(ne) || op->def == TTIR_OP(bitwise_xor))
        value = 0;
    else
        return false;
    ir_type from = ir_type_element(op->operands[0].value->type);
    if (!is_number(type->element) || !is_number(from) ||
        (is_float(from) && op->def != TTIR_OP(bitwise_xor)))
        return false;
    results[0].attr = is_float(type->element) ? ir_dense_splat(type, (double)value)
                                              : ir_dense_splat_int(type, value);
    return true;
}

static bool is_splat_of(ir_attr a, bool zero)
{
    if (!ttir_is_splat(a))
        return false;
    return zero == (is_float(ir_type_element(a->type)) ? ir_dense_real(a, 0) == 0
                                                       : ir_dense_int(a, 0) == 0);
}

bool ttir_is_boolean(const ir_value *v)
{
    static const uint16_t tests[] = {TTIR_eq,         TTIR_ne,          TTIR_ge,
                                     TTIR_gt,         TTIR_le,          TTIR_lt,
                                     TTIR_logical_or, TTIR_logical_and, TTIR_logical_xor,
                                     TTIR_isfinite,   TTIR_logical_not, TTIR_zeros,
                                     TTIR_ones};
    const ir_op *from = ir_value_def(v);
    if (ir_type_is_integer(ir_type_element(v->type), 1))
        return true;
    if (!from)
        return false;
    for (size_t i = 0; i < TW_COUNT(tests); i++)
        if (from->def == &ttir_ops[tests[i]])
            return true;
    double fill = ir_op_real(from, "fill_value", NAN);
    return from->def == TTIR_OP(full) && (fill == 0 || fill == 1);
}

/* One side decides (and with zero, or with a number), or leaves the other as it is, if that
 * is zeros and ones already. */
static bool fold_logical(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    ir_type type = op->results[0].type;
    bool is_and = op->def == TTIR_OP(logical_and);
    if ((!is_and && op->def != TTIR_OP(logical_or)) || !is_number(type->element))
        return false;
    for (int i = 0; i < 2; i++)
        if (is_splat_of(operands[i], is_and)) {
            results[0].attr = is_float(type->element) ? ir_dense_splat(type, !is_and)
                                                      : ir_dense_splat_int(type, !is_and);
            return true;
        }
    for (int i = 0; i < 2; i++) {
        ir_value *other = op->operands[1 - i].value;
        if (is_splat_of(operands[i], !is_and) && other->type == type &&
            ttir_is_boolean(other)) {
            results[0].value = other;
            return true;
        }
    }
    return false;
}

/* A shift by all bits or more leaves nothing. */
static bool fold_shift(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    ir_type type = op->results[0].type;
    if ((op->def != TTIR_OP(logical_left_shift) &&
         op->def != TTIR_OP(logical_right_shift)) ||
        !ttir_is_splat(operands[1]) || is_float(type->element))
        return false;
    int64_t by = ir_dense_int(operands[1], 0);
    if (by < (int64_t)type->element->width)
        return false;
    results[0].attr = ir_dense_splat_int(type, 0);
    return true;
}

/* Long constants are compared at run time: the bits are not worth a table of them. */
static bool is_equality(const ir_op *op)
{
    return op->def == TTIR_OP(eq) || op->def == TTIR_OP(ne);
}

bool ttir_fold_elementwise(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    const struct function *f = function_of(op);
    ir_type type = op->results[0].type;
    if (!f || !ir_type_is_tensor(type) || !ir_type_has_static_shape(type))
        return false;
    if (fold_self(op, type, results) || fold_logical(op, operands, results) ||
        fold_shift(op, operands, results))
        return true;
    ir_attr a = operands[0], b = op->n_operands == 2 ? operands[1] : NULL;
    if (!ttir_is_dense(a) || (op->n_operands == 2 && !ttir_is_dense(b)) ||
        !cover(a, b, type))
        return false;
    ir_type from = ir_type_element(a->type);
    if (b && ir_type_element(b->type) != from)
        return false;
    if (from != type->element &&
        (!f->test || (is_equality(op) && !(a->splat & 1) && !(b->splat & 1))))
        return false;
    results[0].attr = apply(f, a, b, type);
    return results[0].attr != NULL;
}

/* ---- those with a rule of their own ------------------------------------------------- */

/* A constant of the same shape made element by element; NULL if one cannot be. */
static ir_attr map_elements(ir_attr a, ir_type type,
                            bool (*one)(ir_attr a, size_t i, ir_type to, void *user,
                                        char *out),
                            void *user)
{
    ir_type element = ir_type_element(type);
    size_t size = ir_dense_element_size(element);
    int64_t total = (a->splat & 1) ? 1 : ir_type_num_elements(type);
    if (!is_number(element) || total <= 0 || total > TTIR_MAX_FOLDED_ELEMENTS)
        return NULL;
    char *data = tw_xmalloc((size_t)total * size);
    bool ok = true;
    for (int64_t i = 0; ok && i < total; i++)
        ok = one(a, (size_t)i, element, user, data + (size_t)i * size);
    ir_attr result = ok ? ir_dense_attr(type, data, (size_t)total * size) : NULL;
    free(data);
    return result;
}

static bool clamp_one(ir_attr a, size_t i, ir_type to, void *user, char *out)
{
    const double *bounds = user;
    double v = is_float(to) ? ir_dense_real(a, i) : (double)ir_dense_int(a, i);
    double clamped = isnan(v) ? v : fmin(fmax(v, bounds[0]), bounds[1]);
    put(out, to, clamped, (int64_t)clamped);
    return true;
}

bool ttir_fold_clamp_scalar(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    ir_type type = op->results[0].type;
    double bounds[] = {ir_op_real(op, "min", 0), ir_op_real(op, "max", 0)};
    if (!ttir_is_dense(operands[0]) ||
        ir_type_element(operands[0]->type) != type->element ||
        (!is_float(type->element) && type->element->width > 32))
        return false;
    results[0].attr = map_elements(operands[0], type, clamp_one, bounds);
    return results[0].attr != NULL;
}

/* Range of an integer type as doubles; both ends are exact or just outside. */
static bool in_range(ir_type to, double v)
{
    double span = ldexp(1, (int)to->width);
    double low = is_unsigned(to) || to->width == 1 ? 0 : -span / 2;
    double high = is_unsigned(to) || to->width == 1 ? span : span / 2;
    return v > low - 1 && v < high && (v >= low || to->width < 53);
}

static bool cast_one(ir_attr a, size_t i, ir_type to, void *user, char *out)
{
    ir_type from = ir_type_element(a->type);
    (void)user;
    if (is_float(from)) {
        double v = ir_dense_real(a, i);
        if (is_float(to)) {
            put(out, to, v, 0);
            return isnan(v) || isinf(v) ||
                   isfinite(ir_float_decode((ir_float_kind)to->sign,
                                            ir_float_encode((ir_float_kind)to->sign, v)));
        }
        if (!isfinite(v) || !in_range(to, trunc(v)))
            return false;
        put(out, to, 0, (int64_t)trunc(v));
        return true;
    }
    int64_t v = ir_dense_int(a, i);
    put(out, to, is_unsigned(from) ? (double)(uint64_t)v : (double)v, v);
    return is_float(to) ||
           (ir_int_wrap(to, v) == v && (is_unsigned(from) == is_unsigned(to) || v >= 0));
}

bool ttir_fold_typecast(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    ir_type type = op->results[0].type;
    if (op->operands[0].value->type == type) {
        results[0].value = op->operands[0].value;
        return true;
    }
    if (!ttir_is_dense(operands[0]) || !covers(operands[0], type))
        return false;
    results[0].attr = map_elements(operands[0], type, cast_one, NULL);
    return results[0].attr != NULL;
}

/* The sum of a splat is its value times the number of elements summed. */
bool ttir_fold_sum(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    ir_type type = op->results[0].type, from = op->operands[0].value->type;
    if (!ttir_is_splat(operands[0]) || ir_type_element(operands[0]->type) != type->element)
        return false;
    int64_t all = ir_type_num_elements(from), left = ir_type_num_elements(type);
    if (all <= 0 || left <= 0)
        return false;
    int64_t each = all / left;
    results[0].attr =
        is_float(type->element)
            ? ir_dense_splat(type, ir_dense_real(operands[0], 0) * (double)each)
            : ir_dense_splat_int(
                  type, (int64_t)((uint64_t)ir_dense_int(operands[0], 0) * (uint64_t)each));
    return true;
}

bool ttir_fold_where(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    ir_attr condition = operands[0];
    if (!ttir_is_dense(condition))
        return false;
    int64_t total = (condition->splat & 1) ? 1 : ir_type_num_elements(condition->type);
    size_t set = 0;
    if (total <= 0 || total > TTIR_MAX_FOLDED_ELEMENTS)
        return false;
    for (int64_t i = 0; i < total; i++)
        set += is_float(ir_type_element(condition->type))
                   ? ir_dense_real(condition, (size_t)i) != 0
                   : ir_dense_int(condition, (size_t)i) != 0;
    if (set != 0 && set != (size_t)total)
        return false;
    ir_value *chosen = op->operands[set ? 1 : 2].value;
    if (chosen->type != op->results[0].type)
        return false;
    results[0].value = chosen;
    return true;
}
