/* debug_describe.c: all that a stop has, as JSON for adapters of editors. */
#include "grid/debug/debug.h"

#include "grid/units/code.h"
#include "support/json.h"

#include <stdlib.h>

/* "file" and "line", if the operation has them. */
static void put_position(tw_json *j, const dev_machine *m, const ir_op *op)
{
    ir_ident file;
    uint32_t line, column;
    if (!op || !ir_loc_position(m->ctx, op->loc, &file, &line, &column))
        return;
    tw_json_text(j, "file", tw_str_from(file->text));
    tw_json_u64(j, "line", line);
}

static void put_core(tw_json *j, const dev_core *core)
{
    tw_json_u64(j, "y", (uint64_t)core->y);
    tw_json_u64(j, "x", (uint64_t)core->x);
}

static void put_thread(tw_json *j, const tw_stop *stop, const dev_thread *t)
{
    tw_strbuf state = {0};
    dev_debug_put_state(t, &state);
    tw_json_open(j, NULL, '{');
    tw_json_text(j, "name", ir_symbol_name(t->code->function));
    put_core(j, t->core);
    tw_json_real(j, "cycle", t->now - stop->m->begin);
    tw_json_text(j, "state", tw_str_from(tw_strbuf_text(&state)));
    put_position(j, stop->m, t == stop->debug->stopped ? stop->debug->op : t->at);
    tw_json_close(j, '}');
    tw_strbuf_free(&state);
}

static void put_threads(tw_json *j, const tw_stop *stop)
{
    const dev_machine *m = stop->m;
    for (size_t i = 0; i < m->n_threads; i++) {
        if (m->threads[i] == stop->thread)
            tw_json_u64(j, "thread", i);
        if (m->threads[i] == stop->debug->stopped)
            tw_json_u64(j, "stopped", i);
    }
    tw_json_open(j, "threads", '[');
    for (size_t i = 0; i < m->n_threads; i++)
        put_thread(j, stop, m->threads[i]);
    tw_json_close(j, ']');
}

static void put_buffers(tw_json *j, const dev_core *core)
{
    tw_json_open(j, "buffers", '[');
    for (int i = 0; i < core->n_live; i++) {
        const dev_cb *cb = &core->cb[core->live[i]];
        tw_json_open(j, NULL, '{');
        tw_json_u64(j, "port", core->live[i]);
        if (cb->name)
            tw_json_text(j, "name", tw_str_from(cb->name));
        tw_json_text(j, "format", tw_str_from(tw_dtype_name(cb->format)));
        tw_json_u64(j, "pages", cb->pages);
        tw_json_u64(j, "bytes", cb->page);
        tw_json_u64(j, "filled", cb->filled);
        tw_json_u64(j, "waited", cb->waited);
        tw_json_u64(j, "reserved", cb->reserved);
        tw_json_bool(j, "tiles", cb->page == dev_tile_bytes(cb->format));
        tw_json_close(j, '}');
    }
    tw_json_close(j, ']');
}

static void put_semaphores(tw_json *j, const tw_stop *stop)
{
    uint32_t value;
    tw_json_open(j, "semaphores", '[');
    for (int i = 0; tw_stop_semaphore(stop, i, &value); i++) {
        const dev_semaphore_change *change = &stop->thread->core->changes[i];
        tw_json_open(j, NULL, '{');
        tw_json_u64(j, "value", value);
        if (change->op) {
            tw_json_u64(j, "from", change->from);
            tw_json_u64(j, "y", (uint64_t)change->y);
            tw_json_u64(j, "x", (uint64_t)change->x);
            tw_json_real(j, "cycle", change->cycle);
            put_position(j, stop->m, change->op);
        }
        tw_json_close(j, '}');
    }
    tw_json_close(j, ']');
}

/* The tiles that are written, of a compute thread. */
static void put_dst(tw_json *j, const tw_stop *stop)
{
    const dev_thread *t = stop->thread;
    tw_json_open(j, "dst", '[');
    for (int i = 0; t->is_compute && i < t->compute->capacity; i++) {
        if (!t->compute->slot[i].written)
            continue;
        tw_json_open(j, NULL, '{');
        tw_json_u64(j, "tile", (uint64_t)i);
        put_position(j, stop->m, t->compute->slot[i].written);
        tw_json_close(j, '}');
    }
    tw_json_close(j, ']');
}

typedef struct line_set {
    ir_context *ctx;
    const ir_op *function;
    uint32_t *at;
    size_t n, capacity;
} line_set;

static ir_walk add_line(ir_op *op, void *user)
{
    line_set *l = user;
    const uint32_t line = dev_debug_line(l->ctx, l->function, op);
    if (line && op != l->function)
        TW_PUSH(l->at, l->n, l->capacity, line);
    return IR_WALK_ON;
}

static int by_line(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The lines of a kernel in C++ are known once they run: it has none here. */
static void put_function(tw_json *j, const dev_machine *m, const dev_code *code)
{
    const ir_op *function = code->function;
    line_set l = {.ctx = m->ctx, .function = function};
    if (!code->entry)
        ir_walk_pre((ir_op *)(uintptr_t)function, add_line, &l);
    if (l.n)
        qsort(l.at, l.n, sizeof *l.at, by_line);
    tw_json_open(j, NULL, '{');
    tw_json_text(j, "name", ir_symbol_name(function));
    put_position(j, m, function);
    tw_json_open(j, "lines", '[');
    for (size_t i = 0; i < l.n; i++)
        if (!i || l.at[i] != l.at[i - 1])
            tw_json_u64(j, NULL, l.at[i]);
    tw_json_close(j, ']');
    tw_json_close(j, '}');
    free(l.at);
}

static void put_code(tw_json *j, const dev_machine *m)
{
    tw_json_open(j, "code", '[');
    for (size_t i = 0; i < m->n_threads; i++) {
        size_t same = 0;
        while (m->threads[same]->code->function != m->threads[i]->code->function)
            same++;
        if (same == i)
            put_function(j, m, m->threads[i]->code);
    }
    tw_json_close(j, ']');
}

TW_EXPORT char *tw_stop_describe(tw_stop *stop)
{
    tw_strbuf out = {0};
    tw_json j = {.out = &out};
    tw_json_open(&j, NULL, '{');
    tw_json_text(&j, "why", tw_str_from(stop->debug->why));
    tw_json_text(&j, "operation", tw_str_from(stop->debug->op->def->name));
    put_threads(&j, stop);
    put_buffers(&j, stop->thread->core);
    put_semaphores(&j, stop);
    put_dst(&j, stop);
    put_code(&j, stop->m);
    tw_json_close(&j, '}');
    return tw_strbuf_take(&out);
}
