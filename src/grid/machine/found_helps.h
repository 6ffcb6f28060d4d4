/* grid/machine/found_helps.h: what a search found that would help, kept for its owner. */
#ifndef TILEWRIGHT_GRID_MACHINE_FOUND_HELPS_H
#define TILEWRIGHT_GRID_MACHINE_FOUND_HELPS_H

#include "support/arena.h"
#include "support/strbuf.h"

typedef struct dev_found_helps {
    tw_arena arena;
    struct tw_help *at; /* in the arena */
    size_t n;
    tw_strbuf text, json;
} dev_found_helps;

#endif
