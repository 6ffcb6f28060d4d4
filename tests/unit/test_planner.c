/* test_planner.c: buffers with live ranges in one memory (planner.h). */
#include "d2m/allocation/planner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 40, ROUNDS = 3000 };

static uint32_t state = 7;

static int64_t below(int64_t n)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % n;
}

static size_t random_items(d2m_plan_item *items)
{
    size_t n = (size_t)below(MOST + 1);
    for (size_t i = 0; i < n; i++) {
        int64_t first = below(30);
        items[i] = (d2m_plan_item){.first = first,
                                   .last = first + below(10),
                                   .size = 16 * (1 + below(20)),
                                   .is_bound = below(3) == 0};
    }
    return n;
}

static bool collide(const d2m_plan_item *a, const d2m_plan_item *b)
{
    return a->first <= b->last && b->first <= a->last && a->offset < b->offset + b->size &&
           b->offset < a->offset + a->size;
}

/* The plan is consistent; returns the end of its last item. */
static int64_t check(const d2m_plan_item *items, size_t n)
{
    int64_t end = 0;
    for (size_t i = 0; i < n; i++) {
        if (items[i].is_spilled)
            continue;
        assert_true(items[i].offset >= 0);
        assert_int_equal(items[i].offset % 16, 0);
        end = TW_MAX(end, items[i].offset + items[i].size);
        for (size_t k = 0; k < i; k++)
            assert_false(!items[k].is_spilled && collide(&items[i], &items[k]));
    }
    return end;
}

/* The most bytes live at one time. */
static int64_t peak(const d2m_plan_item *items, size_t n, bool bound_only)
{
    int64_t most = 0;
    for (int64_t t = 0; t < 40; t++) {
        int64_t live = 0;
        for (size_t i = 0; i < n; i++)
            if (items[i].first <= t && t <= items[i].last &&
                (items[i].is_bound || !bound_only))
                live += items[i].size;
        most = TW_MAX(most, live);
    }
    return most;
}

static void test_live_items_are_apart(void **unused)
{
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        d2m_plan_item items[MOST];
        size_t n = random_items(items);
        int64_t used = d2m_plan_place(items, n);
        assert_int_equal(used, check(items, n));
        assert_true(used >= peak(items, n, false));
    }
}

static void test_spills(void **unused)
{
    (void)unused;
    int fitted = 0, spilled = 0, refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
        d2m_plan_item items[MOST], bound[MOST];
        size_t n = random_items(items), bounds = 0, moved = 0;
        for (size_t i = 0; i < n; i++)
            if (items[i].is_bound)
                bound[bounds++] = items[i];
        int64_t limit = 16 * below(160), whole = d2m_plan_place(items, n),
                used = d2m_plan_place_within(items, n, limit);
        if (used > limit) {
            assert_true(d2m_plan_place(bound, bounds) > limit);
            refused++;
            continue;
        }
        assert_int_equal(used, check(items, n));
        for (size_t i = 0; i < n; i++) {
            assert_false(items[i].is_spilled && items[i].is_bound);
            moved += items[i].is_spilled;
        }
        assert_true(whole > limit || !moved);
        assert_true(limit >= peak(items, n, true));
        fitted += !moved;
        spilled += moved > 0;
    }
    assert_true(fitted > ROUNDS / 10 && spilled > ROUNDS / 10 && refused > ROUNDS / 50);
}

static void test_a_gap_is_used_again(void **unused)
{
    (void)unused;
    d2m_plan_item items[] = {
        {.first = 0, .last = 1, .size = 64},
        {.first = 0, .last = 9, .size = 48},
        {.first = 2, .last = 9, .size = 32},
    };
    assert_int_equal(d2m_plan_place(items, 3), 112);
    assert_int_equal(items[0].offset, 0);
    assert_int_equal(items[1].offset, 64);
    assert_int_equal(items[2].offset, 0);
}

static void test_sizes_that_overflow(void **unused)
{
    (void)unused;
    d2m_plan_item items[] = {
        {.first = 0, .last = 2, .size = INT64_MAX - 15},
        {.first = 1, .last = 2, .size = INT64_MAX - 15},
    };
    assert_int_equal(d2m_plan_place(items, 2), INT64_MAX);
    assert_int_equal(d2m_plan_place_within(items, 2, 1024), 0);
    assert_true(items[0].is_spilled && items[1].is_spilled);
    assert_int_equal(d2m_plan_place_within(NULL, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_items_are_apart),
        cmocka_unit_test(test_spills),
        cmocka_unit_test(test_a_gap_is_used_again),
        cmocka_unit_test(test_sizes_that_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
