/* spill.c: ttnn-greedy-l1-spill-management: takes tensors back to DRAM until each
 * operation's operands, results and circular buffers fit the cores' L1 beside everything
 * that lives on.
 *
 * The victim is the tensor that is read last: it takes L1 longest. It is computed into
 * DRAM, or, if operations have read it by then and the model is faster so, copied to DRAM
 * in front of the operation that needs its memory. The choices are written on request. */
#include "cost/optimizer/optimizer.h"

#include "ir/text.h"
#include "support/file.h"
#include "support/strbuf.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

typedef struct sweep {
    opt_chip *chip;
    opt_ranges ranges;
    size_t *live; /* indices of ranges */
    size_t n_live, live_capacity;
    double taken; /* bytes of live tensors */
    size_t demoted, spilled;
} sweep;

/* ---- victims ------------------------------------------------------------------------- */

static void drop(sweep *s, size_t k)
{
    s->taken -= (double)s->ranges.at[s->live[k]].bytes;
    s->live[k] = s->live[--s->n_live];
}

static void end_ranges(sweep *s, size_t position)
{
    for (size_t k = s->n_live; k-- > 0;)
        if (s->ranges.at[s->live[k]].last < position)
            drop(s, k);
}

/* True if an operation in front of the position reads the value. */
static bool was_read(const opt_range *r, size_t position)
{
    for (const ir_operand *use = r->v->uses; use; use = use->next_use)
        if (use->owner->order < position)
            return true;
    return false;
}

/* Reads from the position on go to a copy in DRAM. */
static ir_op *copy_to_dram(opt_range *r, ir_op *before, size_t position)
{
    ir_builder b = ir_builder_before(before);
    b.loc = ir_value_loc(r->v);
    ir_op *copy =
        ir_build_op(&b, TTNN_OP(to_memory_config), &r->v->type, 1, &r->v, 1, NULL, 0, 0);
    copy->order = (uint32_t)position;
    opt_place(&copy->results[0], TTNN_BufferType_DRAM);
    for (ir_operand *use = r->v->uses, *next; use; use = next) {
        next = use->next_use;
        if (use->owner != copy && use->owner->order >= position)
            ir_op_set_operand(use->owner, ir_operand_number(use), &copy->results[0]);
    }
    return copy;
}

/* Cycles of the operations that read the value from the position on. */
static double cycles_of_readers(sweep *s, const ir_value *v, size_t position)
{
    double cycles = 0;
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (use->owner->order >= position)
            cycles += cost_of_op(&s->chip->model, use->owner).cycles;
    return cycles;
}

/* Takes a live tensor out of L1: entirely, or from the position on. */
static void evict(sweep *s, size_t k, size_t position)
{
    opt_range *r = &s->ranges.at[s->live[k]];
    const ir_type type = r->v->type;
    const double in_l1 = opt_cycles_around(s->chip, r->v),
                 later_in_l1 = cycles_of_readers(s, r->v, position);
    opt_place(r->v, TTNN_BufferType_DRAM);
    const double demoted = opt_cycles_around(s->chip, r->v) - in_l1,
                 later = cycles_of_readers(s, r->v, position) - later_in_l1;
    bool spill = r->first < position && was_read(r, position);
    if (spill) {
        r->v->type = type;
        ir_op *copy = copy_to_dram(r, s->ranges.ops[position], position);
        spill = cost_of_op(&s->chip->model, copy).cycles + later < demoted;
        if (!spill) {
            ir_value_replace_uses(&copy->results[0], r->v);
            ir_op_erase(copy);
            opt_place(r->v, TTNN_BufferType_DRAM);
        }
    }
    s->spilled += spill;
    s->demoted += !spill;
    drop(s, k);
}

/* The live tensor that is read last, and of those the largest; SIZE_MAX if the user keeps
 * all in L1. */
static size_t victim(const sweep *s)
{
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < s->n_live; k++) {
        const opt_range *a = &s->ranges.at[s->live[k]],
                        *b = best < SIZE_MAX ? &s->ranges.at[s->live[best]] : NULL;
        if (opt_is_kept_in_l1(s->chip, a->v))
            continue;
        if (!b || a->last > b->last || (a->last == b->last && a->bytes > b->bytes))
            best = k;
    }
    return best;
}

/* ---- the sweep ----------------------------------------------------------------------- */

static bool fits(sweep *s, const ir_op *op)
{
    s->chip->model.l1_taken = s->taken;
    const op_cost c = cost_of_op(&s->chip->model, op);
    s->chip->model.l1_taken = 0;
    return s->taken + c.buffers <= s->chip->usable;
}

static bool no_room(const sweep *s, ir_op *op)
{
    return ir_op_error(op,
                       "does not fit L1 beside the tensors that override-output-layout "
                       "keeps there: %.0f bytes of each core's %.0f are taken; put some of "
                       "them into DRAM",
                       s->taken, s->chip->usable);
}

static bool make_fit(opt_chip *chip, ir_op *func, sweep *s)
{
    bool ok = true;
    *s = (sweep){.chip = chip};
    opt_find_ranges(chip, func, &s->ranges);
    size_t next = 0;
    for (size_t i = 0; ok && i < s->ranges.n_ops; i++) {
        end_ranges(s, i);
        for (; next < s->ranges.n && s->ranges.at[next].first == i; next++) {
            TW_PUSH(s->live, s->n_live, s->live_capacity, next);
            s->taken += (double)s->ranges.at[next].bytes;
        }
        while (ok && s->n_live && !fits(s, s->ranges.ops[i])) {
            const size_t k = victim(s);
            if (k < SIZE_MAX)
                evict(s, k, i);
            else
                ok = no_room(s, s->ranges.ops[i]);
        }
    }
    opt_free_ranges(&s->ranges);
    free(s->live);
    return ok;
}

/* ---- what was chosen */

typedef struct totals {
    double bytes, l1_bytes, cycles;
} totals;

/* Of all results that operations of the device compute. */
static totals sum_up(opt_chip *chip, ir_op *func)
{
    totals t = {0};
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next) {
        const op_cost c = cost_of_op(&chip->model, op);
        t.cycles += c.cycles;
        for (uint32_t i = 0; c.cycles > 0 && i < op->n_results; i++) {
            const double bytes =
                (double)opt_l1_bytes(chip, &op->results[i]) * (double)chip->banks;
            t.bytes += bytes;
            t.l1_bytes += opt_is_in_l1(&op->results[i]) ? bytes : 0;
        }
    }
    return t;
}

/* Cycles without L1, of a copy of the function whose tensors are all in DRAM. */
static totals sum_up_in_dram(opt_chip *chip, ir_op *func)
{
    ir_op *copy = ir_op_clone(func, NULL);
    for (ir_op *op = ir_op_body(copy, 0)->first; op; op = op->next)
        for (uint32_t i = 0; i < op->n_results; i++)
            if (opt_is_in_l1(&op->results[i]))
                opt_place(&op->results[i], TTNN_BufferType_DRAM);
    totals t = sum_up(chip, copy);
    ir_op_erase(copy);
    return t;
}

static void put_line(opt_chip *chip, const ir_op *op, bool first, tw_strbuf *out)
{
    ir_ident file;
    uint32_t line, column;
    const op_cost c = cost_of_op(&chip->model, op);
    tw_strbuf_printf(out, "%s\n    {\"operation\": \"%s\", ", first ? "" : ",",
                     op->def->name);
    if (ir_loc_position(op->ctx, op->loc, &file, &line, &column))
        tw_strbuf_printf(out, "\"line\": %u, ", line);
    const ir_enum_case *memory =
        ir_enum_by_value(&ttnn_enum_TensorMemoryLayout, opt_memory(&op->results[0]));
    tw_strbuf_printf(out,
                     "\"memory\": \"%s\", \"layout\": \"%s\", \"bytes_per_core\": %lld, "
                     "\"cycles\": %.0f, \"buffers\": %.0f}",
                     opt_is_in_l1(&op->results[0]) ? "l1" : "dram",
                     memory ? memory->text : "none",
                     (long long)opt_l1_bytes(chip, &op->results[0]), c.cycles, c.buffers);
}

static void put_function(opt_chip *chip, ir_op *func, const sweep *s, tw_strbuf *out)
{
    const totals now = sum_up(chip, func), dram = sum_up_in_dram(chip, func);
    tw_str name = ir_symbol_name(func);
    bool first = true;
    tw_strbuf_printf(out,
                     "{\"function\": \"%.*s\", \"usable_bytes_per_core\": %.0f, "
                     "\"activation_bytes\": %.0f, \"activation_bytes_in_l1\": %.0f, "
                     "\"cycles\": %.0f, \"cycles_in_dram\": %.0f, \"demoted\": %zu, "
                     "\"spilled\": %zu, \"operations\": [",
                     (int)name.size, name.data, chip->usable, now.bytes, now.l1_bytes,
                     now.cycles, dram.cycles, s->demoted, s->spilled);
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next)
        if (op->n_results && cost_of_op(&chip->model, op).cycles > 0) {
            put_line(chip, op, first, out);
            first = false;
        }
    tw_strbuf_puts(out, "]}\n");
}

static bool write_trace(ir_op *func, tw_str folder, const tw_strbuf *text)
{
    tw_strbuf path = {0};
    tw_str name = ir_symbol_name(func);
    tw_strbuf_str(&path, folder);
    if (folder.size) /* what fails here fails below, with the file's name */
        tw_status_free(tw_folder_make(tw_strbuf_text(&path)));
    tw_strbuf_printf(&path, "%s%.*s.json", folder.size ? "/" : "", (int)name.size,
                     name.data);
    tw_status status = tw_file_write(tw_strbuf_text(&path), text->data, text->size);
    bool ok = !status || ir_op_error(func, "%s", tw_status_message(status));
    tw_status_free(status);
    tw_strbuf_free(&path);
    return ok;
}

static bool run_on(opt_chip *chip, ir_op *func, pass_run *run)
{
    sweep s;
    if (!make_fit(chip, func, &s))
        return false;
    pass_count(run, "demoted", "tensors that are computed into DRAM instead", s.demoted);
    pass_count(run, "spilled", "tensors that are copied to DRAM", s.spilled);
    if (!pass_option_bool(run, "enable-decision-trace"))
        return true;
    tw_strbuf text = {0};
    put_function(chip, func, &s, &text);
    bool ok = write_trace(func, pass_option_str(run, "decision-trace-dir"), &text);
    tw_strbuf_free(&text);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    return opt_each(module, run, pass_option_str(run, "tensor-l1-usage-cap"), run_on);
}

const pass_def ttnn_greedy_l1_spill_management_pass = {
    .name = "ttnn-greedy-l1-spill-management",
    .title = "TTNNGreedyL1SpillManagement",
    .summary = "Move tensors to DRAM until the cores' L1 holds the others",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(
        pass_option_def, OPT_WHEN,
        {"tensor-l1-usage-cap", PASS_STRING, "0.95", "Share of L1 for tensors and buffers"},
        {"enable-decision-trace", PASS_BOOL, "false", "Write what was chosen, as JSON"},
        {"decision-trace-dir", PASS_STRING, "ttrt-artifacts/decision_trace",
         "The folder of <function>.json"}),
};
