/* grid/machine/debugger.h: a debugger of the runs of one host function or launch. */
#ifndef TILEWRIGHT_GRID_MACHINE_DEBUGGER_H
#define TILEWRIGHT_GRID_MACHINE_DEBUGGER_H

#include "grid/machine/debug.h"
#include "tilewright/debug.h"

typedef struct dev_debugger {
    dev_debug debug;
    tw_on_stop *on_stop; /* NULL: runs do not stop */
    void *user;
} dev_debugger;

#endif
