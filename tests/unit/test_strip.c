/* test_strip.c: accuracy of strip functions over every binade, against long double libm,
 * and their values at the edges; each for every instruction set that this machine supports.
 * The bounds are those stated in host/strips/strip.h. */
#include "host/strips/strip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const krn_strip_set *set; /* under test */

enum { MANTISSAS = 509 }; /* a prime: the samples match no pattern of the mantissa */

static float from_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

/* Distance in units in the last place of the expected value. */
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

static long double softplus(long double x)
{
    return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x));
}

static void accuracy(void **state)
{
    static const struct {
        const char *name;
        krn_strip_id id;
        reference *want;
        double bound;
    } table[] = {
        {"exp", KRN_STRIP_exp, expl, 2},
        {"log", KRN_STRIP_log, logl, 2},
        {"sin", KRN_STRIP_sin, sinl, 2},
        {"cos", KRN_STRIP_cos, cosl, 2},
        {"tanh", KRN_STRIP_tanh, tanhl, 4},
        {"sigmoid", KRN_STRIP_sigmoid, sigmoid, 4},
        {"erf", KRN_STRIP_erf, erfl, 8},
        {"sqrt", KRN_STRIP_sqrt, sqrtl, 0.5},
        {"erfc", KRN_STRIP_erfc, erfcl, 4},
        {"expm1", KRN_STRIP_expm1, expm1l, 2},
        {"log1p", KRN_STRIP_log1p, log1pl, 2},
        {"tan", KRN_STRIP_tan, tanl, 4},
        {"asin", KRN_STRIP_asin, asinl, 4},
        {"acos", KRN_STRIP_acos, acosl, 4},
        {"atan", KRN_STRIP_atan, atanl, 4},
        {"asinh", KRN_STRIP_asinh, asinhl, 4},
        {"cbrt", KRN_STRIP_cbrt, cbrtl, 1},
        {"mish", KRN_STRIP_mish, mish, 6},
        {"softplus", KRN_STRIP_softplus, softplus, 4},
        {"cosh", KRN_STRIP_cosh, coshl, 3},
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

/* Results that are integers or half-integers are exact. */
static void exact_results(void **state)
{
    static const struct {
        krn_strip_id id;
        float x, want;
    } table[] = {
        {KRN_STRIP_cos, 0, 1},        {KRN_STRIP_cos, -0.0F, 1},
        {KRN_STRIP_cos, 1e-4F, 1},    {KRN_STRIP_cos, -1e-20F, 1},
        {KRN_STRIP_cosh, 0, 1},       {KRN_STRIP_exp, 0, 1},
        {KRN_STRIP_exp, -1e-20F, 1},  {KRN_STRIP_expm1, 0, 0},
        {KRN_STRIP_log, 1, 0},        {KRN_STRIP_log1p, 0, 0},
        {KRN_STRIP_sigmoid, 0, 0.5F}, {KRN_STRIP_sigmoid, 100, 1},
        {KRN_STRIP_sigmoid, -200, 0}, {KRN_STRIP_tanh, 20, 1},
        {KRN_STRIP_tanh, -20, -1},    {KRN_STRIP_erf, 9, 1},
        {KRN_STRIP_erfc, 0, 1},       {KRN_STRIP_cbrt, 8, 2},
        {KRN_STRIP_cbrt, -1000, -10}, {KRN_STRIP_sqrt, 9, 3},
        {KRN_STRIP_acos, 1, 0},       {KRN_STRIP_softplus, 200, 200},
        {KRN_STRIP_gelu, 50, 50},     {KRN_STRIP_mish, 50, 50},
    };
    (void)state;
    for (size_t i = 0; i < TW_COUNT(table); i++) {
        float x[16], y[16];
        const float *in[3] = {x, NULL, NULL};
        for (int k = 0; k < 16; k++)
            x[k] = table[i].x;
        set->fn[table[i].id](in, y, 16, NULL);
        for (int k = 0; k < 16; k++)
            if (y[k] != table[i].want)
                fail_msg("row %zu: of %.9g comes %.9g, not %.9g", i, (double)x[k],
                         (double)y[k], (double)table[i].want);
    }
}

static void results_within_bounds(void **state)
{
    static const krn_strip_id functions[] = {KRN_STRIP_sin, KRN_STRIP_cos, KRN_STRIP_tanh,
                                             KRN_STRIP_erf, KRN_STRIP_sigmoid};
    enum { N = 4096 };
    float x[N], y[N];
    const float *in[3] = {x, NULL, NULL};
    (void)state;
    for (size_t f = 0; f < TW_COUNT(functions); f++)
        for (int from = -16; from < 16; from++) {
            for (int i = 0; i < N; i++)
                x[i] = (float)from + (float)i / N;
            set->fn[functions[f]](in, y, N, NULL);
            for (int i = 0; i < N; i++)
                if (!(fabsf(y[i]) <= 1))
                    fail_msg("function %zu: of %.9g comes %.9g", f, (double)x[i],
                             (double)y[i]);
        }
}

/* Its bound is not in units in the last place. */
static void gelu_in_absolute_terms(void **state)
{
    int failed = 0;
    (void)state;
    for (uint32_t bits = 0; bits < 0x7F800000u; bits += 65521)
        for (int sign = 0; sign < 2; sign++) {
            float x = sign ? -from_bits(bits) : from_bits(bits), y;
            const float *in[3] = {&x, NULL, NULL};
            set->fn[KRN_STRIP_gelu](in, &y, 1, NULL);
            const double want = 0.5 * (double)x * erfc(-(double)x * sqrt(0.5));
            const double bound = fabs((double)x) * 0x1p-22 + 0x1p-149;
            if (!(fabs((double)y - want) <= bound) && failed++ < 20)
                print_error("gelu(%.9g) = %.9g, not %.9g\n", (double)x, (double)y, want);
        }
    assert_int_equal(failed, 0);
}

static void slopes_of_gelu(void **state)
{
    const double b = sqrt(2 / acos(-1)), k = 0.044715;
    int failed = 0;
    (void)state;
    for (uint32_t bits = 0; bits < 0x42800000u; bits += 65521)
        for (int sign = 0; sign < 2; sign++) {
            float x = sign ? -from_bits(bits) : from_bits(bits), one = 1, y[2];
            const float *in[8] = {&one, &x, NULL, NULL};
            const double v = (double)x, t = tanh(b * (v + k * v * v * v));
            const double want[2] = {
                0.5 * erfc(-v * sqrt(0.5)) + v * b / 2 * exp(-0.5 * v * v),
                0.5 * (1 + t) + 0.5 * v * (1 - t * t) * b * (1 + 3 * k * v * v)};
            set->fn[KRN_STRIP_gelu_bw](in, &y[0], 1, NULL);
            set->fn[KRN_STRIP_gelu_tanh_bw](in, &y[1], 1, NULL);
            for (int f = 0; f < 2; f++)
                if (!(fabs((double)y[f] - want[f]) <= 0x1p-20) && failed++ < 20)
                    print_error("slope %d of gelu at %.9g: %.9g, not %.9g\n", f, v,
                                (double)y[f], want[f]);
        }
    assert_int_equal(failed, 0);
}

static void special_values(void **state)
{
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

static long double floor_modulo(long double a, long double b)
{
    const long double rest = fmodl(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
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
                 {"remainder", KRN_STRIP_remainder, floor_modulo, 0.501}};
    static const float special[] = {0.0f,     -0.0f,     1,    -1,     2,      -2,
                                    3,        -3,        0.5f, -2.5f,  1e9f,   33554432,
                                    INFINITY, -INFINITY, NAN,  1e-45f, -1e38f, 7.0000005f};
    enum { CAPACITY = 2 * 43 + TW_COUNT(special) };
    float x[CAPACITY], a[CAPACITY], y[CAPACITY];
    int count = 0, failed = 0;
    (void)state;
    for (uint32_t e = 0; e < 255; e += 6)
        for (uint32_t sign = 0; sign < 2; sign++)
            x[count++] = from_bits(sign << 31 | e << 23 | (e * 7919003u & 0x7FFFFF));
    for (size_t i = 0; i < TW_COUNT(special); i++)
        x[count++] = special[i];
    for (size_t t = 0; t < TW_COUNT(table); t++)
        for (int first = 0; first < count; first++)
            for (int one = 0; one < 2; one++) { /* a strip of one value, a mixed strip */
                for (int i = 0; i < count; i++)
                    a[i] = x[first];
                const float *in[3] = {a, x, NULL};
                if (one)
                    for (int i = 0; i < count; i++) {
                        const float *each[3] = {a + i, x + i, NULL};
                        set->fn[table[t].id](each, y + i, 1, NULL);
                    }
                else
                    set->fn[table[t].id](in, y, (size_t)count, NULL);
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

/* Eight rows of values, summed directly and through strips of f32: in the first half of
 * like size, the smallest whose sums are no subnormals and such as overflow among them, in
 * the second all kinds. */
static void sums_of_bf16(void **state)
{
    enum { N = 1000 };
    static uint16_t x[8][N], y[N + 1], streamed[N + 64];
    static float wide[8][N], want[N];
    const uint16_t *in[8];
    const float *reals[8];
    (void)state;
    uint32_t bits = 12345;
    for (size_t k = 0; k < 8; k++) {
        in[k] = x[k];
        reals[k] = wide[k];
        for (size_t i = 0; i < N; i++) {
            bits = bits * 1664525u + 1013904223u;
            static const uint16_t size[] = {0x0400, 0x0800, 0x3C00, 0x7800, 0x7C00};
            const uint32_t like = (bits >> 16 & 0x82FF) | size[i / 32 % TW_COUNT(size)];
            x[k][i] = (uint16_t)(i < N / 2 || i % 3 ? like : bits >> 16);
        }
        set->load_bf16(x[k], N, wide[k]);
    }
    set->fn[KRN_STRIP_add8_bf16](reals, want, N, NULL);
    for (size_t n = 0; n <= N; n += n < 70 ? 1 : 31) {
        y[n] = 0x1234;
        set->bf16[KRN_STRIP_add8_bf16](in, n, y, NULL);
        assert_int_equal(y[n], 0x1234);
        for (size_t i = 0; i < n; i++) {
            uint16_t rounded;
            set->store_bf16(&want[i], 1, &rounded);
            if (isnan(want[i]))
                assert_true((y[i] & 0x7FFF) > 0x7F80);
            else
                assert_int_equal(y[i], rounded);
        }
        _Alignas(64) uint16_t lines[N];
        if (set->streamed_halves[KRN_STRIP_add8_bf16]) {
            set->streamed_halves[KRN_STRIP_add8_bf16](in, n, lines, NULL);
            set->fence();
            assert_memory_equal(lines, y, n * sizeof *y);
        }
        set->stream(y, n * 2, streamed + n % 33);
        set->fence();
        assert_memory_equal(streamed + n % 33, y, n * 2);
    }
}

/* Functions from bf16 to bf16 against the same through strips of f32. */
static void functions_of_bf16(void **state)
{
    static uint16_t x[65536], y[65536], want[65536], second[65536];
    static float wide[65536], result[65536], wide_second[65536];
    const uint16_t *in[8] = {x, second};
    const float *reals[8] = {wide, wide_second};
    (void)state;
    for (size_t i = 0; i < 65536; i++) {
        x[i] = (uint16_t)i;
        second[i] =
            (uint16_t)(i * 40503u + (i >> 9)); /* every kind of number meets others */
    }
    set->load_bf16(x, 65536, wide);
    set->load_bf16(second, 65536, wide_second);
    for (int f = 0; f < KRN_STRIP_COUNT; f++) {
        if (!set->bf16[f] || f == KRN_STRIP_add8_bf16)
            continue;
        const float half = 0.5f; /* the factor of exp_pair_bf16 */
        set->fn[f](reals, result, 65536, &half);
        set->store_bf16(result, 65536, want);
        set->bf16[f](in, 65535, y, &half); /* no multiple of a vector's length */
        assert_memory_equal(y, want, 65535 * sizeof *y);
    }
}

/* ---- edges ---- */

static const float edges[] = {NAN,     -NAN,  INFINITY, -INFINITY, 0.0f,   -0.0f, 1e-40f,
                              -1e-40f, 1,     -1,       0.5f,      -0.75f, 2,     100,
                              -100,    3e38f, -3e38f,   1.2e-38f,  8000,   1e6f,  -7e5f};
enum { EDGES = TW_COUNT(edges), LONGEST = 600 };

/* Comparisons and selections, written plainly; exact to the bit but for NaN. */
#define EXACT(X)                                                                           \
    X(abs, fabsf(a))                                                                       \
    X(add, a + b)                                                                          \
    X(add4, (a + b) + (c + a))                                                             \
    X(add8, ((a + b) + (c + a)) + ((b + c) + (a + b)))                                     \
    X(add_number, a + -1.0f)                                                               \
    X(ceil, ceilf(a))                                                                      \
    X(copy, a)                                                                             \
    X(div, a / b)                                                                          \
    X(div_number, a / -1.0f)                                                               \
    X(eq, a == b)                                                                          \
    X(floor, floorf(a))                                                                    \
    X(ge, a >= b)                                                                          \
    X(gt, a > b)                                                                           \
    X(isfinite, isfinite(a) != 0)                                                          \
    X(le, a <= b)                                                                          \
    X(leaky_relu, a > 0 ? a : a * -1.0f)                                                   \
    X(logical_and, a != 0 && b != 0)                                                       \
    X(logical_not, a == 0)                                                                 \
    X(logical_or, a != 0 || b != 0)                                                        \
    X(logical_xor, (a != 0) != (b != 0))                                                   \
    X(lt, a < b)                                                                           \
    X(maximum, isnan(a) || isnan(b) ? NAN : a > b ? a : b)                                 \
    X(minimum, isnan(a) || isnan(b) ? NAN : a < b ? a : b)                                 \
    X(multiply, a *b)                                                                      \
    X(multiply_number, a * -1.0f)                                                          \
    X(ne, a != b)                                                                          \
    X(neg, -a)                                                                             \
    X(reciprocal, 1 / a)                                                                   \
    X(relu, a <= 0 ? 0 : a)                                                                \
    X(relu6, a <= 0 ? 0 : a > 6 ? 6 : a)                                                   \
    X(sign, isnan(a) ? NAN : (float)((a > 0) - (a < 0)))                                   \
    X(sqrt, sqrtf(a))                                                                      \
    X(subtract, a - b)                                                                     \
    X(subtract_number, a - -1.0f)                                                          \
    X(where, a != 0 ? b : c)

#define X(name, expr)                                                                      \
    static float exact_##name(float a, float b, float c)                                   \
    {                                                                                      \
        (void)a, (void)b, (void)c;                                                         \
        return expr;                                                                       \
    }
EXACT(X)
#undef X

static void decisions_at_edges(void **state)
{
    static const struct {
        const char *name;
        krn_strip_id id;
        float (*want)(float, float, float);
    } table[] = {
#define X(name, expr) {#name, KRN_STRIP_##name, exact_##name},
        EXACT(X)
#undef X
    };
    float a[EDGES * EDGES], b[EDGES * EDGES], c[EDGES * EDGES], y[EDGES * EDGES];
    const float *in[8] = {a, b, c, a, b, c, a, b}, args[2] = {-1, 2};
    int failed = 0;
    (void)state;
    for (size_t i = 0; i < EDGES * EDGES; i++) {
        a[i] = edges[i / EDGES];
        b[i] = edges[i % EDGES];
        c[i] = edges[i * 7 % EDGES];
    }
    for (size_t t = 0; t < TW_COUNT(table); t++) {
        set->fn[table[t].id](in, y, EDGES * EDGES, args);
        for (size_t i = 0; i < EDGES * EDGES; i++) {
            const float want = table[t].want(a[i], b[i], c[i]);
            const bool same = isnan(want) ? isnan(y[i]) : memcmp(&want, &y[i], 4) == 0;
            /* of two zeros either may be the larger */
            if (!same && !(want == 0 && y[i] == 0 && a[i] == 0 && b[i] == 0) &&
                failed++ < 20)
                print_error("%s %s(%g, %g, %g) = %g, not %g\n", set->isa, table[t].name,
                            (double)a[i], (double)b[i], (double)c[i], (double)y[i],
                            (double)want);
        }
    }
    assert_int_equal(failed, 0);
}

static const char *const names[] = {
#define STRIP(name, ...) #name,
#define STRIP_OWN(name) #name,
#include "host/strips/strips.def"
};

static bool same_bits(float a, float b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* Functions of |x| and -x have the bits of the functions, also where these round. */
static void functions_of_signs(void **state)
{
#define OF(name)                                                                           \
    {                                                                                      \
#name,                                                                             \
        {                                                                                  \
            KRN_STRIP_##name, KRN_STRIP_##name##_of_abs, KRN_STRIP_##name##_of_neg         \
        }                                                                                  \
    }
    static const struct {
        const char *name;
        krn_strip_id of[3];
    } table[] = {OF(cos), OF(exp), OF(sigmoid), OF(sin), OF(tanh)};
    enum { N = 4096 };
    static float x[3][N], want[N], y[N];
    int failed = 0;
    (void)state;
    for (size_t i = 0; i < N; i++) {
        const int from_middle = (int)i - N / 2;
        x[0][i] = i < EDGES ? edges[i] : (float)from_middle * (i % 7 ? 0.037f : 31.7f);
        x[1][i] = fabsf(x[0][i]);
        x[2][i] = -x[0][i];
    }
    for (size_t t = 0; t < 2 * TW_COUNT(table); t++) {
        krn_strip_function *const *fn = t % 2 ? set->rounded : set->fn;
        const krn_strip_id *of = table[t / 2].of;
        for (int k = 1; k < 3 && fn[of[k]]; k++) {
            const float *turned[8] = {x[k]}, *in[8] = {x[0]};
            fn[of[0]](turned, want, N, NULL);
            fn[of[k]](in, y, N, NULL);
            for (size_t i = 0; i < N; i++)
                if (!same_bits(want[i], y[i]) && failed++ < 20)
                    print_error("%s %s of %s %g = %g, not %g\n", set->isa,
                                table[t / 2].name, k == 1 ? "abs" : "neg", (double)x[0][i],
                                (double)y[i], (double)want[i]);
        }
    }
    assert_int_equal(failed, 0);
}

/* Every function at every length: each element has the bits that it has alone, none written
 * beyond. */
static void every_length(void **state)
{
    float a[LONGEST + 1], b[LONGEST + 1], c[LONGEST + 1], y[LONGEST + 1], alone[LONGEST];
    const float args[2] = {-1, 2}, *in[8] = {a, b, c, a, b, c, a, b};
    int failed = 0;
    (void)state;
    for (size_t i = 0; i <= LONGEST; i++) {
        a[i] = edges[i % EDGES];
        b[i] = edges[i / EDGES % EDGES];
        c[i] = edges[i * 7 % EDGES];
    }
    for (int f = 0; f < KRN_STRIP_COUNT; f++) {
        for (size_t i = 0; i < LONGEST; i++) {
            const float *one[8] = {a + i, b + i, c + i, a + i, b + i, c + i, a + i, b + i};
            set->fn[f](one, alone + i, 1, args);
        }
        for (size_t n = 0; n <= LONGEST; n += n < 80 ? 1 : 13) {
            y[n] = 123;
            set->fn[f](in, y, n, args);
            failed += y[n] != 123;
            for (size_t i = 0; i < n; i++)
                if (!same_bits(y[i], alone[i]) && failed++ < 20)
                    print_error("%s %s: %zu of %zu (%g, %g) is %.9g, alone %.9g\n",
                                set->isa, names[f], i, n, (double)a[i], (double)b[i],
                                (double)y[i], (double)alone[i]);
        }
    }
    assert_int_equal(failed, 0);
}

static double sum_of(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i];
    return sum;
}

/* Mean, squares, exp and norms of a row of f32. */
static int wrong_reals(const float *x, size_t n, float most)
{
    float y[LONGEST], next_most;
    _Alignas(64) float room[LONGEST + 16];
    double mean, square, about = 0, squares = 0;
    const double want = sum_of(x, n) / (double)n;
    int failed = 0;
    for (size_t i = 0; i < n; i++) {
        about += ((double)x[i] - want) * ((double)x[i] - want);
        squares += (double)x[i] * (double)x[i];
    }
    set->moments(x, n, &mean, &square);
    failed += fabs(mean - want) > 1e-6 * sqrt(squares / (double)n);
    failed += fabs(square - about) > 1e-6 * about + 1e-10 * squares;
    failed += fabs(set->squares(x, n) - squares) > 1e-6 * squares;
    const double total = set->exp_sum(x, n, most, y, x, &next_most);
    failed += fabs(total / sum_of(y, n) - 1) > 1e-6 || next_most != most;
    for (size_t i = 0; i < n; i++)
        failed += ulps(y[i], expl((long double)(x[i] - most))) > 5;
    for (int form = 0; form < 4; form++) { /* with a weight, a bias, both, neither */
        const float *w = form & 1 ? x : NULL, *b = form & 2 ? x : NULL;
        uint16_t half[LONGEST], one;
        set->norm(x, n, 3, -1, w, b, y);
        float *streamed = room + n % 16; /* aligned to lines and not */
        set->norm_stream(x, n, 3, -1, w, b, streamed);
        set->fence();
        failed += memcmp(streamed, y, n * sizeof *y) != 0;
        set->norm_bf16(x, n, 3, -1, w, b, half);
        for (size_t i = 0; i < n; i++) {
            const float plain = fmaf(x[i], 3, -1);
            failed += y[i] != fmaf(plain, w ? x[i] : 1, b ? x[i] : 0);
            set->store_bf16(&y[i], 1, &one);
            failed += half[i] != one;
        }
    }
    return failed;
}

/* The same for a row of bf16, whose values are exact in f32. */
static int wrong_halves(const uint16_t *h, const float *x, size_t n, float most)
{
    float arranged[LONGEST + KRN_ROW_STEP], e[LONGEST + KRN_ROW_STEP], y[LONGEST], next;
    uint16_t half[LONGEST], want[LONGEST];
    double mean[2], square[2];
    int failed = set->max_bf16(h, n) != most;
    set->moments(x, n, &mean[0], &square[0]);
    set->moments_bf16(h, n, &mean[1], &square[1]);
    const double squares = set->squares(x, n);
    failed += fabs(mean[1] - mean[0]) > 1e-6 * sqrt(squares / (double)n);
    failed += fabs(square[1] - square[0]) > 1e-6 * square[0] + 1e-10 * squares;
    failed += fabs(set->squares_bf16(h, n) - squares) > 1e-6 * squares;
    const double total = set->exp_sum(x, n, most, y, x, &next);
    failed += fabs(set->exp_sum_bf16(h, n, most, e, h, &next) / total - 1) > 1e-6;
    failed += next != most;
    set->scale_to_bf16(e, n, (float)(1 / total), half);
    set->norm(y, n, (float)(1 / total), 0, NULL, NULL, y);
    set->store_bf16(y, n, want);
    failed += memcmp(half, want, n * sizeof *half) != 0;
    set->arrange(x, n, arranged);
    for (int form = 0; form < 4; form++) {
        set->norm_bf16(x, n, 3, -1, form & 1 ? x : NULL, form & 2 ? x : NULL, want);
        set->norm_of_bf16(h, n, 3, -1, form & 1 ? arranged : NULL,
                          form & 2 ? arranged : NULL, half);
        failed += memcmp(half, want, n * sizeof *half) != 0;
    }
    return failed;
}

static void rows_at_every_length(void **state)
{
    float x[LONGEST];
    uint16_t h[LONGEST];
    int failed = 0;
    (void)state;
    for (size_t i = 0; i < LONGEST; i++)
        x[i] = (float)((int)(i * 7919 % 1001) - 500) * 0.01f;
    set->store_bf16(x, LONGEST, h);
    set->load_bf16(h, LONGEST, x);
    for (size_t n = 1; n <= LONGEST; n++) {
        double sum = 0, size = 0;
        float most = x[0], least = x[0];
        for (size_t i = 0; i < n; i++) {
            sum += (double)x[i];
            size += fabs((double)x[i]);
            most = fmaxf(most, x[i]);
            least = fminf(least, x[i]);
        }
        failed += fabs((double)set->sum(x, n) - sum) > size * 1e-6;
        failed += set->max(x, n) != most || set->most(x, n) != most;
        failed += set->least(x, n) != least;
        failed += wrong_reals(x, n, most) + wrong_halves(h, x, n, most);
        const float kept = x[n - 1];
        x[n - 1] = NAN;
        failed += !isnan(set->most(x, n)) || !isnan(set->least(x, n));
        failed += n > 1 && isnan(set->max(x, n));
        x[n - 1] = kept;
    }
    assert_int_equal(failed, 0);
}

/* Two rows at a time, as if one after the other. */
static void norms_in_pairs(void **state)
{
    enum { N = 1280 };
    static _Alignas(64) float x[N + 1], next[N], want[N], y[N];
    krn_norm_next *const both[] = {set->norm_next, set->norm_next_stream};
    double mean[2], square[2];
    (void)state;
    for (size_t i = 0; i <= N; i++)
        x[i] = (float)((int)(i * 7919 % 1001) - 500) * 0.01f;
    for (size_t k = 0; k < TW_COUNT(both); k++)
        for (size_t n = 64; both[k] && n <= N; n += 64) {
            for (size_t i = 0; i < n; i++) /* from a good to a hopeless initial guess */
                next[i] = x[N - i] + (i < 16 ? (float)n : 0);
            set->moments(next, n, &mean[0], &square[0]);
            for (int form = 0; form < 4; form++) {
                const float *w = form & 1 ? x + 1 : NULL, *b = form & 2 ? x : NULL;
                set->norm(x, n, 3, -1, w, b, want);
                both[k](x, n, 3, -1, w, b, y, next, &mean[1], &square[1]);
                set->fence();
                assert_memory_equal(y, want, n * sizeof *y);
                assert_true(mean[0] == mean[1] && square[0] == square[1]);
            }
        }
}

/* Rows whose first elements are far from the rest, or that are constant. */
static void moments_of_odd_rows(void **state)
{
    float x[3000];
    double mean, square;
    (void)state;
    for (size_t i = 0; i < TW_COUNT(x); i++)
        x[i] = i < 16 ? 1e6f : (float)(i % 7) - 3;
    for (size_t n = 20; n <= TW_COUNT(x); n += 745) {
        double about = 0;
        const double want = sum_of(x, n) / (double)n;
        for (size_t i = 0; i < n; i++)
            about += ((double)x[i] - want) * ((double)x[i] - want);
        set->moments(x, n, &mean, &square);
        assert_true(fabs(mean / want - 1) < 1e-6 && fabs(square / about - 1) < 1e-6);
    }
    for (size_t i = 0; i < TW_COUNT(x); i++)
        x[i] = 0.1f;
    set->moments(x, TW_COUNT(x), &mean, &square);
    assert_true(fabs(mean / 0.1 - 1) < 1e-6 && square < 1e-12);
    x[2000] = INFINITY;
    set->moments(x, TW_COUNT(x), &mean, &square);
    assert_false(isfinite(square));
}

static void names_of_sets(void **state)
{
    krn_isa found;
    (void)state;
    for (int i = 0; i < KRN_ISA_COUNT; i++) {
        assert_true(krn_isa_named(krn_isa_name((krn_isa)i), &found));
        assert_int_equal(found, i);
    }
    assert_false(krn_isa_named("sse9", &found));
    setenv("TILEWRIGHT_ISA", "sse9", 1);
    tw_status status = krn_isa_check();
    assert_int_equal(tw_status_code(status), TW_INVALID);
    assert_non_null(strstr(tw_status_message(status), "it runs plain"));
    tw_status_free(status);
    setenv("TILEWRIGHT_ISA", "plain", 1);
    assert_null(krn_isa_check());
    unsetenv("TILEWRIGHT_ISA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy),
        cmocka_unit_test(exact_results),
        cmocka_unit_test(results_within_bounds),
        cmocka_unit_test(gelu_in_absolute_terms),
        cmocka_unit_test(two_operands),
        cmocka_unit_test(slopes_of_gelu),
        cmocka_unit_test(sums_of_bf16),
        cmocka_unit_test(functions_of_bf16),
        cmocka_unit_test(special_values),
        cmocka_unit_test(bf16_rounds_to_even),
        cmocka_unit_test(decisions_at_edges),
        cmocka_unit_test(functions_of_signs),
        cmocka_unit_test(every_length),
        cmocka_unit_test(rows_at_every_length),
        cmocka_unit_test(moments_of_odd_rows),
        cmocka_unit_test(norms_in_pairs),
        cmocka_unit_test(names_of_sets),
    };
    int failed = 0;
    for (int isa = KRN_ISA_PLAIN; isa <= (int)krn_isa_of_machine(); isa++) {
        if (set == krn_strips_of((krn_isa)isa))
            continue; /* the same functions under two names */
        set = krn_strips_of((krn_isa)isa);
        failed += cmocka_run_group_tests_name(set->isa, tests, NULL, NULL);
    }
    return failed;
}
