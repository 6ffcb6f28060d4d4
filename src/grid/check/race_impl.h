/* grid/check/race_impl.h: representation and comparison of accesses, for race.c and
 * race_memory.c. */
#ifndef TILEWRIGHT_GRID_CHECK_RACE_IMPL_H
#define TILEWRIGHT_GRID_CHECK_RACE_IMPL_H

#include "grid/machine/machine.h"

/* An access: the thread's count in the upper half, the thread, and enough bits of the
 * operation's address to find it in its module. Counts keep increasing from program to
 * program, so that accesses recorded by former programs are old. */
typedef uint64_t dev_access;

enum {
    SITE_BITS = 20,
    THREAD_BITS = 12,
    COUNT_AT = SITE_BITS + THREAD_BITS,
    MANY = 1 << THREAD_BITS,
};

/* A word used by threads for signalling. */
struct dev_word {
    uint32_t at;
    dev_far *far;
    dev_access set, added, waited; /* waited: for one exact value */
};

struct dev_races {
    uint32_t base;   /* counts of this program are relative to it */
    size_t n;        /* number of threads */
    uint32_t *slots; /* of each thread: index of its core, and its slot in it */
    size_t slots_capacity;
    dev_far **spare;
    size_t n_spare, spare_capacity;
};

static inline uint32_t dev_site_of(const ir_op *op)
{
    return (uint32_t)((uintptr_t)op >> 4) & ((1u << SITE_BITS) - 1);
}

static inline dev_access dev_access_at(const dev_races *r, uint32_t count,
                                       const dev_thread *t, const ir_op *op)
{
    return (dev_access)(r->base + count) << COUNT_AT | (dev_access)t->number << SITE_BITS |
           dev_site_of(op);
}

static inline uint32_t dev_count_of(dev_access a)
{
    return (uint32_t)(a >> COUNT_AT);
}

static inline uint32_t dev_who_of(dev_access a)
{
    return (uint32_t)(a >> SITE_BITS) & (MANY - 1);
}

/* True if the access happens-before the thread's present, by its clock. */
static inline bool dev_is_over(const dev_thread *t, const dev_races *r, dev_access a)
{
    const uint32_t who = dev_who_of(a), count = dev_count_of(a);
    if (count <= r->base || who == t->number)
        return true;
    const uint32_t slot = r->slots[who] - t->first_slot;
    if (slot < DEV_NEAR)
        return count - r->base <= (uint32_t)t->clock.near[slot];
    return t->clock.far && (int64_t)count - r->base <= t->clock.far->counts[who];
}

/* Returns the operation of an access: in its kernel, or in a function that it calls. */
ir_op *dev_access_op(const dev_machine *m, dev_access a);

#endif
