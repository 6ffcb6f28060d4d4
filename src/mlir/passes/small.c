/* small.c: small passes: strip-debuginfo, print-op-stats, print-ir, symbol-privatize,
 * composite-fixed-point-pass, ttkernel-lower-tensor-accessors. */
#include "ir/pass/pass.h"
#include "ir/rewrite/effects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- strip-debuginfo ---------------------------------------------------------------- */

static ir_walk strip(ir_op *op, void *user)
{
    (void)user;
    op->loc = IR_LOC_UNKNOWN;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                b->args[i]->loc = IR_LOC_UNKNOWN;
    return IR_WALK_ON;
}

static bool run_strip(ir_op *op, pass_run *run)
{
    (void)run;
    ir_walk_pre(op, strip, NULL);
    return true;
}

const pass_def strip_debuginfo_pass = {
    .name = "strip-debuginfo",
    .title = "StripDebugInfo",
    .summary = "Strip debug info from all operations",
    .run = run_strip,
};

/* ---- print-op-stats ----------------------------------------------------------------- */

typedef struct tally {
    const char *name;
    size_t count;
} tally;

typedef struct tallies {
    tally *list;
    size_t count, capacity;
    ir_mapping *index; /* row -> index + 1 */
} tallies;

static ir_walk count(ir_op *op, void *user)
{
    tallies *t = user;
    uintptr_t at = (uintptr_t)ir_mapping_get(t->index, op->def);
    if (!at) {
        tally fresh = {op->def->name, 0};
        TW_PUSH(t->list, t->count, t->capacity, fresh);
        at = t->count;
        ir_mapping_set(t->index, op->def, (void *)at);
    }
    t->list[at - 1].count++;
    return IR_WALK_ON;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const tally *)a)->name, ((const tally *)b)->name);
}

/* Column widths that align names and counts. */
static void put_table(const tallies *t, tw_strbuf *out)
{
    size_t dialect_width = 0, name_width = 0;
    for (size_t i = 0; i < t->count; i++) {
        const char *dot = strchr(t->list[i].name, '.');
        size_t d = dot ? (size_t)(dot - t->list[i].name) : 0;
        dialect_width = TW_MAX(dialect_width, d);
        name_width = TW_MAX(name_width, strlen(t->list[i].name) - d);
    }
    tw_strbuf_puts(out, "Operations encountered:\n-----------------------\n");
    for (size_t i = 0; i < t->count; i++) {
        const char *dot = strchr(t->list[i].name, '.');
        size_t d = dot ? (size_t)(dot - t->list[i].name) : 0;
        tw_strbuf_printf(out, "  %*.*s%-*s , %zu\n", (int)dialect_width, (int)d,
                         t->list[i].name, (int)name_width, t->list[i].name + d,
                         t->list[i].count);
    }
}

static void put_json(const tallies *t, tw_strbuf *out)
{
    tw_strbuf_puts(out, "{\n");
    for (size_t i = 0; i < t->count; i++)
        tw_strbuf_printf(out, "  \"%s\" : %zu%s\n", t->list[i].name, t->list[i].count,
                         i + 1 < t->count ? "," : "");
    tw_strbuf_puts(out, "}\n");
}

static bool run_stats(ir_op *op, pass_run *run)
{
    tallies t = {.index = ir_mapping_create()};
    tw_strbuf text = {0};
    ir_walk_pre(op, count, &t);
    if (t.count)
        qsort(t.list, t.count, sizeof *t.list, by_name);
    if (pass_option_bool(run, "json"))
        put_json(&t, &text);
    else
        put_table(&t, &text);
    pass_write(run, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    free(t.list);
    ir_mapping_free(t.index);
    return true;
}

const pass_def print_op_stats_pass = {
    .name = "print-op-stats",
    .title = "PrintOpStats",
    .summary = "Print statistics of operations",
    .run = run_stats,
    .options =
        IR_LIST(pass_option_def, {"json", PASS_BOOL, "false", "print the stats as JSON"}),
};

/* ---- print-ir ----------------------------------------------------------------------- */

static bool run_print(ir_op *op, pass_run *run)
{
    ir_print_options options = pass_print_options(run);
    tw_str label = pass_option_str(run, "label");
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "// -----// IR Dump%s%.*s //----- //\n", label.size ? " " : "",
                     (int)label.size, label.data);
    ir_print_op(op, &options, &text);
    pass_write(run, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    return true;
}

const pass_def print_ir_pass = {
    .name = "print-ir",
    .title = "PrintIRPass",
    .summary = "Print IR on the debug stream",
    .run = run_print,
    .options = IR_LIST(pass_option_def, {"label", PASS_STRING, "", "Label"}),
};

/* ---- symbol-privatize --------------------------------------------------------------- */

static bool is_in_list(tw_str list, tw_str name)
{
    size_t start = 0;
    for (size_t i = 0; i <= list.size; i++)
        if (i == list.size || list.data[i] == ',') {
            if (tw_str_equal((tw_str){list.data + start, i - start}, name))
                return true;
            start = i + 1;
        }
    return false;
}

static bool run_privatize(ir_op *op, pass_run *run)
{
    tw_str exclude = pass_option_str(run, "exclude");
    ir_attr hidden = ir_string_attr(op->ctx, TW_STR("private"));
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next)
                if (rw_is_symbol(o) && !is_in_list(exclude, ir_symbol_name(o)))
                    ir_op_set_attr(o, "sym_visibility", hidden);
    return true;
}

const pass_def symbol_privatize_pass = {
    .name = "symbol-privatize",
    .title = "SymbolPrivatize",
    .summary = "Mark symbols private",
    .run = run_privatize,
    .options =
        IR_LIST(pass_option_def, {"exclude", PASS_LIST, "",
                                  "Comma separated list of symbols that should not be "
                                  "marked private"}),
};

/* ---- composite-fixed-point-pass ----------------------------------------------------- */

/* Runs the pipeline until the text no longer changes. */
static bool run_to_fixed_point(ir_op *op, pass_run *run)
{
    tw_str pipeline = pass_option_str(run, "pipeline"), name = pass_option_str(run, "name");
    int64_t max = pass_option_int(run, "max-iterations"), iterations = 0;
    tw_strbuf before = {0}, after = {0};
    ir_print_options options = {.generic = true, .debug_info = true};
    bool ok = true, same = false;
    ir_print_op(op, &options, &before);
    while (ok && !same) {
        if (iterations++ >= max) {
            ir_warning(op->ctx, op->loc,
                       "Composite pass \"%.*s\"+ didn't converge in %" PRId64 " iterations",
                       (int)name.size, name.data, max);
            break;
        }
        ok = pass_run_nested(run, pipeline, op);
        after.size = 0;
        ir_print_op(op, &options, &after);
        same =
            after.size == before.size && memcmp(after.data, before.data, after.size) == 0;
        tw_strbuf swap = before;
        before = after;
        after = swap;
    }
    tw_strbuf_free(&before);
    tw_strbuf_free(&after);
    return ok;
}

const pass_def composite_fixed_point_pass = {
    .name = "composite-fixed-point-pass",
    .title = "CompositeFixedPointPass",
    .summary = "Composite fixed point pass",
    .run = run_to_fixed_point,
    .options = IR_LIST(
        pass_option_def,
        {"max-iterations", PASS_INT, "10",
         "Maximum number of iterations if inner pipeline"},
        {"name", PASS_STRING, "CompositeFixedPointPass", "Composite pass display name"},
        {"pipeline", PASS_STRING, "", "Composite pass inner pipeline"}),
};
