/* semaphore_waits.h: maps waits on semaphores to the pipe or named semaphore of the source
 * program. */
#ifndef TILEWRIGHT_GRID_CHECK_SEMAPHORE_WAITS_H
#define TILEWRIGHT_GRID_CHECK_SEMAPHORE_WAITS_H

#include "grid/machine/machine.h"

/* The pipe that a wait belongs to: rows and columns of its source, its first and its last
 * destination. `sends`: the wait is at the source. */
typedef struct dev_pipe {
    ir_attr attr, made;
    int64_t src[2], first[2], last[2];
    bool sends;
} dev_pipe;

bool dev_pipe_of(const ir_op *wait, dev_pipe *out);
bool dev_same_pipe(const dev_pipe *a, const dev_pipe *b);
/* "pipe 'net' from core 0,0 to cores 0,1-0,3" */
void dev_pipe_name(const dev_pipe *p, tw_strbuf *out);
/* The same, or "semaphore 'ready'"; false for waits without an annotation. */
bool dev_wait_name(const ir_op *wait, tw_strbuf *out);
bool dev_wait_is_named(const ir_op *wait); /* true for a named semaphore */
/* Returns the location where the pipe or semaphore was created, or NULL. */
ir_attr dev_wait_made(const ir_op *wait);

#endif
