/* speed.c: see speed.h. */
#include "grid/machine/speed.h"

#include "grid/machine/program.h"

#include <math.h>
#include <stdlib.h>

/* An entry of the cost table. */
typedef struct cost_entry {
    size_t at;
    dev_part part;
    bool rate; /* bytes per cycle: more is faster */
} cost_entry;

#define TIME(part, member)                                                                 \
    {                                                                                      \
        offsetof(dev_cost, member), part, false                                            \
    }
#define RATE(part, member)                                                                 \
    {                                                                                      \
        offsetof(dev_cost, member), part, true                                             \
    }

static const cost_entry entries[] = {
    RATE(DEV_PART_DRAM, dram_bytes),
    TIME(DEV_PART_DRAM, dram_latency),
    TIME(DEV_PART_NOC, noc_latency),
    TIME(DEV_PART_NOC, noc_hop),
    RATE(DEV_PART_NOC, noc_bytes),
    RATE(DEV_PART_NOC, link_bytes),
    TIME(DEV_PART_NOC, read_latency[0]),
    TIME(DEV_PART_NOC, read_latency[1]),
    TIME(DEV_PART_NOC, read_latency[2]),
    TIME(DEV_PART_NOC, read_latency[3]),
    TIME(DEV_PART_NOC, atomic),
    TIME(DEV_PART_UNPACK, unpack_start),
    RATE(DEV_PART_UNPACK, unpack_bytes),
    RATE(DEV_PART_UNPACK, unpack_alone),
    TIME(DEV_PART_UNPACK, issue_compute),
    TIME(DEV_PART_UNPACK, init_unpack),
    TIME(DEV_PART_MATH, matmul_phase),
    TIME(DEV_PART_MATH, matmul_extra),
    TIME(DEV_PART_MATH, eltwise_fpu),
    TIME(DEV_PART_MATH, move_tile),
    TIME(DEV_PART_MATH, reduce_pool),
    TIME(DEV_PART_MATH, reduce_transpose),
    TIME(DEV_PART_MATH, sfpu_op),
    TIME(DEV_PART_MATH, sfpu_tile),
    TIME(DEV_PART_MATH, dst_acquire),
    TIME(DEV_PART_MATH, dst_commit),
    TIME(DEV_PART_MATH, init_math),
    RATE(DEV_PART_PACK, pack_bytes),
    TIME(DEV_PART_PACK, pack_reconfigure),
    TIME(DEV_PART_PACK, untilize_rows),
    TIME(DEV_PART_PACK, untilize_block),
    TIME(DEV_PART_PACK, dst_wait),
    TIME(DEV_PART_PACK, dst_release),
    TIME(DEV_PART_PACK, init_pack),
    TIME(DEV_PART_CALLS, cb_poll),
    TIME(DEV_PART_CALLS, cb_update),
    TIME(DEV_PART_CALLS, issue_noc),
    TIME(DEV_PART_CALLS, issue_scalar),
};

const char *dev_part_name(dev_part part)
{
    static const char *const names[DEV_PARTS] = {
        [DEV_PART_DRAM] = "DRAM",        [DEV_PART_NOC] = "NoC",
        [DEV_PART_UNPACK] = "unpackers", [DEV_PART_MATH] = "math units",
        [DEV_PART_PACK] = "packer",      [DEV_PART_CALLS] = "calls and scalar code",
    };
    return names[part];
}

void dev_speed_scale(dev_chip *chip, dev_part part, double factor)
{
    enum { NO_TIME = 1000000000 }; /* bytes per cycle */
    for (size_t i = 0; i < TW_COUNT(entries); i++) {
        const cost_entry *e = &entries[i];
        double *cost = (double *)(void *)((char *)&chip->cost + e->at);
        if (part != DEV_PART_ALL && part != e->part)
            continue;
        *cost = !e->rate ? *cost * factor : factor > 0 ? *cost / factor : NO_TIME;
    }
}

void dev_speed_begin(dev_speed *s, const dev_chip *chip)
{
    s->chip = s->at_line = *chip;
    s->line = (dev_line){0};
    s->port = -1;
    s->no_room = false;
    s->cycles = 0;
}

void dev_speed_free(dev_speed *s)
{
    free(s->lines);
    s->lines = NULL;
    s->n_lines = s->lines_capacity = 0;
}

static void set_costs(dev_machine *m, const dev_chip *chip)
{
    m->chip = chip;
    m->noc.pace.size = SIZE_MAX; /* that of the last transfer is of the other table */
}

/* ---- lines --------------------------------------------------------------------------- */

static void note_line(dev_speed *s, const dev_line *line)
{
    for (size_t i = s->n_lines; i-- > 0;)
        if (s->lines[i].line == line->line && s->lines[i].file == line->file)
            return;
    TW_PUSH(s->lines, s->n_lines, s->lines_capacity, *line);
}

void dev_speed_call(dev_thread *t, const ir_op *op)
{
    dev_machine *m = t->machine;
    dev_speed *s = m->speed;
    dev_line at = {0};
    uint32_t column;
    if (ir_loc_position(m->ctx, op->loc, &at.file, &at.line, &column))
        note_line(s, &at);
    t->on_line = s->line.file && at.file == s->line.file && at.line == s->line.line;
    dev_speed_resume(t);
}

void dev_speed_resume(dev_thread *t)
{
    dev_speed *s = t->machine->speed;
    const dev_chip *chip = t->on_line ? &s->at_line : &s->chip;
    if (t->machine->chip != chip)
        set_costs(t->machine, chip);
}

/* ---- circular buffers ---------------------------------------------------------------- */

typedef struct range {
    uint64_t begin, end;
} range;

static int by_begin(const void *a, const void *b)
{
    const range *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Finds space in L1 that no circular buffer and no tensor occupies; 0 if there is none. */
static uint64_t find_space(const dev_machine *m, const dev_program *p, uint64_t size)
{
    enum { ALIGN = 1024 };
    range *used = tw_xmalloc((p->n_cbs + m->tensors.n + 1) * sizeof *used);
    uint64_t at = tw_align_up(m->chip->l1_base, ALIGN);
    size_t n = 0;
    for (size_t i = 0; i < p->n_cbs; i++)
        used[n++] = (range){p->cbs[i].base,
                            p->cbs[i].base + (uint64_t)p->cbs[i].page * p->cbs[i].pages};
    for (size_t i = 0; i < m->tensors.n; i++) {
        const dev_buffer *b = &m->tensors.buffers[i];
        if (b->live && dev_space_is_l1(b->space))
            used[n++] = (range){b->address, b->address + b->per_bank};
    }
    used[n++] = (range){m->chip->l1_bytes, m->chip->l1_bytes};
    qsort(used, n, sizeof *used, by_begin);
    bool fits = false;
    for (size_t i = 0; i < n && !fits; i++) {
        fits = at + size <= used[i].begin;
        if (!fits)
            at = TW_MAX(at, tw_align_up(used[i].end, ALIGN));
    }
    free(used);
    return fits ? at : 0;
}

void dev_speed_begin_program(dev_machine *m, dev_program *p)
{
    dev_speed *s = m->speed;
    set_costs(m, &s->chip);
    for (size_t i = 0; i < p->n_cbs; i++) {
        dev_cb_spec *c = &p->cbs[i];
        s->ports |= UINT64_C(1) << c->port;
        s->pages[c->port] = c->pages;
        s->names[c->port] = c->name;
        if (c->port != s->port)
            continue;
        const uint64_t at = find_space(m, p, (uint64_t)c->page * c->pages * 2);
        s->no_room |= !at;
        if (!at)
            continue;
        s->saved = tw_xmalloc(sizeof *s->saved);
        *s->saved = *c;
        c->base = (uint32_t)at;
        c->pages *= 2;
        c->fresh = true;
    }
}

void dev_speed_end_program(dev_machine *m, dev_program *p)
{
    dev_speed *s = m->speed;
    s->cycles += p->cycles;
    set_costs(m, &s->chip);
    for (size_t i = 0; i < p->n_cbs && s->saved; i++)
        if (p->cbs[i].port == s->port)
            p->cbs[i] = *s->saved;
    free(s->saved);
    s->saved = NULL;
}
