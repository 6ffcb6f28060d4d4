/* eltwise.c: element-wise operations with numpy broadcasting.
 *
 * Floats go through groups (group.h), which several operations may share; integers pass
 * through strips of 64 bits and are wrapped where they are stored. */
#include "host/strips/strip.h"
#include "runtime/group.h"
#include "ttnn/ttnn.h"

#include <math.h>

enum { STRIP = KRN_STRIP, MOST = 3 };

typedef void int_fn(const int64_t *const *in, int64_t *out, size_t n);

#define INT(name, expr)                                                                    \
    static void name(const int64_t *const *in, int64_t *out, size_t n)                     \
    {                                                                                      \
        const int64_t *a = in[0], *b = in[1], *c = in[2];                                  \
        (void)a, (void)b, (void)c;                                                         \
        for (size_t i = 0; i < n; i++)                                                     \
            out[i] = expr;                                                                 \
    }

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
/* Of the divisor's sign; undefined for 0. */
static int64_t remainder_of(int64_t a, int64_t b)
{
    const int64_t rest = b == 0 ? a : b == -1 ? 0 : a % b;
    return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}

INT(i_rem, remainder_of(a[i], b[i]))
INT(i_sign, (a[i] > 0) - (a[i] < 0))
INT(i_shl, b[i] < 0 || b[i] >= 32 ? 0 : (int64_t)((uint64_t)a[i] << b[i]))
INT(i_shr, b[i] < 0 || b[i] >= 32 ? 0 : (int64_t)((uint64_t)(uint32_t)a[i] >> b[i]))
INT(i_shr8, b[i] < 0 || b[i] >= 8 ? 0 : (int64_t)((uint8_t)a[i] >> b[i]))
INT(i_shr16, b[i] < 0 || b[i] >= 16 ? 0 : (int64_t)((uint16_t)a[i] >> b[i]))
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
    int real; /* krn_strip_id, or NONE */
    int_fn *integer;
    const char *args[2]; /* attributes handed over as numbers */
} function;

enum { NONE = -1 };

static const function functions[] = {
    {TTNN_abs, KRN_STRIP_abs, i_abs, {0}},
    {TTNN_acos, KRN_STRIP_acos, NULL, {0}},
    {TTNN_add, KRN_STRIP_add, i_add, {0}},
    {TTNN_asin, KRN_STRIP_asin, NULL, {0}},
    {TTNN_asinh, KRN_STRIP_asinh, NULL, {0}},
    {TTNN_atan, KRN_STRIP_atan, NULL, {0}},
    {TTNN_atan2, KRN_STRIP_atan2, NULL, {0}},
    {TTNN_bitwise_and, NONE, i_band, {0}},
    {TTNN_bitwise_not, NONE, i_bnot, {0}},
    {TTNN_bitwise_or, NONE, i_bor, {0}},
    {TTNN_bitwise_xor, NONE, i_bxor, {0}},
    {TTNN_cbrt, KRN_STRIP_cbrt, NULL, {0}},
    {TTNN_ceil, KRN_STRIP_ceil, NULL, {0}},
    {TTNN_clamp_scalar, KRN_STRIP_clamp_scalar, i_clamp, {"min", "max"}},
    {TTNN_clamp_tensor, KRN_STRIP_clamp, i_clamp, {0}},
    {TTNN_cos, KRN_STRIP_cos, NULL, {0}},
    {TTNN_divide, KRN_STRIP_div, i_div, {0}},
    {TTNN_eq, KRN_STRIP_eq, i_eq, {0}},
    {TTNN_erf, KRN_STRIP_erf, NULL, {0}},
    {TTNN_erfc, KRN_STRIP_erfc, NULL, {0}},
    {TTNN_exp, KRN_STRIP_exp, NULL, {0}},
    {TTNN_expm1, KRN_STRIP_expm1, NULL, {0}},
    {TTNN_floor, KRN_STRIP_floor, NULL, {0}},
    {TTNN_ge, KRN_STRIP_ge, i_ge, {0}},
    {TTNN_gelu, KRN_STRIP_gelu, NULL, {0}},
    {TTNN_gelu_bw, KRN_STRIP_gelu_bw, NULL, {0}},
    {TTNN_gt, KRN_STRIP_gt, i_gt, {0}},
    {TTNN_hardsigmoid, KRN_STRIP_hardsigmoid, NULL, {0}},
    {TTNN_isfinite, KRN_STRIP_isfinite, NULL, {0}},
    {TTNN_le, KRN_STRIP_le, i_le, {0}},
    {TTNN_leaky_relu, KRN_STRIP_leaky_relu, NULL, {"parameter"}},
    {TTNN_log, KRN_STRIP_log, NULL, {0}},
    {TTNN_log1p, KRN_STRIP_log1p, NULL, {0}},
    {TTNN_logical_and, KRN_STRIP_logical_and, i_and, {0}},
    {TTNN_logical_left_shift, NONE, i_shl, {0}},
    {TTNN_logical_not, KRN_STRIP_logical_not, i_not, {0}},
    {TTNN_logical_or, KRN_STRIP_logical_or, i_or, {0}},
    {TTNN_logical_right_shift, NONE, i_shr, {0}},
    {TTNN_logical_xor, KRN_STRIP_logical_xor, i_xor, {0}},
    {TTNN_lt, KRN_STRIP_lt, i_lt, {0}},
    {TTNN_maximum, KRN_STRIP_maximum, i_max, {0}},
    {TTNN_minimum, KRN_STRIP_minimum, i_min, {0}},
    {TTNN_mish, KRN_STRIP_mish, NULL, {0}},
    {TTNN_multiply, KRN_STRIP_multiply, i_mul, {0}},
    {TTNN_ne, KRN_STRIP_ne, i_ne, {0}},
    {TTNN_neg, KRN_STRIP_neg, i_neg, {0}},
    {TTNN_pow_scalar, KRN_STRIP_pow_scalar, NULL, {"rhs"}},
    {TTNN_pow_tensor, KRN_STRIP_pow, i_pow, {0}},
    {TTNN_reciprocal, KRN_STRIP_reciprocal, NULL, {0}},
    {TTNN_relu, KRN_STRIP_relu, i_relu, {0}},
    {TTNN_relu6, KRN_STRIP_relu6, NULL, {0}},
    {TTNN_remainder, KRN_STRIP_remainder, i_rem, {0}},
    {TTNN_rsqrt, KRN_STRIP_rsqrt, NULL, {0}},
    {TTNN_sigmoid, KRN_STRIP_sigmoid, NULL, {0}},
    {TTNN_sign, KRN_STRIP_sign, i_sign, {0}},
    {TTNN_silu, KRN_STRIP_silu, NULL, {0}},
    {TTNN_sin, KRN_STRIP_sin, NULL, {0}},
    {TTNN_sqrt, KRN_STRIP_sqrt, NULL, {0}},
    {TTNN_subtract, KRN_STRIP_subtract, i_sub, {0}},
    {TTNN_tan, KRN_STRIP_tan, NULL, {0}},
    {TTNN_tanh, KRN_STRIP_tanh, NULL, {0}},
    {TTNN_where, KRN_STRIP_where, i_where, {0}},
};

/* ---- integers ----------------------------------------------------------------------- */

typedef struct whole {
    int_fn *fn;
    int64_t args[2]; /* attributes, which stand for operands behind the first */
    int n_args;
    rt_walk walk;
    int64_t strides[MOST][RT_MAX_RANK];
} whole;

static void load_int(const rt_value *v, int64_t at, int64_t stride, size_t n, int64_t *to)
{
    if (stride == 1 || n == 1) {
        rt_load_i64(v->dtype, rt_data(v), (size_t)at, n, to);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (i && !stride)
            to[i] = to[0];
        else
            rt_load_i64(v->dtype, rt_data(v), (size_t)(at + (int64_t)i * stride), 1,
                        &to[i]);
}

static void int_row(const rt_step *step, const whole *w, const int64_t *at, int64_t out_at,
                    int64_t length)
{
    int64_t ints[MOST][STRIP], result[STRIP];
    const int64_t *in[MOST] = {ints[0], ints[1], ints[2]};
    int last = w->walk.rank - 1;
    for (int k = 0; k < w->n_args; k++)
        for (int64_t i = 0; i < TW_MIN((int64_t)STRIP, length); i++)
            ints[k + 1][i] = w->args[k];
    for (int64_t done = 0; done < length; done += STRIP) {
        size_t n = (size_t)TW_MIN((int64_t)STRIP, length - done);
        for (uint32_t k = 0; k < step->n_in; k++) {
            int64_t stride = last >= 0 ? w->strides[k][last] : 1;
            load_int(step->in[k], at[k] + done * stride, stride, n, ints[k]);
        }
        w->fn(in, result, n);
        rt_store_i64(step->out->dtype, result, n, rt_data(step->out),
                     (size_t)(out_at + done));
    }
}

static void run_whole(const rt_step *step)
{
    const whole *w = step->state;
    int64_t index[RT_MAX_RANK] = {0}, at[MOST] = {0}, out_at = 0;
    int64_t length = w->walk.rank ? w->walk.dims[w->walk.rank - 1] : 1;
    if (step->out->count == 0)
        return;
    for (;;) {
        int_row(step, w, at, out_at, length);
        out_at += length;
        int d = w->walk.rank - 2;
        for (; d >= 0; d--) {
            for (uint32_t k = 0; k < step->n_in; k++)
                at[k] += w->strides[k][d];
            if (++index[d] < w->walk.dims[d])
                break;
            for (uint32_t k = 0; k < step->n_in; k++)
                at[k] -= w->strides[k][d] * w->walk.dims[d];
            index[d] = 0;
        }
        if (d < 0)
            return;
    }
}

/* An attribute as an integer: floats are truncated, as they are where they are stored. */
static int64_t int_arg(ir_op *op, const char *name)
{
    ir_attr a = ir_op_attr(op, name);
    if (!ir_attr_is(a, IR_ATTR_FLOAT))
        return ir_attr_int(a, 0);
    double v = ir_attr_real(a, 0);
    return v >= 0x1p62 ? INT64_MAX : v > -0x1p62 ? (int64_t)v : INT64_MIN;
}

static tw_status prepare_whole(rt_plan *plan, ir_op *op, rt_step *step, int_fn *fn,
                               const char *const *args)
{
    whole *w = TW_ARENA_NEW(&plan->arena, whole);
    int64_t *strides[MOST];
    /* zeros move in at the width of the type, where the strip has copies of the sign */
    if (fn == i_shr && tw_dtype_size(step->in[0]->dtype) < sizeof(int32_t))
        fn = tw_dtype_size(step->in[0]->dtype) == 1 ? i_shr8 : i_shr16;
    w->fn = fn;
    for (w->n_args = 0; w->n_args < 2 && args[w->n_args]; w->n_args++)
        w->args[w->n_args] = int_arg(op, args[w->n_args]);
    for (uint32_t k = 0; k < step->n_in; k++) {
        strides[k] = w->strides[k];
        if (!rt_broadcast_strides(step->in[k], step->out, w->strides[k]))
            return tw_error(TW_INVALID, "'%s': operand %u does not broadcast to the result",
                            op->def->name, k);
    }
    w->walk = rt_walk_of(step->out);
    rt_merge_dims(&w->walk, strides, step->n_in);
    step->state = w;
    step->run = run_whole;
    return TW_SUCCESS;
}

static tw_status prepare(rt_plan *plan, ir_op *op, rt_step *step)
{
    const function *f = functions;
    while (&ttnn_ops[f->row] != op->def)
        f++;
    if (step->n_in > MOST || step->n_in == 0)
        return tw_error(TW_UNSUPPORTED, "'%s' with %u operands", op->def->name, step->n_in);
    /* the last operand decides: the first of `where` is only a condition */
    bool real = rt_is_float(step->in[step->n_in - 1]->dtype);
    if (!real && f->integer)
        return prepare_whole(plan, op, step, f->integer, f->args);
    if (f->real == NONE)
        return tw_error(TW_UNSUPPORTED, "'%s' has no kernel for %s", op->def->name,
                        tw_dtype_name(step->in[0]->dtype));
    float args[2] = {0}; /* integers without a function of their own go through floats */
    for (int i = 0; i < 2 && f->args[i]; i++)
        args[i] = (float)ir_op_real(op, f->args[i], 0);
    int real_fn = f->real;
    ir_attr form = ir_op_attr(op, "approximate");
    if (real_fn == KRN_STRIP_gelu_bw && form && tw_str_is(ir_attr_str(form), "tanh"))
        real_fn = KRN_STRIP_gelu_tanh_bw;
    return rt_group_prepare(plan, step, (krn_strip_id)real_fn, args);
}

const rt_kernel rt_eltwise_kernels[] = {
#define X(name)                                                                            \
    {                                                                                      \
        TTNN_##name, prepare                                                               \
    }
    X(abs),
    X(acos),
    X(add),
    X(asin),
    X(asinh),
    X(atan),
    X(atan2),
    X(bitwise_and),
    X(bitwise_not),
    X(bitwise_or),
    X(bitwise_xor),
    X(cbrt),
    X(ceil),
    X(clamp_scalar),
    X(clamp_tensor),
    X(cos),
    X(divide),
    X(eq),
    X(erf),
    X(erfc),
    X(exp),
    X(expm1),
    X(floor),
    X(ge),
    X(gelu),
    X(gelu_bw),
    X(gt),
    X(hardsigmoid),
    X(isfinite),
    X(le),
    X(leaky_relu),
    X(log),
    X(log1p),
    X(logical_and),
    X(logical_left_shift),
    X(logical_not),
    X(logical_or),
    X(logical_right_shift),
    X(logical_xor),
    X(lt),
    X(maximum),
    X(minimum),
    X(mish),
    X(multiply),
    X(ne),
    X(neg),
    X(pow_scalar),
    X(pow_tensor),
    X(reciprocal),
    X(relu),
    X(relu6),
    X(remainder),
    X(rsqrt),
    X(sigmoid),
    X(sign),
    X(silu),
    X(sin),
    X(sqrt),
    X(subtract),
    X(tan),
    X(tanh),
    X(where),
#undef X
    {0, NULL},
};
