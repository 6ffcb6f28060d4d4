/* debug.c: see debug.h. */
#include "grid/machine/debug.h"

#include "grid/machine/program.h"
#include "support/suggest.h"
#include "ttl/ttl.h"

#include <stdlib.h>

void dev_debug_free(dev_debug *d)
{
    for (size_t i = 0; i < d->n; i++)
        free((char *)(uintptr_t)d->breaks[i].kernel);
    free(d->breaks);
    *d = (dev_debug){0};
}

/* ---- breakpoints --------------------------------------------------------------------- */

static bool read_number(tw_str text, int max, int *out)
{
    *out = 0;
    for (size_t i = 0; i < text.size; i++) {
        const int digit = text.data[i] - '0';
        if (digit < 0 || digit > 9 || *out > (max - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    return text.size > 0;
}

/* "3,0" or "*" */
static bool read_core(tw_str text, dev_break *out)
{
    out->y = out->x = -1;
    if (tw_str_is(text, "*"))
        return true;
    const char *comma = memchr(text.data, ',', text.size);
    const size_t y = comma ? (size_t)(comma - text.data) : 0;
    return comma && read_number((tw_str){text.data, y}, INT16_MAX, &out->y) &&
           read_number((tw_str){comma + 1, text.size - y - 1}, INT16_MAX, &out->x);
}

tw_status dev_break_read(tw_str text, dev_break *out)
{
    const char *end = text.data + text.size, *first = memchr(text.data, ':', text.size),
               *second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
    int line = 0;
    *out = (dev_break){0};
    if (!second || !read_core((tw_str){text.data, (size_t)(first - text.data)}, out) ||
        !read_number((tw_str){second + 1, (size_t)(end - second - 1)}, INT32_MAX, &line))
        return tw_error(TW_INVALID,
                        "a breakpoint is CORE:THREAD:LINE, such as 0,1:read:42 or "
                        "*:compute:7, not '%.*s'",
                        (int)text.size, text.data);
    const size_t size = (size_t)(second - first - 1);
    if (!(size == 1 && first[1] == '*'))
        out->kernel = memcpy(tw_xcalloc(1, size + 1), first + 1, size);
    out->line = (uint32_t)line;
    return TW_SUCCESS;
}

static uint32_t position(ir_context *ctx, const ir_op *op, ir_ident *file)
{
    uint32_t line = 0, column;
    return ir_loc_position(ctx, op->loc, file, &line, &column) ? line : 0;
}

uint32_t dev_debug_line(ir_context *ctx, const ir_op *function, const ir_op *op)
{
    if (op->def->traits & IR_CONSTANT_LIKE) /* nothing is executed there */
        return 0;
    ir_ident own = NULL, file = NULL;
    const bool placed = position(ctx, function, &own) != 0;
    const uint32_t line = position(ctx, op, &file);
    return !placed || own == file ? line : 0;
}

/* Lines with operations below and above a line; 0: none. */
typedef struct lines {
    ir_context *ctx;
    const ir_op *function;
    uint32_t wanted, below, above;
    bool found;
} lines;

static ir_walk look_at_line(ir_op *op, void *user)
{
    lines *l = user;
    const uint32_t line = dev_debug_line(l->ctx, l->function, op);
    l->found |= line == l->wanted;
    if (line && line < l->wanted)
        l->below = TW_MAX(l->below, line);
    if (line > l->wanted && (!l->above || line < l->above))
        l->above = line;
    return IR_WALK_ON;
}

static bool is_on(const dev_kernel *k, const dev_break *b)
{
    return b->y < 0 || (b->y >= k->y && b->y < k->y + k->rows && b->x >= k->x &&
                        b->x < k->x + k->columns);
}

/* Names the threads of a program, the nearest first. */
static tw_status no_thread(const dev_program *p, const dev_break *b)
{
    const tw_str wanted = tw_str_from(b->kernel);
    tw_nearest near = tw_nearest_to(wanted);
    tw_strbuf names = {0};
    for (size_t i = 0; i < p->n_kernels; i++) {
        const tw_str name = ir_symbol_name(p->kernels[i].function);
        tw_nearest_try(&near, wanted, name.data);
        tw_strbuf_printf(&names, i ? ", %.*s" : "%.*s", (int)name.size, name.data);
    }
    tw_status status =
        near.best
            ? tw_error(TW_NOT_FOUND,
                       "there is no thread '%s' to stop in; did you mean '%s'? There "
                       "are %s",
                       b->kernel, near.best, tw_strbuf_text(&names))
            : tw_error(TW_NOT_FOUND, "there is no thread '%s' to stop in: there are %s",
                       b->kernel, tw_strbuf_text(&names));
    tw_strbuf_free(&names);
    return status;
}

static tw_status no_line(const dev_break *b, const lines *l)
{
    const char *of = b->kernel ? b->kernel : "any thread";
    if (l->below && l->above)
        return tw_error(
            TW_NOT_FOUND,
            "line %u has no operation of %s; the nearest that have are %u and %u", b->line,
            of, l->below, l->above);
    return tw_error(TW_NOT_FOUND,
                    "line %u has no operation of %s; the nearest that has is %u", b->line,
                    of, l->below ? l->below : l->above);
}

tw_status dev_break_check(const dev_machine *m, const dev_program *p, const dev_break *b)
{
    lines l = {.ctx = m->ctx, .wanted = b->line};
    bool named = false, on_core = false;
    for (size_t i = 0; i < p->n_kernels; i++) {
        const dev_kernel *k = &p->kernels[i];
        if (b->kernel && !tw_str_is(ir_symbol_name(k->function), b->kernel))
            continue;
        named = true;
        if (!is_on(k, b))
            continue;
        on_core = true;
        if (k->code.entry) /* the operations of C++ are known once they run */
            l.found = true;
        l.function = k->function;
        ir_walk_pre(k->function, look_at_line, &l);
    }
    if (!named)
        return no_thread(p, b);
    if (!on_core)
        return tw_error(TW_NOT_FOUND, "%s%s does not run on core %d,%d",
                        b->kernel ? "" : "any ", b->kernel ? b->kernel : "thread", b->y,
                        b->x);
    return l.found ? TW_SUCCESS : no_line(b, &l);
}

/* ---- stops --------------------------------------------------------------------------- */

static bool matches(const dev_break *b, const dev_thread *t, uint32_t line)
{
    return b->line == line && (b->y < 0 || (b->y == t->core->y && b->x == t->core->x)) &&
           (!b->kernel || tw_str_is(ir_symbol_name(t->code->function), b->kernel));
}

static const char *why_to_stop(const dev_debug *d, const dev_thread *t, const ir_op *op,
                               uint32_t line, bool entered)
{
    if (op->def == TTL_OP(signpost) &&
        tw_str_is(ir_attr_str(ir_op_attr(op, "name")), "breakpoint"))
        return "breakpoint()";
    if (d->steps && d->step_thread == t && (d->each || (line && entered)))
        return "step";
    if (!line || !entered)
        return NULL;
    if (__atomic_load_n(&d->pause, __ATOMIC_RELAXED))
        return "pause";
    for (size_t i = 0; i < d->n; i++)
        if (matches(&d->breaks[i], t, line))
            return "--break";
    return NULL;
}

void dev_debug_call(dev_thread *t, ir_op *op)
{
    dev_debug *d = t->machine->debug;
    const uint32_t line = dev_debug_line(t->machine->ctx, t->code->function, op);
    /* a line is entered from another one, or once more by its first operation */
    const bool entered = line != t->debug_line || op == t->debug_first;
    if (line && line != t->debug_line) {
        t->debug_line = line;
        t->debug_first = op;
    }
    d->why = why_to_stop(d, t, op, line, entered);
    if (!d->why)
        return;
    dev_dst_fetch_all(t);
    d->stopped = t;
    d->op = op;
    t->machine->schedule.next = NULL;
    tw_fiber_yield(t->fiber);
}

void dev_debug_stop(dev_machine *m)
{
    dev_debug *d = m->debug;
    dev_thread *t = d->stopped;
    dev_await_bytes(m);
    d->steps = d->each = false;
    __atomic_store_n(&d->pause, false, __ATOMIC_RELAXED);
    d->stop(d->user, m, t);
    d->stopped = NULL;
    if (d->quit)
        m->stop = m->cancelled = true;
    else
        m->schedule.next = t;
}
