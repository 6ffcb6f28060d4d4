/* ttmlir_translate.c: between MLIR and the other forms of a program. */
#include "cli.h"
#include "commands.h"
#include "emitpy/to_python/python.h"
#include "ir/text.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "pipelines/dialects.h"
#include "source.h"
#include "support/file.h"
#include "ttmetal/to_flatbuffer/emit_ttm.h"
#include "ttnn/to_flatbuffer/emit.h"
#include "ttnn/to_flatbuffer/import.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

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
        status = fb_import_ttnn(ctx, &file, false, &module);
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

#define TOOL "ttmlir-translate"

typedef struct translate_options {
    const char *output;
    bool unregistered, chosen[TW_COUNT(translations)];
} translate_options;

static int translate(size_t which, const source *s, const char *output, bool unregistered)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, unregistered);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){source_print_diagnostic, (void *)s});
    void *data = NULL;
    size_t size = 0;
    bool ok = translations[which].run(ctx, s, &data, &size);
    ir_flush_diagnostics(ctx);
    ir_context_destroy(ctx);
    tw_status status = ok ? tw_file_write(output, data, size) : TW_SUCCESS;
    free(data);
    return status ? cli_error(TOOL, status) : !ok;
}

/* The index of the only requested translation; past the last if there is not exactly one.
 */
static size_t find_chosen(const translate_options *o)
{
    size_t which = TW_COUNT(translations), n = 0;
    for (size_t i = 0; i < TW_COUNT(translations); i++)
        if (o->chosen[i]) {
            which = i;
            n++;
        }
    return n == 1 ? which : TW_COUNT(translations);
}

int ttmlir_translate_main(int argc, char **argv)
{
    translate_options o = {.output = "-"};
    cli_option options[TW_COUNT(translations) + 2] = {
        {"allow-unregistered-dialect", CLI_FLAG, offsetof(translate_options, unregistered),
         "Allow operation with no registered dialects", NULL, false},
        {"o", CLI_STRING, offsetof(translate_options, output), "Output filename",
         "filename", false},
    };
    for (size_t i = 0; i < TW_COUNT(translations); i++)
        options[i + 2] =
            (cli_option){.name = translations[i].name,
                         .kind = CLI_FLAG,
                         .at = offsetof(translate_options, chosen) + i * sizeof(bool),
                         .help = translations[i].help};
    cli c = {.tool = cli_name(argv[0]),
             .overview = "ttmlir translation driver",
             .options = options,
             .n_options = TW_COUNT(options),
             .into = &o};
    const char *input;
    int exit_status = cli_parse(&c, argc, argv);
    if (exit_status < 0)
        exit_status = cli_one_input(&c, &input);
    free(c.inputs.at);
    if (exit_status >= 0)
        return exit_status;
    size_t which = find_chosen(&o);
    if (which == TW_COUNT(translations)) {
        fprintf(stderr, TOOL ": give exactly one translation; see --help\n");
        return 1;
    }
    source in;
    tw_status status = source_read(input, &in);
    if (status)
        return cli_error(TOOL, status);
    exit_status = translate(which, &in, o.output, o.unregistered);
    source_free(&in);
    return exit_status;
}
