/* test_one_row.c: adding an operation requires one row (docs/adding-an-operation.md);
 * everything below the row is derived by parser, printer, verifier, builder, folder and
 * bytecode. */
#include "ir/bytecode.h"
#include "ir/constraints.h"
#include "ir/text.h"
#include "pipelines/dialects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const ir_op_def sample_ops[] = {
    {.name = "sample.scale",
     .operands = IR_LIST(ir_operand_def, {"input", &C_AnyRankedTensor}),
     .results = IR_LIST(ir_operand_def, {"result", &C_AnyRankedTensor}),
     .attrs = IR_LIST(ir_attr_use, {"factor", &C_F32Attr},
                      {"times", &C_I64Attr, .deflt = "1", .confined = "int > 0"}),
     .traits = IR_B(PURE) | IR_B(NO_MEMORY_EFFECT) | IR_B(SAME_TYPE),
     .format = "$input `by` $factor (`,` `times` $times^)? attr-dict `:` type($input)"}};

static const ir_dialect sample_dialect = {
    .name = "sample", .ops = {sample_ops, 1}, .uses_properties = true};

typedef struct fixture {
    ir_context *ctx;
    char last_message[512]; /* the last diagnostic */
} fixture;

static void hear(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    fixture *f = user;
    (void)ctx;
    if (d->severity == IR_ERROR)
        snprintf(f->last_message, sizeof f->last_message, "%s", d->text);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = ir_context_create();
    ir_register_all(f->ctx);
    ir_context_register(f->ctx, &sample_dialect);
    ir_context_set_sink(f->ctx, (ir_diagnostic_sink){hear, f});
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    ir_context_destroy(f->ctx);
    free(f);
    return 0;
}

static const char program[] =
    "module {\n"
    "  func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
    "    %0 = sample.scale %arg0 by 2.000000e+00 : tensor<4xf32>\n"
    "    %1 = sample.scale %0 by 5.000000e-01, times 3 {note = \"x\"} : tensor<4xf32>\n"
    "    return %1 : tensor<4xf32>\n"
    "  }\n"
    "}\n";

static ir_op *read_program(fixture *f, const char *text)
{
    ir_op *module = ir_parse(f->ctx, tw_str_from(text), "test", NULL);
    ir_flush_diagnostics(f->ctx);
    return module;
}

static void assert_prints(ir_op *op, const ir_print_options *options, const char *expected)
{
    tw_strbuf text = {0};
    ir_print_op(op, options, &text);
    assert_string_equal(tw_strbuf_text(&text), expected);
    tw_strbuf_free(&text);
}

static void it_is_read_and_printed(void **state)
{
    ir_op *module = read_program(*state, program);
    assert_non_null(module);
    assert_prints(module, NULL, program);
}

static void its_generic_form_is_there(void **state)
{
    ir_op *module = read_program(*state, program);
    tw_strbuf generic = {0};
    ir_print_op(module, &(ir_print_options){.generic = true}, &generic);
    assert_non_null(strstr(generic.data,
                           "\"sample.scale\"(%0) <{factor = 5.000000e-01 : f32, "
                           "times = 3 : i64}> {note = \"x\"}"));
    ir_op *again = read_program(*state, generic.data);
    assert_non_null(again);
    assert_prints(again, NULL, program);
    tw_strbuf_free(&generic);
}

static void it_is_checked(void **state)
{
    fixture *f = *state;
    assert_null(
        read_program(f, "func.func @f(%a: tensor<4xf32>) {\n"
                        "  %0 = \"sample.scale\"(%a) <{factor = 1.0 : f32, times = 0}> : "
                        "(tensor<4xf32>) -> tensor<4xf32>\n  return\n}"));
    assert_string_equal(f->last_message,
                        "'sample.scale' op attribute 'times' failed to satisfy "
                        "constraint: 64-bit signless integer attribute whose value "
                        "is positive");
    assert_null(read_program(f, "func.func @f(%a: tensor<4xf32>) {\n"
                                "  %0 = \"sample.scale\"(%a) <{factor = 1.0 : f32}> : "
                                "(tensor<4xf32>) -> tensor<5xf32>\n  return\n}"));
    assert_string_equal(f->last_message,
                        "'sample.scale' op requires the same type for all operands "
                        "and results");
    assert_null(read_program(f, "func.func @f(%a: i32) {\n"
                                "  %0 = sample.scale %a by 1.0 : i32\n  return\n}"));
    assert_non_null(
        strstr(f->last_message, "must be ranked tensor of any type values, but got 'i32'"));
}

static void it_is_built(void **state)
{
    fixture *f = *state;
    ir_op *module = read_program(f, program);
    ir_op *func = ir_op_body(module, 0)->first;
    ir_block *entry = ir_op_body(func, 0);
    ir_builder b = ir_builder_before(entry->last);
    ir_value *x = entry->args[0];
    ir_op *made = ir_build_op(
        &b, &sample_ops[0], &x->type, 1, &x, 1,
        IR_ATTRS({"factor", ir_float_attr(ir_float_type(f->ctx, IR_F32), 4)}), 0);
    assert_true(ir_verify(module));
    assert_int_equal(ir_op_int(made, "times", 0), 1); /* the default */
}

static void bytecode_carries_it(void **state)
{
    fixture *f = *state;
    ir_op *module = read_program(f, program);
    const ir_bytecode_options options = {.version = IR_BYTECODE_VERSION};
    tw_strbuf bytes = {0};
    assert_true(ir_bytecode_write(module, &options, &bytes));
    ir_op *again = ir_bytecode_read(f->ctx, (tw_str){bytes.data, bytes.size}, "bytes");
    assert_non_null(again);
    assert_prints(again, NULL, program);
    tw_strbuf_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_read_and_printed, setup, teardown),
        cmocka_unit_test_setup_teardown(its_generic_form_is_there, setup, teardown),
        cmocka_unit_test_setup_teardown(it_is_checked, setup, teardown),
        cmocka_unit_test_setup_teardown(it_is_built, setup, teardown),
        cmocka_unit_test_setup_teardown(bytecode_carries_it, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
