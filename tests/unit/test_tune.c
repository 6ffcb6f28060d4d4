/* test_tune.c: the search behind autotuning (tilewright/search.h), on functions whose
 * minimum is known. */
#include "tilewright/search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { AXES = 3 };
static const size_t sizes[AXES] = {7, 8, 3};

static size_t index_of(const size_t *p)
{
    return (p[0] * sizes[1] + p[1]) * sizes[2] + p[2];
}

/* A valley with its lowest point at (5, 2, 0); no two steps along an axis are equal. */
static double valley(const size_t *p)
{
    const double x = (double)p[0] - 5, y = (double)p[1] - 2;
    return 1000 + (x > 0 ? 45 : 30) * x * x + 20 * y * y + 5 * fabs(x * y) +
           40 * (double)p[2];
}

/* The last third of the first axis is not allowed. */
static double with_a_wall(const size_t *p)
{
    return p[0] > 3 ? INFINITY : valley(p);
}

static double flat(const size_t *p)
{
    (void)p;
    return 7;
}

static double never(const size_t *p)
{
    (void)p;
    return INFINITY;
}

typedef struct search {
    size_t points, allowed; /* that were measured */
    size_t best[AXES];
    double cycles;
    bool found;
} search;

/* Every point is new and in its axes. */
static search run(double (*cycles)(const size_t *), const size_t *start, size_t runs)
{
    search s = {0};
    size_t point[AXES];
    bool seen[7 * 8 * 3] = {false};
    tw_tune *tune;
    assert_null(tw_tune_create(sizes, AXES, start, runs, &tune));
    while (tw_tune_next(tune, point)) {
        for (int i = 0; i < AXES; i++)
            assert_in_range(point[i], 0, sizes[i] - 1);
        assert_false(seen[index_of(point)]);
        seen[index_of(point)] = true;
        const double c = cycles(point);
        s.points++;
        s.allowed += isfinite(c) != 0;
        tw_tune_give(tune, point, c);
    }
    s.found = tw_tune_best(tune, s.best, &s.cycles);
    tw_tune_destroy(tune);
    return s;
}

static void finds_a_minimum(void **state)
{
    (void)state;
    const size_t wanted[AXES] = {5, 2, 0},
                 starts[][AXES] = {{0, 0, 0}, {6, 7, 2}, {3, 4, 1}};
    for (size_t i = 0; i < 3; i++) {
        const search s = run(valley, starts[i], 30);
        assert_true(s.found);
        assert_memory_equal(s.best, wanted, sizeof wanted);
        assert_true(s.cycles == valley(wanted));
        assert_in_range(s.allowed, 1, 30);
    }
}

static void starts_where_it_is_told(void **state)
{
    (void)state;
    size_t point[AXES];
    const size_t start[AXES] = {6, 0, 2}, beyond[AXES] = {99, 0, 2};
    const size_t middle[AXES] = {3, 4, 1}, corrected[AXES] = {3, 0, 2};
    const size_t *const given[] = {start, NULL, beyond};
    const size_t *const wanted[] = {start, middle, corrected};
    for (size_t i = 0; i < 3; i++) {
        tw_tune *tune;
        double cycles;
        assert_null(tw_tune_create(sizes, AXES, given[i], 4, &tune));
        assert_true(tw_tune_next(tune, point));
        assert_memory_equal(point, wanted[i], sizeof point);
        assert_false(tw_tune_best(tune, point, &cycles)); /* nothing is measured */
        tw_tune_destroy(tune);
    }
}

/* Points that are not allowed count as no run, and are not the best. */
static void goes_around_points_that_are_not_allowed(void **state)
{
    (void)state;
    const size_t start[AXES] = {6, 7, 2}, wanted[AXES] = {3, 2, 0};
    const search s = run(with_a_wall, start, 30);
    assert_true(s.found);
    assert_memory_equal(s.best, wanted, sizeof wanted);
    assert_true(s.points > s.allowed);
    assert_in_range(s.allowed, 1, 30);
}

static void measures_everything_with_as_many_runs(void **state)
{
    (void)state;
    const size_t wanted[AXES] = {5, 2, 0}, all = sizes[0] * sizes[1] * sizes[2];
    const search s = run(valley, NULL, all);
    assert_int_equal(s.points, all);
    assert_memory_equal(s.best, wanted, sizeof wanted);
}

static void keeps_to_its_runs(void **state)
{
    (void)state;
    for (size_t runs = 1; runs < 12; runs++)
        assert_in_range(run(valley, NULL, runs).allowed, 1, runs);
    const search s = run(flat, NULL, 20);
    assert_true(s.found && s.cycles == 7);
    assert_in_range(s.allowed, 1, 20);
}

static void finds_nothing_where_nothing_is_allowed(void **state)
{
    (void)state;
    const search s = run(never, NULL, 10);
    assert_false(s.found);
    assert_int_equal(s.points, sizes[0] * sizes[1] * sizes[2]); /* it looked everywhere */
}

static void rejects(const size_t *of, size_t axes, const char *message)
{
    tw_tune *tune = NULL;
    tw_status status = tw_tune_create(of, axes, NULL, 4, &tune);
    assert_int_equal(tw_status_code(status), TW_INVALID);
    assert_non_null(strstr(tw_status_message(status), message));
    assert_null(tune);
    tw_status_free(status);
}

static void rejects_axes(void **state)
{
    (void)state;
    const size_t empty[] = {3, 0}, large[] = {4096, 4096, 2}, overflow[] = {SIZE_MAX, 2};
    size_t many[17];
    for (int i = 0; i < 17; i++)
        many[i] = 1;
    rejects(empty, 0, "a search over 0 axes");
    rejects(many, 17, "a search over 17 axes");
    rejects(empty, 2, "axis 1 of a search has no choice");
    rejects(large, 3, "more than 16777216 points");
    rejects(overflow, 2, "more than 16777216 points");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_minimum),
        cmocka_unit_test(starts_where_it_is_told),
        cmocka_unit_test(goes_around_points_that_are_not_allowed),
        cmocka_unit_test(measures_everything_with_as_many_runs),
        cmocka_unit_test(keeps_to_its_runs),
        cmocka_unit_test(finds_nothing_where_nothing_is_allowed),
        cmocka_unit_test(rejects_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
