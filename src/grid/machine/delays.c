/* delays.c: see delays.h. */
#include "grid/machine/delays.h"

#include "grid/units/code.h"

#include <math.h>
#include <stdlib.h>

/* The last access to an object: a word, or the first byte of a transfer. */
typedef struct dev_last_access {
    uint64_t object; /* 0: a free entry */
    uint64_t by;
    const ir_op *op;
    uint32_t thread;
} dev_last_access;

/* ---- sets of hashes ------------------------------------------------------------------ */

static size_t find_hash(const dev_hashes *set, uint64_t hash)
{
    size_t i = hash & (set->capacity - 1);
    while (set->at[i] && set->at[i] != hash)
        i = (i + 1) & (set->capacity - 1);
    return i;
}

bool dev_hashes_have(const dev_hashes *set, uint64_t hash)
{
    hash |= !hash;
    return set->n && set->at[find_hash(set, hash)];
}

bool dev_hashes_add(dev_hashes *set, uint64_t hash)
{
    hash |= !hash; /* 0 marks free entries */
    if (2 * set->n >= set->capacity) {
        const dev_hashes old = *set;
        set->capacity = old.capacity ? 2 * old.capacity : 256;
        set->at = tw_xcalloc(set->capacity, sizeof *set->at);
        for (size_t i = 0; i < old.capacity; i++)
            if (old.at[i])
                set->at[find_hash(set, old.at[i])] = old.at[i];
        free(old.at);
    }
    const size_t i = find_hash(set, hash);
    if (set->at[i])
        return false;
    set->at[i] = hash;
    set->n++;
    return true;
}

void dev_hashes_free(dev_hashes *set)
{
    free(set->at);
    *set = (dev_hashes){0};
}

/* ---- lists of delays ----------------------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
    const dev_delay *a = x, *b = y;
    const uint64_t ka[] = {a->program, a->thread, a->kind, a->nth},
                   kb[] = {b->program, b->thread, b->kind, b->nth};
    for (size_t i = 0; i < TW_COUNT(ka); i++)
        if (ka[i] != kb[i])
            return ka[i] < kb[i] ? -1 : 1;
    return 0;
}

void dev_delay_list_sort(dev_delay_list *list)
{
    if (list->n)
        qsort(list->at, list->n, sizeof *list->at, by_name);
}

static double given_cycles(const dev_delays *d, const dev_delay *name)
{
    const dev_delay *found =
        d->given && d->given->n
            ? bsearch(name, d->given->at, d->given->n, sizeof *name, by_name)
            : NULL;
    return found ? found->cycles : 0;
}

/* Draws from a hash of the name, so that a point's delay does not depend on others. */
static double drawn_cycles(const dev_delays *d, const dev_delay *name)
{
    if (d->chance[name->kind] <= 0)
        return 0;
    uint64_t z = dev_scramble(
        d->seed ^ dev_scramble(((uint64_t)name->program << 32 | name->thread) ^
                               dev_scramble((uint64_t)name->kind << 32 | name->nth)));
    if ((double)(z >> 11) * 0x1p-53 >= d->chance[name->kind])
        return 0;
    return ceil(exp2((double)(dev_scramble(z) >> 11) * 0x1p-53 * log2(d->longest)));
}

void dev_delays_begin(dev_delays *d)
{
    d->taken.n = 0;
    memset(d->points, 0, sizeof d->points);
    d->cycles = 0;
    d->order = d->new_pairs = d->steps = d->signature = 0;
    d->first_new = (dev_new_order){0};
    d->programs = 0;
    d->error_at = NULL;
    if (d->n_last)
        memset(d->last, 0, d->last_capacity * sizeof *d->last);
    d->n_last = 0;
}

void dev_delays_free(dev_delays *d)
{
    free(d->taken.at);
    free(d->last);
    d->taken = (dev_delay_list){0};
    d->last = NULL;
    d->n_last = d->last_capacity = 0;
}

/* ---- points of a run ----------------------------------------------------------------- */

static double take(dev_thread *t, dev_delay_kind kind, const ir_op *op)
{
    dev_delays *d = t->machine->delays;
    dev_delay name = {.program = d->programs,
                      .thread = t->number,
                      .kind = kind,
                      .nth = t->delay_points[kind]++,
                      .op = op,
                      .kernel = t->code->function,
                      .y = t->core->y,
                      .x = t->core->x};
    d->points[kind]++;
    name.cycles = given_cycles(d, &name);
    if (name.cycles <= 0)
        name.cycles = drawn_cycles(d, &name);
    if (name.cycles > 0)
        TW_PUSH(d->taken.at, d->taken.n, d->taken.capacity, name);
    return name.cycles;
}

void dev_delay_start(dev_thread *t)
{
    t->now += take(t, DEV_DELAY_START, t->code->function);
}

void dev_delay_call(dev_thread *t, const ir_op *op)
{
    static const char *const prefixes[] = {
        "noc_",         "cb_",        "experimental.semaphore", "semaphore", "remote_",
        "load_from_l1", "store_to_l1"};
    static const char dialect[] = "ttkernel.";
    const char *name = op->def->name;
    if (strncmp(name, dialect, sizeof dialect - 1) != 0)
        return;
    name += sizeof dialect - 1;
    for (size_t i = 0; i < TW_COUNT(prefixes); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            t->now += take(t, DEV_DELAY_CALL, op);
            return;
        }
}

double dev_delay_arrival(dev_thread *t, const dev_noc_address *far, bool read, int noc,
                         double time)
{
    const dev_machine *m = t->machine;
    size_t at;
    time += take(t, DEV_DELAY_ARRIVAL, t->at);
    if (read)
        return time;
    const dev_memory *to = dev_resolve(t->machine, far, 1, &at);
    for (uint32_t n = t->traffic.first; n; n = m->noc.transfers[n].next) {
        const dev_transfer *x = &m->noc.transfers[n];
        if (x->kind != DEV_READ && x->noc == noc && x->to == to)
            time = TW_MAX(time, x->arrival);
    }
    return time;
}

/* ---- the order of a run -------------------------------------------------------------- */

/* Names a byte of memory, equally in every run. */
static uint64_t object_of(const dev_memory *memory, size_t at)
{
    uint64_t name = memory->base;
    if (!name) {
        const dev_core *core = dev_core_of((dev_memory *)(uintptr_t)memory);
        name = (uint64_t)core->y << 8 | (uint64_t)core->x;
    } else {
        name = UINT64_C(1) << 40 | name;
    }
    return dev_scramble(dev_scramble(name) ^ at) | 1;
}

static dev_last_access *find_last(dev_delays *d, uint64_t object)
{
    size_t i = object >> 1 & (d->last_capacity - 1);
    while (d->last[i].object && d->last[i].object != object)
        i = (i + 1) & (d->last_capacity - 1);
    return &d->last[i];
}

static dev_last_access *last_of(dev_delays *d, uint64_t object)
{
    if (2 * d->n_last >= d->last_capacity) {
        dev_last_access *old = d->last;
        const size_t n = d->last_capacity;
        d->last_capacity = n ? 2 * n : 256;
        d->last = tw_xcalloc(d->last_capacity, sizeof *d->last);
        for (size_t i = 0; i < n; i++)
            if (old[i].object)
                *find_last(d, old[i].object) = old[i];
        free(old);
    }
    return find_last(d, object);
}

void dev_order_access(const dev_thread *t, const ir_op *op, const dev_memory *memory,
                      size_t at)
{
    dev_delays *d = t->machine->delays;
    const uint64_t object = object_of(memory, at),
                   by = dev_scramble((uintptr_t)op ^ (uint64_t)t->number << 48);
    dev_last_access *last = last_of(d, object);
    if (!last->object)
        d->n_last++;
    /* accesses of one thread are always in this order */
    if (!last->object || last->thread != t->number) {
        const uint64_t pair =
            dev_scramble(object ^ dev_scramble(last->by ^ dev_scramble(by)));
        d->order += pair;
        const bool is_new = d->known && dev_hashes_add(d->known, pair);
        d->new_pairs += is_new;
        if (is_new && last->op && !d->first_new.after)
            d->first_new = (dev_new_order){last->op, op};
    }
    *last = (dev_last_access){object, by, op, t->number};
}

void dev_delays_end_program(dev_machine *m)
{
    dev_delays *d = m->delays;
    for (size_t i = 0; i < m->n_threads; i++)
        d->steps = TW_MAX(d->steps, m->threads[i]->steps);
    d->cycles = TW_MAX(d->cycles, m->finish - m->begin);
    for (size_t i = 0; i < m->n_reports && !d->signature; i++) {
        const dev_report *r = &m->reports[i];
        if (dev_report_warns(r))
            continue;
        d->signature = dev_scramble((uintptr_t)r->op ^ dev_scramble(r->what)) | 1;
        d->error_at = r->op;
    }
    d->programs++;
}
