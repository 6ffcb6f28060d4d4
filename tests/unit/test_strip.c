/* test_strip.c: accuracy of strip functions over every binade, against long double libm.
 * The bounds are those that kernel/strip.h states. */
#include "kernel/strip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MANTISSAS = 509 }; /* a prime: the samples fall on no pattern of the mantissa */

static float from_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

/* Distance in units of the last place of the expected number. */
static double ulps(float got, long double want)
{
    if (isnan(got) && isnan(want))
        return 0;
    if (isinf((float)want) || isinf(got))
        return got == (float)want ? 0 : fabsl(want) > 3.4028234e38L ? 1 : 1e9;
    int exponent;
    frexpl(want, &exponent);
    long double unit = ldexpl(1, exponent - 24);
    unit = unit < ldexpl(1, -149) ? ldexpl(1, -149) : unit;
    return (double)(fabsl((long double)got - want) / unit);
}

typedef long double reference(long double);

static double worst_error(krn_strip_id id, reference *want, float *at)
{
    const krn_strip_set *set = krn_strips();
    double worst = 0;
    for (uint32_t sign = 0; sign < 2; sign++)
        for (uint32_t exponent = 0; exponent < 255; exponent++) {
            float x[MANTISSAS], y[MANTISSAS];
            for (uint32_t i = 0; i < MANTISSAS; i++)
                x[i] = from_bits(sign << 31 | exponent << 23 |
                                 (uint32_t)(8388607.0 * i / (MANTISSAS - 1)));
            const float *in[3] = {x, NULL, NULL};
            set->fn[id](in, y, MANTISSAS, NULL);
            for (uint32_t i = 0; i < MANTISSAS; i++) {
                double e = ulps(y[i], want((long double)x[i]));
                if (e > worst) {
                    worst = e;
                    *at = x[i];
                }
            }
        }
    return worst;
}

static long double sigmoid(long double x)
{
    return 1 / (1 + expl(-x));
}

static long double mish(long double x)
{
    return isinf(x) ? (x > 0 ? x : -0.0L) : x * tanhl(log1pl(expl(x)));
}

static void accuracy(void **state)
{
    static const struct {
        const char *name;
        krn_strip_id id;
        reference *want;
        double bound;
    } table[] = {
        {"exp", KRN_STRIP_exp, expl, 2},       {"log", KRN_STRIP_log, logl, 2},
        {"sin", KRN_STRIP_sin, sinl, 2},       {"cos", KRN_STRIP_cos, cosl, 2},
        {"tanh", KRN_STRIP_tanh, tanhl, 4},    {"sigmoid", KRN_STRIP_sigmoid, sigmoid, 4},
        {"erf", KRN_STRIP_erf, erfl, 8},       {"sqrt", KRN_STRIP_sqrt, sqrtl, 0.5},
        {"erfc", KRN_STRIP_erfc, erfcl, 4},    {"expm1", KRN_STRIP_expm1, expm1l, 2},
        {"log1p", KRN_STRIP_log1p, log1pl, 2}, {"tan", KRN_STRIP_tan, tanl, 4},
        {"asin", KRN_STRIP_asin, asinl, 4},    {"acos", KRN_STRIP_acos, acosl, 4},
        {"atan", KRN_STRIP_atan, atanl, 4},    {"asinh", KRN_STRIP_asinh, asinhl, 4},
        {"cbrt", KRN_STRIP_cbrt, cbrtl, 1},    {"mish", KRN_STRIP_mish, mish, 6},
    };
    int failed = 0;
    (void)state;
    for (size_t i = 0; i < TW_COUNT(table); i++) {
        float at = 0;
        double worst = worst_error(table[i].id, table[i].want, &at);
        if (worst > table[i].bound)
            print_error("%s is off by %.2f ulp at %.9g (bound %.1f)\n", table[i].name,
                        worst, (double)at, table[i].bound);
        failed += worst > table[i].bound;
    }
    assert_int_equal(failed, 0);
}

static void special_values(void **state)
{
    const krn_strip_set *set = krn_strips();
    float x[4] = {NAN, INFINITY, -INFINITY, -0.0f}, y[4];
    const float *in[3] = {x, x, x};
    (void)state;
    set->fn[KRN_STRIP_exp](in, y, 4, NULL);
    assert_true(isnan(y[0]) && y[1] == INFINITY && y[2] == 0 && y[3] == 1);
    set->fn[KRN_STRIP_log](in, y, 4, NULL);
    assert_true(isnan(y[0]) && y[1] == INFINITY && isnan(y[2]) && y[3] == -INFINITY);
    set->fn[KRN_STRIP_tanh](in, y, 4, NULL);
    assert_true(isnan(y[0]) && y[1] == 1 && y[2] == -1 && y[3] == 0 && signbit(y[3]));
    set->fn[KRN_STRIP_sin](in, y, 4, NULL);
    assert_true(isnan(y[0]) && isnan(y[1]) && y[3] == 0 && signbit(y[3]));
    set->fn[KRN_STRIP_relu](in, y, 4, NULL);
    assert_true(isnan(y[0]) && y[1] == INFINITY && y[2] == 0 && y[3] == 0);
    float one[4] = {1, 1, NAN, 1};
    const float *two[3] = {x, one, NULL};
    set->fn[KRN_STRIP_maximum](two, y, 4, NULL);
    assert_true(isnan(y[0]) && y[1] == INFINITY && isnan(y[2]) && y[3] == 1);
    set->fn[KRN_STRIP_minimum](two, y, 4, NULL);
    assert_true(isnan(y[0]) && y[1] == 1 && isnan(y[2]) && signbit(y[3]));
}

static void bf16_rounds_to_even(void **state)
{
    const krn_strip_set *set = krn_strips();
    float x[5] = {from_bits(0x3F808000), from_bits(0x3F818000), from_bits(0x3F808001), NAN,
                  INFINITY};
    uint16_t y[5];
    (void)state;
    set->store_bf16(x, 5, y);
    assert_int_equal(y[0], 0x3F80);
    assert_int_equal(y[1], 0x3F82);
    assert_int_equal(y[2], 0x3F81);
    assert_true((y[3] & 0x7FFF) > 0x7F80);
    assert_int_equal(y[4], 0x7F80);
}

/* Pairs from every sixth binade against libm in wide precision. */
static void two_operands(void **state)
{
    static const struct {
        const char *name;
        krn_strip_id id;
        long double (*want)(long double, long double);
        double bound;
    } table[] = {{"pow", KRN_STRIP_pow, powl, 1},
                 {"atan2", KRN_STRIP_atan2, atan2l, 4},
                 {"remainder", KRN_STRIP_remainder, fmodl, 0}};
    static const float special[] = {0.0f,     -0.0f,     1,    -1,     2,      -2,
                                    3,        -3,        0.5f, -2.5f,  1e9f,   33554431,
                                    INFINITY, -INFINITY, NAN,  1e-45f, -1e38f, 7.0000005f};
    enum { MOST = 2 * 43 + TW_COUNT(special) };
    float x[MOST], a[MOST], y[MOST];
    int count = 0, failed = 0;
    (void)state;
    for (uint32_t e = 0; e < 255; e += 6)
        for (uint32_t sign = 0; sign < 2; sign++)
            x[count++] = from_bits(sign << 31 | e << 23 | (e * 7919003u & 0x7FFFFF));
    for (size_t i = 0; i < TW_COUNT(special); i++)
        x[count++] = special[i];
    for (size_t t = 0; t < TW_COUNT(table); t++)
        for (int first = 0; first < count; first++)
            for (int one = 0; one < 2; one++) { /* a strip of one number, a mixed strip */
                for (int i = 0; i < count; i++)
                    a[i] = x[first];
                const float *in[3] = {a, x, NULL};
                if (one)
                    for (int i = 0; i < count; i++) {
                        const float *each[3] = {a + i, x + i, NULL};
                        krn_strips()->fn[table[t].id](each, y + i, 1, NULL);
                    }
                else
                    krn_strips()->fn[table[t].id](in, y, (size_t)count, NULL);
                for (int i = 0; i < count; i++) {
                    double e = ulps(y[i], table[t].want(a[i], x[i]));
                    if (!(e <= table[t].bound) && failed++ < 20)
                        print_error("%s(%.9g, %.9g) = %.9g is off by %.2f ulp\n",
                                    table[t].name, (double)a[i], (double)x[i], (double)y[i],
                                    e);
                }
            }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy),
        cmocka_unit_test(two_operands),
        cmocka_unit_test(special_values),
        cmocka_unit_test(bf16_rounds_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
