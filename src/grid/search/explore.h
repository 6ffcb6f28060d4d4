/* grid/search/explore.h: a search for an order of a program's threads that breaks it.
 *
 * The first run has no delays; the next ones delay the start of each thread; the others
 * draw delays (machine/delays.h), some of them on top of delays that brought two accesses
 * into a new order. A run breaks the program if it has an error that the first has not, or
 * other results. The delays that did it are reduced to a set of which each is needed. */
#ifndef TILEWRIGHT_GRID_SEARCH_EXPLORE_H
#define TILEWRIGHT_GRID_SEARCH_EXPLORE_H

#include "grid/machine/delays.h"
#include "support/status.h"
#include "support/strbuf.h"

/* What is explored. */
typedef struct dev_subject {
    void *user;
    /* Runs it under these delays, with at most `budget` operations of a thread (0: as the
     * user asked); gives a hash of its results. Errors of kernels are no failure: they are
     * in the delays' results. */
    tw_status (*run)(void *user, dev_delays *delays, uint64_t budget, uint64_t *out_result);
} dev_subject;

typedef struct dev_explored {
    uint64_t orders, distinct; /* runs; runs with an order that no earlier one had */
    uint64_t pairs;            /* pairs of accesses that were seen, in an order */
    uint64_t found;            /* the run that broke the program, from 0, */
    uint64_t tries;            /* and runs that reduced its delays */
    bool broken, interrupted;
    bool differs;          /* its only error: other results than in the first run */
    dev_delay_list delays; /* the smallest set; owned */
    uint64_t budget;       /* of operations of a thread, in that run */
} dev_explored;

/* Tries up to `orders` runs. A cancelled run ends the search without a failure. */
tw_status dev_explore(const dev_subject *subject, uint64_t orders, uint64_t seed,
                      dev_explored *out);
void dev_explored_free(dev_explored *e);

/* Reduces delays under which the subject fails as `signature` says (0: with other results
 * than `result`) to a set in which each is needed, and each to few cycles; returns the
 * number of runs. */
uint64_t dev_shrink(const dev_subject *subject, dev_delay_list *list, uint64_t signature,
                    uint64_t result, uint64_t budget);

/* Writes text that dev_replay_read reads, with the locations in comments. */
void dev_replay_write(ir_context *ctx, const dev_replay *replay, tw_strbuf *out);
/* TW_INVALID names the line that is wrong. */
tw_status dev_replay_read(tw_str text, const char *name, dev_replay *out);
/* "@sender on core 0,0 starts 200 cycles later" */
void dev_delay_describe(const dev_delay *delay, tw_strbuf *out);

#endif
