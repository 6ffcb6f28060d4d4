/* grid/machine/debug.h: stops a run before an operation: at breakpoints, at breakpoint()
 * in a kernel (a signpost of that name), and after steps.
 *
 * The thread leaves its fiber, and the machine calls `stop` on the caller's stack; nothing
 * else runs until it returns. */
#ifndef TILEWRIGHT_GRID_MACHINE_DEBUG_H
#define TILEWRIGHT_GRID_MACHINE_DEBUG_H

#include "ir/op.h"
#include "support/status.h"

typedef struct dev_machine dev_machine;
typedef struct dev_thread dev_thread;
typedef struct dev_program dev_program;

/* CORE:THREAD:LINE; "*" is any core or thread. */
typedef struct dev_break {
    int y, x;           /* -1: any core */
    const char *kernel; /* the thread's function; NULL: any; owned */
    uint32_t line;
} dev_break;

typedef struct dev_debug {
    dev_break *breaks;
    size_t n, capacity;
    void (*stop)(void *user, dev_machine *m, dev_thread *t);
    void *user;
    bool quit; /* set by `stop`: the run ends as if cancelled */
    bool steps,
        each; /* set by `stop`: stops at the next line of `step_thread`, or operation */
    dev_thread *step_thread;
    bool pause; /* stops before the next line of any thread; set by any host thread */
    /* Of the present stop: */
    dev_thread *stopped;
    ir_op *op;
    const char *why;
} dev_debug;

void dev_debug_free(dev_debug *d);
/* Reads CORE:THREAD:LINE; TW_INVALID says what is expected. */
tw_status dev_break_read(tw_str text, dev_break *out);
/* Checks that a program has the core, the thread and an operation at the line; TW_NOT_FOUND
 * names the nearest. */
tw_status dev_break_check(const dev_machine *m, const dev_program *p, const dev_break *b);
/* The line of an operation in the file of its function; 0 for one in another file, whose
 * helper is inlined, and without a location. */
uint32_t dev_debug_line(ir_context *ctx, const ir_op *function, const ir_op *op);

/* Called by the machine where `debug` is set: before an operation; and after a thread has
 * left its fiber for a stop. */
void dev_debug_call(dev_thread *t, ir_op *op);
void dev_debug_stop(dev_machine *m);

#endif
