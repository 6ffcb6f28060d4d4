/* dap_session.h: the state of a session of `tilewright sim --dap`, and its requests. */
#ifndef TILEWRIGHT_TOOLS_DAP_SESSION_H
#define TILEWRIGHT_TOOLS_DAP_SESSION_H

#include "dap_channel.h"
#include "dap_values.h"
#include "tilewright/debug.h"

#include <pthread.h>

/* Id of the thread that is shown while no kernel has run; threads of cores follow. */
enum { HOST = 1 };

typedef struct breakpoint {
    char *path;
    json_int_t id, wanted, line;
    bool verified;
    char message[160]; /* why it is not verified, or "" */
} breakpoint;

typedef struct dap_session {
    dap_channel channel;
    dap_capture out, err;
    json_t *launched; /* the arguments of the launch request */
    bool started, ended, left, broken, ends;
    bool staying;       /* in a stop that the client knows of */
    bool entry, pauses; /* the client wants a stop */
    bool stale;         /* breakpoints have changed since the last stop */
    breakpoint *breaks;
    size_t n_breaks, capacity;
    json_int_t ids;
    json_t *functions; /* of kernels that have run, with their lines */
    json_t *threads;   /* of the last stop */
    tw_sim *sim;
    tw_stop *stop;
    dap_values values;
    tw_stop_next next;
    int step_thread;
    const char *step_command; /* NULL: it goes on to a breakpoint */
    /* While the program runs: whether input is to stop it. */
    pthread_t watcher;
    volatile bool armed, watching;
} dap_session;

/* Answers a message, which it releases; true if a stop goes on after it. */
bool dap_answer(dap_session *s, json_t *message);

/* Of the stop: gives it a command, whose answer is freed with free. */
char *dap_command(dap_session *s, const char *line);
/* Reads what it has. */
void dap_describe(dap_session *s);
/* Looks at another thread: commands and values are about its core. */
void dap_look_at(dap_session *s, const json_t *thread);
/* Gives the run the client's breakpoints, and says where they are. */
void dap_set_breaks(dap_session *s);
/* The ids of breakpoints at a thread's line. */
json_t *dap_breakpoints_at(dap_session *s, const json_t *thread);

#endif
