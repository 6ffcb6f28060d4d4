/* support/threadpool.h: threads that share the numbered tasks of successive calls.
 *
 * The caller works too, so a pool of one has no threads of its own; others start theirs
 * with the first call that has work for them.  Between calls threads spin for some hundred
 * microseconds, then yield, and after a millisecond sleep.  A call from inside a task, or
 * while another thread's call is under way, runs all its tasks on the calling thread: a
 * call waits for its own tasks only.  A child of fork starts threads of its own; a task
 * does not fork. */
#ifndef TILEWRIGHT_SUPPORT_THREADPOOL_H
#define TILEWRIGHT_SUPPORT_THREADPOOL_H

#include "support/status.h"

typedef struct tw_threadpool tw_threadpool;

#define TW_MAX_THREADS 256 /* of a pool */

/* threads: the number of workers, the caller included; 0: one for each processor this
 * process may use. */
TW_NODISCARD tw_status tw_threadpool_create(int threads, tw_threadpool **out_pool);

/* Ends the threads; NULL is allowed. No call may be under way. */
void tw_threadpool_release(tw_threadpool *pool);

/* 1 for NULL. */
int tw_threadpool_threads(const tw_threadpool *pool);

/* While *cancel is not 0 no task is started: calls skip the remaining ones. Set between
 * calls; NULL: never cancelled. */
void tw_threadpool_set_cancel(tw_threadpool *pool, const volatile int *cancel);
/* For long tasks, and after a call; false for NULL. */
bool tw_threadpool_cancelled(const tw_threadpool *pool);

typedef void (*tw_task_fn)(void *context, int64_t task, int thread);

/* Calls run(context, task, thread) once for each task in [0, tasks), in any order; `thread`
 * < limit distinguishes concurrent tasks (limit 0: the whole pool). Returns when all are
 * done and their writes are visible. pool may be NULL. */
void tw_threadpool_run(tw_threadpool *pool, int limit, int64_t tasks, tw_task_fn run,
                       void *context);

#endif
