/* test_device.c: fibers, jobs, chips, tiles and their formats, against rules restated in
 * plain arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "grid/machine/format.h"
#include "grid/machine/jobs.h"
#include "host/tiles/tile.h"
#include "support/bf16_f16.h"
#include "support/fiber.h"
#include "ttcore/system/chip_costs.h"

/* ---- fibers ------------------------------------------------------------------------ */

typedef struct counter {
    tw_fiber *fiber;
    int steps, log;
    double x;
} counter;

static void count(void *user)
{
    counter *c = user;
    char frame[4096]; /* its own stack */
    memset(frame, c->steps, sizeof frame);
    for (int i = 0; i < c->steps; i++) {
        c->log = c->log * 10 + i + 1;
        c->x += 0.5 * i;
        tw_fiber_yield(c->fiber);
        assert_int_equal(frame[i * 100], c->steps);
    }
}

static void test_fibers_interleave(void **state)
{
    (void)state;
    counter a = {.steps = 3}, b = {.steps = 2};
    assert_null(tw_fiber_create(count, &a, 0, &a.fiber));
    assert_null(tw_fiber_create(count, &b, 0, &b.fiber));
    assert_true(tw_fiber_resume(a.fiber));
    assert_true(tw_fiber_resume(b.fiber));
    assert_true(tw_fiber_resume(a.fiber));
    assert_true(tw_fiber_resume(b.fiber));
    assert_int_equal(a.log, 12);
    assert_int_equal(b.log, 12);
    assert_false(tw_fiber_resume(b.fiber));
    assert_true(tw_fiber_resume(a.fiber));
    assert_int_equal(a.log, 123);
    assert_true(a.x == 1.5);
    tw_fiber_destroy(a.fiber); /* an unfinished one */
    tw_fiber_destroy(b.fiber);
}

static void test_many_fibers(void **state)
{
    (void)state;
    counter c[200] = {0};
    for (int i = 0; i < 200; i++) {
        c[i].steps = i % 7 + 1;
        assert_null(tw_fiber_create(count, &c[i], 16384, &c[i].fiber));
    }
    for (int i = 0; i < 200; i++) {
        int resumed = 1;
        while (tw_fiber_resume(c[i].fiber))
            resumed++;
        assert_int_equal(resumed, c[i].steps + 1);
        tw_fiber_destroy(c[i].fiber);
    }
}

/* One resumes the other, which yields to the resumer of the first. */
typedef struct pair {
    tw_fiber *own, *other;
    int steps;
} pair;

static void hand_over(void *user)
{
    pair *p = user;
    p->steps++;
    if (!tw_fiber_hand_over(p->own, p->other))
        tw_fiber_yield(p->own); /* not reached */
    p->steps++;
}

static void stop_at_once(void *user)
{
    pair *p = user;
    p->steps++;
    tw_fiber_yield(p->own);
    p->steps++;
}

static void test_fibers_hand_over(void **state)
{
    (void)state;
    pair a = {0}, b = {0};
    assert_null(tw_fiber_create(hand_over, &a, 0, &a.own));
    assert_null(tw_fiber_create(stop_at_once, &b, 0, &b.own));
    a.other = b.own;
    assert_true(tw_fiber_resume(a.own));
    assert_int_equal(a.steps, 1);
    assert_true(b.steps <= 1);
    bool handed = b.steps == 1;
    assert_false(tw_fiber_resume(a.own));
    assert_true(tw_fiber_ended(a.own));
    assert_true(tw_fiber_resume(b.own) != handed);
    assert_int_equal(b.steps, handed ? 2 : 1);
    tw_fiber_destroy(a.own);
    tw_fiber_destroy(b.own);
}

/* ---- jobs -------------------------------------------------------------------------- */

/* Order-dependent jobs. */
static void twist(const dev_job *job)
{
    uint32_t *out = job->out;
    for (uint32_t i = 0; i < job->size; i++)
        out[i] = out[i] * 3 + job->x + i;
}

static void test_jobs_keep_their_order(void **state)
{
    (void)state;
    enum { N = 16 };
    const dev_job_kind kind = {twist, DEV_SIZE, DEV_NO_BYTES, DEV_NO_BYTES};
    uint32_t x[N] = {0}, y[N] = {0}, z[N] = {0};
    dev_jobs *jobs;
    assert_null(dev_jobs_create(&jobs));
    for (int run = 0; run < 20; run++) {
        dev_jobs_begin(jobs);
        for (int i = 0; i < run * 300; i++) {
            dev_job job = {&kind, x, .size = N, .x = (uint8_t)i};
            dev_jobs_add(jobs, &job);
            job.out = y;
            twist(&job);
            if (i % 700 == 699) {
                dev_jobs_wait(jobs);
                assert_memory_equal(x, y, sizeof x);
                x[i % N] = y[i % N] = 1;
            }
        }
        dev_jobs_add(jobs, &(dev_job){&dev_job_copy, z, x, .size = sizeof x});
        dev_jobs_end(jobs);
        assert_memory_equal(z, y, sizeof z);
    }
    dev_jobs_destroy(jobs);
}

/* ---- tiles of bf16 ----------------------------------------------------------------- */

static void test_products_of_halves(void **state)
{
    (void)state;
    const krn_tile_set *k = krn_tiles();
    static uint16_t a[KRN_TILE], b[KRN_TILE];
    static float x[KRN_TILE], y[KRN_TILE], wanted[KRN_TILE], got[KRN_TILE];
    uint32_t random = 1;
    int taken = 0;
    for (int spread = 1; k->product_bf16 && spread < 250; spread += 3) {
        for (int i = 0; i < KRN_TILE; i++)
            for (int side = 0; side < 2; side++) {
                random = random * 1664525 + 1013904223;
                uint32_t exponent = (uint32_t)(127 - spread / 2) + (random >> 16) % spread;
                (side ? b : a)[i] = (uint16_t)((random >> 9 & 0x807F) | exponent << 7);
            }
        a[spread] = b[spread] = 0;
        k->load_bf16(a, x);
        k->load_bf16(b, y);
        k->product(x, y, wanted);
        if (!k->product_bf16(a, b, NULL, false, got))
            continue;
        assert_memory_equal(got, wanted, sizeof got);
        k->add(x, wanted, wanted);
        k->round_bf16(wanted);
        assert_true(k->product_bf16(a, b, x, true, got));
        assert_memory_equal(got, wanted, sizeof got);
        taken++;
    }
    a[5] = 0x7FC0; /* NaN is covered by other tests */
    assert_true(!k->product_bf16 || (taken && !k->product_bf16(a, b, NULL, false, got)));
    k->load_bf16(a, x);
    k->load_bf16(b, y);
    k->multiply(x, y, wanted);
    k->cut_bf16(wanted);
    k->multiply_bf16(a, b, a);
    k->load_bf16(a, got);
    assert_memory_equal(got, wanted, sizeof got);
}

/* Products of prepared operands, and accumulated onto pages with all kinds of values. */
static void test_products_in_two_steps(void **state)
{
    (void)state;
    const krn_tile_set *k = krn_tiles();
    static uint16_t a[KRN_TILE], b[KRN_TILE], page[KRN_TILE], wanted_page[KRN_TILE];
    static uint32_t left[KRN_TILE / 2], right[KRN_TILE / 2];
    static float x[KRN_TILE], y[KRN_TILE], wanted[KRN_TILE], got[KRN_TILE];
    uint32_t random = 5;
    for (int scale = 0; scale < 40; scale += 13) {
        for (int i = 0; i < KRN_TILE; i++) {
            random = random * 1664525 + 1013904223;
            a[i] = (uint16_t)((random >> 9 & 0x80FF) | (uint32_t)(127 - scale) << 7);
            b[i] = (uint16_t)((random >> 16 & 0x807F) | 125 << 7);
            a[i] = i / 16 % 2 ? 0 : a[i]; /* sums of zero keep the page's value */
            b[i] = i < 256 || i >= 768 ? b[i] : 0;
            page[i] = (uint16_t)(i % 3 ? random >> 4 : random >> 7 & 0x807F);
        }
        page[7] = 0x7F81, page[8] = 0xFF80, page[9] = 0x7F7F, page[10] = 0x8001;
        k->load_bf16(a, x);
        k->load_bf16(b, y);
        k->product_on_page(x, y, true, memcpy(got, y, sizeof got), &(krn_next){x, y, got});
        k->product(x, y, wanted);
        k->add(wanted, y, wanted);
        assert_memory_equal(got, wanted, sizeof got);
        if (!k->product_pairs)
            continue;
        assert_true(k->pair_left(a, left) && k->pair_right(b, right));
        assert_true(k->product_bf16(a, b, y, true, wanted));
        k->product_pairs(left, right, y, true, got);
        assert_memory_equal(got, wanted, sizeof got);
        assert_true(k->product_bf16(a, b, NULL, true, wanted));
        memcpy(wanted_page, page, sizeof page);
        k->sum_bf16(wanted, wanted_page);
        k->product_pairs_onto(left, right, page, &(krn_next){left, right, page});
        assert_memory_equal(page, wanted_page, sizeof page);
    }
}

/* ---- chips ------------------------------------------------------------------------- */

static void test_chips(void **state)
{
    (void)state;
    const dev_chip *n150 = dev_chip_find(TW_STR("n150")),
                   *p150 = dev_chip_find(TW_STR("blackhole"));
    assert_non_null(n150);
    assert_non_null(p150);
    assert_null(dev_chip_find(TW_STR("n151")));
    assert_int_equal(n150->l1_bytes, 1464 * 1024);
    assert_int_equal(p150->l1_bytes, 1536 * 1024);
    assert_int_equal(dev_dst_capacity(n150, false, true), 16);
    assert_int_equal(dev_dst_capacity(n150, false, false), 8);
    assert_int_equal(dev_dst_capacity(n150, true, true), 8);
    assert_int_equal(dev_dst_capacity(n150, true, false), 4);
    for (size_t i = 0; dev_chip_at(i); i++) {
        const dev_cost *c = &dev_chip_at(i)->cost;
        assert_true(c->matmul_phase > 0 && c->noc_bytes > 0 && c->dram_bytes > 0);
        assert_true(c->unpack_bytes > 0 && c->pack_bytes > 0);
    }
}

/* ---- formats ----------------------------------------------------------------------- */

static uint32_t random_state = 7;

static float random_float(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return ldexpf((float)(int32_t)random_state / 2147483648.0f,
                  (int)(random_state % 9) - 4);
}

static void test_faces(void **state)
{
    (void)state;
    bool seen[1024] = {0};
    for (size_t r = 0; r < 32; r++)
        for (size_t c = 0; c < 32; c++)
            seen[dev_tile_index(r, c)] = true;
    for (int i = 0; i < 1024; i++)
        assert_true(seen[i]);
    assert_int_equal(dev_tile_index(0, 16), 256);
    assert_int_equal(dev_tile_index(16, 0), 512);
    assert_int_equal(dev_tile_index(17, 18), 768 + 16 + 2);
}

static void test_exact_round_trips(void **state)
{
    (void)state;
    static const tw_dtype formats[] = {TW_BF16, TW_F16, TW_U16, TW_U8};
    uint8_t bytes[4096], again[4096];
    dev_tile t;
    for (size_t f = 0; f < TW_COUNT(formats); f++) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(formats[f] == TW_U8 ? i * 7
                                 : i & 1             ? 0x38 + i % 5
                                                     : i * 31);
        dev_tile_load(formats[f], bytes, &t);
        dev_tile_store(formats[f], formats[f] == TW_F16 ? DEV_DST_F16 : DEV_DST_BF16, &t,
                       again);
        assert_memory_equal(bytes, again, dev_tile_bytes(formats[f]));
    }
}

static void test_rounding_places(void **state)
{
    (void)state;
    dev_tile t = {{0}};
    t.f[0] = tw_f32_of_bits(0x3F801FFF); /* drops 13 bits */
    t.f[1] = tw_f32_of_bits(0x00400000); /* subnormal */
    t.f[2] = tw_f32_of_bits(0xBF80FFFF);
    dev_round_to_source(&t);
    assert_true(t.f[0] == 1.0f && t.f[1] == 0);
    assert_int_equal(tw_f32_bits(t.f[2]), 0xBF80E000);
    dev_tile u = {{tw_f32_of_bits(0x3F808000), tw_f32_of_bits(0xBF80FFFF), INFINITY, NAN}};
    dev_tile v = u;
    dev_truncate_to_dst(&u, DEV_DST_BF16);
    assert_int_equal(tw_f32_bits(u.f[0]), 0x3F800000);
    assert_int_equal(tw_f32_bits(u.f[1]), 0xBF800000);
    assert_true(isinf(u.f[2]) && isnan(u.f[3]));
    dev_round_to_dst(&v, DEV_DST_BF16);
    assert_int_equal(tw_f32_bits(v.f[0]), 0x3F810000); /* a tie goes up */
    assert_int_equal(tw_f32_bits(v.f[1]), 0xBF810000);
    /* the packer rounds ties away from zero, torch to even */
    assert_int_equal(dev_bf16_ties_away(tw_f32_of_bits(0x3F808000)), 0x3F81);
    assert_int_equal(tw_bf16_nearest_even(tw_f32_of_bits(0x3F808000)), 0x3F80);
    assert_int_equal(dev_bf16_ties_away(-0.0f), 0);
    assert_int_equal(dev_bf16_ties_away(NAN) & 0x7FFF, 0x7F80);
}

/* Device packing of bfp8 from a bf16 DST, computed with reals: value / 2^(E-127-6), ties
 * away from zero, at most 127. */
static void test_block_floats(void **state)
{
    (void)state;
    dev_tile t, back;
    uint8_t bytes[2048];
    for (int i = 0; i < 1024; i++)
        t.f[i] = tw_bf16_value(tw_bf16_nearest_even(random_float()));
    dev_tile_store(TW_BFP_BF8, DEV_DST_BF16, &t, bytes);
    dev_tile_load(TW_BFP_BF8, bytes, &back);
    for (int g = 0; g < 64; g++) {
        float top = 0;
        for (int k = 0; k < 16; k++)
            top = fmaxf(top, fabsf(t.f[g * 16 + k]));
        double ulp = ldexp(1, ilogbf(top) - 6);
        assert_int_equal(bytes[g], ilogbf(top) + 127);
        for (int k = 0; k < 16; k++) {
            double x = (double)t.f[g * 16 + k];
            double want = fmin(floor(fabs(x) / ulp + 0.5), 127) * ulp;
            if (fabs(x) < ldexp(ulp, -1))
                want = 0;
            assert_true((double)back.f[g * 16 + k] == copysign(want, x));
        }
    }
    /* narrower codes are the truncated 8-bit code */
    dev_tile four;
    dev_tile_store(TW_BFP_BF4, DEV_DST_BF16, &t, bytes);
    dev_tile_load(TW_BFP_BF4, bytes, &four);
    for (int i = 0; i < 1024; i++)
        assert_true(fabsf(four.f[i]) <= fabsf(back.f[i]));
    assert_int_equal(dev_tile_bytes(TW_BFP_BF8), 1088);
    assert_int_equal(dev_tile_bytes(TW_BFP_BF4), 576);
    assert_int_equal(dev_tile_bytes(TW_BFP_BF2), 320);
}

static void test_block_float_corners(void **state)
{
    (void)state;
    uint8_t bytes[1088] = {0};
    dev_tile t;
    bytes[0] = 127;
    bytes[64] = 0x40; /* 1.0 */
    bytes[65] = 0x80; /* the code that reads as minus infinity's pattern */
    bytes[66] = 0x81; /* -1/64 */
    dev_tile_load(TW_BFP_BF8, bytes, &t);
    assert_true(t.f[0] == 1.0f && t.f[2] == -1.0f / 64);
    assert_int_equal(tw_f32_bits(t.f[1]), 0xFF800000);
    /* the host rounds ties to even, and the device away from zero */
    float values[1024] = {1.0f, 1.0f + 1.0f / 128, 1.0f + 3.0f / 128};
    dev_tile_encode_host(TW_BFP_BF8, values, bytes);
    assert_int_equal(bytes[65], 0x40);
    assert_int_equal(bytes[66], 0x42);
    memcpy(t.f, values, sizeof values);
    dev_tile_store(TW_BFP_BF8, DEV_DST_F32, &t, bytes);
    assert_int_equal(bytes[65], 0x41);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fibers_interleave),
        cmocka_unit_test(test_many_fibers),
        cmocka_unit_test(test_fibers_hand_over),
        cmocka_unit_test(test_jobs_keep_their_order),
        cmocka_unit_test(test_products_of_halves),
        cmocka_unit_test(test_products_in_two_steps),
        cmocka_unit_test(test_chips),
        cmocka_unit_test(test_faces),
        cmocka_unit_test(test_exact_round_trips),
        cmocka_unit_test(test_rounding_places),
        cmocka_unit_test(test_block_floats),
        cmocka_unit_test(test_block_float_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
