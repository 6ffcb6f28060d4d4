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

static void accuracy(void **state)
{
    static const struct {
        const char *name;
        krn_strip_id id;
        reference *want;
        double bound;
    } table[] = {
        {"exp", KRN_STRIP_exp, expl, 2},    {"log", KRN_STRIP_log, logl, 2},
        {"sin", KRN_STRIP_sin, sinl, 2},    {"cos", KRN_STRIP_cos, cosl, 2},
        {"tanh", KRN_STRIP_tanh, tanhl, 4}, {"sigmoid", KRN_STRIP_sigmoid, sigmoid, 4},
        {"erf", KRN_STRIP_erf, erfl, 8},    {"sqrt", KRN_STRIP_sqrt, sqrtl, 0.5},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy),
        cmocka_unit_test(special_values),
        cmocka_unit_test(bf16_rounds_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
