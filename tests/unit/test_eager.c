/* test_eager.c: eager calls: results, the cache, arguments that do not fit, rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ir/rules/rules.h"
#include "tilewright/eager.h"
#include "ttnn/results.h"
#include "ttnn/ttnn.h"

static tw_eager *session;

static int open_session(void **state)
{
    (void)state;
    return tw_eager_create(1, &session) != TW_SUCCESS;
}

static int close_session(void **state)
{
    (void)state;
    tw_eager_destroy(session);
    return 0;
}

static tw_tensor matrix(float *data, int64_t rows, int64_t columns)
{
    return (tw_tensor){.dtype = TW_F32,
                       .tiled = true,
                       .rank = 2,
                       .dims = {rows, columns},
                       .placement = {.space = TW_IN_DRAM},
                       .data = data};
}

static tw_value tensor(const tw_tensor *t)
{
    return (tw_value){.kind = TW_VALUE_TENSOR, .tensor = t};
}

static size_t parameter(const tw_function *f, const char *name)
{
    for (size_t i = 0; i < f->n_parameters; i++)
        if (strcmp(f->parameters[i].name, name) == 0)
            return i;
    fail_msg("%s has no parameter %s", f->name, name);
    return 0;
}

/* Calls a function that succeeds with one result. */
static tw_tensor call(const char *name, const tw_value *arguments)
{
    tw_tensor results[TW_EAGER_MAX_RESULTS];
    size_t n;
    const tw_function *f = tw_function_named(TW_PYTHON, name);
    assert_non_null(f);
    tw_status status = tw_eager_call(session, f, arguments, results, &n);
    if (status)
        fail_msg("%s", tw_status_message(status));
    assert_int_equal(n, 1);
    return results[0];
}

static void fails(const char *name, const tw_value *arguments, tw_code code,
                  const char *part)
{
    tw_tensor results[TW_EAGER_MAX_RESULTS];
    size_t n = 9;
    tw_status status =
        tw_eager_call(session, tw_function_named(TW_PYTHON, name), arguments, results, &n);
    assert_int_equal(tw_status_code(status), code);
    if (!strstr(tw_status_message(status), part) ||
        !strstr(tw_status_message(status), name))
        fail_msg("'%s' does not name %s and '%s'", tw_status_message(status), name, part);
    assert_int_equal(n, 0);
    tw_status_free(status);
}

static void test_results_and_cache(void **state)
{
    (void)state;
    float x[6] = {1, 2, 3, 4, 5, 6}, y[3] = {10, 20, 30};
    tw_tensor a = matrix(x, 2, 3), b = matrix(y, 1, 3);
    tw_value arguments[TW_EAGER_MAX_PARAMETERS] = {tensor(&a), tensor(&b)};
    const tw_eager_counts before = tw_eager_count(session);
    for (int round = 0; round < 3; round++) {
        x[0] = (float)round;
        tw_tensor sum = call("ttnn.add", arguments);
        assert_int_equal(sum.rank, 2);
        assert_true(sum.dims[0] == 2 && sum.dims[1] == 3 && sum.dtype == TW_F32);
        assert_true(sum.tiled && sum.placement.space == TW_IN_DRAM);
        for (int i = 0; i < 6; i++)
            assert_true(((float *)sum.data)[i] == x[i] + y[i % 3]);
        tw_eager_free(sum.data);
    }
    const tw_eager_counts after = tw_eager_count(session);
    assert_int_equal(after.calls - before.calls, 3);
    assert_int_equal(after.plans - before.plans, 1);
}

static void test_numbers_share_a_plan(void **state)
{
    (void)state;
    float x[4] = {1, -2, 3, 4};
    tw_tensor a = matrix(x, 2, 2);
    tw_value arguments[TW_EAGER_MAX_PARAMETERS] = {tensor(&a)};
    const tw_eager_counts before = tw_eager_count(session);
    for (int n = 1; n < 5; n++) {
        arguments[1] = (tw_value){.kind = TW_VALUE_INT, .i = n};
        tw_tensor scaled = call("ttnn.multiply", arguments);
        for (int i = 0; i < 4; i++)
            assert_true(((float *)scaled.data)[i] == x[i] * (float)n);
        tw_eager_free(scaled.data);
    }
    assert_int_equal(tw_eager_count(session).plans - before.plans, 1);
}

static void test_attributes_and_types(void **state)
{
    (void)state;
    float x[6] = {1, 2, 3, 4, 5, 6};
    tw_tensor a = matrix(x, 2, 3);
    const tw_value axes[] = {{.kind = TW_VALUE_INT, .i = 1},
                             {.kind = TW_VALUE_INT, .i = 0}};
    tw_value arguments[TW_EAGER_MAX_PARAMETERS] = {
        tensor(&a), {.kind = TW_VALUE_LIST, .n = 2, .items = axes}};
    tw_tensor turned = call("ttnn.permute", arguments);
    assert_true(turned.dims[0] == 3 && turned.dims[1] == 2);
    for (int i = 0; i < 6; i++)
        assert_true(((float *)turned.data)[i] == x[i % 2 * 3 + i / 2]);
    tw_eager_free(turned.data);

    const tw_function *f = tw_function_named(TW_PYTHON, "ttnn.add");
    tw_value sum[TW_EAGER_MAX_PARAMETERS] = {tensor(&a), tensor(&a)};
    const tw_placement l1 = {.space = TW_IN_L1};
    sum[parameter(f, "dtype")] = (tw_value){.kind = TW_VALUE_DTYPE, .i = TW_BF16};
    sum[parameter(f, "memory_config")] =
        (tw_value){.kind = TW_VALUE_PLACEMENT, .placement = &l1};
    tw_tensor halves = call("ttnn.add", sum);
    assert_true(halves.dtype == TW_BF16 && halves.placement.space == TW_IN_L1);
    assert_int_equal(((uint16_t *)halves.data)[5], 0x4140); /* 12 */
    tw_eager_free(halves.data);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    float x[6] = {0};
    int32_t whole[6] = {0};
    tw_tensor a = matrix(x, 2, 3), b = matrix(x, 3, 2), c = matrix(x, 2, 3);
    c.dtype = TW_I32;
    c.data = whole;
    const tw_value text = {.kind = TW_VALUE_TEXT, .text = "x", .n = 1};
    tw_value arguments[TW_EAGER_MAX_PARAMETERS] = {tensor(&a), tensor(&b)};
    fails("ttnn.add", arguments, TW_INVALID, "(2, 3) and (3, 2)");
    arguments[1] = text;
    fails("ttnn.add", arguments, TW_INVALID,
          "'input_tensor_b': expected a tensor or a number, found 'x'");
    arguments[1] = (tw_value){.kind = TW_VALUE_ABSENT};
    fails("ttnn.add", arguments, TW_INVALID, "found nothing");
    arguments[0] = tensor(&c);
    arguments[1] = (tw_value){.kind = TW_VALUE_REAL, .real = 0.5};
    fails("ttnn.add", arguments, TW_INVALID, "an integer that a tensor of si32 holds");
    arguments[0] = tensor(&a);
    arguments[1] = text;
    fails("ttnn.permute", arguments, TW_INVALID, "'dims'");
    fails("ttnn.matmul", (tw_value[TW_EAGER_MAX_PARAMETERS]){tensor(&a), tensor(&a)},
          TW_INVALID, "matching inner dimensions");
}

/* A tensor that an operation modifies in place belongs to the caller. */
static void test_in_place(void **state)
{
    (void)state;
    float from[4] = {1, 2, 3, 4}, to[4] = {0};
    tw_tensor a = matrix(from, 2, 2), b = matrix(to, 2, 2), results[TW_EAGER_MAX_RESULTS];
    const tw_value arguments[TW_EAGER_MAX_PARAMETERS] = {tensor(&a), tensor(&b)};
    size_t n = 7;
    tw_status status = tw_eager_call(session, tw_function_named(TW_PYTHON, "ttnn.copy"),
                                     arguments, results, &n);
    assert_true(status == TW_SUCCESS && n == 0);
    assert_memory_equal(from, to, sizeof from);
}

/* The cache starts again when it is full, and calls go on. */
static void test_many_plans(void **state)
{
    (void)state;
    float x[8192] = {3};
    for (int64_t i = 1; i <= 4200; i++) {
        tw_tensor a = matrix(x, 1, i);
        const tw_value arguments[TW_EAGER_MAX_PARAMETERS] = {tensor(&a)};
        tw_tensor r = call("ttnn.neg", arguments);
        assert_true(((float *)r.data)[0] == -3 && r.dims[1] == i);
        tw_eager_free(r.data);
    }
    assert_true(tw_eager_count(session).cached <= 4096);
}

/* Names are sorted and unique, and every row of a function has results that are inferred.
 */
static void test_rows(void **state)
{
    (void)state;
    const char *what;
    for (int i = 0; i < TTNN_OP_COUNT; i++)
        if (!chk_rule_is_sound(&ttnn_ops[i], ttnn_result_rules(&ttnn_ops[i]), &what))
            fail_msg("%s: a rule does not read well at: %.60s", ttnn_ops[i].name, what);
    for (int language = 0; language < 2; language++) {
        const size_t n = tw_function_count((tw_language)language);
        assert_true(n > 100);
        for (size_t i = 0; i < n; i++) {
            const tw_function *f = tw_function_at((tw_language)language, i);
            assert_true(i == 0 || strcmp(tw_function_at((tw_language)language, i - 1)->name,
                                         f->name) < 0);
            assert_ptr_equal(f, tw_function_named((tw_language)language, f->name));
            for (int k = 0; k < TTNN_OP_COUNT; k++)
                if (strcmp(ttnn_ops[k].name, f->operation) == 0 &&
                    !ttnn_result_rules(&ttnn_ops[k]).count)
                    fail_msg("%s: the types of its results are not inferred", f->name);
        }
        assert_null(tw_function_at((tw_language)language, n));
    }
    assert_null(tw_function_named(TW_PYTHON, "ttnn.nothing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_and_cache),
        cmocka_unit_test(test_numbers_share_a_plan),
        cmocka_unit_test(test_attributes_and_types),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_many_plans),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}
