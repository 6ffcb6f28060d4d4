/* dap_channel.h: messages with Content-Length over two file descriptors, and what a program
 * prints as messages. */
#ifndef TILEWRIGHT_TOOLS_DAP_CHANNEL_H
#define TILEWRIGHT_TOOLS_DAP_CHANNEL_H

#include "support/strbuf.h"

#include <jansson.h>
#include <stdio.h>

typedef struct dap_channel {
    int in, out;
    tw_strbuf bytes; /* that were received */
    size_t at;       /* those before it are processed */
    bool ended;      /* the input has ended */
    tw_strbuf wrong; /* why the bytes are no message */
    json_int_t sent; /* messages */
} dap_channel;

/* The next request, to be released; NULL without one: at the end of the input, after bytes
 * that are no message (`wrong`), or where `wait` is false and none is complete. */
json_t *dap_read(dap_channel *c, bool wait);
/* Takes over the message. */
void dap_write(dap_channel *c, json_t *message);
/* Takes over the body, which may be NULL. */
void dap_event(dap_channel *c, const char *name, json_t *body);
/* {"name": ..., "path": ...} with an absolute path. */
json_t *dap_source(const char *path);

/* A descriptor whose bytes go to a file until they are sent. */
typedef struct dap_capture {
    FILE *file;
    int descriptor, before; /* the descriptor's former file, duplicated */
    long sent;
    const char *category;
} dap_capture;

bool dap_capture_begin(dap_capture *c, int descriptor, const char *category);
/* Sends what was written since: reports that name a line as events at that line. */
void dap_capture_send(dap_capture *c, dap_channel *to);
/* Restores the descriptor. */
void dap_capture_end(dap_capture *c);

#endif
