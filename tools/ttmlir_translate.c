/* ttmlir_translate.c: between MLIR and the other forms of a program. */
#include "cli.h"
#include "dialect/all.h"
#include "ir/diagnostic_print.h"
#include "ir/text.h"
#include "support/file.h"
#include "target/cpp/cpp.h"
#include "target/flatbuffer/emit.h"
#include "target/flatbuffer/import.h"
#include "target/python/python.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct source {
    tw_str text;
    const char *name;
} source;

static bool ttnn_to_flatbuffer(ir_context *ctx, const source *s, void **out_data,
                               size_t *out_size)
{
    ir_op *module = ir_parse(ctx, s->text, s->name, NULL);
    return module && fb_emit_ttnn(module, NULL, out_data, out_size);
}

static bool ttmetal_to_flatbuffer(ir_context *ctx, const source *s, void **out_data,
                                  size_t *out_size)
{
    ir_op *module = ir_parse(ctx, s->text, s->name, NULL);
    return module && fb_emit_ttm(module, NULL, out_data, out_size);
}

static bool flatbuffer_to_ttnn(ir_context *ctx, const source *s, void **out_data,
                               size_t *out_size)
{
    fb_ttnn file;
    ir_op *module;
    tw_status status = fb_ttnn_open(s->text.data, s->text.size, &file);
    if (!status)
        status = fb_import_ttnn(ctx, &file, &module);
    if (status) {
        fprintf(stderr, "%s: error: %s\n", s->name, tw_status_message(status));
        tw_status_free(status);
        return false;
    }
    tw_strbuf text = {0};
    ir_print_op(module, NULL, &text);
    *out_size = text.size;
    *out_data = tw_strbuf_take(&text);
    return true;
}

static bool to_text(ir_context *ctx, const source *s, bool (*emit)(ir_op *, tw_strbuf *),
                    void **out_data, size_t *out_size)
{
    ir_op *module = ir_parse(ctx, s->text, s->name, NULL);
    tw_strbuf text = {0};
    bool ok = module && emit(module, &text);
    *out_size = text.size;
    *out_data = tw_strbuf_take(&text);
    return ok;
}

static bool mlir_to_cpp(ir_context *ctx, const source *s, void **out_data, size_t *out_size)
{
    return to_text(ctx, s, cpp_emit, out_data, out_size);
}

static bool ttkernel_to_cpp(ir_context *ctx, const source *s, void **out_data,
                            size_t *out_size)
{
    return to_text(ctx, s, cpp_emit_kernels, out_data, out_size);
}

static bool mlir_to_python(ir_context *ctx, const source *s, void **out_data,
                           size_t *out_size)
{
    return to_text(ctx, s, python_emit, out_data, out_size);
}

/* One row per direction; its option is --<name>. */
static const struct {
    const char *name, *help;
    bool (*run)(ir_context *ctx, const source *s, void **out_data, size_t *out_size);
} translations[] = {
    {"ttnn-to-flatbuffer", "Translate the TTNN dialect to a flatbuffer",
     ttnn_to_flatbuffer},
    {"ttmetal-to-flatbuffer", "Translate the TTMetal dialect to a flatbuffer",
     ttmetal_to_flatbuffer},
    {"flatbuffer-to-ttnn", "Translate a .ttnn flatbuffer to the TTNN dialect",
     flatbuffer_to_ttnn},
    {"mlir-to-cpp", "Translate the EmitC dialect to C++", mlir_to_cpp},
    {"ttkernel-to-cpp", "Translate kernels in the EmitC dialect to C++", ttkernel_to_cpp},
    {"mlir-to-python", "Translate the EmitPy dialect to Python", mlir_to_python},
};

static void print_diagnostic(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    const source *s = user;
    tw_strbuf text = {0};
    ir_diagnostic_print(ctx, d, s->text, s->name, isatty(2), &text);
    fwrite(text.data, 1, text.size, stderr);
    tw_strbuf_free(&text);
}

static int fail(tw_status status)
{
    fprintf(stderr, "ttmlir-translate: error: %s\n", tw_status_message(status));
    tw_status_free(status);
    return 1;
}

static int translate(size_t which, const source *s, const char *output, bool unregistered)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, unregistered);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){print_diagnostic, (void *)s});
    void *data = NULL;
    size_t size = 0;
    bool ok = translations[which].run(ctx, s, &data, &size);
    ir_flush_diagnostics(ctx);
    ir_context_destroy(ctx);
    tw_status status = ok ? tw_file_write(output, data, size) : TW_SUCCESS;
    free(data);
    return status ? fail(status) : !ok;
}

int main(int argc, char **argv)
{
    const char *output = "-";
    bool chosen[TW_COUNT(translations)] = {0}, unregistered = false;
    cli_option options[TW_COUNT(translations) + 2] = {
        {"allow-unregistered-dialect", CLI_FLAG, &unregistered,
         "Allow operation with no registered dialects", NULL, false},
        {"o", CLI_STRING, &output, "Output filename", "filename", false},
    };
    for (size_t i = 0; i < TW_COUNT(translations); i++)
        options[i + 2] = (cli_option){translations[i].name, CLI_FLAG, &chosen[i],
                                      translations[i].help, NULL,     false};
    cli c = {.tool = cli_name(argv[0]),
             .overview = "ttmlir translation driver",
             .options = options,
             .n_options = TW_COUNT(options)};
    int exit_status = cli_parse(&c, argc, argv);
    if (exit_status >= 0)
        return exit_status;
    size_t which = 0, n = 0;
    for (size_t i = 0; i < TW_COUNT(translations); i++)
        if (chosen[i]) {
            which = i;
            n++;
        }
    if (n != 1 || c.inputs.count > 1) {
        fprintf(stderr, "ttmlir-translate: %s; see --help\n",
                n != 1 ? "say exactly one translation" : "too many input files");
        return 1;
    }
    const char *input = c.inputs.count ? c.inputs.at[0] : "-";
    tw_strbuf text = {0};
    tw_status status = tw_file_read(input, &text);
    if (status)
        return fail(status);
    source s = {{tw_strbuf_text(&text), text.size},
                strcmp(input, "-") == 0 ? "<stdin>" : input};
    exit_status = translate(which, &s, output, unregistered);
    tw_strbuf_free(&text);
    free(c.inputs.at);
    return exit_status;
}
