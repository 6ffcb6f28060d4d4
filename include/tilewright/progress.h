/* progress.h: how far long work has come. */
#ifndef TILEWRIGHT_PROGRESS_H
#define TILEWRIGHT_PROGRESS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Written by the library while it works; another thread of the caller may read it and show
 * it.  All 0 to begin with. */
typedef struct tw_progress {
    const char *volatile what; /* a pass or an operation, a constant text; NULL: unknown */
    volatile size_t done, total; /* steps of this phase; total 0: unknown */
} tw_progress;

#ifdef __cplusplus
}
#endif
#endif
