/* test_bad_input.c: truncated, corrupted, too deep, too large or cyclic input ends in a
 * meaningful error, soon. */
#include "flatbuffer/json.h"
#include "ir/text.h"
#include "pipelines/dialects.h"
#include "support/file.h"
#include "tilewright/tilewright.h"
#include "ttcore/system/sysdesc.h"
#include "ttnn/to_flatbuffer/import.h"
#include "ttnn/to_flatbuffer/ttnn_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { DEEP = 100000, MAX_SECONDS = 20 };
static const char *corpus; /* tests/fuzz/corpus */

static void count(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    (void)ctx;
    *(size_t *)user += d->severity == IR_ERROR && d->text[0];
}

/* Parses a module and prints it if valid; returns whether it is. Without a module there
 * must be an error. */
static bool reads(tw_str text)
{
    size_t errors = 0;
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, true);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){count, &errors});
    ir_op *module = ir_parse(ctx, text, "bad", NULL);
    ir_flush_diagnostics(ctx);
    if (module) {
        tw_strbuf out = {0};
        ir_print_op(module, &(ir_print_options){.generic = true}, &out);
        tw_strbuf_free(&out);
    } else {
        assert_true(errors > 0);
    }
    ir_context_destroy(ctx);
    return module != NULL;
}

/* Allocates exactly its size, so that sanitizers detect overruns. */
static bool exact_reads(const char *text, size_t size)
{
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    bool ok = reads((tw_str){copy, size});
    free(copy);
    return ok;
}

static tw_strbuf corpus_file(const char *name)
{
    tw_strbuf path = {0}, bytes = {0};
    tw_strbuf_printf(&path, "%s/%s", corpus, name);
    tw_status status = tw_file_read(path.data, &bytes);
    if (status)
        fail_msg("%s", tw_status_message(status));
    tw_strbuf_free(&path);
    return bytes;
}

/* ---- text --------------------------------------------------------------------------- */

static void every_prefix_of_modules(void **state)
{
    static const char *const names[] = {"compile/mlp.mlir", "kernel/threads.mlir",
                                        "text/mixture.mlir"};
    (void)state;
    for (size_t i = 0; i < TW_COUNT(names); i++) {
        tw_strbuf file = corpus_file(names[i]);
        size_t step = file.size > 4000 ? 3 : 1;
        assert_true(exact_reads(file.data, file.size));
        for (size_t n = 0; n < file.size; n += step)
            exact_reads(file.data, n);
        tw_strbuf_free(&file);
    }
}

/* `open` repeated, then `middle`, then as many of `close`, between two texts. */
static void deep_text_is_refused(void **state)
{
    static const char *const forms[][5] = {
        {"\"a\"() {x = ", "[", "1", "]", "} : () -> ()"},
        {"\"a\"() {x = ", "{x = ", "1", "}", "} : () -> ()"},
        {"\"a\"() {x = ", "tuple<", "i1", ">", "} : () -> ()"},
        {"\"a\"() {x = ", "(", "i1", ") -> i1", "} : () -> ()"},
        {"\"a\"() {x = tensor<1xi1, ", "[", "", "]", ">} : () -> ()"},
        {"\"a\"() {x = dense<", "[", "1", "]", "> : tensor<1xi1>} : () -> ()"},
        {"\"a\"() {x = affine_map<(d0) -> (", "(", "d0", ")", ")>} : () -> ()"},
        {"\"a\"() {x = affine_map<(d0) -> (", "-", "d0", "", ")>} : () -> ()"},
        {"\"a\"() {x = @a", "::@a", "", "", "} : () -> ()"},
        {"\"a\"() {x = #x<", "<", "", ">", ">} : () -> ()"},
        {"\"a\"() : () -> () loc(", "fused[", "\"x\"", "]", ")"},
        {"\"a\"() : () -> () loc(", "\"x\"(", "\"x\"", ")", ")"},
        {"\"a\"() : () -> () loc(", "callsite(\"x\" at ", "\"x\"", ")", ")"},
        {"", "\"a\"() ({", "", "}) : () -> ()", ""},
        {"", "module {", "", "}", ""},
        {"func.func @f(%a: i1) {", "scf.if %a {", "", "}", "return }"},
        {"", "{-# x: {y: \"", "", "\"} #-}", ""},
    };
    (void)state;
    for (size_t i = 0; i < TW_COUNT(forms); i++)
        for (int closed = 0; closed < 2; closed++) {
            tw_strbuf text = {0};
            const clock_t start = clock(); /* processor time: the machine may be busy */
            tw_strbuf_puts(&text, forms[i][0]);
            for (int k = 0; k < DEEP; k++)
                tw_strbuf_puts(&text, forms[i][1]);
            tw_strbuf_puts(&text, forms[i][2]);
            for (int k = 0; closed && k < DEEP; k++)
                tw_strbuf_puts(&text, forms[i][3]);
            tw_strbuf_puts(&text, closed ? forms[i][4] : "");
            reads((tw_str){text.data, text.size});
            tw_strbuf_free(&text);
            const long took = (clock() - start) / CLOCKS_PER_SEC;
            if (took > MAX_SECONDS)
                fail_msg("form %zu takes %ld s", i, took);
        }
}

static void text_without_sense_is_refused(void **state)
{
    static const char *const texts[] = {
        /* integers */
        "\"a\"() {x = tensor<99999999999999999999xf32>} : () -> ()",
        "%0:4294967296 = \"a\"() : () -> i1",
        "%0:99999999999999999999 = \"a\"() : () -> i1",
        "\"a\"() {x = i99999999} : () -> ()",
        "\"a\"() {x = dense<[1, 2]> : tensor<4611686018427387904xi8>} : () -> ()",
        "\"a\"() {x = dense<\"0x00\"> : tensor<4611686018427387904xi64>} : () -> ()",
        ("\"a\"() {x = vector<9223372036854775807x9223372036854775807xi8>, y = dense<[]> : "
         "tensor<9223372036854775807x9223372036854775807xi8>} : () -> ()"),
        "\"a\"() {x = affine_map<(d0) -> (d99999999999)>} : () -> ()",
        "\"a\"() {x = 99999999999999999999999999999999999999 : i8} : () -> ()",
        "\"a\"() {x = array<i8: 256>} : () -> ()",
        "\"a\"() {x = #ttcore.grid<99999999999999999999x1>} : () -> ()",
        "\"a\"()[^b4294967296] : () -> ()",
        /* bytes that are no UTF-8 */
        "\xff\xfe\xfd",
        "\"a\"() {\xc3\x28 = 1} : () -> ()",
        "func.func @\xe2\x82() { return }",
        "\"a\"() : () -> () loc(\xf0\x28\x8c\x28)",
        /* cycles */
        "#a = #b\n#b = #a\n\"x\"() {x = #a} : () -> ()",
        "!a = tuple<!a>\n\"x\"() : () -> !a",
        "#loc = loc(#loc)\n\"x\"() : () -> () loc(#loc)",
        "func.func @f(%x: i1) { %a = arith.addi %b, %x : i1 %b = arith.addi %a, %x : i1 }",
        "^a: \"cf.br\"()[^a] : () -> () ^a:",
        "module { func.func @f() { return } func.func @f() { return } }",
        /* types and shapes */
        "func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> { return %x : tensor<2xf32> }",
        ("func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> { %0 = "
         "stablehlo.add %x, %y : tensor<2xf32> return %0 : tensor<2xf32> }"),
        ("func.func @f(%x: tensor<2x3xf32>) -> tensor<7xf32> { %0 = stablehlo.reshape %x : "
         "(tensor<2x3xf32>) -> tensor<7xf32> return %0 : tensor<7xf32> }"),
        "func.func @f(%x: i32) -> i32 { %0 = stablehlo.abs %x : i32 return %0 : i32 }",
    };
    (void)state;
    for (size_t i = 0; i < TW_COUNT(texts); i++)
        if (exact_reads(texts[i], strlen(texts[i])))
            fail_msg("reads, though it should not: %s", texts[i]);
}

/* ---- programs that parse and cannot be run ------------------------------------------ */

static void programs_are_refused(void **state)
{
    static const char *const texts[] = {
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { %0 = call @main(%a) : "
        "(tensor<2xf32>) -> tensor<2xf32> return %0 : tensor<2xf32> }",
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { %0 = call @b(%a) : "
        "(tensor<2xf32>) -> tensor<2xf32> return %0 : tensor<2xf32> } "
        "func.func private @b(%a: tensor<2xf32>) -> tensor<2xf32> { %0 = call @main(%a) : "
        "(tensor<2xf32>) -> tensor<2xf32> return %0 : tensor<2xf32> }",
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { %0 = "
        "stablehlo.composite \"x.y\" %a {decomposition = @main} : (tensor<2xf32>) -> "
        "tensor<2xf32> return %0 : tensor<2xf32> }",
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { %0 = call @none(%a) : "
        "(tensor<2xf32>) -> tensor<2xf32> return %0 : tensor<2xf32> }",
        "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> }",
        "func.func @main(%a: !stablehlo.token) -> !stablehlo.token { return %a : "
        "!stablehlo.token }",
        /* exceeds the device's memory, or 64-bit sizes */
        "func.func @main(%a: tensor<100000x100000xf32>) -> tensor<100000x100000xf32> { %0 "
        "= "
        "stablehlo.add %a, %a : tensor<100000x100000xf32> return %0 : "
        "tensor<100000x100000xf32> }",
        "func.func @main() -> tensor<4611686018427387904xf32> { %0 = stablehlo.iota dim = "
        "0 "
        ": tensor<4611686018427387904xf32> return %0 : tensor<4611686018427387904xf32> }",
        "func.func @main() -> tensor<f32> { %0 = stablehlo.iota dim = 0 : "
        "tensor<4611686018427387904xf32> %c = stablehlo.constant dense<0.0> : tensor<f32> "
        "%1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] "
        ": "
        "(tensor<4611686018427387904xf32>, tensor<f32>) -> tensor<f32> return %1 : "
        "tensor<f32> }",
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { %l = stablehlo.constant "
        "dense<0.0> : tensor<f32> %0 = stablehlo.pad %a, %l, low = [9223372036854775800], "
        "high = [5], interior = [0] : (tensor<2xf32>, tensor<f32>) -> "
        "tensor<9223372036854775807xf32> %1 = stablehlo.slice %0 [0:2] : "
        "(tensor<9223372036854775807xf32>) -> tensor<2xf32> return %1 : tensor<2xf32> }",
        "func.func private @main(%a: tensor<2xf32>) -> tensor<2xf32>",
        "module {}",
        "",
    };
    (void)state;
    for (size_t i = 0; i < TW_COUNT(texts); i++) {
        tw_program *program;
        tw_status status = tw_program_compile(texts[i], strlen(texts[i]), NULL, &program);
        if (!status || !tw_status_message(status)[0])
            fail_msg("no error: %s", texts[i]);
        tw_status_free(status);
    }
}

/* ---- binaries ----------------------------------------------------------------------- */

/* Reads all of a binary, and compiles it if it is a program. */
static bool loads(const void *data, size_t size)
{
    fb_file_id kind;
    fb_view root;
    tw_strbuf text = {0};
    tw_status status = fb_detect(data, size, &kind);
    if (!status)
        status = fb_open(data, size, kind, &root);
    if (!status)
        status = fb_to_json(root, 0, 1 << 20, &text);
    if (!status && kind == FB_FILE_TTNN) {
        tw_program *program = NULL;
        status = tw_program_compile(data, size, NULL, &program);
        tw_program_destroy(program);
    } else if (!status && kind == FB_FILE_TTSYS) {
        fb_system *system = NULL;
        status = fb_system_read(fb_get_table(root, FB_SystemDescRoot_system_desc), &system);
        if (!status)
            free(system);
    }
    bool ok = !status;
    if (status)
        assert_true(tw_status_message(status)[0]);
    tw_status_free(status);
    tw_strbuf_free(&text);
    return ok;
}

static void every_byte_of_binaries(void **state)
{
    static const char *const names[] = {"flatbuffer/linear_relu.ttnn",
                                        "flatbuffer/n150.ttsys"};
    static const unsigned char flips[] = {0x01, 0x80, 0xff};
    (void)state;
    for (size_t i = 0; i < TW_COUNT(names); i++) {
        tw_strbuf file = corpus_file(names[i]);
        unsigned char *bytes = malloc(file.size);
        memcpy(bytes, file.data, file.size);
        assert_true(loads(bytes, file.size));
        for (size_t at = 0; at < file.size; at++) {
            bytes[at] ^= flips[at % TW_COUNT(flips)];
            loads(bytes, file.size);
            bytes[at] ^= flips[at % TW_COUNT(flips)];
        }
        for (size_t n = 0; n < file.size; n += 7) {
            unsigned char *cut = malloc(n ? n : 1);
            memcpy(cut, bytes, n);
            assert_false(loads(cut, n));
            free(cut);
        }
        free(bytes);
        tw_strbuf_free(&file);
    }
}

static void expect_sysdesc(const char *path, const char *message)
{
    fb_system *system;
    tw_status status = fb_sysdesc_load(path, &system);
    assert_non_null(status);
    if (!strstr(tw_status_message(status), message))
        fail_msg("'%s' does not say '%s'", tw_status_message(status), message);
    tw_status_free(status);
}

static void system_descriptors(void **state)
{
    tw_strbuf path = {0};
    (void)state;
    expect_sysdesc("/nowhere/at/all.ttsys", "/nowhere/at/all.ttsys");
    expect_sysdesc("/dev/null", "");
    tw_strbuf_printf(&path, "%s/flatbuffer/linear_relu.ttnn", corpus);
    expect_sysdesc(path.data, "system desc");
    path.size = 0;
    tw_strbuf_printf(&path, "%s/compile/mlp.mlir", corpus);
    expect_sysdesc(path.data, "system desc");
    tw_strbuf_free(&path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix_of_modules),
        cmocka_unit_test(deep_text_is_refused),
        cmocka_unit_test(text_without_sense_is_refused),
        cmocka_unit_test(programs_are_refused),
        cmocka_unit_test(every_byte_of_binaries),
        cmocka_unit_test(system_descriptors),
    };
    corpus = argc > 1 ? argv[1] : "tests/fuzz/corpus";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
