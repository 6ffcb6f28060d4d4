/* grid/check/race_impl.h: how accesses are kept and compared, for race.c and race_memory.c.
 */
#ifndef TILEWRIGHT_GRID_CHECK_RACE_IMPL_H
#define TILEWRIGHT_GRID_CHECK_RACE_IMPL_H

#include "grid/machine/machine.h"

/* Who did something, when and by what operation: the thread's count in the upper half, the
 * thread, and enough of the operation's address to find it in its module.  Counts go on
 * from program to program, so that what memory remembers of former ones is old. */
typedef uint64_t dev_access;

enum {
    SITE_BITS = 20,
    THREAD_BITS = 12,
    COUNT_AT = SITE_BITS + THREAD_BITS,
    MANY = 1 << THREAD_BITS,
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

/* Whether what was done then is over, for all that the thread knows. */
static inline bool dev_is_over(const dev_thread *t, const dev_races *r, dev_access a)
{
    const uint32_t who = dev_who_of(a);
    const int64_t count = (int64_t)dev_count_of(a) - r->base;
    if (who == t->number || count <= 0)
        return true;
    if ((r->places[who] ^ r->places[t->number]) < DEV_NEAR)
        return count <= t->clock.near[r->places[who] % DEV_NEAR];
    return t->clock.far && count <= t->clock.far->counts[who];
}

/* The operation of an access: in its kernel, or in what that calls. */
ir_op *dev_access_op(const dev_machine *m, dev_access a);

#endif
