/* ttmlir_opt.c: reads IR, runs passes, prints IR; mlir-opt's options. */
#include "cli.h"
#include "convert/registry.h"
#include "dialect/all.h"
#include "ir/diagnostic_print.h"
#include "ir/text.h"
#include "support/file.h"
#include "verify_diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct named_pass {
    const char *name, *options;
} named_pass;

typedef struct opt_tool {
    const char *output, *pipeline, *reproducer;
    bool split, verify_diagnostics, allow_unregistered, generic, debug_info, local_scope;
    bool before_all, after_all, after_change, after_failure, module_scope, timing,
        dump_pipeline;
    bool show_dialects, no_implicit_module, verify_each, ignored, round_trip, emit_bytecode,
        op_on_diag;
    bool list_passes;
    int64_t elide, elide_hex;
    cli_list print_before, print_after;
    named_pass *passes;
    size_t n_passes, passes_capacity;
    tw_str source;
    const char *name;
    tw_strbuf out;
} opt_tool;

static bool other_option(void *user, const char *name, const char *value)
{
    opt_tool *t = user;
    tw_str key = tw_str_from(name);
    if (!pass_find(&tw_passes, key) && !pass_find_pipeline(&tw_passes, key))
        return false;
    named_pass p = {name, value ? value : ""};
    p.name = pass_find(&tw_passes, key) ? pass_find(&tw_passes, key)->name
                                        : pass_find_pipeline(&tw_passes, key)->name;
    TW_PUSH(t->passes, t->n_passes, t->passes_capacity, p);
    return true;
}

static const char *suggest(void *user, const char *name)
{
    (void)user;
    return pass_suggest(&tw_passes, tw_str_from(name));
}

static void more_help(void *user)
{
    (void)user;
    printf("\nPasses:\n");
    for (const pass_def *const *row = tw_passes.passes; *row; row++) {
        const pass_def *p = *row;
        printf("  --%-44s -   %s\n", p->name, p->summary);
        for (uint32_t k = 0; k < p->options.count; k++)
            printf("      --%-40s - %s (default: %s)\n", p->options.at[k].name,
                   p->options.at[k].help ? p->options.at[k].help : "",
                   p->options.at[k].deflt ? p->options.at[k].deflt : "");
    }
    printf("\nPass Pipelines:\n");
    for (const pass_pipeline_def *const *p = tw_passes.pipelines; *p; p++)
        printf("  --%-44s -   %s\n", (*p)->name, (*p)->summary);
}

static void print_diagnostic(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    opt_tool *t = user;
    tw_strbuf text = {0};
    ir_diagnostic_print(ctx, d, t->source, t->name, isatty(2), &text);
    fwrite(text.data, 1, text.size, stderr);
    tw_strbuf_free(&text);
}

static void write_stderr(void *user, tw_str text)
{
    (void)user;
    fwrite(text.data, 1, text.size, stderr);
}

static bool run_passes(opt_tool *t, ir_context *ctx, ir_op *module,
                       const ir_print_options *print)
{
    const char *nothing = NULL;
    TW_PUSH(t->print_before.at, t->print_before.count, t->print_before.capacity, nothing);
    TW_PUSH(t->print_after.at, t->print_after.count, t->print_after.capacity, nothing);
    pass_config config = {.no_verify = !t->verify_each,
                          .print_before_all = t->before_all,
                          .print_after_all = t->after_all || t->after_change,
                          .print_after_failure = t->after_failure,
                          .print_module_scope = t->module_scope,
                          .timing = t->timing,
                          .print_before = t->print_before.at,
                          .print_after = t->print_after.at,
                          .print = *print,
                          .write = write_stderr};
    pass_manager *pm = pass_manager_create(ctx, &tw_passes, &config);
    bool ok = !t->pipeline || pass_manager_add(pm, tw_str_from(t->pipeline));
    for (size_t i = 0; ok && i < t->n_passes; i++)
        ok = pass_manager_add_named(pm, t->passes[i].name,
                                    tw_str_from(t->passes[i].options));
    if (ok && t->dump_pipeline) {
        tw_strbuf text = {0};
        pass_manager_print(pm, &text);
        fprintf(stderr, "Pass Manager with %zu passes:\n%s\n", t->n_passes,
                tw_strbuf_text(&text));
        tw_strbuf_free(&text);
    }
    ok = ok && pass_manager_run(pm, module);
    pass_manager_destroy(pm);
    return ok;
}

/* One chunk of the input; its printed result is appended to t->out. */
static bool process(opt_tool *t, tw_str text, uint32_t first_line)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, t->allow_unregistered);
    diag_checker *checker = NULL;
    if (t->verify_diagnostics)
        checker = diag_checker_create(ctx, text, t->name, first_line);
    else
        ir_context_set_sink(ctx, (ir_diagnostic_sink){print_diagnostic, t});
    ir_print_options print = {.generic = t->generic,
                              .debug_info = t->debug_info,
                              .local_scope = t->local_scope,
                              .elide_elements = t->elide,
                              .elide_hex = t->elide_hex};
    ir_op *module = ir_parse(ctx, text, t->name, NULL);
    bool ok = module && run_passes(t, ctx, module, &print);
    ir_flush_diagnostics(ctx);
    if (ok)
        ir_print_op(module, &print, &t->out);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    if (checker)
        ok = diag_checker_finish(checker);
    ir_context_destroy(ctx);
    return ok;
}

/* Chunks keep their line numbers: the text before a chunk is replaced by blank lines. */
static bool process_split(opt_tool *t)
{
    bool ok = true, first = true;
    const char *c = t->source.data, *end = c + t->source.size;
    uint32_t line = 1;
    while (c <= end) {
        const char *marker = c, *stop = end;
        while ((marker = memmem(marker, (size_t)(end - marker), "// -----", 8))) {
            bool at_line_start = marker == t->source.data || marker[-1] == '\n';
            const char *rest = marker + 8;
            while (rest < end && (*rest == ' ' || *rest == '-'))
                rest++;
            if (at_line_start && (rest == end || *rest == '\n' || *rest == '\r')) {
                stop = marker;
                break;
            }
            marker += 8;
        }
        tw_strbuf padded = {0};
        for (uint32_t i = 1; i < line; i++)
            tw_strbuf_putc(&padded, '\n');
        tw_strbuf_append(&padded, c, (size_t)(stop - c));
        if (!first)
            tw_strbuf_puts(&t->out, "\n// -----\n");
        first = false;
        ok &= process(t, (tw_str){padded.data, padded.size}, line);
        tw_strbuf_free(&padded);
        if (stop == end)
            break;
        const char *next = memchr(stop, '\n', (size_t)(end - stop));
        next = next ? next + 1 : end;
        for (const char *x = c; x < next; x++)
            line += *x == '\n';
        c = next;
    }
    return ok;
}

static void list_dialects(void)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    printf("Available Dialects: ");
    for (size_t i = 0; i < ir_context_dialect_count(ctx); i++)
        printf("%s%s", i ? "," : "", ir_context_dialect_at(ctx, i)->name);
    printf("\n");
    ir_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    opt_tool t = {.output = "-", .verify_each = true};
    const cli_option options[] = {
        {"allow-unregistered-dialect", CLI_FLAG, &t.allow_unregistered,
         "Allow operation with no registered dialects", NULL, false},
        {"dump-pass-pipeline", CLI_FLAG, &t.dump_pipeline,
         "Print the pipeline that will be run", NULL, false},
        {"emit-bytecode", CLI_FLAG, &t.emit_bytecode,
         "Emit bytecode when generating output", NULL, false},
        {"mlir-disable-threading", CLI_FLAG, &t.ignored,
         "Disable multi-threading (always so here)", NULL, false},
        {"mlir-elide-elementsattrs-if-larger", CLI_INT, &t.elide,
         "Elide ElementsAttrs with \"...\" that have more elements than the given upper "
         "limit",
         "uint", false},
        {"mlir-print-debuginfo", CLI_FLAG, &t.debug_info, "Print debug info in MLIR output",
         NULL, false},
        {"mlir-print-elementsattrs-with-hex-if-larger", CLI_INT, &t.elide_hex,
         "Print DenseElementsAttrs with a hex string that have more elements than the "
         "given limit",
         "long", false},
        {"mlir-print-ir-after", CLI_LIST, &t.print_after, "Print IR after specified passes",
         "pass-arg", false},
        {"mlir-print-ir-after-all", CLI_FLAG, &t.after_all, "Print IR after each pass",
         NULL, false},
        {"mlir-print-ir-after-change", CLI_FLAG, &t.after_change,
         "Print IR after a pass (changes are not told apart)", NULL, false},
        {"mlir-print-ir-after-failure", CLI_FLAG, &t.after_failure,
         "When printing the IR after a pass, only print if the pass failed", NULL, false},
        {"mlir-print-ir-before", CLI_LIST, &t.print_before,
         "Print IR before specified passes", "pass-arg", false},
        {"mlir-print-ir-before-all", CLI_FLAG, &t.before_all, "Print IR before each pass",
         NULL, false},
        {"mlir-print-ir-module-scope", CLI_FLAG, &t.module_scope,
         "When printing IR for print-ir-[before|after], always print the top-level "
         "operation",
         NULL, false},
        {"mlir-print-local-scope", CLI_FLAG, &t.local_scope,
         "Print with local scope and inline information (eliding aliases)", NULL, false},
        {"mlir-print-op-generic", CLI_FLAG, &t.generic, "Print the generic op form", NULL,
         false},
        {"mlir-print-op-on-diagnostic", CLI_FLAG, &t.op_on_diag,
         "When a diagnostic is emitted on an operation, also print the operation", NULL,
         false},
        {"mlir-timing", CLI_FLAG, &t.timing, "Display execution times", NULL, false},
        {"no-implicit-module", CLI_FLAG, &t.no_implicit_module,
         "Disable implicit addition of a top-level module op during parsing", NULL, false},
        {"o", CLI_STRING, &t.output, "Output filename", "filename", false},
        {"pass-pipeline", CLI_STRING, &t.pipeline,
         "Textual description of the pass pipeline to run", "string", false},
        {"show-dialects", CLI_FLAG, &t.show_dialects,
         "Print the list of registered dialects and exit", NULL, false},
        {"split-input-file", CLI_FLAG, &t.split,
         "Split the input file into chunks using '// -----' and process each independently",
         NULL, false},
        {"verify-diagnostics", CLI_FLAG, &t.verify_diagnostics,
         "Check that emitted diagnostics match expected-* lines on the corresponding line",
         NULL, false},
        {"verify-each", CLI_FLAG, &t.verify_each,
         "Run the verifier after each transformation pass", NULL, false},
        {"verify-roundtrip", CLI_FLAG, &t.round_trip, "Round-trip the IR after parsing",
         NULL, false},
    };
    cli c = {.tool = "ttmlir-opt",
             .overview = "ttmlir optimizer driver",
             .options = options,
             .n_options = TW_COUNT(options),
             .other = other_option,
             .suggest = suggest,
             .more_help = more_help,
             .user = &t};
    int status = cli_parse(&c, argc, argv);
    if (status >= 0)
        return status;
    if (t.show_dialects) {
        list_dialects();
        return 0;
    }
    if (t.emit_bytecode) {
        fprintf(stderr,
                "ttmlir-opt: --emit-bytecode is not implemented yet; print text instead\n");
        return 77;
    }
    if (c.inputs.count > 1) {
        fprintf(stderr, "ttmlir-opt: Too many positional arguments specified!\n");
        return 1;
    }
    const char *input = c.inputs.count ? c.inputs.at[0] : "-";
    tw_strbuf text = {0};
    tw_status read = tw_file_read(input, &text);
    if (read != TW_SUCCESS) {
        fprintf(stderr, "ttmlir-opt: error: %s\n", tw_status_message(read));
        tw_status_free(read);
        return 1;
    }
    t.source = (tw_str){tw_strbuf_text(&text), text.size};
    t.name = strcmp(input, "-") == 0 ? "<stdin>" : input;
    bool ok = t.split ? process_split(&t) : process(&t, t.source, 1);
    if (ok || t.split) {
        tw_status written = t.verify_diagnostics && !ok
                                ? TW_SUCCESS
                                : tw_file_write(t.output, t.out.data, t.out.size);
        if (written != TW_SUCCESS) {
            fprintf(stderr, "ttmlir-opt: error: %s\n", tw_status_message(written));
            tw_status_free(written);
            ok = false;
        }
    }
    tw_strbuf_free(&t.out);
    tw_strbuf_free(&text);
    free(t.passes);
    free(t.print_before.at);
    free(t.print_after.at);
    free(c.inputs.at);
    return ok ? 0 : 1;
}
