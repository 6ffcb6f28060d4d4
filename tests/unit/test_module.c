/* test_module.c: modules in memory: read once, changed in place, printed on demand,
 * compiled to programs that own them, on the device and on the host. */
#include "tilewright/grid.h"
#include "tilewright/module.h"
#include "tilewright/tilewright.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static tw_module *read_text(const char *text)
{
    tw_module *m = NULL;
    tw_status status = tw_module_read(text, strlen(text), "m.mlir", &m);
    assert_null(status);
    assert_int_equal(tw_module_parse_count(m), 1);
    return m;
}

static void expect_error(tw_status status, tw_code code, const char *words)
{
    assert_non_null(status);
    assert_int_equal(tw_status_code(status), code);
    if (!strstr(tw_status_message(status), words))
        fail_msg("'%s' is not in: %s", words, tw_status_message(status));
    tw_status_free(status);
}

static const char twice[] = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                            "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
                            "  %1 = stablehlo.add %a, %a : tensor<4xf32>\n"
                            "  %2 = stablehlo.multiply %0, %1 : tensor<4xf32>\n"
                            "  return %2 : tensor<4xf32>\n}\n";

static void count_texts(void *user, const char *text, size_t size)
{
    *(int *)user += size == strlen(text) && strstr(text, "stablehlo.multiply") != NULL;
}

static void test_passes_in_place(void **state)
{
    (void)state;
    tw_module *m = read_text(twice);
    int dumps = 0;
    char *text;
    size_t size;
    assert_null(tw_module_transform(
        m, &(tw_transform_options){.pipeline = "builtin.module(func.func(cse))",
                                   .dump = count_texts,
                                   .user = &dumps}));
    assert_int_equal(dumps, 1);
    assert_null(tw_module_print(m, NULL, &text, &size));
    assert_int_equal(size, strlen(text));
    assert_non_null(strstr(text, "stablehlo.multiply %0, %0"));
    assert_null(strstr(text, "loc("));
    free(text);
    assert_int_equal(tw_module_parse_count(m), 1);
    tw_module_destroy(m);
    tw_module_destroy(NULL);
}

static void test_a_copy_is_emitted(void **state)
{
    (void)state;
    tw_module *m = read_text(twice);
    char *before, *after, *text = NULL;
    size_t size;
    assert_null(tw_module_print(m, NULL, &before, &size));
    assert_null(tw_module_emit(
        m,
        &(tw_transform_options){.pipeline = "builtin.module(stablehlo-to-ttir-pipeline)"},
        &text, &size));
    assert_int_equal(size, strlen(text));
    assert_non_null(strstr(text, "ttir.multiply"));
    free(text);
    text = NULL;
    expect_error(
        tw_module_emit(m, &(tw_transform_options){.pipeline = "builtin.module(nothing)"},
                       &text, &size),
        TW_INVALID, "'nothing' does not refer to a registered pass");
    assert_null(text);
    assert_null(tw_module_print(m, NULL, &after, &size));
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_int_equal(tw_module_parse_count(m), 1);
    tw_module_destroy(m);
}

static void test_a_program_takes_it_over(void **state)
{
    (void)state;
    const float x[4] = {1, 2, 3, -4};
    float y[4] = {0};
    const void *in[] = {x};
    void *out[] = {y};
    tw_program *p = NULL;
    assert_null(tw_program_compile_module(read_text(twice), NULL, &p));
    assert_int_equal(tw_program_parse_count(p), 1);
    assert_null(tw_program_run(p, in, out));
    for (int i = 0; i < 4; i++)
        assert_float_equal(y[i], 4 * x[i] * x[i], 0);
    tw_program_destroy(p);
}

/* The loop ends as data says: the host runs it, on the module that was read. */
static void test_the_host_gets_it(void **state)
{
    (void)state;
    static const char text[] =
        "func.func @main(%n: tensor<i32>) -> tensor<i32> {\n"
        "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %r:2 = stablehlo.while(%i = %n, %x = %one) : tensor<i32>, tensor<i32>\n"
        "  cond {\n"
        "    %c = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n"
        "    stablehlo.return %c : tensor<i1>\n"
        "  } do {\n"
        "    %y = stablehlo.multiply %x, %i : tensor<i32>\n"
        "    %j = stablehlo.subtract %i, %one : tensor<i32>\n"
        "    stablehlo.return %j, %y : tensor<i32>, tensor<i32>\n"
        "  }\n"
        "  return %r#1 : tensor<i32>\n}\n";
    const int32_t n = 6;
    int32_t product = 0;
    const void *in[] = {&n};
    void *out[] = {&product};
    tw_program *p = NULL;
    expect_error(tw_program_compile_module(read_text(text), NULL, &p), TW_UNSUPPORTED,
                 "m.mlir:3:10: error: failed to legalize operation 'stablehlo.while'");
    assert_null(p);
    assert_null(tw_program_compile_module(read_text(text),
                                          &(tw_compile_options){.host = true}, &p));
    assert_int_equal(tw_program_parse_count(p), 1);
    assert_int_equal(tw_program_host_op_count(p), 1);
    assert_null(tw_program_run(p, in, out));
    assert_int_equal(product, 720);
    tw_program_destroy(p);
}

static void test_kernels_take_it_over(void **state)
{
    (void)state;
    tw_grid *grid = NULL;
    tw_kernels *kernels = NULL;
    assert_null(tw_grid_open(&(tw_grid_options){.chip = "n150"}, &grid));
    assert_null(
        tw_kernels_of_module(grid,
                             read_text("func.func @copy() attributes {ttkernel.thread = "
                                       "#ttkernel.thread<noc>} {\n  return\n}\n"),
                             "k.mlir", &kernels));
    assert_int_equal(tw_kernels_count(kernels), 1);
    assert_string_equal(tw_kernels_name(kernels, 0), "copy");
    tw_kernels_destroy(kernels);
    expect_error(tw_kernels_of_module(grid, read_text(twice), "none.mlir", &kernels),
                 TW_INVALID, "none.mlir has no function with ttkernel.thread");
    tw_grid_close(grid);
}

static void test_errors(void **state)
{
    (void)state;
    tw_module *m = NULL;
    static const char wrong[] = "func.func @f() {\n  return %x : f32\n}\n";
    expect_error(tw_module_read(wrong, strlen(wrong), "m.mlir", &m), TW_INVALID,
                 "m.mlir:2:10: error:");
    assert_null(m);
    m = read_text(twice);
    expect_error(
        tw_module_transform(
            m, &(tw_transform_options){.pipeline = "builtin.module(no-such-pass)"}),
        TW_INVALID, "no-such-pass");
    tw_module_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes_in_place),
        cmocka_unit_test(test_a_copy_is_emitted),
        cmocka_unit_test(test_a_program_takes_it_over),
        cmocka_unit_test(test_the_host_gets_it),
        cmocka_unit_test(test_kernels_take_it_over),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
