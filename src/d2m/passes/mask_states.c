/* mask_states.c: transfer functions over what padding holds: undef, zero, one, infinity,
 * minus infinity.  A result that is none of these is undef. */
#include "d2m/passes/mask_states.h"

#include "mlir/arith/arith.h"

#include <math.h>

enum {
    U = TTCORE_OOBVal_Undef,
    Z = TTCORE_OOBVal_Zero,
    O = TTCORE_OOBVal_One,
    I = TTCORE_OOBVal_Inf,
    N = TTCORE_OOBVal_NegInf,
};

/* ---- constants ---------------------------------------------------------------------- */

static int64_t of_number(double v)
{
    return v == 0 ? Z : v == 1 ? O : isinf(v) ? (v < 0 ? N : I) : U;
}

static int64_t of_constant(ir_attr a)
{
    if (ir_attr_is(a, IR_ATTR_DENSE))
        a = a->splat & 1 ? ir_dense_element(a, 0) : NULL;
    if (ir_attr_is(a, IR_ATTR_FLOAT))
        return of_number(a->real);
    if (!ir_attr_is(a, IR_ATTR_INTEGER))
        return U;
    if (a->value == 0 || a->value == 1)
        return a->value ? O : Z;
    uint32_t width = a->type && a->type->kind == IR_TYPE_INTEGER ? a->type->width : 64;
    if (width < 2 || width > 64)
        return U;
    int64_t least = (int64_t)(UINT64_MAX << (width - 1));
    return a->value == least ? N : a->value == ~least ? I : U;
}

int64_t d2m_mask_state(const d2m_mask_states *s, const ir_value *v)
{
    uintptr_t known = (uintptr_t)ir_mapping_get(s->known, v);
    if (known)
        return (int64_t)known - 1;
    const ir_op *op = ir_value_def(v);
    return ir_op_is(op, ARITH_OP(constant)) ? of_constant(ir_op_attr(op, "value")) : U;
}

void d2m_set_mask_state(d2m_mask_states *s, const ir_value *v, int64_t state)
{
    ir_mapping_set(s->known, v, (void *)(uintptr_t)(state + 1));
}

/* ---- one operand -------------------------------------------------------------------- */

/* The results for undef, zero, one, infinity and minus infinity. */
typedef struct unary_row {
    const ir_op_def *op;
    int8_t to[5];
} unary_row;

#define T(id, ...)                                                                         \
    {                                                                                      \
        D2M_OP(id),                                                                        \
        {                                                                                  \
            __VA_ARGS__                                                                    \
        }                                                                                  \
    }
static const unary_row unary[] = {
    T(dst_reinterpret_cast, U, Z, O, I, N),
    T(tile_abs, U, Z, O, I, I),
    T(tile_acos, U, U, Z, U, U),
    T(tile_asin, U, Z, U, U, U),
    T(tile_atan, U, Z, U, U, U),
    T(tile_bcast, U, Z, O, I, N),
    T(tile_ceil, U, Z, O, I, N),
    T(tile_cos, U, O, U, U, U),
    T(tile_erf, U, Z, U, O, U),
    T(tile_erfc, U, O, U, Z, U),
    T(tile_exp, U, O, U, I, Z),
    T(tile_exp2, U, O, U, I, Z),
    T(tile_expm1, U, Z, U, I, U),
    T(tile_fill, U, Z, O, I, N),
    T(tile_floor, U, Z, O, I, N),
    T(tile_frac, U, Z, Z, U, U),
    T(tile_gelu, U, Z, U, I, Z),
    T(tile_gez, U, O, O, O, Z),
    T(tile_gtz, U, Z, O, O, Z),
    T(tile_hardsigmoid, U, U, U, O, Z),
    T(tile_lez, U, O, Z, Z, O),
    T(tile_log, U, N, Z, I, U),
    T(tile_log1p, U, Z, U, I, U),
    T(tile_ltz, U, Z, Z, Z, O),
    T(tile_negative, U, Z, U, N, I),
    T(tile_recip, U, U, O, Z, Z),
    T(tile_relu, U, Z, O, I, Z),
    T(tile_rsqrt, U, I, O, Z, U),
    T(tile_selu, U, Z, U, I, U),
    T(tile_sigmoid, U, U, U, O, Z),
    T(tile_sign, U, Z, O, O, U),
    T(tile_signbit, U, U, Z, Z, O),
    T(tile_silu, U, Z, U, I, Z),
    T(tile_sin, U, Z, U, U, U),
    T(tile_softsign, U, Z, U, O, U),
    T(tile_sqrt, U, Z, O, I, U),
    T(tile_square, U, Z, O, I, I),
    T(tile_tan, U, Z, U, U, U),
    T(tile_tanh, U, Z, U, O, U),
    T(tile_transpose, U, Z, O, I, N),
    T(tile_trunc, U, Z, O, I, N),
    T(tile_typecast, U, Z, O, I, N),
    {ARITH_OP(negf), {U, Z, U, N, I}},
};

static double number_of(int64_t state)
{
    return state == Z ? 0 : state == O ? 1 : state == I ? INFINITY : -INFINITY;
}

static int64_t clamped(const ir_op *op, int64_t x)
{
    ir_attr min = ir_op_attr(op, "min"), max = ir_op_attr(op, "max");
    double v = number_of(x), low = ir_attr_real(min, NAN), high = ir_attr_real(max, NAN);
    if (x == U || isnan(low) || isnan(high))
        return U;
    v = v < low ? low : v;
    return of_number(v > high ? high : v);
}

/* ---- two operands ------------------------------------------------------------------- */

static int64_t negated(int64_t x)
{
    return x == Z ? Z : x == I ? N : x == N ? I : U;
}

static int64_t sum(int64_t x, int64_t y)
{
    if (x == Z || y == Z)
        return x == Z ? y : x;
    if (x == I || y == I)
        return x == N || y == N ? U : I;
    return x == N || y == N ? N : U;
}

static int64_t difference(int64_t x, int64_t y)
{
    if (y == Z || x == Z)
        return y == Z ? x : negated(y);
    if (x == I || x == N)
        return x == y ? U : x;
    if (y == I || y == N)
        return negated(y);
    return x == O && y == O ? Z : U;
}

/* Zero times infinity is no number, so zero only absorbs what is known to be finite. */
static int64_t product(int64_t x, int64_t y)
{
    if (x == Z || y == Z) {
        int64_t other = x == Z ? y : x;
        return other == Z || other == O ? Z : U;
    }
    if (x == O || y == O)
        return x == O ? y : x;
    return x == U || y == U ? U : x == y ? I : N;
}

static int64_t quotient(int64_t x, int64_t y)
{
    if (y == O)
        return x;
    if (x == Z && y != U && y != Z)
        return Z;
    return x == O && (y == I || y == N) ? Z : U;
}

static int64_t power(int64_t x, int64_t y)
{
    return y == Z ? O : y == O ? x : x == O ? O : U;
}

static int64_t maximum(int64_t x, int64_t y)
{
    if (x == I || y == I)
        return I;
    if (x == N || y == N)
        return x == N ? y : x;
    return x == U || y == U ? U : x == O || y == O ? O : Z;
}

static int64_t minimum(int64_t x, int64_t y)
{
    if (x == N || y == N)
        return N;
    if (x == I || y == I)
        return x == I ? y : x;
    return x == U || y == U ? U : x == Z || y == Z ? Z : O;
}

static int64_t bits_and(int64_t x, int64_t y)
{
    return x == Z || y == Z ? Z : x == O && y == O ? O : U;
}

static int64_t bits_or(int64_t x, int64_t y)
{
    return x == Z ? y : y == Z ? x : x == O && y == O ? O : U;
}

static int64_t bits_xor(int64_t x, int64_t y)
{
    return x == Z ? y : y == Z ? x : x == O && y == O ? Z : U;
}

static int64_t shifted(int64_t x, int64_t y)
{
    return x == Z ? Z : y == Z ? x : U;
}

static const struct {
    const ir_op_def *op;
    int64_t (*of)(int64_t x, int64_t y);
} binary[] = {
    {D2M_OP(tile_add), sum},
    {ARITH_OP(addf), sum},
    {ARITH_OP(addi), sum},
    {D2M_OP(tile_sfpu_reduce_sum), sum},
    {D2M_OP(tile_sub), difference},
    {ARITH_OP(subf), difference},
    {ARITH_OP(subi), difference},
    {D2M_OP(tile_mul), product},
    {ARITH_OP(mulf), product},
    {ARITH_OP(muli), product},
    {D2M_OP(tile_div), quotient},
    {ARITH_OP(divf), quotient},
    {ARITH_OP(divsi), quotient},
    {ARITH_OP(divui), quotient},
    {D2M_OP(tile_pow), power},
    {D2M_OP(tile_maximum), maximum},
    {ARITH_OP(maximumf), maximum},
    {ARITH_OP(maxnumf), maximum},
    {ARITH_OP(maxsi), maximum},
    {ARITH_OP(maxui), maximum},
    {D2M_OP(tile_sfpu_reduce_max), maximum},
    {D2M_OP(tile_minimum), minimum},
    {ARITH_OP(minimumf), minimum},
    {ARITH_OP(minnumf), minimum},
    {ARITH_OP(minsi), minimum},
    {ARITH_OP(minui), minimum},
    {D2M_OP(tile_bitwise_and), bits_and},
    {D2M_OP(tile_bitwise_or), bits_or},
    {D2M_OP(tile_bitwise_xor), bits_xor},
    {D2M_OP(tile_logical_left_shift), shifted},
    {D2M_OP(tile_logical_right_shift), shifted},
    {D2M_OP(tile_right_shift), shifted},
};

/* ---- zero or not -------------------------------------------------------------------- */

/* Known zero, known to be something else, or neither. */
typedef enum zeroness { UNKNOWN, ZERO, NONZERO } zeroness;

static zeroness zeroness_of(const d2m_mask_states *s, const ir_value *v, int depth);

static zeroness opposite(zeroness z)
{
    return z == ZERO ? NONZERO : z == NONZERO ? ZERO : UNKNOWN;
}

static zeroness chosen(zeroness which, zeroness yes, zeroness no)
{
    return which == ZERO ? no : which == NONZERO ? yes : yes == no ? yes : UNKNOWN;
}

static zeroness zero_constant(ir_attr a)
{
    if (ir_attr_is(a, IR_ATTR_DENSE))
        a = a->splat & 1 ? ir_dense_element(a, 0) : NULL;
    if (ir_attr_is(a, IR_ATTR_INTEGER))
        return a->value ? NONZERO : ZERO;
    if (!ir_attr_is(a, IR_ATTR_FLOAT) || isnan(a->real))
        return UNKNOWN;
    return a->real == 0 ? ZERO : NONZERO;
}

static zeroness zero_sum(zeroness x, zeroness y, int64_t a, int64_t b)
{
    if (x == ZERO || y == ZERO)
        return x == ZERO ? y : x;
    bool known = x == NONZERO && y == NONZERO && a != U && b != U;
    return known && !(a == I && b == N) && !(a == N && b == I) ? NONZERO : UNKNOWN;
}

static zeroness zero_difference(zeroness x, zeroness y, int64_t a, int64_t b)
{
    if (y == ZERO)
        return x;
    if (x == ZERO)
        return y == NONZERO ? NONZERO : UNKNOWN;
    if (a == O && b == O)
        return ZERO;
    if (a == I || a == N)
        return a == b ? UNKNOWN : NONZERO;
    return (b == I || b == N) && a != U ? NONZERO : UNKNOWN;
}

static zeroness zero_of_op(const d2m_mask_states *s, const ir_op *op, int depth)
{
    if (op->n_operands == 0 || depth >= 4)
        return UNKNOWN;
    zeroness x = zeroness_of(s, ir_op_operand(op, 0), depth + 1);
    if (op->def == D2M_OP(tile_logical_not) || op->def == D2M_OP(tile_eqz))
        return opposite(x);
    if (op->def == D2M_OP(tile_nez))
        return x;
    if (op->n_operands < 2)
        return UNKNOWN;
    zeroness y = zeroness_of(s, ir_op_operand(op, 1), depth + 1);
    if (op->def == D2M_OP(tile_where) || op->def == ARITH_OP(select))
        return chosen(x, y, zeroness_of(s, ir_op_operand(op, 2), depth + 1));
    int64_t a = d2m_mask_state(s, ir_op_operand(op, 0));
    int64_t b = d2m_mask_state(s, ir_op_operand(op, 1));
    for (size_t i = 0; i < TW_COUNT(binary); i++)
        if (binary[i].op == op->def && op->def != D2M_OP(tile_sfpu_reduce_sum)) {
            if (binary[i].of == sum)
                return zero_sum(x, y, a, b);
            if (binary[i].of == difference)
                return zero_difference(x, y, a, b);
            if (binary[i].of == product)
                return x == ZERO || y == ZERO         ? ZERO
                       : x == NONZERO && y == NONZERO ? NONZERO
                                                      : UNKNOWN;
        }
    return UNKNOWN;
}

static zeroness zeroness_of(const d2m_mask_states *s, const ir_value *v, int depth)
{
    int64_t state = d2m_mask_state(s, v);
    const ir_op *op = ir_value_def(v);
    if (state != U)
        return state == Z ? ZERO : NONZERO;
    if (!op)
        return UNKNOWN;
    return op->def == ARITH_OP(constant) ? zero_constant(ir_op_attr(op, "value"))
                                         : zero_of_op(s, op, depth);
}

static int64_t of_zeroness(zeroness z)
{
    return z == ZERO ? Z : z == NONZERO ? O : U;
}

/* ---- any operation ------------------------------------------------------------------ */

/* The chosen branch if the condition is known, else what both have in common. */
static int64_t chosen_state(int64_t condition, int64_t yes, int64_t no)
{
    return condition == Z ? no : condition != U ? yes : yes == no ? yes : U;
}

static int64_t after_three(const ir_op *op, int64_t x, int64_t y, int64_t z)
{
    if (op->def == D2M_OP(tile_where) || op->def == ARITH_OP(select))
        return chosen_state(x, y, z);
    if (op->def == D2M_OP(tile_matmul))
        return x == Z || y == Z ? z : U;
    if (op->def == D2M_OP(tile_reduce_sum) || op->def == D2M_OP(tile_reduce_mean))
        return sum(product(x, y), z);
    return op->def == D2M_OP(tile_reduce_max) ? maximum(product(x, y), z) : U;
}

int64_t d2m_mask_state_after(const d2m_mask_states *s, const ir_op *op)
{
    int64_t in[3] = {U, U, U};
    for (uint32_t i = 0; i < TW_MIN(op->n_operands, 3U); i++)
        in[i] = d2m_mask_state(s, ir_op_operand(op, i));
    if (op->n_operands == 0)
        return U;
    if (op->def == D2M_OP(tile_logical_not) || op->def == D2M_OP(tile_eqz))
        return of_zeroness(opposite(zeroness_of(s, ir_op_operand(op, 0), 0)));
    if (op->def == D2M_OP(tile_nez))
        return of_zeroness(zeroness_of(s, ir_op_operand(op, 0), 0));
    if (op->def == D2M_OP(tile_clamp_scalar))
        return clamped(op, in[0]);
    for (size_t i = 0; i < TW_COUNT(unary); i++)
        if (unary[i].op == op->def)
            return unary[i].to[in[0]];
    for (size_t i = 0; op->n_operands >= 2 && i < TW_COUNT(binary); i++)
        if (binary[i].op == op->def)
            return binary[i].of(in[0], in[1]);
    return op->n_operands >= 3 ? after_three(op, in[0], in[1], in[2]) : U;
}
