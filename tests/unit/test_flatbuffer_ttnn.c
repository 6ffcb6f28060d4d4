/* test_flatbuffer_ttnn.c: modules in the TTNN dialect to binaries and back. */
#include "ir/text.h"
#include "pipelines/dialects.h"
#include "ttnn/to_flatbuffer/emit_impl.h"
#include "ttnn/to_flatbuffer/import.h"
#include "ttnn/ttnn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct fixture {
    ir_context *ctx;
    tw_strbuf messages;
} fixture;

static void keep(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    fixture *f = user;
    (void)ctx;
    tw_strbuf_printf(&f->messages, "%s\n", d->text);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = ir_context_create();
    ir_register_all(f->ctx);
    ir_context_set_sink(f->ctx, (ir_diagnostic_sink){keep, f});
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    ir_context_destroy(f->ctx);
    tw_strbuf_free(&f->messages);
    free(f);
    return 0;
}

/* Layouts used by the modules below. */
#define HEAD                                                                               \
    "#dram = #ttnn.buffer_type<dram>\n"                                                    \
    "#l1 = #ttnn.buffer_type<l1>\n"                                                        \
    "#sys = #ttnn.buffer_type<system_memory>\n"                                            \
    "#t = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!ttcore.tile<32x32, "  \
    "bf16>, #dram>, <interleaved>>\n"                                                      \
    "#t1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, " \
    "bf16>, #dram>, <interleaved>>\n"                                                      \
    "#t4 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x4x!ttcore.tile<32x32, " \
    "bf16>, #dram>, <interleaved>>\n"                                                      \
    "#h = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x64xbf16, #sys>>\n"      \
    "#r = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x64xbf16, #dram>, "      \
    "<interleaved>>\n"                                                                     \
    "#s = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x2>, memref<1x1x!ttcore.tile<32x32, "  \
    "bf16>, #l1>, <block_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (1,0)>]>>\n"

#define T "tensor<32x64xbf16, #t>"

static ir_op *parse(fixture *f, const char *text)
{
    ir_op *module = ir_parse(f->ctx, tw_str_from(text), "test.mlir", NULL);
    ir_flush_diagnostics(f->ctx);
    if (!module)
        fail_msg("%s", tw_strbuf_text(&f->messages));
    fb_system *system;
    assert_null(fb_system_preset("wormhole_b0", 0, &system));
    ir_op_set_attr(module, "ttcore.system_desc", fb_system_to_attr(f->ctx, system));
    free(system);
    return module;
}

static void emit_bytes(fixture *f, ir_op *module, void **data, size_t *size)
{
    fb_emit_options options = {.no_source = true};
    bool ok = fb_emit_ttnn(module, &options, data, size);
    ir_flush_diagnostics(f->ctx);
    if (!ok)
        fail_msg("%s", tw_strbuf_text(&f->messages));
}

/* Writes, reads back, writes again: the bytes must be the same. */
static void there_and_back(fixture *f, const char *text)
{
    void *once, *twice;
    size_t once_size, twice_size;
    emit_bytes(f, parse(f, text), &once, &once_size);
    fb_ttnn file;
    ir_op *back = NULL;
    tw_status status = fb_ttnn_open(once, once_size, &file);
    if (!status)
        status = fb_import_ttnn(f->ctx, &file, false, &back);
    if (status)
        fail_msg("%s", tw_status_message(status));
    emit_bytes(f, back, &twice, &twice_size);
    assert_int_equal(once_size, twice_size);
    assert_memory_equal(once, twice, once_size);
    free(once);
    free(twice);
}

static void every_field_has_a_source(void **state)
{
    (void)state;
    size_t rows = 0;
    for (size_t i = 0; i < TTNN_OP_COUNT; i++) {
        const emit_row *row = fb_emit_row(&ttnn_ops[i]);
        if (!row)
            continue;
        rows++;
        for (int slot = 0; slot < fb_tables[row->table].n_fields; slot++)
            if (fb_emit_source(row, slot).kind == EMIT_UNKNOWN)
                fail_msg("%s: no source for %s", row->op->name,
                         fb_tables[row->table].fields[slot].name);
        if (row->type) {
            int slot = fb_field_find(&fb_tables[row->table], TW_STR("type"));
            assert_non_null(fb_enum_find(fb_tables[row->table].fields[slot].of,
                                         tw_str_from(row->type)));
        }
    }
    assert_true(rows > 180);
}

static void layouts_there_and_back(void **state)
{
    there_and_back(
        *state, HEAD
        "module {\n"
        "func.func @main(%a: tensor<32x64xbf16, #h>) -> tensor<32x64xbf16, #h> "
        "attributes {tt.function_type = \"forward_device\"} {\n"
        "%d = \"ttnn.get_device\"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = "
        "#ttnn<mesh_shape 1x1>}> : () -> !ttnn.device\n"
        "%0 = \"ttnn.to_device\"(%a, %d) : (tensor<32x64xbf16, #h>, !ttnn.device) -> "
        "tensor<32x64xbf16, #r>\n"
        "%1 = \"ttnn.to_layout\"(%0) : (tensor<32x64xbf16, #r>) -> " T "\n"
        "%2 = \"ttnn.to_memory_config\"(%1) : (" T ") -> tensor<32x64xbf16, #s>\n"
        "%3 = \"ttnn.relu\"(%2) : (tensor<32x64xbf16, #s>) -> tensor<32x64xbf16, #s>\n"
        "%4 = \"ttnn.to_memory_config\"(%3) : (tensor<32x64xbf16, #s>) -> " T "\n"
        "%5 = \"ttnn.to_layout\"(%4) : (" T ") -> tensor<32x64xbf16, #r>\n"
        "%6 = \"ttnn.from_device\"(%5) : (tensor<32x64xbf16, #r>) -> tensor<32x64xbf16, "
        "#h>\n"
        "\"ttnn.deallocate\"(%5) <{force = false}> : (tensor<32x64xbf16, #r>) -> ()\n"
        "return %6 : tensor<32x64xbf16, #h>\n}\n}\n");
}

static void parameters_there_and_back(void **state)
{
    there_and_back(
        *state, HEAD
        "module {\n"
        "func.func @main(%a: " T ", %b: " T ", %i: " T ") -> " T
        " attributes {tt.function_type = \"forward_device\"} {\n"
        "%0 = \"ttnn.clamp_scalar\"(%a) <{max = 6 : i32, min = -0.5 : f32}> : (" T ") -> " T
        "\n"
        "%1 = \"ttnn.clamp_tensor\"(%0, %b, %i) : (" T ", " T ", " T ") -> " T "\n"
        "%2 = \"ttnn.leaky_relu\"(%1) <{parameter = 0.01 : f32}> : (" T ") -> " T "\n"
        "%3 = \"ttnn.pow_scalar\"(%2) <{rhs = 3 : i32}> : (" T ") -> " T "\n"
        "%4 = \"ttnn.where\"(%a, %3, %b) : (" T ", " T ", " T ") -> " T "\n"
        "%5 = \"ttnn.softmax\"(%4) <{dimension = -1 : si32, numericStable = true, "
        "compute_config "
        "= #ttnn.device_compute_kernel_config<math_fidelity = hifi2, fp32_dest_acc_en = "
        "true>}> : (" T ") -> " T "\n"
        "%6 = \"ttnn.matmul\"(%5, %b) <{transpose_a = false, transpose_b = true, "
        "activation = "
        "\"relu\"}> : (" T ", " T ") -> tensor<32x32xbf16, #t1>\n"
        "%7 = \"ttnn.concat\"(%a, %b) <{dim = 1 : si32}> : (" T ", " T
        ") -> tensor<32x128xbf16, #t4>\n"
        "%8 = \"ttnn.slice_static\"(%7) <{begins = [0 : i32, 64 : i32], ends = [32 : i32, "
        "128 : "
        "i32], step = [1 : i32, 1 : i32]}> : (tensor<32x128xbf16, #t4>) -> " T "\n"
        "%9 = \"ttnn.layer_norm\"(%8) <{epsilon = 1.0e-5 : f32, operandSegmentSizes = "
        "array<i32: "
        "1, 0, 0>}> : (" T ") -> " T "\n"
        "return %9 : " T "\n}\n}\n");
}

static void cached_programs_there_and_back(void **state)
{
    there_and_back(*state, HEAD "module {\n"
                                "func.func private @main_const_eval_0(%a: " T ") -> " T
                                " attributes {tt.function_type = \"const_eval\"} {\n"
                                "%0 = \"ttnn.relu\"(%a) : (" T ") -> " T "\n"
                                "return %0 : " T "\n}\n"
                                "func.func @main(%a: " T ") -> " T
                                " attributes {tt.function_type = \"forward_device\"} {\n"
                                "%0 = ttcore.load_cached(@main_const_eval_0, [%a]) : (" T
                                ") -> " T "\n"
                                "%1 = \"ttnn.add\"(%0, %a) : (" T ", " T ") -> " T "\n"
                                "return %1 : " T "\n}\n}\n");
}

static void view_says_what_was_written(void **state)
{
    fixture *f = *state;
    void *data;
    size_t size;
    fb_ttnn file;
    emit_bytes(f,
               parse(f, HEAD "module {\nfunc.func @main(%a: tensor<32x64xbf16, #s>) -> "
                             "tensor<32x64xbf16, #s> attributes {tt.function_type = "
                             "\"forward_device\"} {\n"
                             "%0 = \"ttnn.exp\"(%a) : (tensor<32x64xbf16, #s>) -> "
                             "tensor<32x64xbf16, #s> loc(\"here\")\n"
                             "return %0 : tensor<32x64xbf16, #s>\n}\n}\n"),
               &data, &size);
    assert_null(fb_ttnn_open(data, size, &file));
    fb_program program = fb_ttnn_program(&file, 0);
    fb_op op = fb_program_op(&program, 0);
    assert_string_equal(fb_op_subtype_name(&op), "Exp");
    assert_true(tw_str_is(op.loc, "loc(\"here\")"));
    assert_non_null(memmem(op.debug.data, op.debug.size, "%0 = \"ttnn.exp\"(%arg0)", 22));
    fb_tensor t = fb_vec_tensor(program.inputs, 0);
    assert_int_equal(t.id, 1);
    assert_true(t.tiled && t.on_device && t.has_memory && t.memory.has_shard);
    assert_int_equal(t.dtype, TW_BF16);
    assert_int_equal(t.memory.layout, FB_ttnn_TensorMemoryLayout_BlockSharded);
    assert_int_equal(t.memory.buffer_type, FB_BufferType_L1);
    assert_int_equal(t.memory.shard.shape[0], 32);
    assert_int_equal(t.memory.shard.shape[1], 32);
    assert_int_equal(t.memory.shard.cores.count, 1);
    fb_core_range range = fb_vec_core_range(t.memory.shard.cores, 0);
    assert_int_equal(range.end_x, 1);
    assert_int_equal(range.end_y, 0);
    free(data);
}

static void refusals_say_why(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"module { func.func @main() { return } }",
         "missing required 'tt.function_type' attribute"},
        {"module { func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> attributes "
         "{tt.function_type = \"forward_device\"} { return %a : tensor<2xf32> } }",
         "a tensor without a TTNN layout: tensor<2xf32>; run --ttnn-layout first"},
        {"module { func.func @main() attributes {tt.function_type = \"forward_device\"} {\n"
         "%0 = arith.constant 1 : i32\nreturn } }",
         "'arith.constant' op cannot be written to a TTNN binary"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < TW_COUNT(cases); i++) {
        void *data;
        size_t size;
        f->messages.size = 0;
        assert_false(fb_emit_ttnn(parse(f, cases[i].text), NULL, &data, &size));
        ir_flush_diagnostics(f->ctx);
        if (!strstr(tw_strbuf_text(&f->messages), cases[i].message))
            fail_msg("'%s' lacks '%s'", tw_strbuf_text(&f->messages), cases[i].message);
    }
    /* no descriptor */
    void *data;
    size_t size;
    ir_op *module = ir_parse(f->ctx, TW_STR("module {}"), "test.mlir", NULL);
    f->messages.size = 0;
    assert_false(fb_emit_ttnn(module, NULL, &data, &size));
    ir_flush_diagnostics(f->ctx);
    assert_non_null(
        strstr(tw_strbuf_text(&f->messages), "run --ttcore-register-device first"));
}

static void descriptors_as_attributes(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; fb_system_preset_name(i); i++) {
        fb_system *system, *again;
        assert_null(fb_system_preset(fb_system_preset_name(i), 2, &system));
        ir_attr attr = fb_system_to_attr(f->ctx, system);
        assert_null(fb_system_from_attr(attr, &again));
        assert_memory_equal(system, again, sizeof *system);
        /* and through text */
        tw_strbuf text = {0};
        ir_print_attr(attr, &text);
        assert_ptr_equal(ir_parse_attr(f->ctx, (tw_str){text.data, text.size}), attr);
        tw_strbuf_free(&text);
        free(system);
        free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_has_a_source),
        cmocka_unit_test_setup_teardown(layouts_there_and_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parameters_there_and_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cached_programs_there_and_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(view_says_what_was_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refusals_say_why, set_up, tear_down),
        cmocka_unit_test_setup_teardown(descriptors_as_attributes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
