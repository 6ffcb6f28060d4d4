/* race_memory.c: recorded accesses to memory, per chunk while all its granules agree, and
 * detection of accesses that are not ordered with earlier ones. */
#include "grid/check/race_impl.h"
#include "grid/units/code.h"

#include <stdlib.h>

enum { PARTS = DEV_CHUNK / DEV_GRANULE, LINE = 64 };

static const dev_access MIXED = UINT64_MAX; /* of a chunk: its granules differ */

typedef struct last_access {
    dev_access write, read;
} last_access;

/* Accesses to a granule, with a mask of the bytes that each touched. */
typedef struct granule {
    dev_access write, read, other;
    uint16_t written, been_read, other_read;
} granule;

struct dev_shadow {
    void *own;           /* the memory of `chunks`, */
    last_access *chunks; /* which begin a cache line: those of a page lie in one */
    dev_access *others;  /* of each chunk: a read that is concurrent with `read`; or NULL */
    granule **parts;     /* granules of each mixed chunk; or NULL */
    size_t n;
};

/* ---- reports ----------------------------------------------------------------------- */

static void report_race(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                        size_t size, const char *verb, const char *theirs, dev_access other)
{
    const dev_machine *m = t->machine;
    const dev_thread *them = m->threads[dev_who_of(other)];
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
        t, memory->base ? DEV_DRAM_RACE : DEV_RACE, op, dev_access_op(m, other),
        "the other access is here; a semaphore, or pages of a circular buffer that "
        "are pushed or popped between them, would order them (NoC writes count once a "
        "barrier has waited for them)",
        "%s %zu byte%s %s, which @%.*s on core %d,%d %s in no order with it", verb, size,
        dev_s((long long)size), tw_strbuf_text(&where), (int)name.size, name.data,
        them->core->y, them->core->x, theirs);
    tw_strbuf_free(&where);
}

/* ---- recorded accesses ------------------------------------------------------------- */

static struct dev_shadow *shadow_of(dev_memory *memory)
{
    if (TW_LIKELY(memory->shadow != NULL))
        return memory->shadow;
    struct dev_shadow *s = memory->shadow = tw_xcalloc(1, sizeof *s);
    s->n = memory->size / DEV_CHUNK + 1;
    s->own = tw_xcalloc(s->n + LINE / sizeof *s->chunks, sizeof *s->chunks);
    s->chunks = (last_access *)tw_align_up((uintptr_t)s->own, LINE);
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
    free(s->own);
    free(s);
    memory->shadow = NULL;
}

/* Copies the chunk's record to its granules. */
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
    dev_access mine, other; /* other: a conflicting access; 0: none */
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
    return TW_UNLIKELY(!dev_is_over(a->thread, a->races, other));
}

/* Keeps a read concurrent with the new one: a write must be ordered after both. */
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

/* Returns a mask of the bytes of granule i that lie in a range. */
static uint16_t bytes_in(size_t i, size_t from, size_t end)
{
    const size_t begin = i * DEV_GRANULE;
    from = TW_MAX(begin, from) - begin;
    end = TW_MIN(begin + DEV_GRANULE, end) - begin;
    return (uint16_t)((1u << end) - (1u << from));
}

/* Visits part of a chunk, or a chunk whose granules differ. */
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

/* The usual case: whole chunks that agree, after accesses that are ordered before this one.
 * False, without effect, otherwise. */
static inline bool visit_equal(const dev_thread *t, dev_access mine,
                               const dev_memory *memory, size_t at, size_t size,
                               bool writes)
{
    const dev_races *r = t->machine->races;
    const struct dev_shadow *s = memory->shadow;
    if (!s || s->others || (at | size) % DEV_CHUNK)
        return false;
    last_access *c = s->chunks + at / DEV_CHUNK, *const end = c + size / DEV_CHUNK;
    const last_access first = *c;
    if (first.write == MIXED || !dev_is_over(t, r, first.write) ||
        !dev_is_over(t, r, first.read))
        return false;
    for (const last_access *other = c + 1; other < end; other++)
        if (other->write != first.write || other->read != first.read)
            return false;
    const last_access after = {writes ? mine : first.write, writes ? 0 : mine};
    for (; c < end; c++)
        *c = after;
    return true;
}

static inline void visit(access_call *a, dev_memory *memory, size_t at, size_t size,
                         bool writes)
{
    struct dev_shadow *s = shadow_of(memory);
    const size_t end = at + size;
    last_access before = {MIXED, MIXED}; /* of the last chunk: mostly equal */
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

static dev_access access_of(const dev_thread *t, const ir_op *op)
{
    return dev_access_at(t->machine->races, (uint32_t)t->clock.near[t->slot], t, op);
}

__attribute__((noinline)) static void read_parts(dev_thread *t, ir_op *op,
                                                 dev_memory *memory, size_t at, size_t size,
                                                 dev_access mine, bool reported)
{
    access_call a = {t, t->machine->races, mine, 0, false};
    visit(&a, memory, at, size, false);
    if (TW_UNLIKELY(a.other) && !reported)
        report_race(t, op, memory, at, size, "reads", "writes", a.other);
}

void dev_race_read(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                   bool reported)
{
    if (!memory->base && (at < t->machine->chip->l1_base || dev_core_of(memory)->n_words)) {
        dev_race_see_words(t, memory, at, size);
        if (dev_race_is_word(t, memory, at, size))
            return;
    }
    const dev_access mine = access_of(t, op);
    if (!visit_equal(t, mine, memory, at, size, false))
        read_parts(t, op, memory, at, size, mine, reported);
}

__attribute__((noinline)) static void write_parts(dev_thread *t, ir_op *op,
                                                  dev_memory *memory, size_t at,
                                                  size_t size, const uint8_t *bytes,
                                                  dev_access mine, bool reported)
{
    access_call a = {t, t->machine->races, mine, 0, false};
    visit(&a, memory, at, size, true);
    if (TW_LIKELY(!a.other) || reported)
        return;
    bool same = false;
    if (bytes) {
        dev_await_bytes(t->machine);
        same = memcmp(memory->bytes + at, bytes, size) == 0;
    }
    if (!same)
        report_race(t, op, memory, at, size, "writes", a.other_writes ? "writes" : "reads",
                    a.other);
}

void dev_race_write(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                    const uint8_t *bytes, bool reported)
{
    if (!memory->base && dev_race_is_word(t, memory, at, size))
        return;
    const dev_access mine = access_of(t, op);
    if (!visit_equal(t, mine, memory, at, size, true))
        write_parts(t, op, memory, at, size, bytes, mine, reported);
}
