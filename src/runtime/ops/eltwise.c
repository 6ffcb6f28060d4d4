/* eltwise.c: element-wise operations with numpy broadcasting.
 *
 * Floats go through groups (group.h), which several operations may share; integers pass
 * through strips of 64 bits and are wrapped where they are stored. */
#include "host/strips/strip.h"
#include "runtime/group.h"
#include "ttnn/ttnn.h"

#include <math.h>

enum { STRIP = KRN_STRIP, CAPACITY = 3 };

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
    krn_strip_id real;
    int_fn *integer;
} function;

/* clang-format off */
static const function functions[] = {
#define TTNN_ELEMENTWISE(ttnn, form, call, strip, whole, ...)                              \
    {TTNN_##ttnn, KRN_STRIP_##strip, whole},
#include "ttnn/elementwise.def"
};
/* clang-format on */

/* ---- integers ----------------------------------------------------------------------- */

typedef struct whole {
    int_fn *fn;
    int64_t args[2]; /* attributes, which replace operands after the first */
    int n_args;
    rt_walk walk;
    int64_t strides[CAPACITY][RT_MAX_RANK];
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
    int64_t ints[CAPACITY][STRIP], result[STRIP];
    const int64_t *in[CAPACITY] = {ints[0], ints[1], ints[2]};
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
    int64_t index[RT_MAX_RANK] = {0}, at[CAPACITY] = {0}, out_at = 0;
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

/* The attribute that is the function's number k, NULL if there is none. */
static const char *number_named(const ir_op *op, uint32_t k)
{
    const ir_attr value =
        k < op->def->attrs.count ? ir_op_attr(op, op->def->attrs.at[k].name) : NULL;
    return ir_attr_is(value, IR_ATTR_FLOAT) || ir_attr_is(value, IR_ATTR_INTEGER)
               ? op->def->attrs.at[k].name
               : NULL;
}

static tw_status prepare_whole(rt_plan *plan, ir_op *op, rt_step *step, int_fn *fn)
{
    whole *w = TW_ARENA_NEW(&plan->arena, whole);
    int64_t *strides[CAPACITY];
    /* zeros move in at the width of the type, where the strip has copies of the sign */
    if (fn == i_shr && tw_dtype_size(step->in[0]->dtype) < sizeof(int32_t))
        fn = tw_dtype_size(step->in[0]->dtype) == 1 ? i_shr8 : i_shr16;
    w->fn = fn;
    for (uint32_t k = 0; k < 2 && number_named(op, k); k++)
        w->args[w->n_args++] = int_arg(op, number_named(op, k));
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

/* Whether a float is among the numbers that it computes with: the first operand of `where`
 * is only a condition. */
static bool has_floats(const ir_op *op, const rt_step *step)
{
    for (uint32_t k = op->def == TTNN_OP(where); k < step->n_in; k++)
        if (rt_is_float(step->in[k]->dtype))
            return true;
    return false;
}

tw_status rt_prepare_elementwise(rt_plan *plan, ir_op *op, rt_step *step)
{
    const function *f = functions;
    while (&ttnn_ops[f->row] != op->def)
        f++;
    if (step->n_in > CAPACITY || step->n_in == 0)
        return tw_error(TW_UNSUPPORTED, "'%s' with %u operands", op->def->name, step->n_in);
    if (f->integer && !(f->real != KRN_STRIP_none && has_floats(op, step)))
        return prepare_whole(plan, op, step, f->integer);
    if (f->real == KRN_STRIP_none)
        return tw_error(TW_UNSUPPORTED, "'%s' has no kernel for %s", op->def->name,
                        tw_dtype_name(step->in[0]->dtype));
    float args[2] = {0}; /* integers without a function of their own go through floats */
    for (uint32_t k = 0; k < 2 && number_named(op, k); k++)
        args[k] = (float)ir_op_real(op, number_named(op, k), 0);
    krn_strip_id real_fn = f->real;
    ir_attr form = ir_op_attr(op, "approximate");
    if (real_fn == KRN_STRIP_gelu_bw && form && tw_str_is(ir_attr_str(form), "tanh"))
        real_fn = KRN_STRIP_gelu_tanh_bw;
    return rt_group_prepare(plan, step, real_fn, args);
}
