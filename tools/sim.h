/* sim.h: `tilewright sim FILE`. */
#ifndef TILEWRIGHT_TOOLS_SIM_H
#define TILEWRIGHT_TOOLS_SIM_H

#include "cli.h"
#include "explain.h"
#include "support/status.h"
#include "tilewright/sim.h"

typedef struct sim_options {
    const char *inputs, *outputs, *entry, *chip, *numerics, *trace;
    bool profile, no_races, what_if;
    bool cpp; /* kernels run as their emitted C++ */
    cli_list breaks;
    cli_list kernels;            /* files of C++ that replace the program's kernels */
    cli_list report;             /* see report.h */
    const char *explain;         /* the page of what passes change */
    const char *replay, *delays; /* files: delays to run with, and where found ones go */
    int64_t seed, budget, threads, explore;
} sim_options;

/* Returns the exit status: 0, 1 for an error, 77 for unsupported programs. */
int sim_file(const char *path, const sim_options *options);

/* sim_cpp.c: the options for kernels in C++; `explainer` gets the passes that emit it, or
 * is NULL. */
tw_status sim_add_cpp(tw_sim *sim, const sim_options *options, const char *path,
                      tw_str program, explainer *explainer);
/* sim_explore.c: searches `o->explore` orders, prints what was found and writes the delays
 * that break the kernels. */
tw_status sim_explore(tw_sim *sim, const sim_options *options, const char *path, void **in,
                      void **out);
/* sim_debug.c: lets runs stop at breakpoints, with a prompt. */
tw_status sim_set_breaks(tw_sim *sim, const sim_options *options);
/* Prints what would help. */
tw_status sim_what_if(tw_sim *sim, void **in, void **out);
/* Lets later runs have the delays of a file. */
tw_status sim_set_replay(tw_sim *sim, const char *file);
/* Warns of delays of the file that the run did not meet. */
void sim_check_replay(const tw_sim *sim, const sim_options *options);

/* Prints docs/cpp-functions.md. */
int sim_list_functions(void);
/* Writes the kernel API's headers into a folder. */
int sim_write_api(const char *folder);

/* Prints docs/sim-operations.md. */
int sim_list_operations(void);

#endif
