/* debug_commands.c: the debugger's commands, whose answers are text. */
#include "grid/debug/debug.h"

#include "grid/units/code.h"
#include "support/file.h"
#include "support/suggest.h"

#include <stdlib.h>

typedef struct command_call {
    tw_stop *stop;
    tw_str argument; /* what follows the command's name */
    tw_strbuf *out;
    tw_stop_next next;
} command_call;

/* ---- lines and threads --------------------------------------------------------------- */

static void put_source(const char *file, uint32_t line, tw_strbuf *out)
{
    tw_strbuf text = {0};
    tw_status status = tw_file_read(file, &text);
    if (status != TW_SUCCESS) {
        tw_status_free(status);
        return;
    }
    const char *at = tw_strbuf_text(&text);
    for (uint32_t i = 1; i < line && at; i++)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    if (at)
        tw_strbuf_printf(out, "%5u | %.*s\n", line, (int)strcspn(at, "\n"), at);
    tw_strbuf_free(&text);
}

static void put_location(const dev_machine *m, const ir_op *op, bool quote, tw_strbuf *out)
{
    ir_ident file;
    uint32_t line, column;
    if (!op || !ir_loc_position(m->ctx, op->loc, &file, &line, &column)) {
        tw_strbuf_puts(out, "an unknown line\n");
        return;
    }
    tw_strbuf_printf(out, "%s:%u\n", file->text, line);
    if (quote)
        put_source(file->text, line, out);
}

void dev_debug_put_state(const dev_thread *t, tw_strbuf *out)
{
    const dev_wait *w = &t->wait;
    switch (w->kind) {
    case DEV_WAIT_CB_SPACE:
    case DEV_WAIT_CB_DATA:
        tw_strbuf_printf(out, "waits for %u %s page%s of ", w->pages,
                         w->kind == DEV_WAIT_CB_DATA ? "filled" : "free", dev_s(w->pages));
        dev_cb_describe(t->core, w->cb, out);
        break;
    case DEV_WAIT_SEMAPHORE:
        tw_strbuf_printf(out, "waits for the semaphore at 0x%x to be %s%u", w->address,
                         w->minimum ? "at least " : "", w->value);
        break;
    case DEV_DONE:
        tw_strbuf_puts(out, "has ended");
        break;
    default:
        tw_strbuf_puts(out, "runs");
        break;
    }
}

static void put_thread(const command_call *c, const dev_thread *t)
{
    const tw_str name = ir_symbol_name(t->code->function);
    tw_strbuf_printf(c->out, "%s@%-12.*s core %d,%d  cycle %.0f  ",
                     t == c->stop->thread ? "* " : "  ", (int)name.size, name.data,
                     t->core->y, t->core->x, t->now - c->stop->m->begin);
    dev_debug_put_state(t, c->out);
    tw_strbuf_puts(c->out, ", at ");
    put_location(c->stop->m, t->at, false, c->out);
}

static void run_where(command_call *c)
{
    const dev_thread *t = c->stop->thread;
    const bool stopped = t == c->stop->debug->stopped;
    const tw_str name = ir_symbol_name(t->code->function);
    tw_strbuf_printf(c->out, "@%.*s on core %d,%d, cycle %.0f", (int)name.size, name.data,
                     t->core->y, t->core->x, t->now - c->stop->m->begin);
    if (stopped)
        tw_strbuf_printf(c->out, ", stopped by %s before %s", c->stop->debug->why,
                         c->stop->debug->op->def->name);
    tw_strbuf_puts(c->out, ", at ");
    put_location(c->stop->m, stopped ? c->stop->debug->op : t->at, true, c->out);
}

static void run_threads(command_call *c)
{
    const dev_machine *m = c->stop->m;
    const bool all = tw_str_is(c->argument, "all");
    size_t others = 0;
    for (size_t i = 0; i < m->n_threads; i++)
        if (all || m->threads[i]->core == c->stop->thread->core)
            put_thread(c, m->threads[i]);
        else
            others++;
    if (others)
        tw_strbuf_printf(c->out, "%zu threads on other cores: threads all\n", others);
}

/* thread CORE:NAME */
static void run_thread(command_call *c)
{
    const dev_machine *m = c->stop->m;
    for (size_t i = 0; i < m->n_threads; i++) {
        const dev_thread *t = m->threads[i];
        const tw_str name = ir_symbol_name(t->code->function);
        tw_strbuf text = {0};
        tw_strbuf_printf(&text, "%d,%d:%.*s", t->core->y, t->core->x, (int)name.size,
                         name.data);
        const bool same = tw_str_is(c->argument, tw_strbuf_text(&text));
        tw_strbuf_free(&text);
        if (same) {
            c->stop->thread = m->threads[i];
            run_where(c);
            return;
        }
    }
    tw_strbuf_printf(c->out, "there is no thread '%.*s'; expected CORE:NAME of:\n",
                     (int)c->argument.size, c->argument.data);
    c->argument = (tw_str){0};
    run_threads(c);
}

/* ---- values -------------------------------------------------------------------------- */

/* The upper left corner of a tile. */
static void put_corner(const float *tile, tw_strbuf *out)
{
    enum { ROWS = 4, COLUMNS = 8, SIDE = DEV_TILE_SIDE };
    for (int y = 0; y < ROWS; y++) {
        tw_strbuf_puts(out, "    ");
        for (int x = 0; x < COLUMNS; x++)
            tw_strbuf_printf(out, "%10.5g", (double)tile[y * SIDE + x]);
        tw_strbuf_puts(out, y ? "\n" : " ...\n");
    }
}

static void list_buffers(const command_call *c)
{
    const dev_core *core = c->stop->thread->core;
    for (int i = 0; i < core->n_live; i++) {
        const dev_cb *cb = &core->cb[core->live[i]];
        dev_cb_describe(core, cb, c->out);
        tw_strbuf_printf(c->out,
                         ": %u page%s of %u bytes of %s; %u filled (%u waited for), %u "
                         "reserved\n",
                         cb->pages, dev_s(cb->pages), cb->page, tw_dtype_name(cb->format),
                         cb->filled, cb->waited, cb->reserved);
    }
}

static void run_cb(command_call *c)
{
    tw_strbuf name = {0};
    tw_strbuf_str(&name, c->argument);
    const int port = name.size ? tw_stop_port(c->stop, tw_strbuf_text(&name)) : -1;
    if (port < 0) {
        if (name.size)
            tw_strbuf_printf(c->out, "there is no circular buffer '%s' on this core:\n",
                             tw_strbuf_text(&name));
        list_buffers(c);
    } else {
        const dev_cb *cb = &c->stop->thread->core->cb[port];
        float tile[DEV_TILE_ELEMENTS];
        size_t i = 0;
        for (; tw_stop_page(c->stop, port, i, tile); i++) {
            tw_strbuf_printf(c->out, "  page %zu, %s:\n", i,
                             i >= cb->filled  ? "reserved"
                             : i < cb->waited ? "waited for"
                                              : "filled");
            put_corner(tile, c->out);
        }
        if (!i)
            tw_strbuf_puts(c->out,
                           "no page is filled or reserved (or pages are no tiles)\n");
    }
    tw_strbuf_free(&name);
}

static void run_sem(command_call *c)
{
    const dev_core *core = c->stop->thread->core;
    uint32_t value;
    int i = 0;
    for (; tw_stop_semaphore(c->stop, i, &value); i++) {
        const dev_semaphore_change *change = &core->changes[i];
        tw_strbuf_printf(c->out, "semaphore %d: %u", i, value);
        if (change->op) {
            tw_strbuf_printf(c->out,
                             "; changed from %u to %u by core %d,%d in cycle %.0f, at ",
                             change->from, change->to, change->y, change->x, change->cycle);
            put_location(c->stop->m, change->op, false, c->out);
        } else {
            tw_strbuf_putc(c->out, '\n');
        }
    }
    if (!i)
        tw_strbuf_puts(c->out, "the program has no semaphores\n");
}

static void run_dst(command_call *c)
{
    static const char *const owners[] = {"no unit", "the math unit",
                                         "the packer, once it waits", "the packer"};
    const dev_thread *t = c->stop->thread;
    if (!t->is_compute) {
        tw_strbuf_puts(c->out, "only a compute thread has DST\n");
        return;
    }
    tw_strbuf_printf(c->out, "DST belongs to %s; %d tiles\n", owners[t->compute->dst.state],
                     t->compute->dst.capacity);
    for (int i = 0; i < t->compute->dst.capacity; i++) {
        float tile[DEV_TILE_ELEMENTS];
        if (!tw_stop_dst(c->stop, i, tile))
            continue;
        tw_strbuf_printf(c->out, "  tile %d, written at ", i);
        put_location(c->stop->m, t->compute->dst.slot[i].written, false, c->out);
        put_corner(tile, c->out);
    }
}

/* ---- going on ------------------------------------------------------------------------ */

static void run_step(command_call *c)
{
    c->stop->debug->steps = true;
    c->stop->debug->step_thread = c->stop->thread;
    c->next = TW_STOP_GOES;
}

static void run_stepi(command_call *c)
{
    run_step(c);
    c->stop->debug->each = true;
}

static void run_continue(command_call *c)
{
    c->next = TW_STOP_GOES;
}

static void run_quit(command_call *c)
{
    c->stop->debug->quit = true;
    c->next = TW_STOP_ENDS;
}

static void put_break(const dev_break *b, size_t i, tw_strbuf *out)
{
    tw_strbuf_printf(out, "%zu: ", i);
    if (b->y < 0)
        tw_strbuf_puts(out, "*");
    else
        tw_strbuf_printf(out, "%d,%d", b->y, b->x);
    tw_strbuf_printf(out, ":%s:%u\n", b->kernel ? b->kernel : "*", b->line);
}

/* break, or break CORE:THREAD:LINE */
static void run_break(command_call *c)
{
    dev_debug *d = c->stop->debug;
    dev_break b;
    if (!c->argument.size) {
        for (size_t i = 0; i < d->n; i++)
            put_break(&d->breaks[i], i, c->out);
        if (!d->n)
            tw_strbuf_puts(c->out, "there are no breakpoints\n");
        return;
    }
    tw_status status = dev_break_read(c->argument, &b);
    if (status == TW_SUCCESS) {
        TW_PUSH(d->breaks, d->n, d->capacity, b);
        put_break(&b, d->n - 1, c->out);
        return;
    }
    tw_strbuf_printf(c->out, "%s\n", tw_status_message(status));
    tw_status_free(status);
}

static void run_delete(command_call *c)
{
    dev_debug *d = c->stop->debug;
    size_t i = 0;
    bool number = c->argument.size > 0 && c->argument.size < 9;
    for (size_t k = 0; k < c->argument.size && number; k++) {
        number = c->argument.data[k] >= '0' && c->argument.data[k] <= '9';
        i = 10 * i + (size_t)(c->argument.data[k] - '0');
    }
    if (!number || i >= d->n) {
        tw_strbuf_printf(c->out, "there is no breakpoint '%.*s'; break lists them\n",
                         (int)c->argument.size, c->argument.data);
        return;
    }
    free((char *)(uintptr_t)d->breaks[i].kernel);
    memmove(&d->breaks[i], &d->breaks[i + 1], (--d->n - i) * sizeof *d->breaks);
}

static void run_help(command_call *c);

static const struct command {
    const char *name, *brief, *help;
    void (*run)(command_call *c);
} commands[] = {
    {"where", "w", "the stopped thread, and its line", run_where},
    {"threads", "t", "threads of this core; threads all: of every core", run_threads},
    {"thread", NULL, "thread CORE:NAME: look at another thread", run_thread},
    {"cb", NULL, "circular buffers; cb NAME: a buffer's tiles, blocks of this core",
     run_cb},
    {"sem", NULL, "semaphores of this core, and their last changes", run_sem},
    {"dst", NULL, "the tiles of DST", run_dst},
    {"step", "s", "run to the next line of this thread", run_step},
    {"stepi", "i", "run to the next operation of this thread", run_stepi},
    {"continue", "c", "run to the next breakpoint", run_continue},
    {"break", "b", "breakpoints; break CORE:THREAD:LINE: another one", run_break},
    {"delete", NULL, "delete N: remove a breakpoint", run_delete},
    {"quit", "q", "end the run", run_quit},
    {"help", "h", "this list", run_help},
};

static void run_help(command_call *c)
{
    for (size_t i = 0; i < TW_COUNT(commands); i++)
        tw_strbuf_printf(c->out, "  %-9s %-2s %s\n", commands[i].name,
                         commands[i].brief ? commands[i].brief : "", commands[i].help);
}

static void unknown(const command_call *c, tw_str name)
{
    tw_nearest near = tw_nearest_to(name);
    for (size_t i = 0; i < TW_COUNT(commands); i++)
        tw_nearest_try(&near, name, commands[i].name);
    tw_strbuf_printf(c->out, "there is no command '%.*s'", (int)name.size, name.data);
    if (near.best)
        tw_strbuf_printf(c->out, "; did you mean '%s'?\n", near.best);
    else
        tw_strbuf_puts(c->out, "; help lists them\n");
}

TW_EXPORT tw_stop_next tw_stop_command(tw_stop *stop, const char *text, char **out_text)
{
    tw_strbuf out = {0};
    text += strspn(text, " \t\n");
    const tw_str name = {text, strcspn(text, " \t\n")};
    const char *rest = text + name.size + strspn(text + name.size, " \t\n");
    size_t size = strlen(rest);
    while (size && strchr(" \t\n", rest[size - 1]))
        size--;
    command_call c = {.stop = stop, .argument = {rest, size}, .out = &out};
    size_t i = 0;
    while (i < TW_COUNT(commands) && !tw_str_is(name, commands[i].name) &&
           !(commands[i].brief && tw_str_is(name, commands[i].brief)))
        i++;
    if (i < TW_COUNT(commands))
        commands[i].run(&c);
    else if (name.size)
        unknown(&c, name);
    *out_text = tw_strbuf_take(&out);
    return c.next;
}
