/* chlo.c: lowers functions of chlo to TTIR. Transcendental ones are computed in single
 * precision for any float type. Sources of the coefficients: Lanczos' approximation with g
 * = 7 and nine coefficients for the gamma function, Giles' "Approximating the erfinv
 * function" (2010). */
#include "stablehlo/chlo/chlo.h"
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

#include <math.h>

enum { CAPACITY = 16 };

static const double pi = 3.14159265358979323846;

/* ---- building blocks ---------------------------------------------------------------- */

typedef struct maths {
    ir_builder *b;
    ir_type type, predicate; /* of the operands, and of comparisons */
} maths;

static ir_value *literal(const maths *m, double value)
{
    return s2t_splat(m->b, m->type, value);
}

static ir_value *unary(const maths *m, uint16_t row, ir_value *x)
{
    return ir_build1(m->b, &ttir_ops[row], m->type, IR_VALUES(x), NULL, 0);
}

static ir_value *binary(const maths *m, uint16_t row, ir_value *x, ir_value *y)
{
    return ir_build1(m->b, &ttir_ops[row], m->type, IR_VALUES(x, y), NULL, 0);
}

static ir_value *with_literal(const maths *m, uint16_t row, ir_value *x, double y)
{
    return binary(m, row, x, literal(m, y));
}

static ir_value *compare(const maths *m, uint16_t row, ir_value *x, double y)
{
    return ir_build1(m->b, &ttir_ops[row], m->predicate, IR_VALUES(x, literal(m, y)), NULL,
                     0);
}

static ir_value *where(const maths *m, ir_value *pick, ir_value *yes, ir_value *no)
{
    return ir_build1(m->b, TTIR_OP(where), m->type, IR_VALUES(pick, yes, no), NULL, 0);
}

/* c[0] x^(n-1) + ... + c[n-1] */
static ir_value *polynomial(const maths *m, ir_value *x, const double *c, size_t n)
{
    ir_value *sum = literal(m, c[0]);
    for (size_t i = 1; i < n; i++)
        sum = with_literal(m, TTIR_add, binary(m, TTIR_multiply, sum, x), c[i]);
    return sum;
}

/* ---- hyperbolic functions and their inverses ---------------------------------------- */

/* e^|x| / 2, from e^(|x|/2) so that it is finite wherever the results are. */
static ir_value *half_exp(const maths *m, ir_value *x)
{
    ir_value *size = with_literal(m, TTIR_multiply, unary(m, TTIR_abs, x), 0.5);
    ir_value *root = unary(m, TTIR_exp, size);
    return binary(m, TTIR_multiply, with_literal(m, TTIR_multiply, root, 0.5), root);
}

static ir_value *make_cosh(const maths *m, ir_value *x)
{
    ir_value *a = half_exp(m, x);
    return binary(m, TTIR_add, a, binary(m, TTIR_div, literal(m, 0.25), a));
}

/* Near zero (u + u / (u + 1)) / 2 with u = e^|x| - 1, which avoids cancellation. */
static ir_value *make_sinh(const maths *m, ir_value *x)
{
    ir_value *a = half_exp(m, x), *size = unary(m, TTIR_abs, x);
    ir_value *far = binary(m, TTIR_subtract, a, binary(m, TTIR_div, literal(m, 0.25), a));
    ir_value *u = unary(m, TTIR_expm1, size);
    ir_value *rest = binary(m, TTIR_div, u, with_literal(m, TTIR_add, u, 1));
    ir_value *near = with_literal(m, TTIR_multiply, binary(m, TTIR_add, u, rest), 0.5);
    ir_value *both = where(m, compare(m, TTIR_lt, size, 1), near, far);
    ir_value *negated = unary(m, TTIR_neg, both);
    return where(m, compare(m, TTIR_lt, x, 0), negated, both);
}

/* log1p(t + sqrt(t) sqrt(t + 2)) with t = x - 1; log(2 x) where that sum could overflow. */
static ir_value *make_acosh(const maths *m, ir_value *x)
{
    ir_value *t = with_literal(m, TTIR_subtract, x, 1);
    ir_value *root = unary(m, TTIR_sqrt, with_literal(m, TTIR_add, t, 2));
    root = binary(m, TTIR_multiply, unary(m, TTIR_sqrt, t), root);
    ir_value *near = unary(m, TTIR_log1p, binary(m, TTIR_add, t, root));
    ir_value *far = with_literal(m, TTIR_add, unary(m, TTIR_log, x), log(2));
    return where(m, compare(m, TTIR_gt, x, 1e18), far, near);
}

static ir_value *make_atanh(const maths *m, ir_value *x)
{
    ir_value *up = unary(m, TTIR_log1p, x);
    ir_value *down = unary(m, TTIR_log1p, unary(m, TTIR_neg, x));
    return with_literal(m, TTIR_multiply, binary(m, TTIR_subtract, up, down), 0.5);
}

/* ---- error and gamma functions ------------------------------------------------------ */

static ir_value *make_erf_inv(const maths *m, ir_value *x)
{
    static const double centre[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                    -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                    -0.00417768164,  0.246640727,    1.50140941};
    static const double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                  -0.00367342844,  0.00573950773,  -0.0076224613,
                                  0.00943887047,   1.00167406,     2.83297682};
    ir_value *square = binary(m, TTIR_multiply, x, x);
    ir_value *w = unary(m, TTIR_neg, unary(m, TTIR_log1p, unary(m, TTIR_neg, square)));
    ir_value *near =
        polynomial(m, with_literal(m, TTIR_subtract, w, 2.5), centre, TW_COUNT(centre));
    ir_value *root = with_literal(m, TTIR_subtract, unary(m, TTIR_sqrt, w), 3);
    ir_value *far = polynomial(m, root, tail, TW_COUNT(tail));
    ir_value *p = where(m, compare(m, TTIR_lt, w, 5), near, far);
    ir_value *end = compare(m, TTIR_eq, unary(m, TTIR_abs, x), 1);
    return binary(m, TTIR_multiply, where(m, end, literal(m, INFINITY), p), x);
}

/* The parts of Lanczos' approximation for the gamma function of z + 1. */
typedef struct lanczos {
    ir_value *reflected;       /* x < 1/2: z = -x, else z = x - 1 */
    ir_value *z, *sum, *slope; /* the series, and its derivative negated */
    ir_value *t, *log_t;       /* z + g + 1/2 */
} lanczos;

static const double lanczos_g = 7;

static lanczos read_lanczos(const maths *m, ir_value *x)
{
    static const double c[] = {676.520368121885098567,    -1259.13921672240287047,
                               771.323428777653078849,    -176.615029162140599066,
                               12.5073432786869048145,    -0.138571095265720116896,
                               9.98436957801957085956e-6, 1.50563273514931155834e-7};
    const double base = lanczos_g + 0.5;
    lanczos l = {.reflected = compare(m, TTIR_lt, x, 0.5)};
    ir_value *below = with_literal(m, TTIR_subtract, x, 1);
    l.z = where(m, l.reflected, unary(m, TTIR_neg, x), below);
    l.sum = literal(m, 0.999999999999809932277);
    l.slope = literal(m, 0);
    for (size_t i = 0; i < TW_COUNT(c); i++) {
        ir_value *at = with_literal(m, TTIR_add, l.z, (double)i + 1);
        ir_value *term = binary(m, TTIR_div, literal(m, c[i]), at);
        l.sum = binary(m, TTIR_add, l.sum, term);
        l.slope = binary(m, TTIR_add, l.slope, binary(m, TTIR_div, term, at));
    }
    l.t = with_literal(m, TTIR_add, l.z, base);
    ir_value *part = with_literal(m, TTIR_multiply, l.z, 1 / base);
    l.log_t = with_literal(m, TTIR_add, unary(m, TTIR_log1p, part), log(base));
    return l;
}

/* (z + 1/2 - t / log t) log t, so that large z do not overflow; left of 1/2 by log(pi /
 * sin(pi x)) - log gamma(1 - x), with the sine of the distance to the nearest integer. */
static ir_value *make_lgamma(const maths *m, ir_value *x)
{
    lanczos l = read_lanczos(m, x);
    ir_value *factor = binary(m, TTIR_div, l.t, l.log_t);
    factor = binary(m, TTIR_subtract, with_literal(m, TTIR_add, l.z, 0.5), factor);
    ir_value *log_y = binary(m, TTIR_multiply, factor, l.log_t);
    log_y = with_literal(m, TTIR_add, log_y, 0.5 * log(2 * pi));
    log_y = binary(m, TTIR_add, log_y, unary(m, TTIR_log, l.sum));
    ir_value *size = unary(m, TTIR_abs, x);
    ir_value *rest = binary(m, TTIR_subtract, size, unary(m, TTIR_floor, size));
    ir_value *other = binary(m, TTIR_subtract, literal(m, 1), rest);
    rest = where(m, compare(m, TTIR_gt, rest, 0.5), other, rest);
    ir_value *sine = unary(m, TTIR_sin, with_literal(m, TTIR_multiply, rest, pi));
    ir_value *mirror = binary(m, TTIR_add, unary(m, TTIR_log, sine), log_y);
    mirror = binary(m, TTIR_subtract, literal(m, log(pi)), mirror);
    ir_value *pole = compare(m, TTIR_eq, rest, 0);
    ir_value *left = where(m, pole, literal(m, INFINITY), mirror);
    ir_value *y = where(m, l.reflected, left, log_y);
    ir_value *infinite = literal(m, INFINITY);
    return where(m, compare(m, TTIR_eq, size, INFINITY), infinite, y);
}

static ir_value *make_digamma(const maths *m, ir_value *x)
{
    lanczos l = read_lanczos(m, x);
    ir_value *y = binary(m, TTIR_subtract, l.log_t, binary(m, TTIR_div, l.slope, l.sum));
    y = binary(m, TTIR_subtract, y, binary(m, TTIR_div, literal(m, lanczos_g), l.t));
    /* left of 1/2 minus pi / tan(pi x), of the distance to the nearest integer */
    ir_value *whole = unary(m, TTIR_floor, with_literal(m, TTIR_add, x, 0.5));
    ir_value *angle =
        with_literal(m, TTIR_multiply, binary(m, TTIR_subtract, x, whole), pi);
    ir_value *cosine = with_literal(m, TTIR_multiply, unary(m, TTIR_cos, angle), pi);
    ir_value *cotangent = binary(m, TTIR_div, cosine, unary(m, TTIR_sin, angle));
    ir_value *left = binary(m, TTIR_subtract, y, cotangent);
    ir_value *pole =
        ir_build1(m->b, TTIR_OP(eq), m->predicate, IR_VALUES(x, whole), NULL, 0);
    left = where(m, pole, literal(m, NAN), left);
    return where(m, l.reflected, left, y);
}

typedef ir_value *maths_fn(const maths *m, ir_value *x);

static const struct {
    uint16_t from;
    maths_fn *make;
} functions[] = {
    {CHLO_acosh, make_acosh},     {CHLO_atanh, make_atanh},     {CHLO_cosh, make_cosh},
    {CHLO_digamma, make_digamma}, {CHLO_erf_inv, make_erf_inv}, {CHLO_lgamma, make_lgamma},
    {CHLO_sinh, make_sinh},
};

static bool convert_function(ir_op *op, ir_builder *b, maths_fn *make)
{
    ir_value *x = op->operands[0].value;
    ir_type t = x->type, f32 = ir_float_type(b->ctx, IR_F32);
    if (ir_type_element(t)->kind != IR_TYPE_FLOAT || t->count > CAPACITY)
        return false;
    bool narrow = ir_type_element(t)->sign == IR_F16 || ir_type_element(t)->sign == IR_BF16;
    maths m = {.b = b,
               .type = narrow ? ir_type_with_element(t, f32) : t,
               .predicate =
                   ir_type_with_element(t, ir_integer_type(b->ctx, 1, IR_SIGNLESS))};
    ir_value *y = make(&m, narrow ? unary(&m, TTIR_typecast, x) : x);
    if (narrow)
        y = ir_build1(b, TTIR_OP(typecast), t, IR_VALUES(y), NULL, 0);
    return s2t_done(op, y);
}

/* ---- the others --------------------------------------------------------------------- */

static bool convert_is_inf(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    maths m = {.b = b, .type = x->type, .predicate = op->results[0].type};
    if (op->def == CHLO_OP(is_inf))
        x = unary(&m, TTIR_abs, x);
    double which = op->def == CHLO_OP(is_neg_inf) ? -INFINITY : INFINITY;
    return s2t_done(op, compare(&m, TTIR_eq, x, which));
}

static bool convert_square(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    if (ir_type_element(x->type)->kind == IR_TYPE_COMPLEX)
        return false;
    return s2t_done(op, ir_build1(b, TTIR_OP(multiply), x->type, IR_VALUES(x, x), NULL, 0));
}

static bool convert_constant_like(ir_op *op, ir_builder *b)
{
    ir_attr value = ir_op_attr(op, "value");
    ir_type t = op->results[0].type, element = ir_type_element(t);
    if (!ir_type_has_static_shape(t))
        return false;
    if (ir_attr_is(value, IR_ATTR_INTEGER) && element->kind == IR_TYPE_INTEGER)
        return s2t_done(
            op, ir_build1(b, TTIR_OP(constant), t, NULL, 0,
                          IR_ATTRS({"value", ir_dense_splat_int(t, value->value)})));
    if (!ir_attr_is(value, IR_ATTR_FLOAT) || element->kind != IR_TYPE_FLOAT)
        return false;
    return s2t_done(op, s2t_splat(b, t, ir_attr_real(value, 0)));
}

static bool convert_constant(ir_op *op, ir_builder *b)
{
    ir_op *plain = ir_build_op(b, STABLEHLO_OP(constant), &op->results[0].type, 1, NULL, 0,
                               IR_ATTRS({"value", ir_op_attr(op, "value")}), 0);
    ir_value_replace_uses(&op->results[0], ir_op_result(plain, 0));
    ir_op_erase(op);
    return s2t_convert(plain);
}

static bool convert_top_k(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    ir_type types[] = {op->results[0].type, op->results[1].type};
    ir_op *made = ir_build_op(b, TTIR_OP(topk), types, 2, &x, 1,
                              IR_ATTRS({"k", ir_i32_attr(b->ctx, ir_op_int(op, "k", 1))},
                                       {"dim", ir_i32_attr(b->ctx, -1)},
                                       {"largest", ir_bool_attr(b->ctx, true)},
                                       {"sorted", ir_bool_attr(b->ctx, true)}),
                              0);
    for (uint32_t i = 0; i < 2; i++)
        ir_value_replace_uses(&op->results[i], ir_op_result(made, i));
    ir_op_erase(op);
    return true;
}

/* ---- operations that broadcast their operands --------------------------------------- */

static const struct {
    uint16_t from, to;
} broadcasting[] = {
    {CHLO_broadcast_add, STABLEHLO_add},
    {CHLO_broadcast_and, STABLEHLO_and},
    {CHLO_broadcast_atan2, STABLEHLO_atan2},
    {CHLO_broadcast_compare, STABLEHLO_compare},
    {CHLO_broadcast_divide, STABLEHLO_divide},
    {CHLO_broadcast_maximum, STABLEHLO_maximum},
    {CHLO_broadcast_minimum, STABLEHLO_minimum},
    {CHLO_broadcast_multiply, STABLEHLO_multiply},
    {CHLO_broadcast_or, STABLEHLO_or},
    {CHLO_broadcast_power, STABLEHLO_power},
    {CHLO_broadcast_remainder, STABLEHLO_remainder},
    {CHLO_broadcast_select, STABLEHLO_select},
    {CHLO_broadcast_shift_left, STABLEHLO_shift_left},
    {CHLO_broadcast_shift_right_arithmetic, STABLEHLO_shift_right_arithmetic},
    {CHLO_broadcast_shift_right_logical, STABLEHLO_shift_right_logical},
    {CHLO_broadcast_subtract, STABLEHLO_subtract},
    {CHLO_broadcast_xor, STABLEHLO_xor},
};

/* Broadcasts v to the shape of t: its dimensions map to those in `at`, or else to the
 * trailing ones. */
static ir_value *broadcast(ir_builder *b, ir_value *v, ir_type t, const int64_t *at,
                           int64_t n)
{
    int64_t dims[CAPACITY];
    size_t lead = t->count - v->type->count;
    for (size_t i = 0; i < t->count; i++)
        dims[i] = 1;
    for (size_t i = 0; i < v->type->count; i++)
        dims[n == v->type->count ? (size_t)at[i] : lead + i] = v->type->dims[i];
    return s2t_broadcast(b, s2t_reshape(b, v, dims, t->count), t->dims, t->count);
}

static bool convert_broadcasting(ir_op *op, ir_builder *b, uint16_t row)
{
    ir_type t = op->results[0].type;
    ir_value *operands[3];
    int64_t at[CAPACITY];
    int64_t n = ir_attr_ints(ir_op_attr(op, "broadcast_dimensions"), at, CAPACITY);
    if (!ir_type_has_static_shape(t) || t->count > CAPACITY)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type from = op->operands[i].value->type;
        if (!ir_type_has_static_shape(from) || from->count > t->count)
            return false;
        for (int64_t k = 0; n == from->count && k < n; k++)
            if (at[k] < 0 || at[k] >= t->count || (k > 0 && at[k] <= at[k - 1]))
                return false;
    }
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        bool lower = v->type->count < t->count;
        operands[i] = broadcast(b, v, t, at, lower ? n : -1);
    }
    ir_attr direction = NULL, type = NULL;
    if (op->def == CHLO_OP(broadcast_compare)) { /* same case numbers in both */
        direction = ir_enum_attr(b->ctx, STABLEHLO_ATTR(comparison_direction),
                                 ir_enum_value(ir_op_attr(op, "comparison_direction"), 0));
        if (ir_op_attr(op, "compare_type"))
            type = ir_enum_attr(b->ctx, STABLEHLO_ATTR(comparison_type),
                                ir_enum_value(ir_op_attr(op, "compare_type"), 0));
    }
    ir_op *plain = ir_build_op(
        b, &stablehlo_ops[row], &t, 1, operands, op->n_operands,
        IR_ATTRS({"comparison_direction", direction}, {"compare_type", type}), 0);
    ir_value_replace_uses(&op->results[0], ir_op_result(plain, 0));
    ir_op_erase(op);
    return s2t_convert(plain);
}

/* ---- tables ------------------------------------------------------------------------- */

enum { NO_ROW = UINT16_MAX };

static const struct {
    uint16_t from, to;
} renamed[] = {
#define HLO(name) NO_ROW
#define CHLO(name) CHLO_##name
#define none NO_ROW
#define TTIR_ELEMENTWISE(ttir, ttnn, form, folding, hlo, ...) {hlo, TTIR_##ttir},
#include "ttnn/elementwise.def"
#undef none
    {CHLO_tan, TTIR_tan},
};

static const struct {
    uint16_t from;
    s2t_fn *convert;
} others[] = {
    {CHLO_constant, convert_constant}, {CHLO_constant_like, convert_constant_like},
    {CHLO_is_inf, convert_is_inf},     {CHLO_is_neg_inf, convert_is_inf},
    {CHLO_is_pos_inf, convert_is_inf}, {CHLO_square, convert_square},
    {CHLO_top_k, convert_top_k},
};

bool s2t_chlo(ir_op *op, ir_builder *b)
{
    size_t row = (size_t)(op->def - chlo_ops);
    for (size_t i = 0; i < TW_COUNT(renamed); i++)
        if (renamed[i].from == row)
            return s2t_done(op, ir_build1(b, &ttir_ops[renamed[i].to], op->results[0].type,
                                          IR_VALUES(op->operands[0].value), NULL, 0));
    for (size_t i = 0; i < TW_COUNT(functions); i++)
        if (functions[i].from == row)
            return convert_function(op, b, functions[i].make);
    for (size_t i = 0; i < TW_COUNT(broadcasting); i++)
        if (broadcasting[i].from == row)
            return convert_broadcasting(op, b, broadcasting[i].to);
    for (size_t i = 0; i < TW_COUNT(others); i++)
        if (others[i].from == row)
            return others[i].convert(op, b);
    return false;
}
