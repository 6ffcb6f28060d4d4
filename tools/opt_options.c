/* opt_options.c: see opt_options.h. */
#include "opt_options.h"

#include "ir/bytecode.h"
#include "pipelines/registry.h"
#include "report.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define AT(member) offsetof(opt_options, member)

static const char *const statistics_displays[] = {"list", "pipeline", NULL};
static const char *const timing_displays[] = {"list", "tree", NULL};
static const char *const verbosities[] = {"errors", "remarks", "warnings", NULL};
static const char *const output_formats[] = {"json", "text", NULL};

static const cli_option rows[] = {
    {"allow-unregistered-dialect", CLI_FLAG, AT(allow_unregistered),
     "Allow operation with no registered dialects", NULL, false},
    {"debug-only", CLI_STRING, AT(debug_only),
     "Passes that log to stderr, separated by commas", "passes", false},
    {"dump-pass-pipeline", CLI_FLAG, AT(dump_pipeline),
     "Print the pipeline that will be run", NULL, false},
    {"emit-bytecode", CLI_FLAG, AT(emit_bytecode), "Emit bytecode when generating output",
     NULL, false},
    {"emit-bytecode-version", CLI_INT, AT(bytecode_version),
     "Use specified bytecode version when generating output", "value", false},
    {"explain", CLI_STRING, AT(explain),
     "Write a page of what each pass changed, with its rules and their source lines",
     "file.html", false},
    {"mlir-diagnostic-verbosity-level", CLI_STRING, AT(verbosity),
     "Choose level of diagnostic information (remarks)", "value", false, verbosities},
    {"mlir-disable-threading", CLI_FLAG, AT(ignored),
     "Disable multi-threading (always so here)", NULL, false},
    {"mlir-elide-elementsattrs-if-larger", CLI_INT, AT(elide),
     "Elide ElementsAttrs with \"...\" that have more elements than the given upper "
     "limit",
     "uint", false},
    {"mlir-elide-resource-strings-if-larger", CLI_INT, AT(elide_resource),
     "Elide printing value of resources if string is too long in chars.", "uint", false},
    {"mlir-generate-reproducer", CLI_STRING, AT(reproducer_after),
     "Generate an mlir reproducer at the provided filename (no crash required)", "filename",
     false},
    {"mlir-print-debuginfo", CLI_FLAG, AT(debug_info), "Print debug info in MLIR output",
     NULL, false},
    {"mlir-print-elementsattrs-with-hex-if-larger", CLI_INT, AT(elide_hex),
     "Print DenseElementsAttrs with a hex string that have more elements than the "
     "given limit",
     "long", false},
    {"mlir-print-ir-after", CLI_LIST, AT(print_after), "Print IR after specified passes",
     "pass-arg", false},
    {"mlir-print-ir-after-all", CLI_FLAG, AT(after_all), "Print IR after each pass", NULL,
     false},
    {"mlir-print-ir-after-change", CLI_FLAG, AT(after_change),
     "When printing the IR after a pass, only print if the IR changed", NULL, false},
    {"mlir-print-ir-after-failure", CLI_FLAG, AT(after_failure),
     "When printing the IR after a pass, only print if the pass failed", NULL, false},
    {"mlir-print-ir-before", CLI_LIST, AT(print_before), "Print IR before specified passes",
     "pass-arg", false},
    {"mlir-print-ir-before-all", CLI_FLAG, AT(before_all), "Print IR before each pass",
     NULL, false},
    {"mlir-print-ir-module-scope", CLI_FLAG, AT(module_scope),
     "When printing IR for print-ir-[before|after], always print the top-level "
     "operation",
     NULL, false},
    {"mlir-print-ir-tree-dir", CLI_STRING, AT(tree_dir),
     "When printing the IR before/after a pass, print file tree rooted at this "
     "directory. Use in conjunction with mlir-print-ir-* flags",
     "string", false},
    {"mlir-print-local-scope", CLI_FLAG, AT(local_scope),
     "Print with local scope and inline information (eliding aliases)", NULL, false},
    {"mlir-print-op-generic", CLI_FLAG, AT(generic), "Print the generic op form", NULL,
     false},
    {"mlir-print-op-on-diagnostic", CLI_FLAG, AT(op_on_diagnostic),
     "When a diagnostic is emitted on an operation, also print the operation", NULL, false},
    {"mlir-pass-pipeline-crash-reproducer", CLI_STRING, AT(reproducer),
     "Generate a .mlir reproducer file at the given output path if the pass manager "
     "crashes or "
     "fails",
     "string", false},
    {"mlir-pass-statistics", CLI_FLAG, AT(statistics),
     "Display the statistics of each pass", NULL, false},
    {"mlir-pass-statistics-display", CLI_STRING, AT(statistics_display),
     "Display method for pass statistics (pipeline)", "value", false, statistics_displays},
    {"mlir-pretty-debuginfo", CLI_FLAG, AT(pretty_debug_info),
     "Print pretty debug info in MLIR output", NULL, false},
    {"mlir-print-skip-regions", CLI_FLAG, AT(skip_regions),
     "Skip regions when printing ops.", NULL, false},
    {"mlir-print-unique-ssa-ids", CLI_FLAG, AT(unique_names),
     "Print unique SSA ID numbers for values, block arguments and naming conflicts "
     "across all regions",
     NULL, false},
    {"mlir-print-assume-verified", CLI_FLAG, AT(assume_verified),
     "Skip op verification when using custom printers", NULL, false},
    {"mlir-print-value-users", CLI_FLAG, AT(value_users),
     "Print users of operation results and block arguments as a comment", NULL, false},
    {"mlir-use-nameloc-as-prefix", CLI_FLAG, AT(names_from_locs),
     "Print SSA IDs using NameLocs as prefixes", NULL, false},
    {"mlir-output-format", CLI_STRING, AT(output_format),
     "Output format for timing data: json or text (default)", "value", false,
     output_formats},
    {"mlir-timing", CLI_FLAG, AT(timing), "Display execution times", NULL, false},
    {"mlir-timing-display", CLI_STRING, AT(timing_display),
     "Display method for timing data: list or tree (default)", "value", false,
     timing_displays},
    {"no-implicit-module", CLI_FLAG, AT(no_implicit_module),
     "Disable implicit addition of a top-level module op during parsing", NULL, false},
    {"o", CLI_STRING, AT(output), "Output filename", "filename", false},
    {"output-split-marker", CLI_STRING, AT(output_marker),
     "Split marker to use for merging the ouput", "string", false},
    {"pass-pipeline", CLI_STRING, AT(pipeline),
     "Textual description of the pass pipeline to run", "string", false},
    REPORT_OPTION(AT(report)),
    {"run-reproducer", CLI_FLAG, AT(run_reproducer),
     "Run the pipeline stored in the reproducer", NULL, false},
    {"show-dialects", CLI_FLAG, AT(show_dialects),
     "Print the list of registered dialects and exit", NULL, false},
    {"split-input-file", CLI_STRING, AT(split),
     "Split the input file into chunks using the given or default marker ('// -----') "
     "and process each independently",
     "string", true},
    {"verify-diagnostics", CLI_STRING, AT(verify_diagnostics),
     "Check that emitted diagnostics match expected-* lines on the corresponding line "
     "(all, only-expected)",
     "value", true},
    {"verify-each", CLI_FLAG, AT(verify_each),
     "Run the verifier after each transformation pass", NULL, false},
    {"view-op-graph", CLI_FLAG, AT(view_op_graph),
     "Write the operations as a graph for Graphviz instead of the IR", NULL, false},
    {"verify-roundtrip", CLI_FLAG, AT(round_trip), "Round-trip the IR after parsing", NULL,
     false},
};

/* Unsupported options of mlir-opt, and why. */
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
    {"profile-actions-to", "actions are not traced; --mlir-timing shows passes' times"},
};

static bool other_option(void *user, const char *name, const char *value)
{
    opt_options *o = user;
    tw_str key = tw_str_from(name);
    for (size_t i = 0; i < TW_COUNT(missing); i++)
        if (strcmp(missing[i].name, name) == 0) {
            fprintf(stderr, "%s: --%s is not supported: %s\n", o->tool, name,
                    missing[i].why);
            o->unsupported = true;
            return true;
        }
    if (!pass_find(&tw_passes, key) && !pass_find_pipeline(&tw_passes, key))
        return false;
    opt_pass p = {name, value ? value : ""};
    /* TTL's tools emit kernels for releases whose API is functions */
    if (!*p.options && strcmp(o->tool, "ttlang-opt") == 0 &&
        strcmp(name, "convert-ttkernel-to-emitc") == 0)
        p.options = "functions=true";
    p.name = pass_find(&tw_passes, key) ? pass_find(&tw_passes, key)->name
                                        : pass_find_pipeline(&tw_passes, key)->name;
    TW_PUSH(o->passes, o->n_passes, o->passes_capacity, p);
    return true;
}

static const char *suggest(void *user, const char *name)
{
    (void)user;
    return pass_suggest(&tw_passes, tw_str_from(name));
}

static void visit_options(const pass_option_def *at, uint32_t count, cli_visit *visit,
                          void *to)
{
    for (uint32_t i = 0; i < count; i++) {
        const pass_option_def *o = &at[i];
        tw_strbuf help = {0};
        tw_strbuf_printf(&help, "%s (default: %s)%s%s%s", o->help ? o->help : "",
                         o->deflt ? o->deflt : "", o->partial ? " (only in part: " : "",
                         o->partial ? o->partial : "", o->partial ? ")" : "");
        const cli_option row = {.name = o->name,
                                .kind = CLI_STRING,
                                .help = tw_strbuf_text(&help),
                                .no_effect = o->no_effect};
        visit(to, &row, true);
        tw_strbuf_free(&help);
    }
}

static void visit_one(const char *name, const char *summary, const pass_option_def *at,
                      uint32_t count, cli_visit *visit, void *to)
{
    const cli_option row = {.name = name,
                            .kind = count ? CLI_STRING : CLI_FLAG,
                            .help = summary,
                            .value = "options",
                            .optional_value = true};
    visit(to, &row, false);
    visit_options(at, count, visit, to);
}

static void visit_passes(void *user, cli_visit *visit, void *to)
{
    static const cli_option headings[] = {{.kind = CLI_HEADING, .help = "PASSES"},
                                          {.kind = CLI_HEADING, .help = "PIPELINES"}};
    (void)user;
    visit(to, &headings[0], false);
    for (const pass_def *const *p = tw_passes.passes; *p; p++)
        visit_one((*p)->name, (*p)->summary, (*p)->options.at, (*p)->options.count, visit,
                  to);
    visit(to, &headings[1], false);
    for (const pass_pipeline_def *const *p = tw_passes.pipelines; *p; p++)
        visit_one((*p)->name, (*p)->summary, (*p)->options.at, (*p)->options.count, visit,
                  to);
}

int opt_options_read(opt_options *o, int argc, char **argv)
{
    *o = (opt_options){.tool = cli_name(argv[0]),
                       .input = "-",
                       .output = "-",
                       .timing_display = "tree",
                       .output_format = "text",
                       .statistics_display = "pipeline",
                       .verbosity = "remarks",
                       .output_marker = "",
                       .verify_each = true,
                       .op_on_diagnostic = true,
                       .bytecode_version = IR_BYTECODE_VERSION};
    cli c = {
        .tool = o->tool,
        .overview = "read IR, run passes and pipelines on it, and print it",
        .examples =
            "ttmlir-opt model.mlir --canonicalize --cse\n"
            "ttmlir-opt model.mlir --ttir-to-ttnn-backend-pipeline=\"enable-trace=true "
            "mesh-shape=1,2\"\n"
            "ttmlir-opt model.mlir --pass-pipeline='builtin.module(func.func(cse))'\n",
        .options = rows,
        .n_options = TW_COUNT(rows),
        .into = o,
        .other = other_option,
        .suggest = suggest,
        .more = visit_passes,
        .user = o};
    int status = cli_parse(&c, argc, argv);
    if (status < 0 && o->unsupported)
        status = CLI_UNSUPPORTED;
    if (status < 0)
        status = cli_one_input(&c, &o->input);
    free(c.inputs.at);
    o->bytecode_version = TW_MIN(TW_MAX(o->bytecode_version, -1), INT32_MAX);
    if (status >= 0)
        opt_options_free(o);
    return status;
}

void opt_options_free(opt_options *o)
{
    free(o->passes);
    free(o->print_before.at);
    free(o->print_after.at);
    free(o->report.at);
}
