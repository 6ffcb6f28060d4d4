/* test_tiles.c: the tile kernels of each instruction set, against the plain set
 * (tile.h). */
#include "host/tiles/tile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { N = KRN_TILE, ROUNDS = 24 };

static uint32_t state = 1;

static uint32_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* Bits of any kind, of values within a few powers of two, of tiny ones, or of special
 * cases: zeros, infinities, NaN, midpoints between two bf16 values, the ends of ranges. */
static uint32_t random_bits(int kind)
{
    static const uint32_t edges[] = {0x00000000, 0x80000000, 0x7F800000, 0xFF800000,
                                     0x7FC00000, 0xFFFFFFFF, 0x7F800001, 0x7F7FFFFF,
                                     0x7F7F8000, 0x00800000, 0x007FFFFF, 0x80000001,
                                     0x3F808000, 0x3F818000, 0x3F808001, 0xBF807FFF};
    const uint32_t bits = next_random();
    switch (kind % 4) {
    case 0:
        return bits;
    case 1:
        return (bits & 0x81FFFFFF) | 0x3E000000;
    case 2:
        return (bits & 0x83FFFFFF) | (uint32_t)(kind & 4) << 25;
    default:
        return bits % 3 ? (bits & 0x80FFFFFF) | 0x3F000000 : edges[(bits >> 8) % 16];
    }
}

typedef struct tile {
    _Alignas(64) union {
        float f[N];
        uint32_t bits[N];
        uint16_t half[2 * N];
    };
} tile;

static tile a, b, sources[2], wanted, got;
static uint16_t bf16_values[2][N];

/* Any NaN equals any NaN: a compiler may choose which operand an operation propagates. */
static void assert_same_values(const char *isa, const char *what, int kind)
{
    for (int i = 0; i < N; i++)
        if (wanted.bits[i] != got.bits[i] &&
            (wanted.f[i] == wanted.f[i] || got.f[i] == got.f[i]))
            fail_msg("%s of %s, numbers %d: element %d is %08x, not %08x", what, isa, kind,
                     i, got.bits[i], wanted.bits[i]);
}

static void assert_same_bf16(const char *isa, const char *what, int kind)
{
    for (int i = 0; i < N; i++) {
        const uint32_t x = wanted.half[i], y = got.half[i];
        if (x != y && ((x & 0x7FFF) <= 0x7F80 || (y & 0x7FFF) <= 0x7F80))
            fail_msg("%s of %s, numbers %d: element %d is %04x, not %04x", what, isa, kind,
                     i, y, x);
    }
}

static void make_numbers(int kind)
{
    for (int i = 0; i < N; i++) {
        a.bits[i] = random_bits(kind);
        b.bits[i] = random_bits(kind / 4);
        bf16_values[0][i] = (uint16_t)(random_bits(kind) >> 16);
        bf16_values[1][i] = (uint16_t)(random_bits(kind / 4) >> 16);
    }
    krn_tiles_of(KRN_ISA_PLAIN)->load_tf32(a.f, sources[0].f);
    krn_tiles_of(KRN_ISA_PLAIN)->load_tf32(b.f, sources[1].f);
}

/* Each of the statements with one set, then with the other. */
#define WITH_BOTH(check, what, ...)                                                        \
    do {                                                                                   \
        for (int side = 0; side < 2; side++) {                                             \
            const krn_tile_set *k = side ? set : krn_tiles_of(KRN_ISA_PLAIN);              \
            tile *to = side ? &got : &wanted;                                              \
            memcpy(to, &b, sizeof b);                                                      \
            __VA_ARGS__;                                                                   \
        }                                                                                  \
        check(set->isa, what, kind);                                                       \
    } while (0)

static void compare_conversions(const krn_tile_set *set, int kind)
{
    WITH_BOTH(assert_same_values, "load_bf16", k->load_bf16(bf16_values[0], to->f));
    WITH_BOTH(assert_same_values, "load_tf32", k->load_tf32((char *)&a, to->f));
    WITH_BOTH(assert_same_bf16, "store_bf16_cut", k->store_bf16_cut(a.f, to->half));
    WITH_BOTH(assert_same_bf16, "store_bf16_away", k->store_bf16_away(a.f, to->half));
    WITH_BOTH(assert_same_values, "cut_tf32", k->cut_tf32(to->f));
    WITH_BOTH(assert_same_values, "round_bf16", k->round_bf16(to->f));
    WITH_BOTH(assert_same_values, "cut_bf16", k->cut_bf16(to->f));
    WITH_BOTH(assert_same_values, "transpose", k->transpose(a.f, to->f));
    WITH_BOTH(assert_same_values, "fill", k->fill(to->bits + 3, N - 7, (uint32_t)kind));
}

static void compare_sums(const krn_tile_set *set, int kind)
{
    WITH_BOTH(assert_same_values, "add", k->add(a.f, b.f, to->f));
    WITH_BOTH(assert_same_values, "subtract", k->subtract(a.f, b.f, to->f));
    WITH_BOTH(assert_same_values, "multiply", k->multiply(a.f, b.f, to->f));
    WITH_BOTH(assert_same_bf16, "add_bf16",
              k->add_bf16(bf16_values[0], bf16_values[1], to->half));
    WITH_BOTH(assert_same_bf16, "subtract_bf16",
              k->subtract_bf16(bf16_values[0], bf16_values[1], to->half));
    WITH_BOTH(assert_same_bf16, "multiply_bf16",
              k->multiply_bf16(bf16_values[0], bf16_values[1], to->half));
    WITH_BOTH(assert_same_bf16, "sum_bf16", k->sum_bf16(a.f, to->half));
}

static void compare_products(const krn_tile_set *set, int kind)
{
    const float *x = sources[0].f, *y = sources[1].f;
    WITH_BOTH(assert_same_values, "product", k->product(x, y, to->f));
    for (int adds = 0; adds < 2; adds++)
        WITH_BOTH(assert_same_values, "product_on_page",
                  k->product_on_page(x, y, adds, to->f, &(krn_next){x, y, to}));
}

static void compare_sets(void (*compare)(const krn_tile_set *, int))
{
    for (int isa = KRN_ISA_PLAIN + 1; isa <= (int)krn_isa_of_machine(); isa++)
        for (int kind = 0; kind < ROUNDS; kind++) {
            make_numbers(kind);
            compare(krn_tiles_of((krn_isa)isa), kind);
        }
}

static void test_conversions(void **unused)
{
    (void)unused;
    compare_sets(compare_conversions);
}

static void test_sums(void **unused)
{
    (void)unused;
    compare_sets(compare_sums);
}

static void test_products(void **unused)
{
    (void)unused;
    compare_sets(compare_products);
}

/* The product's sums by definition, in doubles rounded once after each step: they represent
 * the sum of a product of 22 bits and of a value of 24 where the smaller one matters. */
static void test_product_sums(void **unused)
{
    (void)unused;
    for (int isa = KRN_ISA_PLAIN; isa <= (int)krn_isa_of_machine(); isa++)
        for (int kind = 1; kind < 7; kind += 5) {
            make_numbers(kind);
            krn_tiles_of((krn_isa)isa)->product(sources[0].f, sources[1].f, got.f);
            for (int r = 0; r < 32; r++)
                for (int c = 0; c < 32; c++) {
                    float sum = 0;
                    for (int i = 0; i < 32; i++) {
                        const float x = sources[0].f[(r / 16 * 2 + i / 16) * 256 +
                                                     r % 16 * 16 + i % 16],
                                    y = sources[1].f[(i / 16 * 2 + c / 16) * 256 +
                                                     i % 16 * 16 + c % 16];
                        sum = (float)((double)x * (double)y + (double)sum);
                    }
                    wanted.f[(r / 16 * 2 + c / 16) * 256 + r % 16 * 16 + c % 16] = sum;
                }
            assert_same_values(krn_isa_name((krn_isa)isa), "product", kind);
        }
}

/* Values that fit: small and large ones, zeros; onto pages with all kinds of values. */
static void test_products_onto_bf16(void **unused)
{
    (void)unused;
    for (int isa = KRN_ISA_PLAIN; isa <= (int)krn_isa_of_machine(); isa++)
        for (int kind = 0; kind < ROUNDS; kind++) {
            const krn_tile_set *k = krn_tiles_of((krn_isa)isa);
            const uint32_t least = kind & 1 ? 127 - 40 : 110,
                           range = kind & 2 ? 255 - least : 12;
            make_numbers(kind);
            for (int i = 0; i < N; i++)
                for (int side = 0; side < 2; side++) {
                    const uint32_t bits = next_random();
                    bf16_values[side][i] =
                        bits % 5 ? (uint16_t)((bits >> 16 & 0x8000) | (bits & 0x7F) |
                                              (least + (bits >> 7 & 255) % range) << 7)
                                 : (uint16_t)(bits & 0x8000);
                }
            assert_true(k->pairs_fit(bf16_values[0]) && k->pairs_fit(bf16_values[1]));
            k->load_bf16(bf16_values[0], sources[0].f);
            k->load_bf16(bf16_values[1], sources[1].f);
            k->store_bf16_cut(b.f, wanted.half);
            memcpy(&got, &wanted, sizeof got);
            k->product(sources[0].f, sources[1].f, a.f);
            k->round_bf16(a.f);
            k->sum_bf16(a.f, wanted.half);
            k->product_onto_bf16(sources[0].f, sources[1].f, got.half,
                                 &(krn_next){&a, &b, &got});
            assert_same_bf16(k->isa, "product_onto_bf16", kind);
        }
}

/* A single value at any position decides. */
static void test_what_fits(void **unused)
{
    (void)unused;
    static const struct {
        uint16_t bits;
        bool fits;
    } cases[] = {{0, true},      {0x8000, true},  {87 << 7, true}, {(87 << 7) - 1, false},
                 {1, false},     {0x8001, false}, {0xFF7F, true},  {0x7F80, false},
                 {0xFFC0, false}};
    for (int isa = KRN_ISA_PLAIN; isa <= (int)krn_isa_of_machine(); isa++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const int at = (int)(next_random() % N);
            for (int k = 0; k < N; k++)
                bf16_values[0][k] = (uint16_t)((next_random() & 0x80FF) | 0x3F00);
            bf16_values[0][at] = cases[i].bits;
            assert_int_equal(krn_tiles_of((krn_isa)isa)->pairs_fit(bf16_values[0]),
                             cases[i].fits);
        }
}

/* Any length, from any word on: a differing word is detected at any position. */
static void test_all(void **unused)
{
    (void)unused;
    for (int isa = KRN_ISA_PLAIN; isa <= (int)krn_isa_of_machine(); isa++)
        for (size_t n = 0; n < 200; n++) {
            const krn_tile_set *k = krn_tiles_of((krn_isa)isa);
            uint32_t *words = got.bits + n % 5;
            k->fill(words, n, 0x01020304);
            words[n] = 1;
            assert_true(k->all(words, n, 0x01020304));
            for (size_t i = 0; i < n; i += 7) {
                words[i] ^= 1u << i % 32;
                assert_false(k->all(words, n, 0x01020304));
                words[i] ^= 1u << i % 32;
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_product_sums),
        cmocka_unit_test(test_products_onto_bf16),
        cmocka_unit_test(test_what_fits),
        cmocka_unit_test(test_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
