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
    uint64_t tries;    /* after that many further runs */
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

/* ---- what would help --------------------------------------------------------------- */

/* A part of the device, a circular buffer or a source line, and the cycles that the program
 * takes less where it alone is better. */
typedef struct tw_help {
    const char *what; /* "DRAM", "circular buffer 0 ('x') with 4 pages, not 2", "k.py:31" */
    const char *file; /* of a line; else NULL */
    unsigned line;
    double twice; /* cycles saved where it is twice as fast; a buffer: twice as deep */
    double free;  /* where it takes no time; a buffer: as `twice` */
} tw_help;

/* Runs the program for each of: DRAM, NoC, unpackers, math units, packer; each
 * circular buffer; each line. TW_INVALID if the kernels have errors. The timeline of later
 * runs (option `profile`) has the table and marks the lines. */
tw_status tw_sim_what_if(tw_sim *sim, const void *const *inputs, void *const *outputs,
                         tw_progress *progress);
/* The i-th, in order of the cycles that they save; NULL past the end. Valid until the next
 * search. */
const tw_help *tw_sim_help(const tw_sim *sim, size_t i);
/* All as a table; "" before a search. */
const char *tw_sim_help_text(const tw_sim *sim);

tw_status tw_launch_what_if(tw_launch *launch, tw_progress *progress);
const tw_help *tw_launch_help(const tw_launch *launch, size_t i);
const char *tw_launch_help_text(const tw_launch *launch);

#ifdef __cplusplus
}
#endif
#endif
