/* dap_values.h: what a stop shows to an editor: nested variables. */
#ifndef TILEWRIGHT_TOOLS_DAP_VALUES_H
#define TILEWRIGHT_TOOLS_DAP_VALUES_H

#include "support/strbuf.h"
#include "tilewright/debug.h"

#include <jansson.h>

/* A variable with children: which ones depends on `kind`. */
typedef struct dap_handle {
    int kind;
    int thread;    /* whose core has it */
    int a, b, row; /* a buffer and a page, the first page and their count, ... */
} dap_handle;

/* Of one stop: handles are made as the editor opens variables. */
typedef struct dap_values {
    tw_stop *stop;
    json_t *state; /* tw_stop_describe of the thread that is looked at */
    int thread;
    dap_handle *at;
    size_t n, capacity;
} dap_values;

void dap_values_free(dap_values *v);
/* Blocks, circular buffers, semaphores and DST of the thread that is looked at. */
json_t *dap_scopes(dap_values *v);
/* The thread of a reference; -1 if the stop has none such. */
int dap_thread_of(const dap_values *v, json_int_t reference);
/* Children of a reference from `start`, `count` of them; 0: the first ones. */
json_t *dap_variables(dap_values *v, json_int_t reference, json_int_t start,
                      json_int_t count);
/* The variable of a name: a circular buffer's, "semaphore 0", "dst 0"; NULL without one. */
json_t *dap_named(dap_values *v, const char *text);
/* The names that there are, between commas. */
void dap_put_names(const dap_values *v, tw_strbuf *out);

#endif
