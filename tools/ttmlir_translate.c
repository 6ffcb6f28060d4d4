/* ttmlir_translate.c: between MLIR and the other forms of a program. */
#include "cli.h"
#include "commands.h"
#include "ir/text.h"
#include "pipelines/dialects.h"
#include "pipelines/translations.h"
#include "source.h"
#include "support/file.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs a translation; false after a diagnostic or a message. */
static bool run(const tw_translation *t, ir_context *ctx, const source *s, bool local_scope,
                void **out_data, size_t *out_size)
{
    fb_emit_options binary = {.local_scope = local_scope};
    ir_op *module = NULL;
    if (t->from_binary) {
        tw_status status = t->from_binary(ctx, s->text, &module);
        if (status) {
            fprintf(stderr, "%s: error: %s\n", s->name, tw_status_message(status));
            tw_status_free(status);
            return false;
        }
    } else if (!(module = ir_parse(ctx, s->text, s->name, NULL))) {
        return false;
    }
    if (t->to_binary)
        return t->to_binary(module, &binary, out_data, out_size);
    tw_strbuf text = {0};
    bool ok = true;
    if (t->to_text)
        ok = t->to_text(module, &text);
    else
        ir_print_op(module, &(ir_print_options){.local_scope = local_scope}, &text);
    *out_size = text.size;
    *out_data = tw_strbuf_take(&text);
    return ok;
}

#define TOOL "ttmlir-translate"

/* One option each, --<name>. */
enum { MAX_TRANSLATIONS = 16 };

typedef struct translate_options {
    const char *output;
    bool unregistered, local_scope, chosen[MAX_TRANSLATIONS];
} translate_options;

static int translate(const tw_translation *t, const source *s, const translate_options *o)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, o->unregistered);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){source_print_diagnostic, (void *)s});
    void *data = NULL;
    size_t size = 0;
    bool ok = run(t, ctx, s, o->local_scope, &data, &size);
    ir_flush_diagnostics(ctx);
    ir_context_destroy(ctx);
    tw_status status = ok ? tw_file_write(o->output, data, size) : TW_SUCCESS;
    free(data);
    return status ? cli_error(TOOL, status) : !ok;
}

/* The only requested translation; NULL if there is not exactly one. */
static const tw_translation *find_chosen(const translate_options *o)
{
    const tw_translation *chosen = NULL;
    size_t n = 0;
    for (size_t i = 0; i < MAX_TRANSLATIONS; i++)
        if (o->chosen[i]) {
            chosen = tw_translation_at(i);
            n++;
        }
    return n == 1 ? chosen : NULL;
}

int ttmlir_translate_main(int argc, char **argv)
{
    translate_options o = {.output = "-"};
    cli_option options[MAX_TRANSLATIONS + 3] = {
        {"allow-unregistered-dialect", CLI_FLAG, offsetof(translate_options, unregistered),
         "Allow operation with no registered dialects", NULL, false},
        {"mlir-print-local-scope", CLI_FLAG, offsetof(translate_options, local_scope),
         "Print with local scope and inline information (eliding aliases)", NULL, false},
        {"o", CLI_STRING, offsetof(translate_options, output), "Output filename",
         "filename", false},
    };
    size_t n_options = 3;
    const tw_translation *t;
    for (size_t i = 0; (t = tw_translation_at(i)) != NULL; i++)
        if (t->help) {
            assert(i < MAX_TRANSLATIONS);
            options[n_options++] =
                (cli_option){.name = t->name,
                             .kind = CLI_FLAG,
                             .at = offsetof(translate_options, chosen) + i * sizeof(bool),
                             .help = t->help};
        }
    cli c = {.tool = cli_name(argv[0]),
             .overview = "ttmlir translation driver",
             .options = options,
             .n_options = n_options,
             .into = &o};
    const char *input;
    int exit_status = cli_parse(&c, argc, argv);
    if (exit_status < 0)
        exit_status = cli_one_input(&c, &input);
    free(c.inputs.at);
    if (exit_status >= 0)
        return exit_status;
    t = find_chosen(&o);
    if (!t) {
        fprintf(stderr, TOOL ": give exactly one translation; see --help\n");
        return 1;
    }
    source in;
    tw_status status = source_read(input, &in);
    if (status)
        return cli_error(TOOL, status);
    exit_status = translate(t, &in, &o);
    source_free(&in);
    return exit_status;
}
