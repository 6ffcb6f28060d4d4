/* report.c: what the pass manager shows: dumps, times, statistics, reproducers. */
#include "pass/pass_impl.h"

#include "support/hash.h"

static const char rule[] =
    "===-------------------------------------------------------------------------===\n";

void pass_describe(const ir_op *op, tw_strbuf *out)
{
    tw_str name = ir_symbol_name(op);
    tw_strbuf_printf(out, "'%s' operation", op->def->name);
    if (name.size)
        tw_strbuf_printf(out, ": @%.*s", (int)name.size, name.data);
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
    /* a whole program ends its line, an operation inside of one does not */
    tw_strbuf_puts(&text, print.local_scope ? "\n" : "\n\n");
    if (pm->config.write)
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

static void put_time(tw_strbuf *out, double seconds, double total, int depth,
                     const char *name)
{
    tw_strbuf_printf(out, "  %8.4f (%5.1f%%)  %*s%s\n", seconds,
                     total > 0 ? 100 * seconds / total : 0.0, 2 * depth, "", name);
}

static double time_of(const element *e)
{
    double sum = e->seconds;
    for (size_t i = 0; i < e->n_children; i++)
        sum += time_of(&e->children[i]);
    return sum;
}

static void put_times(const element *e, double total, int depth, tw_strbuf *out)
{
    for (size_t i = 0; i < e->n_children; i++) {
        const element *child = &e->children[i];
        if (child->pass) {
            put_time(out, child->seconds, total, depth, pass_title(child->pass));
            continue;
        }
        tw_strbuf name = {0};
        tw_strbuf_printf(&name, "'%s' Pipeline", child->anchor);
        put_time(out, time_of(child), total, depth, name.data);
        tw_strbuf_free(&name);
        put_times(child, total, depth + 1, out);
    }
}

void pass_manager_timing(const pass_manager *pm, double parser, double output, double total,
                         tw_strbuf *out)
{
    tw_strbuf_puts(out, rule);
    tw_strbuf_puts(out, "                         ... Execution time report ...\n");
    tw_strbuf_puts(out, rule);
    tw_strbuf_printf(out,
                     "  Total Execution Time: %.4f seconds\n\n  ----Wall Time----  "
                     "----Name----\n",
                     total);
    put_time(out, parser, total, 0, "Parser");
    put_times(&pm->root, total, 0, out);
    put_time(out, output, total, 0, "Output");
    put_time(out, TW_MAX(total - parser - output - time_of(&pm->root), 0), total, 0,
             "Rest");
    put_time(out, total, total, 0, "Total");
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
    if (e->n_statistics < MOST_STATISTICS)
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
