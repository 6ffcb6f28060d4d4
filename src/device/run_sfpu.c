/* run_sfpu.c: the vector unit: operations on tiles in DST.
 *
 * Functions are computed in f32 or wider and stored as the unit stores: into a 16-bit DST
 * by truncation.  `cycles` counts vector instructions over a tile, loads and stores
 * included: an estimate from the instruction sequences' lengths, tanh's from a published
 * measurement (192 cycles a tile). */
#include "device/code.h"

#include "dialect/ttcore/ttcore.h"
#include "dialect/ttkernel/ttkernel.h"
#include "kernel/element.h"

#include <math.h>

#define RUN(name) static uint32_t name(dev_thread *t, const dev_insn *in, uint32_t pc)

enum { N = DEV_TILE_ELEMENTS };

static void store(dev_thread *t, dev_slot *s, double instructions)
{
    if (!s->integer)
        dev_truncate_to_dst(&s->tile, t->compute->format);
    dev_book(t, 0, instructions * t->machine->chip->cost.sfpu_op);
}

/* The operation computes with floats or with integers; the slot must hold that. */
static void expect(dev_thread *t, const dev_insn *in, const dev_slot *s, bool integer)
{
    if (s->integer != integer)
        dev_report_at(t, DEV_FORMAT, in->op, s->written, "the tile was written here",
                      "computes with %s, but the DST tile holds %s",
                      integer ? "integers" : "floats", s->integer ? "integers" : "floats");
}

/* ---- one tile, in place ------------------------------------------------------------ */

typedef struct unary {
    float (*f)(float);
    int32_t (*i)(int32_t); /* instead of f */
    double instructions;
} unary;

static float f_neg(float x)
{
    return -x;
}
static float f_recip(float x)
{
    return 1 / x;
}
static float f_rsqrt(float x)
{
    return (float)(1 / sqrt((double)x));
}
static float f_square(float x)
{
    return x * x;
}
static float f_sigmoid(float x)
{
    return (float)(1 / (1 + exp(-(double)x)));
}
static float f_silu(float x)
{
    return (float)((double)x / (1 + exp(-(double)x)));
}
static float f_gelu(float x)
{
    return (float)(0.5 * (double)x * erfc(-(double)x * M_SQRT1_2));
}
static float f_relu(float x)
{
    return x > 0 ? x : 0;
}
static float f_sign(float x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}
static float f_signbit(float x)
{
    return signbit(x) ? 1 : 0;
}
static float f_softsign(float x)
{
    return x / (1 + fabsf(x));
}
static float f_hardsigmoid(float x)
{
    return fminf(fmaxf(x / 6 + 0.5f, 0), 1);
}
static float f_frac(float x)
{
    return x - truncf(x);
}
static float f_not(float x)
{
    return x == 0;
}
static float f_eqz(float x)
{
    return x == 0;
}
static float f_nez(float x)
{
    return x != 0;
}
static float f_gtz(float x)
{
    return x > 0;
}
static float f_gez(float x)
{
    return x >= 0;
}
static float f_ltz(float x)
{
    return x < 0;
}
static float f_lez(float x)
{
    return x <= 0;
}
static int32_t i_abs(int32_t x)
{
    return x < 0 ? (int32_t) - (uint32_t)x : x;
}
static int32_t i_neg(int32_t x)
{
    return (int32_t) - (uint32_t)x;
}
static int32_t i_relu(int32_t x)
{
    return x > 0 ? x : 0;
}
static int32_t i_bitnot(int32_t x)
{
    return ~x;
}
static int32_t i_eqz(int32_t x)
{
    return x == 0;
}
static int32_t i_nez(int32_t x)
{
    return x != 0;
}
static int32_t i_gtz(int32_t x)
{
    return x > 0;
}
static int32_t i_gez(int32_t x)
{
    return x >= 0;
}
static int32_t i_ltz(int32_t x)
{
    return x < 0;
}
static int32_t i_lez(int32_t x)
{
    return x <= 0;
}

RUN(run_unary)
{
    const unary *u = in->data;
    dev_slot *s = dev_dst_read(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    expect(t, in, s, u->i != NULL);
    if (u->i)
        for (int i = 0; i < N; i++)
            s->tile.i[i] = u->i(s->tile.i[i]);
    else
        for (int i = 0; i < N; i++)
            s->tile.f[i] = u->f(s->tile.f[i]);
    s->written = in->op;
    store(t, s, u->instructions);
    return pc + 1;
}

/* ---- two tiles --------------------------------------------------------------------- */

typedef struct binary {
    float (*f)(float, float);
    int32_t (*i)(int32_t, int32_t);
    double instructions;
} binary;

static float b_add(float a, float b)
{
    return a + b;
}
static float b_sub(float a, float b)
{
    return a - b;
}
static float b_mul(float a, float b)
{
    return a * b;
}
static float b_div(float a, float b)
{
    return a / b;
}
static float b_eq(float a, float b)
{
    return a == b;
}
static float b_ne(float a, float b)
{
    return a != b;
}
static float b_gt(float a, float b)
{
    return a > b;
}
static float b_ge(float a, float b)
{
    return a >= b;
}
static float b_lt(float a, float b)
{
    return a < b;
}
static float b_le(float a, float b)
{
    return a <= b;
}
static float b_max(float a, float b)
{
    return a > b ? a : b;
}
static float b_min(float a, float b)
{
    return a < b ? a : b;
}
static int32_t w_add(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}
static int32_t w_sub(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}
static int32_t w_mul(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a * (uint32_t)b);
}
static int32_t w_max(int32_t a, int32_t b)
{
    return a > b ? a : b;
}
static int32_t w_min(int32_t a, int32_t b)
{
    return a < b ? a : b;
}
static int32_t w_and(int32_t a, int32_t b)
{
    return a & b;
}
static int32_t w_or(int32_t a, int32_t b)
{
    return a | b;
}
static int32_t w_xor(int32_t a, int32_t b)
{
    return a ^ b;
}
static int32_t w_shl(int32_t a, int32_t b)
{
    return (uint32_t)b < 32 ? (int32_t)((uint32_t)a << b) : 0;
}
static int32_t w_shr(int32_t a, int32_t b)
{
    return a >> ((uint32_t)b < 32 ? b : 31);
}
static int32_t w_shrl(int32_t a, int32_t b)
{
    return (uint32_t)b < 32 ? (int32_t)((uint32_t)a >> b) : 0;
}

RUN(run_binary)
{
    const binary *u = in->data;
    dev_slot *a = dev_dst_read(t, in->op, DEV_REG(t, in, 0));
    dev_slot *b = a ? dev_dst_read(t, in->op, DEV_REG(t, in, 1)) : NULL;
    if (!b)
        return pc + 1;
    expect(t, in, a, u->i != NULL);
    expect(t, in, b, u->i != NULL);
    dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 2));
    if (!s)
        return pc + 1;
    if (u->i)
        for (int i = 0; i < N; i++)
            s->tile.i[i] = u->i(a->tile.i[i], b->tile.i[i]);
    else
        for (int i = 0; i < N; i++)
            s->tile.f[i] = u->f(a->tile.f[i], b->tile.f[i]);
    s->integer = u->i != NULL;
    store(t, s, u->instructions);
    return pc + 1;
}

/* A tile and a number: an f32's bits, or an integer. */
RUN(run_scalar)
{
    const binary *u = in->data;
    dev_slot *s = dev_dst_read(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    expect(t, in, s, u->i != NULL);
    float x = krn_bits_f32((uint32_t)DEV_REG(t, in, 1));
    for (int i = 0; i < N; i++)
        if (u->i)
            s->tile.i[i] = u->i(s->tile.i[i], (int32_t)DEV_REG(t, in, 1));
        else
            s->tile.f[i] = u->f(s->tile.f[i], x);
    s->written = in->op;
    store(t, s, u->instructions);
    return pc + 1;
}

static float b_power(float a, float b)
{
    return powf(a, b);
}

RUN(run_power) /* an integer exponent */
{
    dev_slot *s = dev_dst_read(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    expect(t, in, s, false);
    for (int i = 0; i < N; i++)
        s->tile.f[i] = powf(s->tile.f[i], (float)DEV_REG(t, in, 1));
    s->written = in->op;
    store(t, s, 8);
    return pc + 1;
}

RUN(run_clamp) /* imm 1: integers */
{
    dev_slot *s = dev_dst_read(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    expect(t, in, s, in->imm == 1);
    int64_t low = DEV_REG(t, in, 1), high = DEV_REG(t, in, 2);
    float flow = krn_bits_f32((uint32_t)low), fhigh = krn_bits_f32((uint32_t)high);
    for (int i = 0; i < N; i++)
        if (in->imm)
            s->tile.i[i] = w_min(w_max(s->tile.i[i], (int32_t)low), (int32_t)high);
        else
            s->tile.f[i] = b_min(b_max(s->tile.f[i], flow), fhigh);
    s->written = in->op;
    store(t, s, 6);
    return pc + 1;
}

RUN(run_fill) /* imm 1: integers */
{
    dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    for (int i = 0; i < N; i++)
        s->tile.i[i] = (int32_t)DEV_REG(t, in, 1); /* an f32's register holds its bits */
    s->integer = in->imm == 1;
    store(t, s, 2);
    return pc + 1;
}

RUN(run_copy_dest)
{
    dev_slot *from = dev_dst_read(t, in->op, DEV_REG(t, in, 0));
    dev_slot *to = from ? dev_dst_write(t, in->op, DEV_REG(t, in, 1)) : NULL;
    if (!to)
        return pc + 1;
    if (to != from)
        to->tile = from->tile;
    to->integer = from->integer;
    store(t, to, 2);
    return pc + 1;
}

RUN(run_where)
{
    dev_slot *s[3];
    for (size_t i = 0; i < 3; i++)
        if (!(s[i] = dev_dst_read(t, in->op, DEV_REG(t, in, i))))
            return pc + 1;
    dev_slot *to = dev_dst_write(t, in->op, DEV_REG(t, in, 3));
    if (!to)
        return pc + 1;
    for (int i = 0; i < N; i++) {
        bool yes = s[0]->integer ? s[0]->tile.i[i] != 0 : s[0]->tile.f[i] != 0;
        to->tile.i[i] = yes ? s[1]->tile.i[i] : s[2]->tile.i[i];
    }
    to->integer = s[1]->integer;
    store(t, to, 6);
    return pc + 1;
}

static int32_t to_integer(float x, int64_t type)
{
    double low = type == TTCORE_DataType_Int32 ? -2147483648.0 : 0;
    double high = type == TTCORE_DataType_UInt16  ? 65535
                  : type == TTCORE_DataType_UInt8 ? 255
                  : type == TTCORE_DataType_Int32 ? 2147483647
                                                  : 4294967295.0;
    double v = isnan(x) ? 0 : fmin(fmax(trunc((double)x), low), high);
    return (int32_t)(uint32_t)(int64_t)v;
}

/* Between float formats the value is rounded as the target's DST will hold it. */
RUN(run_typecast)
{
    dev_slot *s = dev_dst_read(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    int64_t from = dev_enum(in->op, "in_dtype"), to = dev_enum(in->op, "out_dtype");
    bool integer_from = dev_format_is_integer((tw_dtype)from);
    bool integer_to = dev_format_is_integer((tw_dtype)to);
    expect(t, in, s, integer_from);
    for (int i = 0; i < N; i++) {
        if (integer_from && !integer_to)
            s->tile.f[i] = from == TTCORE_DataType_UInt32 ? (float)(uint32_t)s->tile.i[i]
                                                          : (float)s->tile.i[i];
        else if (!integer_from && integer_to)
            s->tile.i[i] = to_integer(s->tile.f[i], to);
        else if (!integer_to && to == TTCORE_DataType_BFloat16)
            s->tile.f[i] = krn_bf16_value(krn_bf16_bits(s->tile.f[i]));
    }
    s->integer = integer_to;
    s->written = in->op;
    store(t, s, 4);
    return pc + 1;
}

RUN(run_init)
{
    (void)in;
    t->now += t->machine->chip->cost.issue_compute;
    return pc + 1;
}

/* ---- the table --------------------------------------------------------------------- */

#define U(fn, n)                                                                           \
    {                                                                                      \
        run_unary, &(const unary)                                                          \
        {                                                                                  \
            .f = fn, .instructions = n                                                     \
        }                                                                                  \
    }
#define UI(fn, n)                                                                          \
    {                                                                                      \
        run_unary, &(const unary)                                                          \
        {                                                                                  \
            .i = fn, .instructions = n                                                     \
        }                                                                                  \
    }
#define B(fn, n)                                                                           \
    {                                                                                      \
        run_binary, &(const binary)                                                        \
        {                                                                                  \
            .f = fn, .instructions = n                                                     \
        }                                                                                  \
    }
#define BI(fn, n)                                                                          \
    {                                                                                      \
        run_binary, &(const binary)                                                        \
        {                                                                                  \
            .i = fn, .instructions = n                                                     \
        }                                                                                  \
    }
#define S(fn, n)                                                                           \
    {                                                                                      \
        run_scalar, &(const binary)                                                        \
        {                                                                                  \
            .f = fn, .instructions = n                                                     \
        }                                                                                  \
    }
#define SI(fn, n)                                                                          \
    {                                                                                      \
        run_scalar, &(const binary)                                                        \
        {                                                                                  \
            .i = fn, .instructions = n                                                     \
        }                                                                                  \
    }
#define UNARY(op, fn, n)                                                                   \
    [TTKERNEL_##op##_tile] = U(fn, n), [TTKERNEL_##op##_tile_init] = {run_init}
#define BINARY(op, fn, n)                                                                  \
    [TTKERNEL_##op##_binary_tile] = B(fn, n),                                              \
    [TTKERNEL_##op##_binary_tile_init] = {run_init}

static const dev_op_row rows[TTKERNEL_OP_COUNT] = {
    UNARY(abs, fabsf, 3),
    UNARY(acos, acosf, 20),
    UNARY(asin, asinf, 20),
    UNARY(atan, atanf, 20),
    UNARY(cos, cosf, 16),
    UNARY(erf, erff, 24),
    UNARY(erfc, erfcf, 24),
    UNARY(exp2, exp2f, 14),
    UNARY(exp, expf, 14),
    UNARY(expm1, expm1f, 15),
    UNARY(gelu, f_gelu, 24),
    UNARY(hardsigmoid, f_hardsigmoid, 5),
    UNARY(log1p, log1pf, 16),
    UNARY(log, logf, 16),
    UNARY(negative, f_neg, 3),
    UNARY(recip, f_recip, 12),
    UNARY(relu, f_relu, 3),
    UNARY(rsqrt, f_rsqrt, 16),
    UNARY(sigmoid, f_sigmoid, 18),
    UNARY(sign, f_sign, 6),
    UNARY(signbit, f_signbit, 4),
    UNARY(silu, f_silu, 20),
    UNARY(sin, sinf, 16),
    UNARY(softsign, f_softsign, 14),
    UNARY(sqrt, sqrtf, 14),
    UNARY(square, f_square, 3),
    UNARY(tan, tanf, 24),
    UNARY(tanh, tanhf, 6),
    UNARY(eqz, f_eqz, 5),
    UNARY(nez, f_nez, 5),
    UNARY(gtz, f_gtz, 5),
    UNARY(gez, f_gez, 5),
    UNARY(ltz, f_ltz, 5),
    UNARY(lez, f_lez, 5),
    [TTKERNEL_ceil_tile] = U(ceilf, 6),
    [TTKERNEL_floor_tile] = U(floorf, 6),
    [TTKERNEL_trunc_tile] = U(truncf, 5),
    [TTKERNEL_frac_tile] = U(f_frac, 6),
    [TTKERNEL_rounding_op_tile_init] = {run_init},
    [TTKERNEL_abs_tile_int32] = UI(i_abs, 3),
    [TTKERNEL_negative_tile_int32] = UI(i_neg, 3),
    [TTKERNEL_relu_tile_int32] = UI(i_relu, 3),
    [TTKERNEL_bitwise_not_tile] = UI(i_bitnot, 3),
    [TTKERNEL_bitwise_not_tile_init] = {run_init},
    [TTKERNEL_eqz_tile_int32] = UI(i_eqz, 5),
    [TTKERNEL_nez_tile_int32] = UI(i_nez, 5),
    [TTKERNEL_gtz_tile_int32] = UI(i_gtz, 5),
    [TTKERNEL_gez_tile_int32] = UI(i_gez, 5),
    [TTKERNEL_ltz_tile_int32] = UI(i_ltz, 5),
    [TTKERNEL_lez_tile_int32] = UI(i_lez, 5),
    BINARY(add, b_add, 4),
    BINARY(sub, b_sub, 4),
    BINARY(mul, b_mul, 4),
    BINARY(div, b_div, 16),
    BINARY(eq, b_eq, 6),
    BINARY(ne, b_ne, 6),
    BINARY(gt, b_gt, 6),
    BINARY(ge, b_ge, 6),
    BINARY(lt, b_lt, 6),
    BINARY(le, b_le, 6),
    BINARY(power, b_power, 30),
    BINARY(atan2, atan2f, 30),
    [TTKERNEL_binary_max_tile] = B(b_max, 5),
    [TTKERNEL_binary_max_tile_init] = {run_init},
    [TTKERNEL_binary_min_tile] = B(b_min, 5),
    [TTKERNEL_binary_min_tile_init] = {run_init},
    [TTKERNEL_binary_max_int32_tile] = BI(w_max, 5),
    [TTKERNEL_binary_max_int32_tile_init] = {run_init},
    [TTKERNEL_binary_min_int32_tile] = BI(w_min, 5),
    [TTKERNEL_binary_min_int32_tile_init] = {run_init},
    [TTKERNEL_add_int_tile] = BI(w_add, 4),
    [TTKERNEL_add_int_tile_init] = {run_init},
    [TTKERNEL_sub_int_tile] = BI(w_sub, 4),
    [TTKERNEL_sub_int_tile_init] = {run_init},
    [TTKERNEL_mul_int_tile] = BI(w_mul, 12),
    [TTKERNEL_mul_int_tile_init] = {run_init},
    [TTKERNEL_bitwise_and_binary_tile] = BI(w_and, 4),
    [TTKERNEL_bitwise_or_binary_tile] = BI(w_or, 4),
    [TTKERNEL_bitwise_xor_binary_tile] = BI(w_xor, 4),
    [TTKERNEL_binary_bitwise_tile_init] = {run_init},
    [TTKERNEL_binary_left_shift_tile] = BI(w_shl, 6),
    [TTKERNEL_binary_right_shift_tile] = BI(w_shr, 8),
    [TTKERNEL_binary_logical_right_shift_tile] = BI(w_shrl, 6),
    [TTKERNEL_binary_shift_tile_init] = {run_init},
    [TTKERNEL_add_unary_tile] = S(b_add, 3),
    [TTKERNEL_sub_unary_tile] = S(b_sub, 3),
    [TTKERNEL_mul_unary_tile] = S(b_mul, 3),
    [TTKERNEL_div_unary_tile] = S(b_div, 3),
    [TTKERNEL_add_unary_tile_int32] = SI(w_add, 3),
    [TTKERNEL_sub_unary_tile_int32] = SI(w_sub, 3),
    [TTKERNEL_binop_with_scalar_tile_init] = {run_init},
    [TTKERNEL_power_tile] = {run_power},
    [TTKERNEL_power_tile_init] = {run_init},
    [TTKERNEL_clamp_tile] = {run_clamp},
    [TTKERNEL_clamp_tile_int32] = {run_clamp, .imm = 1},
    [TTKERNEL_clamp_tile_init] = {run_init},
    [TTKERNEL_fill_tile] = {run_fill},
    [TTKERNEL_fill_tile_int] = {run_fill, .imm = 1},
    [TTKERNEL_fill_tile_init] = {run_init},
    [TTKERNEL_copy_dest_values] = {run_copy_dest},
    [TTKERNEL_where_tile] = {run_where},
    [TTKERNEL_where_tile_init] = {run_init},
    [TTKERNEL_typecast_tile] = {run_typecast},
    [TTKERNEL_typecast_tile_init] = {run_init},
};

static const dev_op_row logical_not_float = U(f_not, 5), logical_not_integer = UI(i_eqz, 5),
                        only_init = {run_init};

const dev_op_row *dev_sfpu_row(const ir_op *op)
{
    if (op->def < ttkernel_ops || op->def >= ttkernel_ops + TTKERNEL_OP_COUNT)
        return NULL;
    if (op->def == TTKERNEL_OP(logical_not_tile_init))
        return &only_init;
    if (op->def == TTKERNEL_OP(logical_not_tile)) {
        return dev_format_is_integer((tw_dtype)dev_enum(op, "dtype")) ? &logical_not_integer
                                                                      : &logical_not_float;
    }
    const dev_op_row *row = &rows[op->def - ttkernel_ops];
    return row->run ? row : NULL;
}
