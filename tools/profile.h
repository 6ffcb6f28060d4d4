/* profile.h: what a run took, for people and for trace viewers. */
#ifndef TILEWRIGHT_TOOLS_PROFILE_H
#define TILEWRIGHT_TOOLS_PROFILE_H

#include "tilewright/tilewright.h"

/* Operations by the time they took, the slowest first, and the memory taken. */
void profile_print(const tw_program *p);
/* Events for chrome://tracing and ui.perfetto.dev. */
tw_status profile_write_trace(const tw_program *p, const char *path);
/* Whether an environment variable that switches something is set to 1, true, on or yes. */
bool profile_flag_variable(const char *name);
/* How many threads a program's runs share: the option if it is not 0, else what the
 * variable TILEWRIGHT_THREADS says, else 1. */
int profile_threads(int64_t option);

#endif
