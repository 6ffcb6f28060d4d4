/* grid/units/sfpu_functions.h: what the vector unit computes, tile by tile. */
#ifndef TILEWRIGHT_GRID_UNITS_SFPU_FUNCTIONS_H
#define TILEWRIGHT_GRID_UNITS_SFPU_FUNCTIONS_H

#include "grid/machine/format.h"
#include "host/strips/strip.h"
#include "support/bf16_f16.h"

/* A function of one or two tiles (or of a tile and a number, spread over a tile).  One of
 * three forms: a strip function, or a loop over floats or integers; `out` may be `a`. */
typedef struct sfpu_function {
    int strip; /* krn_strip_id + 1; 0: none */
    void (*f)(const float *a, const float *b, float *out);
    void (*i)(const int32_t *a, const int32_t *b, int32_t *out);
    double instructions; /* vector instructions over a tile, loads and stores included */
} sfpu_function;

void sfpu_apply(const sfpu_function *fn, const dev_tile *a, const dev_tile *b,
                dev_tile *out);

/* Where the unit orders numbers (SFPSWAP), it takes their bits as sign and magnitude: -0
 * comes before +0, and NaN lies beyond the infinity of its sign (tt-isa-documentation,
 * WormholeB0/TensixTile/TensixCoprocessor/SFPSWAP.md). */
static inline int32_t sfpu_rank(int32_t bits)
{
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

static inline bool sfpu_is_nan(float x)
{
    return (tw_f32_bits(x) & 0x7FFFFFFF) > 0x7F800000;
}

/* The larger and the smaller of two numbers in that order, NaN where one is.  A swap alone
 * would lose some NaN; tt-metal's binary_max_tile, binary_min_tile, unary_max_tile and
 * unary_min_tile test for it since 2026 (ckernel_sfpu_binary_max_min.h,
 * ckernel_sfpu_unary_max_min.h; before, and in clamp_tile and hardtanh_tile, a NaN became
 * the other number or a bound, by its sign: tt-metal's issue 51470).  relu_max_tile and
 * relu_min_tile compare by subtracting, where a NaN's sign, and so the answer, is open
 * (SFPMAD.md): NaN here, too, as torch says of all of them. */
static inline float sfpu_larger(float x, float y)
{
    bool first = sfpu_rank((int32_t)tw_f32_bits(x)) >= sfpu_rank((int32_t)tw_f32_bits(y));
    return sfpu_is_nan(x) ? x : sfpu_is_nan(y) ? y : first ? x : y;
}

static inline float sfpu_smaller(float x, float y)
{
    bool first = sfpu_rank((int32_t)tw_f32_bits(x)) <= sfpu_rank((int32_t)tw_f32_bits(y));
    return sfpu_is_nan(x) ? x : sfpu_is_nan(y) ? y : first ? x : y;
}

/* name, how: STRIP(name), FLOAT(expression of x, y), INT(expression of x, y),
 * instructions */
#define SFPU_FUNCTIONS(STRIP, FLOAT, INT)                                                  \
    STRIP(abs, abs, 3)                                                                     \
    STRIP(acos, acos, 20)                                                                  \
    STRIP(asin, asin, 20)                                                                  \
    STRIP(atan, atan, 20)                                                                  \
    STRIP(cos, cos, 16)                                                                    \
    STRIP(erf, erf, 24)                                                                    \
    STRIP(erfc, erfc, 24)                                                                  \
    STRIP(exp, exp, 14)                                                                    \
    STRIP(expm1, expm1, 15)                                                                \
    STRIP(gelu, gelu, 24)                                                                  \
    STRIP(hardsigmoid, hardsigmoid, 5)                                                     \
    STRIP(log1p, log1p, 16)                                                                \
    STRIP(log, log, 16)                                                                    \
    STRIP(negative, neg, 3)                                                                \
    STRIP(recip, reciprocal, 12)                                                           \
    STRIP(relu, relu, 3)                                                                   \
    STRIP(rsqrt, rsqrt, 16)                                                                \
    STRIP(sigmoid, sigmoid, 18)                                                            \
    STRIP(sign, sign, 6)                                                                   \
    STRIP(silu, silu, 20)                                                                  \
    STRIP(sin, sin, 16)                                                                    \
    STRIP(sqrt, sqrt, 14)                                                                  \
    STRIP(tan, tan, 24)                                                                    \
    STRIP(tanh, tanh, 6)                                                                   \
    STRIP(ceil, ceil, 6)                                                                   \
    STRIP(floor, floor, 6)                                                                 \
    STRIP(div, div, 16)                                                                    \
    STRIP(div_number, div, 3)                                                              \
    STRIP(power, pow, 30)                                                                  \
    STRIP(power_number, pow, 8)                                                            \
    STRIP(atan2, atan2, 30)                                                                \
    FLOAT(exp2, exp2f(x), 14)                                                              \
    FLOAT(square, x *x, 3)                                                                 \
    FLOAT(softsign, x / (1 + fabsf(x)), 14)                                                \
    FLOAT(trunc, truncf(x), 5)                                                             \
    FLOAT(frac, x - truncf(x), 6)                                                          \
    FLOAT(signbit, signbit(x) ? 1 : 0, 4)                                                  \
    FLOAT(logical_not, x == 0, 5)                                                          \
    FLOAT(eqz, x == 0, 5)                                                                  \
    FLOAT(nez, x != 0, 5)                                                                  \
    FLOAT(gtz, x > 0, 5)                                                                   \
    FLOAT(gez, x >= 0, 5)                                                                  \
    FLOAT(ltz, x < 0, 5)                                                                   \
    FLOAT(lez, x <= 0, 5)                                                                  \
    STRIP(add, add, 4)                                                                     \
    STRIP(sub, subtract, 4)                                                                \
    STRIP(mul, multiply, 4)                                                                \
    STRIP(add_number, add, 3)                                                              \
    STRIP(sub_number, subtract, 3)                                                         \
    STRIP(mul_number, multiply, 3)                                                         \
    FLOAT(eq, x == y, 6)                                                                   \
    FLOAT(ne, x != y, 6)                                                                   \
    FLOAT(gt, x > y, 6)                                                                    \
    FLOAT(ge, x >= y, 6)                                                                   \
    FLOAT(lt, x < y, 6)                                                                    \
    FLOAT(le, x <= y, 6)                                                                   \
    FLOAT(max, sfpu_larger(x, y), 5)                                                       \
    FLOAT(min, sfpu_smaller(x, y), 5)                                                      \
    INT(int_abs, x < 0 ? 0u - (uint32_t)x : (uint32_t)x, 3)                                \
    INT(int_negative, 0u - (uint32_t)x, 3)                                                 \
    INT(int_relu, x > 0 ? x : 0, 3)                                                        \
    INT(int_not, ~x, 3)                                                                    \
    INT(int_eqz, x == 0, 5)                                                                \
    INT(int_nez, x != 0, 5)                                                                \
    INT(int_gtz, x > 0, 5)                                                                 \
    INT(int_gez, x >= 0, 5)                                                                \
    INT(int_ltz, x < 0, 5)                                                                 \
    INT(int_lez, x <= 0, 5)                                                                \
    INT(int_add, (uint32_t)x + (uint32_t)y, 4)                                             \
    INT(int_sub, (uint32_t)x - (uint32_t)y, 4)                                             \
    INT(int_mul, (uint32_t)x *(uint32_t)y, 12)                                             \
    INT(int_max, x > y ? x : y, 5)                                                         \
    INT(int_min, x < y ? x : y, 5)                                                         \
    INT(int_and, x &y, 4)                                                                  \
    INT(int_or, x | y, 4)                                                                  \
    INT(int_xor, x ^ y, 4)                                                                 \
    INT(int_shl, (uint32_t)y < 32 ? (uint32_t)x << (y & 31) : 0, 6)                        \
    INT(int_shr, x >> ((uint32_t)y < 32 ? y : 31), 8)                                      \
    INT(int_shr_logical, (uint32_t)y < 32 ? (uint32_t)x >> (y & 31) : 0, 6)

#define DECLARE(name, how, n) extern const sfpu_function sfpu_##name;
SFPU_FUNCTIONS(DECLARE, DECLARE, DECLARE)
#undef DECLARE

#endif
