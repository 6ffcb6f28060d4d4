/* report.c: output of the pass manager: dumps, times, statistics, reproducers. */
#include "ir/pass/pass_impl.h"
#include "support/file.h"

#include "support/hash.h"

#include <stdlib.h>
#include <string.h>

static const char rule[] =
    "===-------------------------------------------------------------------------===\n";

void pass_describe(const ir_op *op, tw_strbuf *out)
{
    tw_str name = ir_symbol_name(op);
    tw_strbuf_printf(out, "'%s' operation", op->def->name);
    if (name.size)
        tw_strbuf_printf(out, ": @%.*s", (int)name.size, name.data);
}

static uintptr_t dumps_of(const pass_manager *pm, const ir_op *op)
{
    return (uintptr_t)ir_mapping_get(pm->dumps, op);
}

/* DIR/builtin_module_no-symbol-name/func_func_main, with `counts` "1_0": how often the
 * enclosing operation and the operation itself were printed before. */
static void put_folder(const pass_manager *pm, const ir_op *op, tw_strbuf *path,
                       tw_strbuf *counts)
{
    const ir_op *around = ir_op_parent(op);
    if (around)
        put_folder(pm, around, path, counts);
    else
        tw_strbuf_puts(path, pm->config.tree_dir);
    tw_strbuf_putc(path, '/');
    for (const char *c = op->def->name; *c; c++)
        tw_strbuf_putc(path, *c == '.' ? '_' : *c);
    tw_str symbol = ir_symbol_name(op);
    tw_strbuf_putc(path, '_');
    if (!symbol.size)
        symbol = TW_STR("no-symbol-name");
    for (size_t i = 0; i < symbol.size; i++)
        tw_strbuf_putc(path, symbol.data[i] == '/' ? '_' : symbol.data[i]);
    uintptr_t before = dumps_of(pm, op);
    tw_strbuf_printf(counts, "%zu_", (size_t)(before ? before - 1 : 0));
}

/* Writes a dump to its own file: MLIR's folders and names. */
static void dump_to_file(const pass_manager *pm, ir_op *op, const pass_def *pass,
                         const tw_strbuf *text)
{
    tw_strbuf path = {0}, counts = {0};
    ir_mapping_set(pm->dumps, op, (void *)(dumps_of(pm, op) + 1));
    put_folder(pm, op, &path, &counts);
    tw_status status = tw_folder_make(tw_strbuf_text(&path));
    tw_strbuf_printf(&path, "/%s%s.mlir", tw_strbuf_text(&counts), pass->name);
    if (status == TW_SUCCESS)
        status = tw_file_write(tw_strbuf_text(&path), text->data, text->size);
    if (status != TW_SUCCESS)
        ir_warning(op->ctx, op->loc, "no dump of the IR: %s", tw_status_message(status));
    tw_status_free(status);
    tw_strbuf_free(&path);
    tw_strbuf_free(&counts);
}

void pass_dump(const pass_manager *pm, ir_op *op, const char *when, const pass_def *pass,
               const char *suffix)
{
    tw_strbuf text = {0};
    ir_print_options print = pm->config.print;
    ir_op *root = op;
    tw_strbuf_printf(&text, "// -----// IR Dump %s %s%s (%s)", when, pass_title(pass),
                     suffix, pass->name);
    if (pm->config.print_module_scope) {
        tw_strbuf_puts(&text, " (");
        pass_describe(op, &text);
        tw_strbuf_puts(&text, ")");
        while (ir_op_parent(root))
            root = ir_op_parent(root);
    } else if (op->block) {
        print.local_scope = true;
    }
    tw_strbuf_puts(&text, " //----- //\n");
    ir_print_op(root, &print, &text);
    /* a whole program ends with a newline, a nested operation does not */
    tw_strbuf_puts(&text, print.local_scope ? "\n" : "\n\n");
    if (pm->dumps)
        dump_to_file(pm, op, pass, &text);
    else if (pm->config.write)
        pm->config.write(pm->config.user, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
}

uint64_t pass_fingerprint(ir_op *op)
{
    tw_strbuf text = {0};
    ir_print_options print = {.generic = true, .debug_info = true, .local_scope = true};
    ir_print_op(op, &print, &text);
    uint64_t hash = tw_hash_bytes(0, text.data, text.size);
    tw_strbuf_free(&text);
    return hash;
}

/* ---- times -------------------------------------------------------------------------- */

static double time_of(const element *e)
{
    double sum = e->seconds;
    for (size_t i = 0; i < e->n_children; i++)
        sum += time_of(&e->children[i]);
    return sum;
}

typedef struct time_row {
    char *name;
    double seconds;
    int depth;
} time_row;

typedef struct time_table {
    time_row *at;
    size_t count, capacity;
} time_table;

static void add_time(time_table *t, const char *name, double seconds, int depth)
{
    time_row row = {tw_xstrdup(name), seconds, depth};
    TW_PUSH(t->at, t->count, t->capacity, row);
}

static void add_times(time_table *t, const element *e, int depth)
{
    for (size_t i = 0; i < e->n_children; i++) {
        const element *child = &e->children[i];
        if (child->pass) {
            add_time(t, pass_title(child->pass), child->seconds, depth);
            continue;
        }
        tw_strbuf name = {0};
        tw_strbuf_printf(&name, "'%s' Pipeline", child->anchor);
        add_time(t, name.data, time_of(child), depth);
        tw_strbuf_free(&name);
        add_times(t, child, depth + 1);
    }
}

static int longest_first(const void *a, const void *b)
{
    double x = ((const time_row *)a)->seconds, y = ((const time_row *)b)->seconds;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* One row for each name, longest first. */
static void make_list(time_table *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++) {
        size_t k = 0;
        while (k < n && strcmp(t->at[k].name, t->at[i].name) != 0)
            k++;
        if (k < n) {
            t->at[k].seconds += t->at[i].seconds;
            free(t->at[i].name);
            continue;
        }
        t->at[n] = t->at[i];
        t->at[n++].depth = 0;
    }
    t->count = n;
    qsort(t->at, n, sizeof *t->at, longest_first);
}

static double percent(double seconds, double total)
{
    return total > 0 ? 100 * seconds / total : 0;
}

static void put_text_times(const time_table *t, double total, tw_strbuf *out)
{
    tw_strbuf_puts(out, rule);
    tw_strbuf_puts(out, "                         ... Execution time report ...\n");
    tw_strbuf_puts(out, rule);
    tw_strbuf_printf(out,
                     "  Total Execution Time: %.4f seconds\n\n  ----Wall Time----  "
                     "----Name----\n",
                     total);
    for (size_t i = 0; i < t->count; i++)
        tw_strbuf_printf(out, "  %8.4f (%5.1f%%)  %*s%s\n", t->at[i].seconds,
                         percent(t->at[i].seconds, total), 2 * t->at[i].depth, "",
                         t->at[i].name);
}

/* Rows of a tree hold those below them in "passes", which ends with an empty one. */
static void put_json_times(const time_table *t, double total, bool list, tw_strbuf *out)
{
    tw_strbuf_puts(out, "[\n");
    for (size_t i = 0; i < t->count; i++) {
        const time_row *row = &t->at[i];
        bool last = i + 1 == t->count;
        int next = last ? 0 : t->at[i + 1].depth;
        tw_strbuf_printf(out,
                         "%*s{\"wall\": {\"duration\": %8.4f, \"percentage\": %5.1f}, "
                         "\"name\": \"%s\"",
                         2 * row->depth, "", row->seconds, percent(row->seconds, total),
                         row->name);
        if (!list)
            tw_strbuf_puts(out, ", \"passes\": [");
        for (int depth = row->depth; !list && depth >= next; depth--)
            tw_strbuf_puts(out, depth > next ? "{}]}, " : "{}]");
        tw_strbuf_puts(out, next > row->depth ? "\n" : last ? "}\n" : "},\n");
    }
    tw_strbuf_puts(out, "]\n");
}

void pass_manager_timing(const pass_manager *pm, const pass_times *times, tw_strbuf *out)
{
    time_table t = {0};
    double rest = times->total - times->parser - times->output - time_of(&pm->root);
    add_time(&t, "Parser", times->parser, 0);
    add_times(&t, &pm->root, 0);
    add_time(&t, "Output", times->output, 0);
    add_time(&t, "Rest", TW_MAX(rest, 0), 0);
    if (times->list)
        make_list(&t);
    add_time(&t, "Total", times->total, 0);
    if (times->json)
        put_json_times(&t, times->total, times->list, out);
    else
        put_text_times(&t, times->total, out);
    for (size_t i = 0; i < t.count; i++)
        free(t.at[i].name);
    free(t.at);
}

/* ---- statistics --------------------------------------------------------------------- */

static bool has_statistics(const element *e)
{
    bool any = e->n_statistics > 0;
    for (size_t i = 0; i < e->n_children && !any; i++)
        any = has_statistics(&e->children[i]);
    return any;
}

static void put_statistics(const element *e, int depth, tw_strbuf *out)
{
    if (!has_statistics(e))
        return;
    if (e->pass)
        tw_strbuf_printf(out, "%*s%s\n", 2 * depth, "", pass_title(e->pass));
    else
        tw_strbuf_printf(out, "%*s'%s' Pipeline\n", 2 * depth, "", e->anchor);
    for (size_t i = 0; i < e->n_statistics; i++)
        tw_strbuf_printf(out, "%*s(S) %llu %s - %s\n", 2 * depth + 2, "",
                         (unsigned long long)e->statistics[i].count, e->statistics[i].name,
                         e->statistics[i].description);
    for (size_t i = 0; i < e->n_children; i++)
        put_statistics(&e->children[i], depth + 1, out);
}

void pass_manager_statistics(const pass_manager *pm, tw_strbuf *out)
{
    tw_strbuf_puts(out, rule);
    tw_strbuf_puts(out, "                         ... Pass statistics report ...\n");
    tw_strbuf_puts(out, rule);
    put_statistics(&pm->root, 0, out);
}

void pass_count(pass_run *run, const char *name, const char *description, size_t count)
{
    element *e = run->self;
    for (size_t i = 0; i < e->n_statistics; i++)
        if (strcmp(e->statistics[i].name, name) == 0) {
            e->statistics[i].count += count;
            return;
        }
    if (e->n_statistics < MAX_STATISTICS)
        e->statistics[e->n_statistics++] = (statistic){name, description, count};
}

/* ---- reproducers -------------------------------------------------------------------- */

void pass_manager_reproducer(const pass_manager *pm, ir_op *module, tw_strbuf *out)
{
    ir_print_options print = {.debug_info = false};
    ir_print_op(module, &print, out);
    tw_strbuf_puts(out, "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      "
                        "pipeline: \"");
    pass_manager_print(pm, out);
    tw_strbuf_printf(out,
                     "\",\n      disable_threading: true,\n      verify_each: %s\n    }\n  "
                     "}\n#-}\n",
                     pm->config.no_verify ? "false" : "true");
}

bool pass_manager_failure(const pass_manager *pm, const char **pass, const char **on)
{
    if (!pm->failed)
        return false;
    *pass = pass_title(pm->failed);
    *on = pm->failed_on;
    return true;
}
