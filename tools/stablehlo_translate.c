/* stablehlo_translate.c: StableHLO to and from portable artifacts; --interpret runs it. */
#include "cli.h"
#include "commands.h"
#include "ir/bytecode.h"
#include "ir/text.h"
#include "pipelines/dialects.h"
#include "pipelines/registry.h"
#include "pipelines/translations.h"
#include "self_check.h"
#include "source.h"
#include "support/file.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define TOOL "stablehlo-translate"

typedef struct tool {
    const char *output, *target, *split;
    bool serialize, deserialize, interpret;
    bool unregistered, other_dialects, print_version, strip_debug_info, debug_info, ignored;
    source in;
    tw_strbuf out;
} tool;

static bool serialize(tool *t, ir_op *module)
{
    char pipeline[256], text[32];
    const bool known = tw_artifact_version(tw_str_from(t->target), text);
    snprintf(pipeline, sizeof pipeline,
             "builtin.module(%sstablehlo-legalize-to-vhlo{allow-other-dialects=%s},"
             "vhlo-to-version{target=%.40s})",
             t->strip_debug_info ? "strip-debuginfo," : "",
             t->other_dialects ? "true" : "false", known ? text : t->target);
    return tw_run_passes(module, pipeline, NULL) &&
           tw_artifact_write(module, tw_str_from(t->target), &t->out);
}

/* The version in the producer's name, as text; empty if the bytes are no artifact. */
static tw_str artifact_version(tw_str bytes)
{
    static const char mark[] = "StableHLO_v";
    enum { HEAD = 64 };
    size_t size = TW_MIN(bytes.size, (size_t)HEAD);
    char version[32];
    if (!ir_is_bytecode(bytes))
        return (tw_str){0};
    const char *at = memmem(bytes.data, size, mark, sizeof mark - 1);
    const char *start = at ? at + sizeof mark - 1 : NULL;
    const char *end =
        start ? memchr(start, '\0', size - (size_t)(start - bytes.data)) : NULL;
    tw_str text = {start, end ? (size_t)(end - start) : 0};
    return end && tw_artifact_version(text, version) ? text : (tw_str){0};
}

static bool deserialize(tool *t, ir_op *module)
{
    ir_print_options print = {.debug_info = t->debug_info};
    if (!tw_run_passes(module, "builtin.module(stablehlo-deserialize)", NULL))
        return false;
    ir_print_op(module, &print, &t->out);
    tw_strbuf_putc(&t->out, '\n');
    return true;
}

static bool translate(tool *t)
{
    char current[32];
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, t->unregistered);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){source_print_diagnostic, &t->in});
    if (t->deserialize && t->print_version) {
        tw_str version = artifact_version(t->in.text);
        if (version.size)
            printf("// Reading portable artifact with StableHLO version: %.*s\n",
                   (int)version.size, version.data);
        else
            printf("// Failed parsing StableHLO version from portable artifact\n");
        fflush(stdout);
    }
    ir_op *module = ir_parse(ctx, t->in.text, t->in.name, NULL);
    tw_artifact_version(TW_STR("current"), current);
    if (!module && t->deserialize)
        ir_error(ctx, IR_LOC_UNKNOWN,
                 "failed to deserialize portable artifact using StableHLO_v%s", current);
    bool ok = module && (t->serialize ? serialize(t, module) : deserialize(t, module));
    ir_flush_diagnostics(ctx);
    ir_context_destroy(ctx);
    return ok;
}

static int run(tool *t)
{
    if (t->interpret)
        return self_check_interpret(t->in.name, t->in.bytes);
    if (!translate(t))
        return 1;
    tw_status written = tw_file_write(t->output, t->out.data, t->out.size);
    return written == TW_SUCCESS ? 0 : cli_error(TOOL, written);
}

static const cli_option options[] = {
    {"allow-other-dialects", CLI_FLAG, offsetof(tool, other_dialects),
     "Allow mixed dialect in serialization", NULL, false},
    {"allow-unregistered-dialect", CLI_FLAG, offsetof(tool, unregistered),
     "Allow operation with no registered dialects", NULL, false},
    {"deserialize", CLI_FLAG, offsetof(tool, deserialize),
     "Deserialize a portable artifact into a StableHLO program", NULL, false},
    {"interpret", CLI_FLAG, offsetof(tool, interpret),
     "Compile and run the functions that check themselves", NULL, false},
    {"mlir-print-debuginfo", CLI_FLAG, offsetof(tool, debug_info),
     "Print debug info in MLIR output", NULL, false},
    {"o", CLI_STRING, offsetof(tool, output), "Output filename", "filename", false},
    {"print-stablehlo-version", CLI_FLAG, offsetof(tool, print_version),
     "When deserializing a portable artifact, print the StableHLO version", NULL, false},
    {"serialize", CLI_FLAG, offsetof(tool, serialize),
     "Serialize StableHLO program into a portable artifact", NULL, false},
    {"split-input-file", CLI_STRING, offsetof(tool, split),
     "Interpret the chunks between '// -----' lines one by one (always on)", "string",
     true},
    {"strip-debuginfo", CLI_FLAG, offsetof(tool, strip_debug_info),
     "Strip debug info from all operations", NULL, false},
    {"target", CLI_STRING, offsetof(tool, target), "Target version for serialization",
     "version", false},
    {"verify-diagnostics", CLI_FLAG, offsetof(tool, ignored), "Option of other tools", NULL,
     false, NULL, "diagnostics are printed as they come"},
};

int stablehlo_translate_main(int argc, char **argv)
{
    tool t = {.output = "-", .target = ""};
    cli c = {.tool = TOOL,
             .overview = "StableHLO translation driver",
             .options = options,
             .into = &t,
             .n_options = TW_COUNT(options)};
    int status = cli_parse(&c, argc, argv);
    if (status >= 0)
        return status;
    const char *input;
    status = cli_one_input(&c, &input);
    free(c.inputs.at);
    if (status >= 0)
        return status;
    if (t.serialize + t.deserialize + t.interpret != 1) {
        fprintf(stderr, TOOL ": give one of --serialize, --deserialize, --interpret; see "
                             "--help\n");
        return 1;
    }
    tw_status read = source_read(input, &t.in);
    status = read == TW_SUCCESS ? run(&t) : cli_error(TOOL, read);
    tw_strbuf_free(&t.out);
    source_free(&t.in);
    return status;
}
