/* dst_registers.c: see dst_registers.h: live intervals and linear scan. */
#include "ttl/passes/dst_registers.h"

#include "ttl/passes/compute.h"
#include "ttl/ttl_info.h"

void dst_say(const dst_state *s, const char *format, ...)
{
    if (!pass_debugs(s->run))
        return;
    tw_strbuf text = {0};
    va_list args;
    va_start(args, format);
    tw_strbuf_vprintf(&text, format, args);
    va_end(args);
    pass_write(s->run, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
}

void dst_say_value(const dst_state *s, ir_value *v)
{
    if (!pass_debugs(s->run))
        return;
    tw_strbuf text = {0};
    if (v->is_argument)
        tw_strbuf_printf(&text, "<block argument> of type '%s' at index: %u",
                         ir_type_text(s->op->ctx, v->type), (unsigned)v->index);
    else if (s->names)
        ir_op_printer_print(s->names, v->owner, &text);
    pass_write(s->run, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
}

bool dst_reads(const dst_state *s, const ir_op *op)
{
    return !ttl_reads_cb(op) && !(s->reloading && op->def == TTL_OP(copy_tile));
}

bool dst_uses(const ir_op *op, const ir_value *v)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (op->operands[i].value == v)
            return true;
    return false;
}

/* ---- 2: intervals -------------------------------------------------------------------- */

dst_interval *dst_find(const dst_state *s, const ir_value *v)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].value == v)
            return &s->at[i];
    return NULL;
}

static void live(dst_state *s, ir_value *v, int64_t start, int64_t end)
{
    dst_interval *known = dst_find(s, v);
    if (known) {
        known->end = end > known->end ? end : known->end;
        return;
    }
    dst_interval fresh = {
        .value = v, .start = start, .end = end, .set = s->count, .reg = -1};
    TW_PUSH(s->at, s->count, s->capacity, fresh);
}

static bool is_yielded(const dst_state *s, const ir_value *v)
{
    return dst_uses(s->yield, v);
}

static bool overwrites_only(const dst_state *s, const ir_value *output)
{
    if (is_yielded(s, output))
        return true;
    for (ir_operand *use = output->uses; use; use = use->next_use)
        if (!ttl_is_tile_unary(use->owner) && use->owner->def != TTL_OP(yield))
            return false;
    return true;
}

static void merge(dst_state *s, size_t a, size_t b)
{
    size_t low = a < b ? a : b, high = a < b ? b : a;
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].set == high)
            s->at[i].set = low;
}

static size_t set_size(const dst_state *s, size_t set)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        n += s->at[i].set == set;
    return n;
}

static void merge_unary(dst_state *s)
{
    for (ir_op *op = s->body->first; op; op = op->next) {
        if (!ttl_is_tile_unary(op))
            continue;
        dst_interval *in = dst_find(s, op->operands[0].value),
                     *out = dst_find(s, &op->results[0]);
        if (!in || !out || !overwrites_only(s, out->value))
            continue;
        if (in->set != out->set)
            merge(s, in->set, out->set);
        dst_say(s, "Phase 2: Merged ");
        dst_say_value(s, in->value);
        dst_say(s, " and ");
        dst_say_value(s, out->value);
        dst_say(s, "\n");
    }
}

static void join_set(dst_state *s, size_t set)
{
    int64_t start = INT64_MAX, end = INT64_MIN;
    bool yielded = false;
    for (size_t i = 0; i < s->count; i++) {
        const dst_interval *m = &s->at[i];
        if (m->set != set)
            continue;
        start = m->start < start ? m->start : start;
        end = m->end > end ? m->end : end;
        yielded |= is_yielded(s, m->value);
    }
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].set == set) {
            s->at[i].start = start;
            s->at[i].end = end;
            s->at[i].yielded = yielded;
        }
    if (set_size(s, set) > 1)
        dst_say(s, "  Merged set interval: [%lld, %lld] for %zu values\n", (long long)start,
                (long long)end, set_size(s, set));
}

void dst_find_intervals(dst_state *s)
{
    dst_say(s, "=== Phase 2: Build Live Intervals ===\n");
    int64_t n = 0;
    for (ir_op *op = s->body->first; op; op = op->next, n++) {
        /* A block argument starts before its use, so that the result can have its register
         */
        for (uint32_t i = 0; i < op->n_operands && dst_reads(s, op); i++)
            if (ttcore_is_tile(op->operands[i].value->type))
                live(s, op->operands[i].value, n - 1, n);
        for (uint32_t i = 0; i < op->n_results; i++)
            if (ttcore_is_tile(op->results[i].type))
                live(s, &op->results[i], n, n);
    }
    merge_unary(s);
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].set == i)
            join_set(s, i);
    dst_say(s, "=== Live Intervals ===\n");
    for (size_t i = 0; i < s->count; i++) {
        dst_say(s, "  ");
        dst_say_value(s, s->at[i].value);
        dst_say(s, ": [%lld, %lld]\n", (long long)s->at[i].start, (long long)s->at[i].end);
    }
}

/* ---- 3: linear scan ------------------------------------------------------------------ */

/* The set of the earliest start that waits for a register; ties go by first use. */
static dst_interval *next_set(dst_state *s, bool all, bool yielded)
{
    dst_interval *best = NULL;
    for (size_t i = 0; i < s->count; i++) {
        dst_interval *v = &s->at[i];
        if (!v->done && (all || v->yielded == yielded) && (!best || v->start < best->start))
            best = v;
    }
    return best;
}

/* The register of what a unary operation overwrites to make a value, -1 for others. */
static int64_t overwritten(const dst_state *s, const dst_interval *v)
{
    ir_op *op = ir_value_def(v->value);
    const dst_interval *in =
        op && ttl_is_tile_unary(op) ? dst_find(s, op->operands[0].value) : NULL;
    return in ? in->reg : -1;
}

/* The register for a value: what it overwrites, else the lowest; s->registers: none. */
static uint32_t free_register(const dst_state *s, const dst_interval *const *active,
                              const dst_interval *v, uint32_t first)
{
    int64_t own = overwritten(s, v);
    if (own >= first && own < s->registers && !active[own])
        return (uint32_t)own;
    uint32_t r = first;
    while (r < s->registers && active[r])
        r++;
    return r;
}

/* Assigns one family of values in the registers from `first` on; returns the highest
 * register used plus one, or -1 when there are not enough. */
static int64_t scan(dst_state *s, uint32_t first, bool all, bool yielded, const char *phase)
{
    const dst_interval *active[DST_MAX_REGISTERS] = {NULL};
    int64_t footprint = 0;
    dst_say(s, "=== %s: Linear Scan Allocation ===\n", phase);
    for (dst_interval *v; (v = next_set(s, all, yielded));) {
        for (uint32_t r = first; r < s->registers; r++)
            if (active[r] && active[r]->end <= v->start) {
                dst_say(s, "%s: Expired interval for ", phase);
                dst_say_value(s, active[r]->value);
                dst_say(s, ", freed DST[%u]\n", r);
                active[r] = NULL;
            }
        uint32_t r = free_register(s, active, v, first);
        if (r >= s->registers)
            return -1;
        active[r] = v;
        for (size_t i = 0; i < s->count; i++)
            if (s->at[i].set == v->set) {
                s->at[i].reg = r;
                s->at[i].done = true;
            }
        footprint = r + 1 > footprint ? r + 1 : footprint;
        dst_say(s, "%s: Allocated DST[%u] for ", phase, r);
        dst_say_value(s, v->value);
        dst_say(s, " (merged set size: %zu)\n", set_size(s, v->set));
    }
    return footprint;
}

bool dst_allocate(dst_state *s, bool report)
{
    int64_t footprint;
    const char *of = "";
    if (s->separate) {
        dst_say(s, "Using separate output region mode\n");
        footprint = scan(s, 0, false, false, "Phase 3");
        if (footprint >= 0) {
            dst_say(s, "Phase 3 footprint: %lld registers\n", (long long)footprint);
            int64_t top = scan(s, (uint32_t)footprint, false, true, "Phase 4");
            of = top < 0 ? " for outputs" : "";
            footprint = top < 0 ? top : top > footprint ? top : footprint;
        }
    } else {
        footprint = scan(s, 0, true, false, "Phase 3");
    }
    if (footprint < 0 && !report)
        return false;
    if (footprint < 0)
        return ir_op_error(s->op,
                           "insufficient DST registers%s: all %u registers in use "
                           "(spilling not yet implemented)",
                           of, s->registers) ||
               ir_rule(s->op->ctx, "dst capacity");
    dst_say(s, "=== Final DST Assignment ===\n");
    for (size_t i = 0; i < s->count; i++) {
        dst_say(s, "  ");
        dst_say_value(s, s->at[i].value);
        dst_say(s, " -> DST[%lld]\n", (long long)s->at[i].reg);
    }
    if (s->count)
        dst_say(s, "Max DST usage: %lld / %u registers\n", (long long)footprint,
                s->registers);
    return true;
}
