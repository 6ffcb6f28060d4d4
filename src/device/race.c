/* race.c: see race.h: clocks of threads, and what memory remembers of accesses. */
#include "device/code.h"

#include <stdlib.h>

/* Who did something, when and by what operation: the thread's count in the upper half, the
 * thread, and enough of the operation's address to find it in its module.  Counts go on
 * from program to program, so that what memory remembers of former ones is old. */
typedef uint64_t dev_access;

enum {
    SITE_BITS = 20,
    THREAD_BITS = 12,
    COUNT_AT = SITE_BITS + THREAD_BITS,
    MANY = 1 << THREAD_BITS,
    PARTS = DEV_CHUNK / DEV_GRANULE,
};

static const dev_access MIXED = UINT64_MAX; /* of a chunk: its granules have their own */

typedef struct last_access {
    dev_access write, read;
} last_access;

/* Of a granule; `bytes`: which of its. */
typedef struct granule {
    dev_access write, read, other;
    uint16_t written, been_read, other_read;
} granule;

struct dev_shadow {
    last_access *chunks;
    dev_access *others; /* of a chunk: a read that nothing orders with `read`; or NULL */
    granule **parts;    /* of a chunk that is mixed; or NULL */
    size_t n;
};

/* A word with which threads signal. */
struct dev_word {
    uint32_t at;
    dev_far *far;
    dev_access set, added, waited; /* waited: for just one number */
};

struct dev_races {
    uint32_t base;    /* counts of this program begin behind it */
    size_t n;         /* threads */
    uint16_t *places; /* of threads: the core's number, and the place in it */
    size_t places_capacity;
    dev_far **spare;
    size_t n_spare, spare_capacity;
};

/* ---- clocks ------------------------------------------------------------------------ */

dev_races *dev_races_create(void)
{
    return tw_xcalloc(1, sizeof(dev_races));
}

static void drop_spare(dev_races *r)
{
    while (r->n_spare)
        free(r->spare[--r->n_spare]);
}

void dev_races_destroy(dev_races *r)
{
    if (!r)
        return;
    drop_spare(r);
    free(r->spare);
    free(r->places);
    free(r);
}

static dev_far *far_new(dev_races *r)
{
    dev_far *far = r->n_spare ? r->spare[--r->n_spare]
                              : tw_xmalloc(sizeof *far + r->n * sizeof far->counts[0]);
    far->references = 1;
    return far;
}

static dev_far *far_keep(dev_far *far)
{
    if (far)
        far->references++;
    return far;
}

void dev_far_release(dev_races *r, dev_far *far)
{
    if (far && !--far->references)
        TW_PUSH(r->spare, r->n_spare, r->spare_capacity, far);
}

static void far_set(dev_races *r, dev_far **to, dev_far *far)
{
    if (*to == far)
        return;
    far_keep(far);
    dev_far_release(r, *to);
    *to = far;
}

/* *to learns what `far` knows. */
static void far_join(dev_races *r, dev_far **to, dev_far *far)
{
    dev_far *mine = *to;
    if (!far || mine == far)
        return;
    if (!mine) {
        far_set(r, to, far);
        return;
    }
    if (mine->references > 1) {
        *to = far_new(r);
        memcpy((*to)->counts, mine->counts, r->n * sizeof mine->counts[0]);
        dev_far_release(r, mine);
    }
    int32_t *counts = (*to)->counts;
    for (size_t i = 0; i < r->n; i++)
        counts[i] = TW_MAX(counts[i], far->counts[i]);
}

/* ---- programs ---------------------------------------------------------------------- */

static int core_number(const dev_machine *m, const dev_core *core)
{
    return core->y * m->chip->grid_x + core->x;
}

static bool all_have_places(const dev_machine *m)
{
    for (size_t i = 0; i < m->n_threads; i++)
        if (m->threads[i]->place >= DEV_NEAR)
            return false;
    return m->n_threads <= MANY;
}

/* Counts begin anew: nothing that memory remembers may be taken for later. */
static void forget_all(dev_machine *m)
{
    for (int i = 0; i < m->chip->grid_y * m->chip->grid_x; i++)
        if (m->cores[i])
            dev_shadow_free(&m->cores[i]->l1);
    for (size_t i = 0; i < m->n_buffers; i++)
        for (int k = 0; m->buffers[i].banks && k < m->chip->dram_banks; k++)
            dev_shadow_free(&m->buffers[i].banks[k]);
    m->races->base = 0;
}

void dev_races_begin(dev_machine *m)
{
    dev_races *r = m->races;
    m->finds_races = r && all_have_places(m);
    if (!m->finds_races)
        return;
    if (r->n != m->n_threads)
        drop_spare(r);
    r->n = m->n_threads;
    if (r->base > UINT32_MAX / 2)
        forget_all(m);
    if (r->n > r->places_capacity) {
        r->places_capacity = r->n;
        r->places = tw_xrealloc(r->places, r->n * sizeof *r->places);
    }
    for (size_t i = 0; i < m->n_threads; i++) {
        dev_thread *t = m->threads[i];
        t->clock = (dev_clock){0};
        t->clock.near[t->place] = 1;
        r->places[i] = (uint16_t)(core_number(m, t->core) * DEV_NEAR + t->place);
    }
}

void dev_races_end(dev_machine *m)
{
    dev_races *r = m->races;
    if (!m->finds_races)
        return;
    m->finds_races = false;
    int32_t most = 0;
    for (size_t i = 0; i < m->n_threads; i++) {
        dev_thread *t = m->threads[i];
        far_set(r, &t->clock.far, NULL);
        most = TW_MAX(most, t->clock.near[t->place]);
    }
    r->base += (uint32_t)most + 1;
    for (size_t i = 1; i < m->n_transfers; i++)
        far_set(r, &m->transfers[i].sent, NULL);
    for (int i = 0; i < m->chip->grid_y * m->chip->grid_x; i++) {
        dev_core *core = m->cores[i];
        for (size_t k = 0; core && k < core->n_words; k++)
            dev_far_release(r, core->words[k].far);
        for (size_t k = 0; core && k < core->n_clocks; k++)
            far_set(r, &core->clocks[k].far, NULL);
        if (core)
            core->n_words = 0;
    }
}

/* ---- order ------------------------------------------------------------------------- */

static uint32_t site_of(const ir_op *op)
{
    return (uint32_t)((uintptr_t)op >> 4) & ((1u << SITE_BITS) - 1);
}

static dev_access access_at(const dev_races *r, uint32_t count, const dev_thread *t,
                            const ir_op *op)
{
    return (dev_access)(r->base + count) << COUNT_AT | (dev_access)t->number << SITE_BITS |
           site_of(op);
}

static inline uint32_t count_of(dev_access a)
{
    return (uint32_t)(a >> COUNT_AT);
}

static inline uint32_t who_of(dev_access a)
{
    return (uint32_t)(a >> SITE_BITS) & (MANY - 1);
}

/* The next things that the thread does are not what it has handed over. */
static void count_on(dev_thread *t)
{
    t->clock.near[t->place]++;
}

static void learn(dev_thread *t, const dev_far *far)
{
    const dev_core *core = t->core;
    for (int i = 0; i < core->n_threads; i++) {
        const int32_t count = far->counts[core->threads[i]->number];
        t->clock.near[i] = TW_MAX(t->clock.near[i], count);
    }
}

void dev_race_learn(dev_thread *t, dev_far *far)
{
    far_join(t->machine->races, &t->clock.far, far);
}

void dev_race_keep(dev_thread *t, dev_clock *page)
{
    far_set(t->machine->races, &page->far, t->clock.far);
}

dev_far *dev_race_send(dev_thread *t)
{
    dev_races *r = t->machine->races;
    const dev_core *core = t->core;
    dev_far *far = far_new(r);
    if (t->clock.far)
        memcpy(far->counts, t->clock.far->counts, r->n * sizeof far->counts[0]);
    else
        memset(far->counts, 0, r->n * sizeof far->counts[0]);
    for (int i = 0; i < core->n_threads; i++)
        far->counts[core->threads[i]->number] = t->clock.near[i];
    count_on(t);
    return far;
}

/* Whether what was done then is over, for all that the thread knows. */
static inline bool is_over(const dev_thread *t, const dev_races *r, dev_access a)
{
    const uint32_t who = who_of(a);
    const int64_t count = (int64_t)count_of(a) - r->base;
    if (who == t->number || count <= 0)
        return true;
    if ((r->places[who] ^ r->places[t->number]) < DEV_NEAR)
        return count <= t->clock.near[r->places[who] % DEV_NEAR];
    return t->clock.far && count <= t->clock.far->counts[who];
}

typedef struct search {
    dev_access of;
    ir_op *found;
} search;

static ir_walk compare_site(ir_op *op, void *user)
{
    search *s = user;
    if (site_of(op) != (s->of & ((1u << SITE_BITS) - 1)))
        return IR_WALK_ON;
    s->found = op;
    return IR_WALK_STOP;
}

/* The operation of an access: in its kernel, or in what that calls. */
static ir_op *op_of(const dev_machine *m, dev_access a)
{
    ir_op *function = m->threads[who_of(a)]->code->function, *module = function;
    search s = {.of = a};
    while (ir_op_parent(module))
        module = ir_op_parent(module);
    if (ir_walk_pre(function, compare_site, &s) != IR_WALK_STOP)
        ir_walk_pre(module, compare_site, &s);
    return s.found ? s.found : function;
}

/* ---- words ------------------------------------------------------------------------- */

static struct dev_word *word_at(dev_core *core, size_t at)
{
    for (size_t i = 0; i < core->n_words; i++)
        if (core->words[i].at == at)
            return &core->words[i];
    TW_PUSH(core->words, core->n_words, core->words_capacity,
            (struct dev_word){.at = (uint32_t)at});
    return &core->words[core->n_words - 1];
}

/* Whether the one who sent this knew of an access then. */
static bool was_known(const dev_races *r, const dev_far *sent, dev_access a)
{
    const int64_t count = (int64_t)count_of(a) - r->base;
    return count <= 0 || count <= sent->counts[who_of(a)];
}

/* A word that is set loses what is added to it in no order with that. */
static void check_word(dev_thread *t, ir_op *op, const dev_far *sent, bool adds,
                       dev_access other)
{
    if (was_known(t->machine->races, sent, other))
        return;
    dev_report_at(t, DEV_SEMAPHORE, op, op_of(t->machine, other),
                  adds ? "it is set here; let the core that sets it signal that it has"
                       : "it is counted up here; wait for the last of these before",
                  adds
                      ? "counts up a semaphore that is set in no order with it: what was "
                        "added may be lost"
                      : "sets a semaphore that is counted up in no order with it: what was "
                        "added may be lost");
}

void dev_race_word_comes(dev_thread *t, ir_op *op, dev_memory *l1, size_t at, dev_far *sent,
                         bool adds)
{
    struct dev_word *w = word_at(dev_core_of(l1), at);
    dev_races *r = t->machine->races;
    const dev_access mine = access_at(r, (uint32_t)sent->counts[t->number], t, op);
    check_word(t, op, sent, adds, adds ? w->set : w->added);
    if (adds && !was_known(r, sent, w->waited))
        dev_report_at(t, DEV_SEMAPHORE, op, op_of(t->machine, w->waited),
                      "it is waited for here; let the sender know that this is over, or "
                      "wait with noc_semaphore_wait_min",
                      "counts up a semaphore that a wait for just one number may not have "
                      "seen yet: it would wait for ever");
    *(adds ? &w->added : &w->set) = mine;
    far_join(r, &w->far, sent);
}

void dev_race_wait_word(dev_thread *t, ir_op *op, size_t at)
{
    const uint32_t count = (uint32_t)t->clock.near[t->place];
    word_at(t->core, at)->waited = access_at(t->machine->races, count, t, op);
}

void dev_race_set_word(dev_thread *t, ir_op *op, size_t at)
{
    if (!t->machine->finds_races)
        return;
    dev_far *sent = dev_race_send(t);
    dev_race_word_comes(t, op, &t->core->l1, at, sent, false);
    dev_far_release(t->machine->races, sent);
}

void dev_race_see_words(dev_thread *t, dev_memory *l1, size_t at, size_t size)
{
    const dev_core *core = dev_core_of(l1);
    for (size_t i = 0; i < core->n_words; i++) {
        const struct dev_word *w = &core->words[i];
        if (w->at + 4 <= at || at + size <= w->at || !w->far)
            continue;
        far_join(t->machine->races, &t->clock.far, w->far);
        learn(t, w->far);
    }
}

bool dev_race_is_word(const dev_thread *t, dev_memory *l1, size_t at, size_t size)
{
    const size_t end = t->machine->chip->l1_base, begin = end - DEV_MAX_SEMAPHORES * 16;
    const dev_core *core = dev_core_of(l1);
    if (at >= begin && at + size <= end)
        return true;
    for (size_t i = 0; i < core->n_words && size <= 4; i++)
        if (core->words[i].at < at + size && at < core->words[i].at + 4)
            return true;
    return false;
}

/* ---- reports ----------------------------------------------------------------------- */

static void report(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                   const char *verb, const char *theirs, dev_access other)
{
    const dev_machine *m = t->machine;
    const dev_thread *them = m->threads[who_of(other)];
    const tw_str name = ir_symbol_name(them->code->function);
    tw_strbuf where = {0};
    dev_cb *cb = memory->base ? NULL : dev_cb_owner(dev_core_of(memory), at, 1);
    if (memory->base)
        tw_strbuf_printf(&where, "of DRAM at 0x%llx",
                         (unsigned long long)(memory->base + at));
    else
        tw_strbuf_printf(&where, "of core %d,%d's L1 at 0x%zx", dev_core_of(memory)->y,
                         dev_core_of(memory)->x, at);
    if (cb) {
        tw_strbuf_puts(&where, " in ");
        dev_cb_describe(dev_core_of(memory), cb, &where);
    }
    dev_report_at(
        t, memory->base ? DEV_DRAM_RACE : DEV_RACE, op, op_of(m, other),
        "the other access is here; a semaphore, or pages of a circular buffer that "
        "are pushed or popped between them, would order them (NoC writes count once a "
        "barrier has waited for them)",
        "%s %zu byte%s %s, which @%.*s on core %d,%d %s in no order with it", verb, size,
        dev_s((long long)size), tw_strbuf_text(&where), (int)name.size, name.data,
        them->core->y, them->core->x, theirs);
    tw_strbuf_free(&where);
}

/* ---- what memory remembers --------------------------------------------------------- */

static struct dev_shadow *shadow_of(dev_memory *memory)
{
    if (TW_LIKELY(memory->shadow != NULL))
        return memory->shadow;
    struct dev_shadow *s = memory->shadow = tw_xcalloc(1, sizeof *s);
    s->n = memory->size / DEV_CHUNK + 1;
    s->chunks = tw_xcalloc(s->n, sizeof *s->chunks);
    return s;
}

void dev_shadow_free(dev_memory *memory)
{
    struct dev_shadow *s = memory->shadow;
    if (!s)
        return;
    for (size_t i = 0; s->parts && i < s->n; i++)
        free(s->parts[i]);
    free(s->parts);
    free(s->others);
    free(s->chunks);
    free(s);
    memory->shadow = NULL;
}

/* Gives the granules of a chunk what they shared. */
static granule *parts_of(struct dev_shadow *s, size_t chunk)
{
    last_access *c = &s->chunks[chunk];
    if (c->write == MIXED)
        return s->parts[chunk];
    if (!s->parts)
        s->parts = tw_xcalloc(s->n, sizeof *s->parts);
    if (!s->parts[chunk])
        s->parts[chunk] = tw_xmalloc(PARTS * sizeof *s->parts[chunk]);
    const granule common = {
        c->write,   c->read,    s->others ? s->others[chunk] : 0,
        UINT16_MAX, UINT16_MAX, UINT16_MAX,
    };
    for (int i = 0; i < PARTS; i++)
        s->parts[chunk][i] = common;
    c->write = MIXED;
    return s->parts[chunk];
}

typedef struct access_call {
    const dev_thread *thread;
    dev_races *races;
    dev_access mine, other; /* other: what nothing orders with it; 0: nothing */
    bool other_writes;
} access_call;

static void conflict(access_call *a, dev_access other, bool writes)
{
    if (a->other)
        return;
    a->other = other;
    a->other_writes = writes;
}

static inline bool clashes(const access_call *a, dev_access other)
{
    return TW_UNLIKELY(!is_over(a->thread, a->races, other));
}

/* A read that nobody orders with this one: a write must know of both. */
static void keep_other(struct dev_shadow *s, size_t chunk)
{
    if (!s->others)
        s->others = tw_xcalloc(s->n, sizeof *s->others);
    s->others[chunk] = s->chunks[chunk].read;
}

static inline void read_chunk(access_call *a, struct dev_shadow *s, size_t chunk)
{
    last_access *c = &s->chunks[chunk];
    if (clashes(a, c->write))
        conflict(a, c->write, true);
    if (clashes(a, c->read))
        keep_other(s, chunk);
    c->read = a->mine;
}

static inline void write_chunk(access_call *a, struct dev_shadow *s, size_t chunk)
{
    last_access *c = &s->chunks[chunk];
    if (clashes(a, c->write))
        conflict(a, c->write, true);
    if (clashes(a, c->read))
        conflict(a, c->read, false);
    if (s->others && clashes(a, s->others[chunk]))
        conflict(a, s->others[chunk], false);
    c->write = a->mine;
    c->read = 0;
    if (s->others)
        s->others[chunk] = 0;
}

static void read_granule(access_call *a, granule *g, uint16_t bytes)
{
    if ((g->written & bytes) && clashes(a, g->write))
        conflict(a, g->write, true);
    if (clashes(a, g->read)) {
        g->other = g->read;
        g->other_read = g->been_read;
    }
    g->been_read = g->read == a->mine ? g->been_read | bytes : bytes;
    g->read = a->mine;
}

static void write_granule(access_call *a, granule *g, uint16_t bytes)
{
    if ((g->written & bytes) && clashes(a, g->write))
        conflict(a, g->write, true);
    if ((g->been_read & bytes) && clashes(a, g->read))
        conflict(a, g->read, false);
    if ((g->other_read & bytes) && clashes(a, g->other))
        conflict(a, g->other, false);
    g->written = g->write == a->mine ? g->written | bytes : bytes;
    g->write = a->mine;
    g->been_read &= (uint16_t)~bytes;
    g->other_read &= (uint16_t)~bytes;
}

/* Which bytes of a granule lie in a range. */
static uint16_t bytes_in(size_t i, size_t from, size_t end)
{
    const size_t begin = i * DEV_GRANULE;
    from = TW_MAX(begin, from) - begin;
    end = TW_MIN(begin + DEV_GRANULE, end) - begin;
    return (uint16_t)((1u << end) - (1u << from));
}

/* Where an access ends within a chunk, or other such accesses were. */
static void visit_parts(access_call *a, struct dev_shadow *s, size_t from, size_t end,
                        bool writes)
{
    const size_t chunk = from / DEV_CHUNK;
    granule *parts = parts_of(s, chunk);
    for (size_t i = from / DEV_GRANULE; i * DEV_GRANULE < end; i++)
        if (writes)
            write_granule(a, &parts[i % PARTS], bytes_in(i, from, end));
        else
            read_granule(a, &parts[i % PARTS], bytes_in(i, from, end));
    if (writes && end - from == DEV_CHUNK) /* its granules agree again */
        s->chunks[chunk] = (last_access){.write = a->mine};
}

static inline void visit(access_call *a, dev_memory *memory, size_t at, size_t size,
                         bool writes)
{
    struct dev_shadow *s = shadow_of(memory);
    const size_t end = at + size;
    last_access before = {MIXED, MIXED}; /* of the last chunk: a page's agree, mostly */
    for (size_t next; at < end; at = next) {
        const size_t chunk = at / DEV_CHUNK;
        next = (chunk + 1) * DEV_CHUNK;
        last_access *c = &s->chunks[chunk];
        if (TW_LIKELY(at + DEV_CHUNK == next && next <= end && c->write == before.write &&
                      c->read == before.read && !s->others)) {
            *c = writes ? (last_access){a->mine, 0} : (last_access){c->write, a->mine};
            continue;
        }
        next = TW_MIN(next, end);
        before = *c;
        if (TW_UNLIKELY(next - at < DEV_CHUNK || c->write == MIXED)) {
            visit_parts(a, s, at, next, writes);
            before.write = before.read = MIXED;
        } else if (writes) {
            write_chunk(a, s, chunk);
        } else {
            read_chunk(a, s, chunk);
        }
    }
}

void dev_race_prefetch(const dev_memory *memory, size_t at)
{
    if (memory->shadow)
        __builtin_prefetch(&memory->shadow->chunks[at / DEV_CHUNK]);
}

static access_call access_of(const dev_thread *t, ir_op *op)
{
    dev_races *r = t->machine->races;
    return (access_call){t, r, access_at(r, (uint32_t)t->clock.near[t->place], t, op), 0,
                         false};
}

void dev_race_read(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                   bool told)
{
    if (!memory->base && (at < t->machine->chip->l1_base || dev_core_of(memory)->n_words)) {
        dev_race_see_words(t, memory, at, size);
        if (dev_race_is_word(t, memory, at, size))
            return;
    }
    access_call a = access_of(t, op);
    visit(&a, memory, at, size, false);
    if (TW_UNLIKELY(a.other) && !told)
        report(t, op, memory, at, size, "reads", "writes", a.other);
}

void dev_race_write(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                    const uint8_t *bytes, bool told)
{
    if (!memory->base && dev_race_is_word(t, memory, at, size))
        return;
    access_call a = access_of(t, op);
    visit(&a, memory, at, size, true);
    if (TW_LIKELY(!a.other) || told)
        return;
    bool same = false;
    if (bytes) {
        dev_await_bytes(t->machine);
        same = memcmp(memory->bytes + at, bytes, size) == 0;
    }
    if (!same)
        report(t, op, memory, at, size, "writes", a.other_writes ? "writes" : "reads",
               a.other);
}
