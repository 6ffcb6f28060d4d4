/* progress.h: a line on a terminal while work takes longer than two seconds. */
#ifndef TILEWRIGHT_TOOLS_PROGRESS_H
#define TILEWRIGHT_TOOLS_PROGRESS_H

#include "tilewright/progress.h"

/* Starts watching, if stderr is a terminal; the library writes into what this returns.
 * `label` is shown until it does. */
tw_progress *progress_start(const char *tool, const char *label);
/* Removes the line before something else is printed; it comes back. */
void progress_clear(void);
void progress_stop(void);

#endif
