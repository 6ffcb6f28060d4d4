/* ttmlir_opt.c: reads IR, runs passes, prints IR; mlir-opt's options. */
#include "arrays.h"
#include "commands.h"
#include "explain.h"
#include "ir/bytecode.h"
#include "ir/diagnostic_print.h"
#include "ir/text.h"
#include "op_graph.h"
#include "opt_options.h"
#include "opt_reproducer.h"
#include "pipelines/dialects.h"
#include "pipelines/registry.h"
#include "progress.h"
#include "report.h"
#include "runtime/validate/validate.h"
#include "source.h"
#include "support/clock.h"
#include "support/file.h"
#include "verify_diagnostics.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct opt_tool {
    opt_options o;
    source in;
    tool_report report;
    explainer *explainer;
    tw_progress *progress;
    tw_strbuf out;
    tw_status written; /* of what was written before the end */
    bool any_chunk;
} opt_tool;

static void write_stderr(void *user, tw_str text)
{
    (void)user;
    progress_clear();
    fwrite(text.data, 1, text.size, stderr);
}

/* Errors, warnings and remarks as far as the user wants to see them. */
static void print_diagnostic(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    opt_tool *t = user;
    ir_severity most = *t->o.verbosity == 'e'   ? IR_ERROR
                       : *t->o.verbosity == 'w' ? IR_WARNING
                                                : IR_REMARK;
    progress_clear();
    if (d->severity <= most && t->report.list)
        ir_diagnostic_record(ctx, d, t->report.list);
    if (d->severity <= most && !t->report.on_stderr)
        source_print_diagnostic(&t->in, ctx, d);
}

/* ---- pipelines ---------------------------------------------------------------------- */

/* Warnings of options that have no effect are about the command line: expected-* comments
 * do not have to know them. */
typedef struct build_sink {
    opt_tool *tool;
    ir_diagnostic_sink of_module;
} build_sink;

static void report_build(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    build_sink *sink = user;
    if (d->severity == IR_WARNING)
        print_diagnostic(sink->tool, ctx, d);
    else if (sink->of_module.handle)
        sink->of_module.handle(sink->of_module.user, ctx, d);
}

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

static bool build(opt_tool *t, ir_context *ctx, pass_manager *pm, tw_str text)
{
    bool ok = true;
    if (t->o.run_reproducer) {
        char *pipeline = opt_reproducer_pipeline(text);
        ok = pipeline
                 ? pass_manager_add(pm, tw_str_from(pipeline))
                 : ir_error(ctx, IR_LOC_UNKNOWN,
                            "no 'mlir_reproducer' resource with a pipeline in the input");
        free(pipeline);
    }
    if (ok && t->o.pipeline)
        ok = t->o.n_passes
                 ? ir_error(ctx, IR_LOC_UNKNOWN,
                            "'-pass-pipeline' option can't be used with individual pass "
                            "options")
                 : check_anchor(ctx, t->o.pipeline) &&
                       pass_manager_add(pm, tw_str_from(t->o.pipeline));
    for (size_t i = 0; ok && i < t->o.n_passes; i++)
        ok = pass_manager_add_named(pm, t->o.passes[i].name,
                                    tw_str_from(t->o.passes[i].options));
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
        TW_PUSH(t->o.print_before.at, t->o.print_before.count, t->o.print_before.capacity,
                nothing);
        TW_PUSH(t->o.print_after.at, t->o.print_after.count, t->o.print_after.capacity,
                nothing);
    }
    pass_config config = {.no_verify = !t->o.verify_each,
                          .print_before_all = t->o.before_all,
                          .print_after_all = t->o.after_all,
                          .print_after_change = t->o.after_change,
                          .print_after_failure = t->o.after_failure,
                          .print_module_scope = t->o.module_scope,
                          .timing = t->o.timing,
                          .print_before = t->o.print_before.at,
                          .print_after = t->o.print_after.at,
                          .print = *print,
                          .debug_only = t->o.debug_only,
                          .progress = t->progress,
                          .tree_dir = t->o.tree_dir,
                          .write = write_stderr};
    return pass_manager_create(ctx, &tw_passes, &config);
}

static bool run_passes(opt_tool *t, ir_context *ctx, ir_op *module, pass_manager *pm,
                       tw_str text)
{
    build_sink sink = {.tool = t};
    sink.of_module = ir_context_set_sink(ctx, (ir_diagnostic_sink){report_build, &sink});
    bool ok = build(t, ctx, pm, text);
    ir_context_set_sink(ctx, sink.of_module);
    if (ok && t->o.dump_pipeline) {
        tw_strbuf pipeline = {0};
        pass_manager_print(pm, &pipeline);
        fprintf(stderr, "Pass Manager with %zu passes:\n%s\n", pass_manager_size(pm),
                tw_strbuf_text(&pipeline));
        tw_strbuf_free(&pipeline);
    }
    if (ok && t->o.reproducer)
        opt_reproducer_prepare(t->o.reproducer, pm, module);
    if (ok && !pass_manager_run(pm, module)) {
        ok = false;
        if (t->o.reproducer)
            opt_reproducer_report(ctx, pm, module);
    }
    if (ok && t->o.reproducer_after)
        ok = opt_reproducer_write(t->o.reproducer_after, ctx, pm, module);
    return ok;
}

/* Verifies that the printed text parses and prints the same. */
static bool check_round_trip(opt_tool *t, ir_context *ctx, ir_op *module)
{
    tw_strbuf first = {0}, second = {0};
    ir_print_options print = {.debug_info = true};
    const ir_parse_options options = {.no_implicit_module = t->o.no_implicit_module};
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
    double end = tw_clock_seconds();
    if (t->o.statistics)
        pass_manager_statistics(pm, &text);
    if (t->o.timing)
        pass_manager_timing(pm,
                            &(pass_times){.parser = at->parsed - at->start,
                                          .output = end - at->ran,
                                          .total = end - at->start,
                                          .list = t->o.timing_display[0] == 'l',
                                          .json = t->o.output_format[0] == 'j'},
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
        t->written = tw_file_write(t->o.output, out->data, out->size);
    out->size = 0;
}

static bool write_module(opt_tool *t, ir_op *module, const ir_print_options *print)
{
    const ir_bytecode_options options = {.version = (int)t->o.bytecode_version};
    if (t->o.emit_bytecode)
        return ir_bytecode_write(module, &options, &t->out);
    if (t->o.view_op_graph) {
        op_graph_write(module, &t->out);
        return true;
    }
    ir_print_options to_file = *print;
    if (strcmp(t->o.output, "-") == 0 && !t->o.verify_diagnostics) {
        to_file.drain = drain;
        to_file.drain_user = t;
    }
    ir_print_op(module, &to_file, &t->out);
    if (!print->local_scope) /* then it is printed like a nested operation */
        tw_strbuf_putc(&t->out, '\n');
    return true;
}

/* The command line's printing options. */
static ir_print_options print_options(const opt_options *o)
{
    return (ir_print_options){.generic = o->generic,
                              .debug_info = o->debug_info || o->pretty_debug_info,
                              .pretty_debug_info = o->pretty_debug_info,
                              .local_scope = o->local_scope,
                              .skip_regions = o->skip_regions,
                              .elide_elements = o->elide,
                              .elide_hex = o->elide_hex,
                              .elide_resource = o->elide_resource,
                              .unique_names = o->unique_names,
                              .value_users = o->value_users,
                              .assume_verified = o->assume_verified,
                              .names_from_locs = o->names_from_locs};
}

/* One chunk of the input; its printed result is appended to t->out. */
static bool process(opt_tool *t, tw_str text)
{
    times at = {.start = tw_clock_seconds()};
    t->progress = progress_start(t->o.tool, "reading");
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, t->o.allow_unregistered);
    ir_context_note_operations(ctx, t->o.op_on_diagnostic && !t->o.verify_diagnostics);
    diag_checker *checker = NULL;
    if (t->o.verify_diagnostics)
        checker = diag_checker_create(
            ctx, text, t->in.name, strcmp(t->o.verify_diagnostics, "only-expected") == 0);
    else
        ir_context_set_sink(ctx, (ir_diagnostic_sink){print_diagnostic, t});
    validator *v = validator_from_environment(array_write_inputs);
    ir_watch *watch = v ? validator_watch(v) : NULL;
    if (t->explainer) {
        explainer_watch(t->explainer)->next = watch;
        watch = explainer_watch(t->explainer);
    }
    ir_context_set_watch(ctx, watch);
    ir_print_options print = print_options(&t->o);
    const ir_parse_options parse = {.no_implicit_module = t->o.no_implicit_module};
    pass_manager *pm = make_manager(t, ctx, &print);
    ir_op *module = ir_parse(ctx, text, t->in.name, &parse);
    at.parsed = tw_clock_seconds();
    bool ok = module && (!t->o.round_trip || check_round_trip(t, ctx, module)) &&
              run_passes(t, ctx, module, pm, text);
    ir_flush_diagnostics(ctx);
    progress_stop();
    at.ran = tw_clock_seconds();
    if (t->any_chunk) {
        tw_strbuf_puts(&t->out, *t->o.output_marker ? t->o.output_marker : "// -----");
        tw_strbuf_putc(&t->out, '\n');
    }
    t->any_chunk = true;
    if (ok) {
        print.assume_verified =
            t->o.verify_each; /* the last pass's verifier has checked it */
        ok = write_module(t, module, &print);
        ir_flush_diagnostics(ctx);
    }
    report(t, pm, &at);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    if (checker)
        ok = diag_checker_finish(checker);
    pass_manager_destroy(pm);
    validator_destroy(v);
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
    const char *c = t->in.text.data, *end = c + t->in.text.size;
    const char *marker = *t->o.split ? t->o.split : "// -----";
    uint32_t line = 1;
    while (c <= end) {
        const char *stop = find_marker(c, t->in.text.data, end, marker);
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

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_dialects(void)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    size_t n = ir_context_dialect_count(ctx);
    const char **names = tw_xmalloc((n + 1) * sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = ir_context_dialect_at(ctx, i)->name;
    qsort(names, n, sizeof *names, compare_names);
    printf("Available Dialects: ");
    for (size_t i = 0; i < n; i++)
        printf("%s%s", i ? "," : "", names[i]);
    printf("\n");
    free(names);
    ir_context_destroy(ctx);
}

static int finish(opt_tool *t, bool ok)
{
    tw_status written = t->written, explained = explainer_close(t->explainer);
    if (written == TW_SUCCESS)
        written = explained;
    else
        tw_status_free(explained);
    if (written == TW_SUCCESS && (ok || (t->o.split && !t->o.verify_diagnostics)))
        written = tw_file_write(t->o.output, t->out.data, t->out.size);
    if (written != TW_SUCCESS)
        return report_error(&t->report, written);
    return ok ? 0 : 1;
}

int ttmlir_opt_main(int argc, char **argv)
{
    opt_tool t = {0};
    int status = opt_options_read(&t.o, argc, argv);
    if (status >= 0)
        return status;
    tw_status read = TW_SUCCESS;
    if (t.o.show_dialects)
        list_dialects();
    else if (!report_begin(&t.report, t.o.tool, t.o.input, &t.o.report))
        status = 1;
    else if ((read = source_read(t.o.input, &t.in)) != TW_SUCCESS ||
             (t.o.explain && (read = explainer_open(t.o.explain, t.o.tool, t.in.name,
                                                    &t.explainer)) != TW_SUCCESS))
        status = report_end(&t.report, report_error(&t.report, read));
    else
        status = report_end(
            &t.report, finish(&t, t.o.split ? process_split(&t) : process(&t, t.in.text)));
    opt_reproducer_free();
    tw_strbuf_free(&t.out);
    source_free(&t.in);
    opt_options_free(&t.o);
    return status < 0 ? 0 : status;
}
