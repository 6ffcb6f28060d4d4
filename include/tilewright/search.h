/* search.h: searches over runs of kernels on the simulated grid.
 *
 * Explore: the start of threads, the time between their calls and the arrival of transfers
 * are delayed, which gives other orders of one program; the search looks for one with an
 * error, or with other results. Its delays are reduced to a smallest set and can be
 * written to a file that runs them again. */
#ifndef TILEWRIGHT_SEARCH_H
#define TILEWRIGHT_SEARCH_H

#include "tilewright/progress.h"
#include "tilewright/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_explore_options {
    uint64_t orders;       /* runs at most */
    uint64_t seed;         /* of the delays; the same seed, the same runs */
    tw_progress *progress; /* or NULL */
} tw_explore_options;

typedef struct tw_explore_result {
    uint64_t orders;   /* runs that were made, */
    uint64_t distinct; /* those with an order that no earlier one had, */
    uint64_t pairs;    /* and pairs of accesses to one object, in an order, in all */
    bool interrupted;  /* cancelled: the figures are those so far */
    bool broken;       /* a run has an error, or other results than the first */
    uint64_t found;    /* it is run `found`, from 0: the one without delays */
    size_t delays;     /* the smallest number of delays that do it, */
    uint64_t tries;    /* after so many further runs */
} tw_explore_result;

/* TW_INVALID if an order breaks the program: tw_sim_log then has its reports, with a note
 * for each delay. Outputs are those of the last run. */
tw_status tw_sim_explore(tw_sim *sim, const tw_explore_options *options,
                         const void *const *inputs, void *const *outputs,
                         tw_explore_result *out_result);
/* The delays found by the last search, as text for tw_sim_set_delays; "" if none. */
const char *tw_sim_delays(const tw_sim *sim);
/* Later runs have these delays; size 0: none. `name` is the file's, for errors. */
tw_status tw_sim_set_delays(tw_sim *sim, const char *text, size_t size, const char *name);
/* The number of these that the last run met: fewer than were given if the file is of
 * another program. */
size_t tw_sim_delays_met(const tw_sim *sim, size_t *out_given);

/* The same for a launch. Each run finds its tensors as they were before the search; at its
 * end they have the results of the run that was found, or of one without delays. The flag
 * of tw_launch_set_cancel ends a search. */
tw_status tw_launch_explore(tw_launch *launch, const tw_explore_options *options,
                            tw_explore_result *out_result);
const char *tw_launch_delays(const tw_launch *launch);
tw_status tw_launch_set_delays(tw_launch *launch, const char *text, size_t size,
                               const char *name);

#ifdef __cplusplus
}
#endif
#endif
