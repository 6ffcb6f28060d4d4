/* grid/debug/debug.h: the state of a debugger that outlives runs, and one of its stops. */
#ifndef TILEWRIGHT_GRID_DEBUG_DEBUG_H
#define TILEWRIGHT_GRID_DEBUG_DEBUG_H

#include "grid/machine/machine.h"
#include "tilewright/debug.h"

struct tw_stop {
    dev_machine *m;
    dev_debug *debug;
    dev_thread *thread; /* that commands look at: the stopped one, or another */
};

/* "runs", "waits for ..." or "has ended". */
void dev_debug_put_state(const dev_thread *t, tw_strbuf *out);
/* Runs what a machine's debug calls at a stop. */
void dev_debug_on_stop(void *user, dev_machine *m, dev_thread *t);

#endif
