/* grid/machine/delays.h: extra cycles at the points of a run where threads meet, and the
 * order that the run took.
 *
 * Hardware promises no time for the start of a core, for the arrival of a transfer or for a
 * thread between two calls: each of these points may come later. A run with delays is
 * another order of the same program. Transfers of one thread over one NoC to one memory
 * stay in their order, as on hardware. A delay is named by its program, thread, kind and
 * count, so that the same list gives the same run. */
#ifndef TILEWRIGHT_GRID_MACHINE_DELAYS_H
#define TILEWRIGHT_GRID_MACHINE_DELAYS_H

#include "ir/op.h"

typedef struct dev_machine dev_machine;
typedef struct dev_thread dev_thread;
typedef struct dev_memory dev_memory;
typedef struct dev_noc_address dev_noc_address;

typedef enum dev_delay_kind {
    DEV_DELAY_START,   /* of a thread */
    DEV_DELAY_CALL,    /* before a call that other threads can observe */
    DEV_DELAY_ARRIVAL, /* of a transfer or word */
    DEV_DELAY_KINDS
} dev_delay_kind;

typedef struct dev_delay {
    uint32_t program, thread; /* counted from 0 in a run of the host function */
    dev_delay_kind kind;
    uint32_t nth; /* point of its kind in the thread */
    double cycles;
    const ir_op *op, *kernel; /* where it was taken; not part of its name */
    int y, x;
} dev_delay;

typedef struct dev_delay_list {
    dev_delay *at;
    size_t n, capacity;
} dev_delay_list;

/* What a run with delays repeats. */
typedef struct dev_replay {
    dev_delay_list delays;
    uint64_t seed;   /* of the order of threads with equal clocks */
    uint64_t budget; /* of operations of a thread; 0: the user's */
} dev_replay;

/* A set of 64-bit hashes. */
typedef struct dev_hashes {
    uint64_t *at;
    size_t n, capacity;
} dev_hashes;

/* Two accesses to one object in an order that no earlier run had. */
typedef struct dev_new_order {
    const ir_op *before, *after;
} dev_new_order;

typedef struct dev_delays {
    const dev_delay_list *given;    /* sorted; or NULL */
    uint64_t seed;                  /* of delays that are drawn, */
    double chance[DEV_DELAY_KINDS]; /* each with this probability, */
    double longest;                 /* of 1 to `longest` cycles, evenly on a log scale */
    dev_hashes *known;              /* pairs of accesses that runs have had; or NULL */
    /* Results, since dev_delays_begin: */
    dev_delay_list taken;
    uint64_t points[DEV_DELAY_KINDS]; /* points that were met */
    uint64_t order;                   /* hash of every pair of accesses */
    uint64_t new_pairs;
    dev_new_order first_new;
    uint32_t programs;
    double cycles;      /* of the longest program */
    uint64_t steps;     /* operations of the thread that executed the most */
    uint64_t signature; /* of the first error; 0: none */
    const ir_op *error_at;
    struct dev_last_access *last; /* the last access to each object */
    size_t n_last, last_capacity;
} dev_delays;

/* Clears the results of an earlier run. */
void dev_delays_begin(dev_delays *d);
void dev_delays_free(dev_delays *d);
/* Sorts a list by the delays' names. */
void dev_delay_list_sort(dev_delay_list *list);

/* Called by the machine where `delays` is set: */
void dev_delay_start(dev_thread *t);
void dev_delay_call(dev_thread *t, const ir_op *op);
double dev_delay_arrival(dev_thread *t, const dev_noc_address *far, bool read, int noc,
                         double time);
/* An access to an object that others may access in another order. */
void dev_order_access(const dev_thread *t, const ir_op *op, const dev_memory *memory,
                      size_t at);
/* The end of a program: keeps its first error. */
void dev_delays_end_program(dev_machine *m);

/* Adds a hash; true if it is new. */
bool dev_hashes_add(dev_hashes *set, uint64_t hash);
bool dev_hashes_have(const dev_hashes *set, uint64_t hash);
void dev_hashes_free(dev_hashes *set);
/* A well-mixed function of 64 bits. */
static inline uint64_t dev_scramble(uint64_t z)
{
    z += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

#endif
