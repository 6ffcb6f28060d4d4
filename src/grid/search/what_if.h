/* grid/search/what_if.h: what would help: the same program with each part of the device,
 * each circular buffer's depth and each line of its kernels better in turn. */
#ifndef TILEWRIGHT_GRID_SEARCH_WHAT_IF_H
#define TILEWRIGHT_GRID_SEARCH_WHAT_IF_H

#include "grid/machine/machine.h"

/* What is measured; a change is in `speed`, which the run's machine gets. */
typedef struct dev_measured {
    void *user;
    const dev_chip *chip;
    tw_status (*run)(void *user, dev_speed *speed);
} dev_measured;

typedef enum dev_help_kind { DEV_HELP_PART, DEV_HELP_BUFFER, DEV_HELP_LINE } dev_help_kind;

typedef struct dev_help {
    dev_help_kind kind;
    dev_part part;
    int port;
    uint32_t pages; /* of the buffer as it is */
    const char *name;
    dev_line line;
    double twice, free; /* cycles saved: twice as fast, or as deep; in no time */
    dev_part mostly;    /* of a line: the part that most of it is; DEV_PARTS: none */
    bool no_room;       /* L1 has no space for the deeper buffer: nothing was measured */
} dev_help;

typedef struct dev_helps {
    double cycles; /* of the program as it is */
    dev_help *at;  /* in order of the cycles that they save */
    size_t n, capacity;
    bool interrupted; /* cancelled: these are the ones that were measured before */
} dev_helps;

tw_status dev_what_if(const dev_measured *measured, dev_helps *out);
void dev_helps_free(dev_helps *h);
/* A table, with the text of lines whose file can be read. */
void dev_helps_write(const dev_helps *h, tw_strbuf *out);
/* The same for the page: a JSON array. */
void dev_helps_json(const dev_helps *h, tw_strbuf *out);
/* "circular buffer 0 ('x_cb') with 4 pages, not 2" */
void dev_help_name(const dev_help *h, tw_strbuf *out);

#endif
