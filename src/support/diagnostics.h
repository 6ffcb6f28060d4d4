/* support/diagnostics.h: the structure behind tilewright/diagnostics.h. */
#ifndef TILEWRIGHT_SUPPORT_DIAGNOSTICS_H
#define TILEWRIGHT_SUPPORT_DIAGNOSTICS_H

#include "support/arena.h"
#include "support/strbuf.h"
#include "tilewright/diagnostics.h"

#include <pthread.h>

struct tw_diagnostics {
    pthread_mutex_t mutex;
    tw_arena arena; /* the texts */
    tw_diagnostic *at;
    size_t count, capacity;
    tw_strbuf report; /* the last one */
};

#endif
