/* profile.h: a run's times, as a table and for trace viewers. */
#ifndef TILEWRIGHT_TOOLS_PROFILE_H
#define TILEWRIGHT_TOOLS_PROFILE_H

#include "tilewright/tilewright.h"

/* Operations by time, the slowest first: what this machine took and what the modelled chip
 * would take; and the peak memory. */
void profile_print(tw_program *p);
/* Events for chrome://tracing and ui.perfetto.dev. */
tw_status profile_write_trace(const tw_program *p, const char *path);
/* True if an environment variable is set to 1, true, on or yes. */
bool profile_flag_variable(const char *name);
/* The number of threads of a program's runs: the option if it is not 0, else the variable
 * TILEWRIGHT_THREADS, else 1. */
int profile_threads(int64_t option);

#endif
