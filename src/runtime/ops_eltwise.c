/* ops_eltwise.c: element-wise operations with numpy broadcasting.
 *
 * Numbers pass through strips: floats as f32 (rounded to the result's type where they are
 * stored), integers as 64 bits (wrapped where they are stored). */
#include "dialect/ttnn/ttnn.h"
#include "runtime/plan.h"

#include <math.h>

enum { STRIP = 256, MOST = 3 };

typedef void real_fn(const float *const *in, float *out, size_t n, const float *args);
typedef void int_fn(const int64_t *const *in, int64_t *out, size_t n);

#define REAL(name, expr)                                                                  \
    static void name(const float *const *in, float *out, size_t n, const float *args)     \
    {                                                                                     \
        const float *a = in[0], *b = in[1], *c = in[2];                                   \
        (void)a, (void)b, (void)c, (void)args;                                            \
        for (size_t i = 0; i < n; i++)                                                    \
            out[i] = expr;                                                                \
    }
#define INT(name, expr)                                                                   \
    static void name(const int64_t *const *in, int64_t *out, size_t n)                    \
    {                                                                                     \
        const int64_t *a = in[0], *b = in[1], *c = in[2];                                 \
        (void)a, (void)b, (void)c;                                                        \
        for (size_t i = 0; i < n; i++)                                                    \
            out[i] = expr;                                                                \
    }

/* max and min hand NaN on, as torch and StableHLO do */
static inline float max_nan(float a, float b)
{
    return a != a ? a : b != b ? b : a > b ? a : b;
}
static inline float min_nan(float a, float b)
{
    return a != a ? a : b != b ? b : a < b ? a : b;
}
static inline float sign_of(float a)
{
    return a != a ? a : (float)((a > 0) - (a < 0));
}

REAL(r_abs, fabsf(a[i]))
REAL(r_acos, acosf(a[i]))
REAL(r_add, a[i] + b[i])
REAL(r_asin, asinf(a[i]))
REAL(r_asinh, asinhf(a[i]))
REAL(r_atan, atanf(a[i]))
REAL(r_atan2, atan2f(a[i], b[i]))
REAL(r_cbrt, cbrtf(a[i]))
REAL(r_ceil, ceilf(a[i]))
REAL(r_clamp_scalar, min_nan(max_nan(a[i], args[0]), args[1]))
REAL(r_clamp, min_nan(max_nan(a[i], b[i]), c[i]))
REAL(r_cos, cosf(a[i]))
REAL(r_div, a[i] / b[i])
REAL(r_eq, (float)(a[i] == b[i]))
REAL(r_erf, erff(a[i]))
REAL(r_erfc, erfcf(a[i]))
REAL(r_exp, expf(a[i]))
REAL(r_expm1, expm1f(a[i]))
REAL(r_floor, floorf(a[i]))
REAL(r_ge, (float)(a[i] >= b[i]))
REAL(r_gelu, 0.5f * a[i] * erfcf(-a[i] * 0.70710678118654752f))
REAL(r_gt, (float)(a[i] > b[i]))
REAL(r_hardsigmoid, min_nan(max_nan(a[i] / 6.0f + 0.5f, 0.0f), 1.0f))
REAL(r_isfinite, (float)(isfinite(a[i]) != 0))
REAL(r_le, (float)(a[i] <= b[i]))
REAL(r_leaky, a[i] > 0 ? a[i] : a[i] * args[0])
REAL(r_log, logf(a[i]))
REAL(r_log1p, log1pf(a[i]))
REAL(r_and, (float)(a[i] != 0 && b[i] != 0))
REAL(r_not, (float)(a[i] == 0))
REAL(r_or, (float)(a[i] != 0 || b[i] != 0))
REAL(r_xor, (float)((a[i] != 0) != (b[i] != 0)))
REAL(r_lt, (float)(a[i] < b[i]))
REAL(r_max, max_nan(a[i], b[i]))
REAL(r_min, min_nan(a[i], b[i]))
REAL(r_mish, a[i] * tanhf(log1pf(expf(a[i]))))
REAL(r_mul, a[i] *b[i])
REAL(r_ne, (float)(a[i] != b[i]))
REAL(r_neg, -a[i])
REAL(r_pow, powf(a[i], b[i]))
REAL(r_reciprocal, 1.0f / a[i])
REAL(r_relu, a[i] != a[i] ? a[i] : a[i] > 0 ? a[i] : 0)
REAL(r_relu6, min_nan(max_nan(a[i], 0), 6))
REAL(r_remainder, fmodf(a[i], b[i]))
REAL(r_rsqrt, 1.0f / sqrtf(a[i]))
REAL(r_sigmoid, 1.0f / (1.0f + expf(-a[i])))
REAL(r_sign, sign_of(a[i]))
REAL(r_silu, a[i] / (1.0f + expf(-a[i])))
REAL(r_sin, sinf(a[i]))
REAL(r_sqrt, sqrtf(a[i]))
REAL(r_sub, a[i] - b[i])
REAL(r_tan, tanf(a[i]))
REAL(r_tanh, tanhf(a[i]))
REAL(r_where, a[i] != 0 ? b[i] : c[i])

INT(i_abs, a[i] < 0 ? -a[i] : a[i])
INT(i_add, a[i] + b[i])
INT(i_band, a[i] & b[i])
INT(i_bnot, ~a[i])
INT(i_bor, a[i] | b[i])
INT(i_bxor, a[i] ^ b[i])
INT(i_clamp, TW_MIN(TW_MAX(a[i], b[i]), c[i]))
INT(i_div, b[i] == 0 ? -1 : b[i] == -1 ? (int64_t)(0 - (uint64_t)a[i]) : a[i] / b[i])
INT(i_eq, a[i] == b[i])
INT(i_ge, a[i] >= b[i])
INT(i_gt, a[i] > b[i])
INT(i_le, a[i] <= b[i])
INT(i_and, a[i] && b[i])
INT(i_not, !a[i])
INT(i_or, a[i] || b[i])
INT(i_xor, !a[i] != !b[i])
INT(i_lt, a[i] < b[i])
INT(i_max, TW_MAX(a[i], b[i]))
INT(i_min, TW_MIN(a[i], b[i]))
INT(i_mul, (int64_t)((uint64_t)a[i] * (uint64_t)b[i]))
INT(i_ne, a[i] != b[i])
INT(i_neg, (int64_t)(0 - (uint64_t)a[i]))
INT(i_relu, TW_MAX(a[i], 0))
INT(i_rem, b[i] == 0 ? a[i] : b[i] == -1 ? 0 : a[i] % b[i])
INT(i_sign, (a[i] > 0) - (a[i] < 0))
INT(i_shl, b[i] < 0 || b[i] >= 32 ? 0 : (int64_t)((uint64_t)a[i] << b[i]))
INT(i_shr, b[i] < 0 || b[i] >= 32 ? 0 : (int64_t)((uint64_t)(uint32_t)a[i] >> b[i]))
INT(i_sub, a[i] - b[i])
INT(i_where, a[i] ? b[i] : c[i])

static void i_pow(const int64_t *const *in, int64_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t result = 1, base = (uint64_t)in[0][i];
        int64_t e = in[1][i];
        if (e < 0) { /* only +1 and -1 have an integer inverse */
            out[i] = in[0][i] == 1 ? 1 : in[0][i] == -1 ? (e & 1 ? -1 : 1) : 0;
            continue;
        }
        for (; e; e >>= 1, base *= base)
            if (e & 1)
                result *= base;
        out[i] = (int64_t)result;
    }
}

typedef struct function {
    uint16_t row;
    real_fn *real;
    int_fn *integer;
    const char *args[2]; /* attributes handed over as numbers */
} function;

static const function functions[] = {
    {TTNN_abs, r_abs, i_abs, {0}},
    {TTNN_acos, r_acos, NULL, {0}},
    {TTNN_add, r_add, i_add, {0}},
    {TTNN_asin, r_asin, NULL, {0}},
    {TTNN_asinh, r_asinh, NULL, {0}},
    {TTNN_atan, r_atan, NULL, {0}},
    {TTNN_atan2, r_atan2, NULL, {0}},
    {TTNN_bitwise_and, NULL, i_band, {0}},
    {TTNN_bitwise_not, NULL, i_bnot, {0}},
    {TTNN_bitwise_or, NULL, i_bor, {0}},
    {TTNN_bitwise_xor, NULL, i_bxor, {0}},
    {TTNN_cbrt, r_cbrt, NULL, {0}},
    {TTNN_ceil, r_ceil, NULL, {0}},
    {TTNN_clamp_scalar, r_clamp_scalar, NULL, {"min", "max"}},
    {TTNN_clamp_tensor, r_clamp, i_clamp, {0}},
    {TTNN_cos, r_cos, NULL, {0}},
    {TTNN_divide, r_div, i_div, {0}},
    {TTNN_eq, r_eq, i_eq, {0}},
    {TTNN_erf, r_erf, NULL, {0}},
    {TTNN_erfc, r_erfc, NULL, {0}},
    {TTNN_exp, r_exp, NULL, {0}},
    {TTNN_expm1, r_expm1, NULL, {0}},
    {TTNN_floor, r_floor, NULL, {0}},
    {TTNN_ge, r_ge, i_ge, {0}},
    {TTNN_gelu, r_gelu, NULL, {0}},
    {TTNN_gt, r_gt, i_gt, {0}},
    {TTNN_hardsigmoid, r_hardsigmoid, NULL, {0}},
    {TTNN_isfinite, r_isfinite, NULL, {0}},
    {TTNN_le, r_le, i_le, {0}},
    {TTNN_leaky_relu, r_leaky, NULL, {"parameter"}},
    {TTNN_log, r_log, NULL, {0}},
    {TTNN_log1p, r_log1p, NULL, {0}},
    {TTNN_logical_and, r_and, i_and, {0}},
    {TTNN_logical_left_shift, NULL, i_shl, {0}},
    {TTNN_logical_not, r_not, i_not, {0}},
    {TTNN_logical_or, r_or, i_or, {0}},
    {TTNN_logical_right_shift, NULL, i_shr, {0}},
    {TTNN_logical_xor, r_xor, i_xor, {0}},
    {TTNN_lt, r_lt, i_lt, {0}},
    {TTNN_maximum, r_max, i_max, {0}},
    {TTNN_minimum, r_min, i_min, {0}},
    {TTNN_mish, r_mish, NULL, {0}},
    {TTNN_multiply, r_mul, i_mul, {0}},
    {TTNN_ne, r_ne, i_ne, {0}},
    {TTNN_neg, r_neg, i_neg, {0}},
    {TTNN_pow_tensor, r_pow, i_pow, {0}},
    {TTNN_reciprocal, r_reciprocal, NULL, {0}},
    {TTNN_relu, r_relu, i_relu, {0}},
    {TTNN_relu6, r_relu6, NULL, {0}},
    {TTNN_remainder, r_remainder, i_rem, {0}},
    {TTNN_rsqrt, r_rsqrt, NULL, {0}},
    {TTNN_sigmoid, r_sigmoid, NULL, {0}},
    {TTNN_sign, r_sign, i_sign, {0}},
    {TTNN_silu, r_silu, NULL, {0}},
    {TTNN_sin, r_sin, NULL, {0}},
    {TTNN_sqrt, r_sqrt, NULL, {0}},
    {TTNN_subtract, r_sub, i_sub, {0}},
    {TTNN_tan, r_tan, NULL, {0}},
    {TTNN_tanh, r_tanh, NULL, {0}},
    {TTNN_where, r_where, i_where, {0}},
};

typedef struct eltwise {
    real_fn *real; /* one of the two */
    int_fn *integer;
    float args[2];
    int rank;
    int64_t dims[RT_MAX_RANK];              /* of the result, merged where possible */
    int64_t strides[MOST][RT_MAX_RANK];     /* in elements; 0 where an operand stretches */
} eltwise;

/* Loads a strip along the last dimension: contiguous, or one number for all. */
static void load_real(const rt_value *v, int64_t at, int64_t stride, size_t n, float *to)
{
    rt_load_f32(v->dtype, rt_data(v), (size_t)at, stride ? n : 1, to);
    for (size_t i = 1; !stride && i < n; i++)
        to[i] = to[0];
}

static void load_int(const rt_value *v, int64_t at, int64_t stride, size_t n, int64_t *to)
{
    rt_load_i64(v->dtype, rt_data(v), (size_t)at, stride ? n : 1, to);
    for (size_t i = 1; !stride && i < n; i++)
        to[i] = to[0];
}

static void run_row(const rt_step *step, const eltwise *e, const int64_t *at, int64_t out_at,
                    int64_t length)
{
    float reals[MOST][STRIP], real_out[STRIP];
    int64_t ints[MOST][STRIP], int_out[STRIP];
    const float *rp[MOST] = {reals[0], reals[1], reals[2]};
    const int64_t *ip[MOST] = {ints[0], ints[1], ints[2]};
    int last = e->rank - 1;
    for (int64_t done = 0; done < length; done += STRIP) {
        size_t n = (size_t)TW_MIN((int64_t)STRIP, length - done);
        for (uint32_t k = 0; k < step->n_in; k++) {
            int64_t stride = e->rank ? e->strides[k][last] : 1, from = at[k] + done * stride;
            if (e->real) {
                if (stride && step->in[k]->dtype == TW_F32)
                    rp[k] = (const float *)rt_data(step->in[k]) + from;
                else
                    load_real(step->in[k], from, stride, n, reals[k]);
            } else {
                load_int(step->in[k], from, stride, n, ints[k]);
            }
        }
        if (e->real) {
            bool direct = step->out->dtype == TW_F32;
            float *to = direct ? (float *)rt_data(step->out) + out_at + done : real_out;
            e->real(rp, to, n, e->args);
            if (!direct)
                rt_store_f32(step->out->dtype, real_out, n, rt_data(step->out),
                             (size_t)(out_at + done));
        } else {
            e->integer(ip, int_out, n);
            rt_store_i64(step->out->dtype, int_out, n, rt_data(step->out), (size_t)(out_at + done));
        }
    }
}

static void run_eltwise(const rt_step *step)
{
    const eltwise *e = step->state;
    int64_t index[RT_MAX_RANK] = {0}, at[MOST] = {0}, out_at = 0;
    int64_t length = e->rank ? e->dims[e->rank - 1] : 1;
    if (step->out->count == 0)
        return;
    for (;;) {
        run_row(step, e, at, out_at, length);
        out_at += length;
        int d = e->rank - 2;
        for (; d >= 0; d--) {
            for (uint32_t k = 0; k < step->n_in; k++)
                at[k] += e->strides[k][d];
            if (++index[d] < e->dims[d])
                break;
            for (uint32_t k = 0; k < step->n_in; k++)
                at[k] -= e->strides[k][d] * e->dims[d];
            index[d] = 0;
        }
        if (d < 0)
            return;
    }
}

/* Strides of each operand over the result's dimensions; then neighbouring dimensions that
 * every operand walks through in one go become one. */
static tw_status set_strides(ir_op *op, const rt_step *step, eltwise *e)
{
    const rt_value *out = step->out;
    e->rank = out->rank;
    for (int d = 0; d < out->rank; d++)
        e->dims[d] = out->dims[d];
    for (uint32_t k = 0; k < step->n_in; k++) {
        const rt_value *v = step->in[k];
        int64_t stride = 1;
        for (int d = v->rank - 1; d >= 0; d--) {
            int at = out->rank - v->rank + d;
            if (at < 0 || (v->dims[d] != 1 && v->dims[d] != out->dims[at]))
                return tw_error(TW_INVALID, "'%s': operand %u does not broadcast to the result",
                                op->def->name, k);
            e->strides[k][at] = v->dims[d] == 1 && out->dims[at] != 1 ? 0 : stride;
            stride *= v->dims[d];
        }
    }
    int kept = 0;
    for (int d = 1; d < e->rank; d++) {
        bool merge = true;
        for (uint32_t k = 0; k < step->n_in; k++)
            merge &= e->strides[k][kept] == e->strides[k][d] * e->dims[d];
        if (merge) {
            e->dims[kept] *= e->dims[d];
        } else {
            e->dims[++kept] = e->dims[d];
        }
        for (uint32_t k = 0; k < step->n_in; k++)
            e->strides[k][kept] = e->strides[k][d];
    }
    if (e->rank)
        e->rank = kept + 1;
    return TW_SUCCESS;
}

static tw_status prepare(rt_plan *plan, ir_op *op, rt_step *step)
{
    const function *f = functions;
    while (&ttnn_ops[f->row] != op->def)
        f++;
    eltwise *e = TW_ARENA_NEW(&plan->arena, eltwise);
    if (step->n_in > MOST || step->n_in == 0)
        return tw_error(TW_UNSUPPORTED, "'%s' with %u operands", op->def->name, step->n_in);
    /* the last operand decides: the first of `where` is only a condition */
    bool real = rt_is_float(step->in[step->n_in - 1]->dtype);
    e->real = real ? f->real : NULL;
    e->integer = real ? NULL : f->integer;
    if (!e->real && !e->integer) {
        if (real || !f->real)
            return tw_error(TW_UNSUPPORTED, "'%s' has no kernel for %s", op->def->name,
                            tw_dtype_name(step->in[0]->dtype));
        e->real = f->real; /* integers through floats: sqrt of an integer and its kin */
    }
    for (int i = 0; i < 2 && f->args[i]; i++)
        e->args[i] = (float)ir_op_real(op, f->args[i], 0);
    step->state = e;
    step->run = run_eltwise;
    return set_strides(op, step, e);
}

const rt_kernel rt_eltwise_kernels[] = {
#define X(name) {TTNN_##name, prepare}
    X(abs),          X(acos),       X(add),        X(asin),         X(asinh),
    X(atan),         X(atan2),      X(bitwise_and), X(bitwise_not), X(bitwise_or),
    X(bitwise_xor),  X(cbrt),       X(ceil),       X(clamp_scalar), X(clamp_tensor),
    X(cos),          X(divide),     X(eq),         X(erf),          X(erfc),
    X(exp),          X(expm1),      X(floor),      X(ge),           X(gelu),
    X(gt),           X(hardsigmoid), X(isfinite),  X(le),           X(leaky_relu),
    X(log),          X(log1p),      X(logical_and), X(logical_left_shift), X(logical_not),
    X(logical_or),   X(logical_right_shift), X(logical_xor), X(lt), X(maximum),
    X(minimum),      X(mish),       X(multiply),   X(ne),           X(neg),
    X(pow_tensor),   X(reciprocal), X(relu),       X(relu6),        X(remainder),
    X(rsqrt),        X(sigmoid),    X(sign),       X(silu),         X(sin),
    X(sqrt),         X(subtract),   X(tan),        X(tanh),         X(where),
#undef X
    {0, NULL},
};
