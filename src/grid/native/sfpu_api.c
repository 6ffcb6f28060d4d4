/* sfpu_api.c: see sfpu_api.h. Each function computes what the vendor's documentation
 * specifies; a parameter that only saves the hardware a division (1 / alpha) is ignored.
 * Unspecified cases follow torch: NaN passes thresholds. */
#include "grid/native/sfpu_api.h"

#include "grid/units/sfpu_functions.h"

#include <math.h>

/* Has the divisor's sign; exact, or rounded once. */
static float whole_remainder(float x, float p)
{
    float r = fmodf(x, p);
    return r != 0 && (r < 0) != (p < 0) ? r + p : r;
}

/* name, number of parameters, its value of x, p and q, instructions per row: counted in
 * tt-llk where it has the function, else estimated */
#define FUNCTIONS(F)                                                                       \
    F(leaky_relu, 1, x < 0 ? p * x : x, 6)                                                 \
    F(prelu, 1, x < 0 ? p * x : x, 6)                                                      \
    F(relu_max, 1, sfpu_larger(sfpu_smaller(x, p), 0), 13)                                 \
    F(relu_min, 1, sfpu_larger(x, p), 6)                                                   \
    F(elu, 1, x < 0 ? p * expm1f(x) : x, 35)                                               \
    F(celu, 2, x < 0 ? p * expm1f(x / p) : x, 72)                                          \
    F(hardtanh, 2, sfpu_smaller(sfpu_larger(x, p), q), 17)                                 \
    F(hardswish, 0, x *fminf(fmaxf(x / 6 + 0.5f, 0), 1), 18)                               \
    F(hardshrink, 1, fabsf(x) <= p ? 0 : x, 10)                                            \
    F(softshrink, 1, x > p ? x - p : x < -p ? x + p : 0, 14)                               \
    F(threshold, 2, x <= p ? q : x, 8)                                                     \
    F(mish, 0, x *tanhf(log1pf(expf(x))), 100)                                             \
    F(logsigmoid, 0, x < 0 ? x - log1pf(expf(x)) : -log1pf(expf(-x)), 80)                  \
    F(tanhshrink, 0, x - tanhf(x), 33)                                                     \
    F(rsub_unary, 1, p - x, 5)                                                             \
    F(rsub, 1, p - x, 5)                                                                   \
    F(rdiv, 1, p / x, 20)                                                                  \
    F(unary_max, 1, sfpu_larger(x, p), 5)                                                  \
    F(unary_min, 1, sfpu_smaller(x, p), 5)                                                 \
    F(unary_eq, 1, x == p, 10)                                                             \
    F(unary_ne, 1, x != p, 10)                                                             \
    F(unary_gt, 1, x > p, 10)                                                              \
    F(unary_ge, 1, x >= p, 10)                                                             \
    F(unary_lt, 1, x < p, 10)                                                              \
    F(unary_le, 1, x <= p, 10)                                                             \
    F(heaviside, 1, x<0 ? 0 : x> 0 ? 1 : p, 13)                                            \
    F(isinf, 0, isinf(x) != 0, 9)                                                          \
    F(isposinf, 0, isinf(x) && x > 0, 8)                                                   \
    F(isneginf, 0, isinf(x) && x < 0, 8)                                                   \
    F(isnan, 0, isnan(x) != 0, 9)                                                          \
    F(isfinite, 0, isfinite(x) != 0, 9)                                                    \
    F(sinh, 0, sinhf(x), 65)                                                               \
    F(cosh, 0, coshf(x), 63)                                                               \
    F(asinh, 0, asinhf(x), 70)                                                             \
    F(acosh, 0, acoshf(x), 78)                                                             \
    F(atanh, 0, atanhf(x), 70)                                                             \
    F(cbrt, 0, cbrtf(x), 40)                                                               \
    F(log2, 0, log2f(x), 30)                                                               \
    F(log10, 0, log10f(x), 30)                                                             \
    F(lgamma, 0, lgammaf(x), 120)                                                          \
    F(fmod, 2, fmodf(x, p), 35)                                                            \
    F(remainder, 2, whole_remainder(x, p), 40)                                             \
    F(rpow, 1, powf(p, x), 133)                                                            \
    F(identity, 0, x, 3)

#define DEFINE(name, numbers, expression, n)                                               \
    static float f_##name(float x, float p, float q)                                       \
    {                                                                                      \
        (void)p, (void)q;                                                                  \
        return (expression);                                                               \
    }
FUNCTIONS(DEFINE)

#define ROW(name, numbers, expression, n) {#name, numbers, f_##name, n},
static const sfpu_api_function functions[] = {FUNCTIONS(ROW)};

const sfpu_api_function *sfpu_api_function_at(size_t i)
{
    return i < TW_COUNT(functions) ? &functions[i] : NULL;
}
