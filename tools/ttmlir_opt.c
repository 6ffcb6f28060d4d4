/* ttmlir_opt.c: reads IR, runs passes, prints IR; mlir-opt's options. */
#include "cli.h"
#include "convert/registry.h"
#include "dialect/all.h"
#include "ir/bytecode.h"
#include "ir/diagnostic_print.h"
#include "ir/text.h"
#include "op_graph.h"
#include "support/file.h"
#include "verify_diagnostics.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct named_pass {
    const char *name, *options;
} named_pass;

typedef struct opt_tool {
    const char *output, *pipeline, *reproducer, *reproducer_after, *tree_dir,
        *timing_display, *output_format, *statistics_display;
    const char *split, *output_marker, *verify_diagnostics, *debug_only;
    bool allow_unregistered, generic, debug_info, pretty_debug_info, local_scope,
        skip_regions, unique_names, value_users, assume_verified, names_from_locs;
    bool before_all, after_all, after_change, after_failure, module_scope;
    bool timing, statistics, dump_pipeline, run_reproducer;
    bool show_dialects, no_implicit_module, verify_each, ignored, round_trip, emit_bytecode;
    bool op_on_diagnostic, view_op_graph, unsupported;
    tw_status written; /* of what was written before the end */
    int64_t elide, elide_hex, elide_resource, bytecode_version;
    cli_list print_before, print_after;
    named_pass *passes;
    size_t n_passes, passes_capacity;
    tw_str source;
    const char *tool, *name;
    tw_strbuf out;
    bool any_chunk;
} opt_tool;

/* Options of mlir-opt that are not here, and why. */
static const struct {
    const char *name, *why;
} missing[] = {
    {"elide-resource-data-from-bytecode", "bytecode is written with its resources"},
    {"irdl-file", "dialects are tables of the library"},
    {"load-dialect-plugin", "dialects are tables of the library"},
    {"load-pass-plugin", "passes are tables of the library"},
    {"log-actions-to", "actions are not traced; --mlir-print-ir-after-change shows passes"},
    {"log-mlir-actions-filter", "actions are not traced"},
    {"mlir-debug-counter", "actions are not traced"},
    {"mlir-enable-debugger-hook", "actions are not traced"},
    {"mlir-pass-pipeline-local-reproducer", "a reproducer has the whole pipeline"},
    {"mlir-print-debug-counter", "actions are not traced"},
    {"mlir-print-stacktrace-on-diagnostic", "diagnostics carry no stack"},
    {"profile-actions-to", "actions are not traced; --mlir-timing tells passes' times"},
};

static bool other_option(void *user, const char *name, const char *value)
{
    opt_tool *t = user;
    tw_str key = tw_str_from(name);
    for (size_t i = 0; i < TW_COUNT(missing); i++)
        if (strcmp(missing[i].name, name) == 0) {
            fprintf(stderr, "%s: --%s is not supported: %s\n", t->tool, name,
                    missing[i].why);
            t->unsupported = true;
            return true;
        }
    if (!pass_find(&tw_passes, key) && !pass_find_pipeline(&tw_passes, key))
        return false;
    named_pass p = {name, value ? value : ""};
    /* TTL's tools write kernels for releases whose API is functions */
    if (!*p.options && strcmp(t->tool, "ttlang-opt") == 0 &&
        strcmp(name, "convert-ttkernel-to-emitc") == 0)
        p.options = "functions=true";
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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- pipelines ---------------------------------------------------------------------- */

/* "builtin.module(...)" or "any(...)", as mlir-opt wants it. */
static bool check_anchor(ir_context *ctx, const char *pipeline)
{
    size_t n = strcspn(pipeline, "(,{ ");
    if (pipeline[n] != '(' || pipeline[strlen(pipeline) - 1] != ')')
        return ir_error(
            ctx, IR_LOC_UNKNOWN,
            "expected pass pipeline to be wrapped with the anchor operation type, "
            "e.g. 'builtin.module(...)'");
    if (strncmp(pipeline, "any", n) != 0 && strncmp(pipeline, "builtin.module", n) != 0)
        return ir_error(ctx, IR_LOC_UNKNOWN,
                        "can't run '%.*s' pass manager on 'builtin.module' op", (int)n,
                        pipeline);
    return true;
}

/* The pipeline in the text of a reproducer: mlir_reproducer: { pipeline: "..." }. */
static char *reproducer_pipeline(tw_str text)
{
    const char *at = memmem(text.data, text.size, "mlir_reproducer", 15);
    const char *end = text.data + text.size;
    at = at ? memmem(at, (size_t)(end - at), "pipeline:", 9) : NULL;
    at = at ? memchr(at, '"', (size_t)(end - at)) : NULL;
    const char *close = at ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
    return close ? strndup(at + 1, (size_t)(close - at - 1)) : NULL;
}

static bool build(opt_tool *t, ir_context *ctx, pass_manager *pm, tw_str text)
{
    bool ok = true;
    if (t->run_reproducer) {
        char *pipeline = reproducer_pipeline(text);
        ok = pipeline
                 ? pass_manager_add(pm, tw_str_from(pipeline))
                 : ir_error(ctx, IR_LOC_UNKNOWN,
                            "no 'mlir_reproducer' resource with a pipeline in the input");
        free(pipeline);
    }
    if (ok && t->pipeline)
        ok = t->n_passes
                 ? ir_error(ctx, IR_LOC_UNKNOWN,
                            "'-pass-pipeline' option can't be used with individual pass "
                            "options")
                 : check_anchor(ctx, t->pipeline) &&
                       pass_manager_add(pm, tw_str_from(t->pipeline));
    for (size_t i = 0; ok && i < t->n_passes; i++)
        ok = pass_manager_add_named(pm, t->passes[i].name,
                                    tw_str_from(t->passes[i].options));
    return ok;
}

/* ---- reproducers -------------------------------------------------------------------- */

/* What a crash leaves behind is written beforehand: a handler may only call write. */
static struct {
    const char *path;
    tw_strbuf text;
} crash;

static void on_crash(int number)
{
    static const char said[] = "ttmlir-opt: crashed; the reproducer was written\n";
    int file = open(crash.path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0 && write(file, crash.text.data, crash.text.size) >= 0)
        (void)!write(2, said, sizeof said - 1);
    signal(number, SIG_DFL);
    raise(number);
}

static void prepare_reproducer(opt_tool *t, pass_manager *pm, ir_op *module)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};
    crash.path = t->reproducer;
    crash.text.size = 0;
    pass_manager_reproducer(pm, module, &crash.text);
    for (size_t i = 0; i < TW_COUNT(signals); i++)
        signal(signals[i], on_crash);
}

static void report_failure(opt_tool *t, ir_context *ctx, pass_manager *pm, ir_op *module)
{
    const char *pass, *on;
    if (!pass_manager_failure(pm, &pass, &on))
        return;
    tw_status written = tw_file_write(t->reproducer, crash.text.data, crash.text.size);
    ir_error(ctx, module->loc,
             "Failures have been detected while processing an MLIR pass pipeline");
    if (written == TW_SUCCESS)
        ir_note(
            ctx, module->loc,
            "Pipeline failed while executing [`%s` on %s]: reproducer generated at `%s`",
            pass, on, t->reproducer);
    else
        ir_note(ctx, module->loc, "no reproducer: %s", tw_status_message(written));
    tw_status_free(written);
}

/* What the passes left, with them: it needs no failure. */
static bool write_reproducer(opt_tool *t, ir_context *ctx, pass_manager *pm, ir_op *module)
{
    tw_strbuf text = {0};
    pass_manager_reproducer(pm, module, &text);
    tw_status status = tw_file_write(t->reproducer_after, text.data, text.size);
    bool ok = status == TW_SUCCESS ||
              ir_error(ctx, module->loc, "no reproducer: %s", tw_status_message(status));
    tw_status_free(status);
    tw_strbuf_free(&text);
    return ok;
}

/* ---- one chunk ---------------------------------------------------------------------- */

typedef struct times {
    double start, parsed, ran;
} times;

static pass_manager *make_manager(opt_tool *t, ir_context *ctx,
                                  const ir_print_options *print)
{
    const char *nothing = NULL;
    if (!t->any_chunk) {
        TW_PUSH(t->print_before.at, t->print_before.count, t->print_before.capacity,
                nothing);
        TW_PUSH(t->print_after.at, t->print_after.count, t->print_after.capacity, nothing);
    }
    pass_config config = {.no_verify = !t->verify_each,
                          .print_before_all = t->before_all,
                          .print_after_all = t->after_all,
                          .print_after_change = t->after_change,
                          .print_after_failure = t->after_failure,
                          .print_module_scope = t->module_scope,
                          .timing = t->timing,
                          .print_before = t->print_before.at,
                          .print_after = t->print_after.at,
                          .print = *print,
                          .debug_only = t->debug_only,
                          .tree_dir = t->tree_dir,
                          .write = write_stderr};
    return pass_manager_create(ctx, &tw_passes, &config);
}

static bool run_passes(opt_tool *t, ir_context *ctx, ir_op *module, pass_manager *pm,
                       tw_str text)
{
    bool ok = build(t, ctx, pm, text);
    if (ok && t->dump_pipeline) {
        tw_strbuf pipeline = {0};
        pass_manager_print(pm, &pipeline);
        fprintf(stderr, "Pass Manager with %zu passes:\n%s\n", pass_manager_size(pm),
                tw_strbuf_text(&pipeline));
        tw_strbuf_free(&pipeline);
    }
    if (ok && t->reproducer)
        prepare_reproducer(t, pm, module);
    if (ok && !pass_manager_run(pm, module)) {
        ok = false;
        if (t->reproducer)
            report_failure(t, ctx, pm, module);
    }
    if (ok && t->reproducer_after)
        ok = write_reproducer(t, ctx, pm, module);
    return ok;
}

/* The text must read back as what prints the same. */
static bool check_round_trip(opt_tool *t, ir_context *ctx, ir_op *module)
{
    tw_strbuf first = {0}, second = {0};
    ir_print_options print = {.debug_info = true};
    const ir_parse_options options = {.no_implicit_module = t->no_implicit_module};
    ir_print_op(module, &print, &first);
    ir_op *again = ir_parse(ctx, (tw_str){first.data, first.size}, "<roundtrip>", &options);
    if (again)
        ir_print_op(again, &print, &second);
    bool ok =
        again && first.size == second.size && !memcmp(first.data, second.data, first.size);
    if (!ok)
        ir_error(ctx, module->loc, "%s",
                 again ? "failed to verify roundtrip: the text reads back as something else"
                       : "failed to parse op back from its text");
    tw_strbuf_free(&first);
    tw_strbuf_free(&second);
    return ok;
}

static void report(opt_tool *t, pass_manager *pm, const times *at)
{
    tw_strbuf text = {0};
    double end = now();
    if (t->statistics)
        pass_manager_statistics(pm, &text);
    if (t->timing)
        pass_manager_timing(pm,
                            &(pass_times){.parser = at->parsed - at->start,
                                          .output = end - at->ran,
                                          .total = end - at->start,
                                          .list = t->timing_display[0] == 'l',
                                          .json = t->output_format[0] == 'j'},
                            &text);
    if (text.size)
        write_stderr(NULL, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
}

/* Long programs go to standard output in parts. */
static void drain(void *user, tw_strbuf *out)
{
    opt_tool *t = user;
    if (t->written == TW_SUCCESS)
        t->written = tw_file_write(t->output, out->data, out->size);
    out->size = 0;
}

static bool write_module(opt_tool *t, ir_op *module, const ir_print_options *print)
{
    const ir_bytecode_options options = {.version = (int)t->bytecode_version};
    if (t->emit_bytecode)
        return ir_bytecode_write(module, &options, &t->out);
    if (t->view_op_graph) {
        op_graph_write(module, &t->out);
        return true;
    }
    ir_print_options to_file = *print;
    if (strcmp(t->output, "-") == 0 && !t->verify_diagnostics) {
        to_file.drain = drain;
        to_file.drain_user = t;
    }
    ir_print_op(module, &to_file, &t->out);
    if (!print->local_scope) /* then it is printed as an operation within others is */
        tw_strbuf_putc(&t->out, '\n');
    return true;
}

/* One chunk of the input; its printed result is appended to t->out. */
static bool process(opt_tool *t, tw_str text)
{
    times at = {.start = now()};
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, t->allow_unregistered);
    ir_context_note_operations(ctx, t->op_on_diagnostic && !t->verify_diagnostics);
    diag_checker *checker = NULL;
    if (t->verify_diagnostics)
        checker = diag_checker_create(ctx, text, t->name,
                                      strcmp(t->verify_diagnostics, "only-expected") == 0);
    else
        ir_context_set_sink(ctx, (ir_diagnostic_sink){print_diagnostic, t});
    ir_print_options print = {.generic = t->generic,
                              .debug_info = t->debug_info || t->pretty_debug_info,
                              .pretty_debug_info = t->pretty_debug_info,
                              .local_scope = t->local_scope,
                              .skip_regions = t->skip_regions,
                              .elide_elements = t->elide,
                              .elide_hex = t->elide_hex,
                              .elide_resource = t->elide_resource,
                              .unique_names = t->unique_names,
                              .value_users = t->value_users,
                              .assume_verified = t->assume_verified,
                              .names_from_locs = t->names_from_locs};
    const ir_parse_options parse = {.no_implicit_module = t->no_implicit_module};
    pass_manager *pm = make_manager(t, ctx, &print);
    ir_op *module = ir_parse(ctx, text, t->name, &parse);
    at.parsed = now();
    bool ok = module && (!t->round_trip || check_round_trip(t, ctx, module)) &&
              run_passes(t, ctx, module, pm, text);
    ir_flush_diagnostics(ctx);
    at.ran = now();
    if (t->any_chunk) {
        tw_strbuf_puts(&t->out, *t->output_marker ? t->output_marker : "// -----");
        tw_strbuf_putc(&t->out, '\n');
    }
    t->any_chunk = true;
    if (ok) {
        print.assume_verified = t->verify_each; /* the last pass's verifier has seen it */
        ok = write_module(t, module, &print);
        ir_flush_diagnostics(ctx);
    }
    report(t, pm, &at);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    if (checker)
        ok = diag_checker_finish(checker);
    pass_manager_destroy(pm);
    ir_context_destroy(ctx);
    return ok;
}

/* The next line that consists of the marker (and more dashes, for the default one). */
static const char *find_marker(const char *c, const char *start, const char *end,
                               const char *marker)
{
    size_t n = strlen(marker);
    while ((c = memmem(c, (size_t)(end - c), marker, n))) {
        const char *rest = c + n;
        while (rest < end && (*rest == ' ' || *rest == '-'))
            rest++;
        if ((c == start || c[-1] == '\n') &&
            (rest == end || *rest == '\n' || *rest == '\r'))
            return c;
        c += n;
    }
    return end;
}

/* Chunks keep their line numbers: the text before a chunk is replaced by blank lines. */
static bool process_split(opt_tool *t)
{
    bool ok = true;
    const char *c = t->source.data, *end = c + t->source.size;
    const char *marker = *t->split ? t->split : "// -----";
    uint32_t line = 1;
    while (c <= end) {
        const char *stop = find_marker(c, t->source.data, end, marker);
        tw_strbuf padded = {0};
        for (uint32_t i = 1; i < line; i++)
            tw_strbuf_putc(&padded, '\n');
        tw_strbuf_append(&padded, c, (size_t)(stop - c));
        ok &= process(t, (tw_str){padded.data, padded.size});
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

static bool one_of(const char *tool, const char *option, const char *value, const char *a,
                   const char *b)
{
    if (strcmp(value, a) == 0 || strcmp(value, b) == 0)
        return true;
    fprintf(stderr,
            "%s: for the --%s option: Cannot find option named '%s'!  Try '%s' or '%s'\n",
            tool, option, value, a, b);
    return false;
}

int main(int argc, char **argv)
{
    opt_tool t = {.output = "-",
                  .timing_display = "tree",
                  .output_format = "text",
                  .statistics_display = "pipeline",
                  .output_marker = "",
                  .verify_each = true,
                  .op_on_diagnostic = true,
                  .bytecode_version = IR_BYTECODE_VERSION};
    const cli_option options[] = {
        {"allow-unregistered-dialect", CLI_FLAG, &t.allow_unregistered,
         "Allow operation with no registered dialects", NULL, false},
        {"debug-only", CLI_STRING, &t.debug_only,
         "Passes that say on stderr what they do, separated by commas", "passes", false},
        {"dump-pass-pipeline", CLI_FLAG, &t.dump_pipeline,
         "Print the pipeline that will be run", NULL, false},
        {"emit-bytecode", CLI_FLAG, &t.emit_bytecode,
         "Emit bytecode when generating output", NULL, false},
        {"emit-bytecode-version", CLI_INT, &t.bytecode_version,
         "Use specified bytecode version when generating output", "value", false},
        {"mlir-disable-threading", CLI_FLAG, &t.ignored,
         "Disable multi-threading (always so here)", NULL, false},
        {"mlir-elide-elementsattrs-if-larger", CLI_INT, &t.elide,
         "Elide ElementsAttrs with \"...\" that have more elements than the given upper "
         "limit",
         "uint", false},
        {"mlir-elide-resource-strings-if-larger", CLI_INT, &t.elide_resource,
         "Elide printing value of resources if string is too long in chars.", "uint",
         false},
        {"mlir-generate-reproducer", CLI_STRING, &t.reproducer_after,
         "Generate an mlir reproducer at the provided filename (no crash required)",
         "filename", false},
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
         "When printing the IR after a pass, only print if the IR changed", NULL, false},
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
        {"mlir-print-ir-tree-dir", CLI_STRING, &t.tree_dir,
         "When printing the IR before/after a pass, print file tree rooted at this "
         "directory. Use in conjunction with mlir-print-ir-* flags",
         "string", false},
        {"mlir-print-local-scope", CLI_FLAG, &t.local_scope,
         "Print with local scope and inline information (eliding aliases)", NULL, false},
        {"mlir-print-op-generic", CLI_FLAG, &t.generic, "Print the generic op form", NULL,
         false},
        {"mlir-print-op-on-diagnostic", CLI_FLAG, &t.op_on_diagnostic,
         "When a diagnostic is emitted on an operation, also print the operation", NULL,
         false},
        {"mlir-pass-pipeline-crash-reproducer", CLI_STRING, &t.reproducer,
         "Generate a .mlir reproducer file at the given output path if the pass manager "
         "crashes or "
         "fails",
         "string", false},
        {"mlir-pass-statistics", CLI_FLAG, &t.statistics,
         "Display the statistics of each pass", NULL, false},
        {"mlir-pass-statistics-display", CLI_STRING, &t.statistics_display,
         "Display method for pass statistics (pipeline)", "value", false},
        {"mlir-pretty-debuginfo", CLI_FLAG, &t.pretty_debug_info,
         "Print pretty debug info in MLIR output", NULL, false},
        {"mlir-print-skip-regions", CLI_FLAG, &t.skip_regions,
         "Skip regions when printing ops.", NULL, false},
        {"mlir-print-unique-ssa-ids", CLI_FLAG, &t.unique_names,
         "Print unique SSA ID numbers for values, block arguments and naming conflicts "
         "across all regions",
         NULL, false},
        {"mlir-print-assume-verified", CLI_FLAG, &t.assume_verified,
         "Skip op verification when using custom printers", NULL, false},
        {"mlir-print-value-users", CLI_FLAG, &t.value_users,
         "Print users of operation results and block arguments as a comment", NULL, false},
        {"mlir-use-nameloc-as-prefix", CLI_FLAG, &t.names_from_locs,
         "Print SSA IDs using NameLocs as prefixes", NULL, false},
        {"mlir-output-format", CLI_STRING, &t.output_format,
         "Output format for timing data: json or text (default)", "value", false},
        {"mlir-timing", CLI_FLAG, &t.timing, "Display execution times", NULL, false},
        {"mlir-timing-display", CLI_STRING, &t.timing_display,
         "Display method for timing data: list or tree (default)", "value", false},
        {"no-implicit-module", CLI_FLAG, &t.no_implicit_module,
         "Disable implicit addition of a top-level module op during parsing", NULL, false},
        {"o", CLI_STRING, &t.output, "Output filename", "filename", false},
        {"output-split-marker", CLI_STRING, &t.output_marker,
         "Split marker to use for merging the ouput", "string", false},
        {"pass-pipeline", CLI_STRING, &t.pipeline,
         "Textual description of the pass pipeline to run", "string", false},
        {"run-reproducer", CLI_FLAG, &t.run_reproducer,
         "Run the pipeline stored in the reproducer", NULL, false},
        {"show-dialects", CLI_FLAG, &t.show_dialects,
         "Print the list of registered dialects and exit", NULL, false},
        {"split-input-file", CLI_STRING, &t.split,
         "Split the input file into chunks using the given or default marker ('// -----') "
         "and process each independently",
         "string", true},
        {"verify-diagnostics", CLI_STRING, &t.verify_diagnostics,
         "Check that emitted diagnostics match expected-* lines on the corresponding line "
         "(all, only-expected)",
         "value", true},
        {"verify-each", CLI_FLAG, &t.verify_each,
         "Run the verifier after each transformation pass", NULL, false},
        {"view-op-graph", CLI_FLAG, &t.view_op_graph,
         "Write the operations as a graph for Graphviz instead of the IR", NULL, false},
        {"verify-roundtrip", CLI_FLAG, &t.round_trip, "Round-trip the IR after parsing",
         NULL, false},
    };
    t.tool = cli_name(argv[0]);
    cli c = {.tool = t.tool,
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
    if (t.unsupported)
        return CLI_UNSUPPORTED;
    if (!one_of(c.tool, "mlir-timing-display", t.timing_display, "list", "tree") ||
        !one_of(c.tool, "mlir-output-format", t.output_format, "json", "text") ||
        !one_of(c.tool, "mlir-pass-statistics-display", t.statistics_display, "list",
                "pipeline"))
        return 1;
    if (t.show_dialects) {
        list_dialects();
        return 0;
    }
    t.bytecode_version = TW_MIN(TW_MAX(t.bytecode_version, -1), INT32_MAX);
    if (c.inputs.count > 1) {
        fprintf(stderr, "%s: Too many positional arguments specified!\n", c.tool);
        return 1;
    }
    const char *input = c.inputs.count ? c.inputs.at[0] : "-";
    tw_strbuf text = {0};
    tw_status read = tw_file_read(input, &text);
    if (read != TW_SUCCESS) {
        fprintf(stderr, "%s: error: %s\n", c.tool, tw_status_message(read));
        tw_status_free(read);
        return 1;
    }
    t.source = (tw_str){tw_strbuf_text(&text), text.size};
    t.name = strcmp(input, "-") == 0 ? "<stdin>" : input;
    bool ok = t.split ? process_split(&t) : process(&t, t.source);
    if (ok || t.split) {
        tw_status written = t.written;
        if (written == TW_SUCCESS && (ok || !t.verify_diagnostics))
            written = tw_file_write(t.output, t.out.data, t.out.size);
        if (written != TW_SUCCESS) {
            fprintf(stderr, "%s: error: %s\n", c.tool, tw_status_message(written));
            tw_status_free(written);
            ok = false;
        }
    }
    tw_strbuf_free(&t.out);
    tw_strbuf_free(&text);
    tw_strbuf_free(&crash.text);
    free(t.passes);
    free(t.print_before.at);
    free(t.print_after.at);
    free(c.inputs.at);
    return ok ? 0 : 1;
}
