/* support/threadpool.h: threads that share the numbered tasks of successive calls.
 *
 * The caller works too, so a pool of one needs no other threads. All pools of a process
 * share their threads, as many as the largest pool needs, which the first call with work
 * for them starts.  Between calls threads spin for some hundred microseconds, then yield,
 * and after a millisecond sleep.  A call from inside a task, or while another thread's call
 * is under way, runs all its tasks on the calling thread: a call waits for its own tasks
 * only.  A child of fork starts threads of its own; a task does not fork. */
#ifndef TILEWRIGHT_SUPPORT_THREADPOOL_H
#define TILEWRIGHT_SUPPORT_THREADPOOL_H

#include "support/status.h"

typedef struct tw_threadpool tw_threadpool;

#define TW_MAX_THREADS 256 /* of a pool */

/* threads: the number of workers, the caller included; 0: one for each processor this
 * process may use. */
TW_NODISCARD tw_status tw_threadpool_create(int threads, tw_threadpool **out_pool);

/* With the last pool the threads end; NULL is allowed. No call of this pool may be under
 * way. */
void tw_threadpool_release(tw_threadpool *pool);

/* 1 for NULL. */
int tw_threadpool_threads(const tw_threadpool *pool);

/* While *cancel is not 0 no task is started: calls skip the remaining ones. Set between
 * calls; NULL: never cancelled. */
void tw_threadpool_set_cancel(tw_threadpool *pool, const volatile int *cancel);
/* For long tasks, and after a call; false for NULL. */
bool tw_threadpool_cancelled(const tw_threadpool *pool);

/* Lets all pools of the process run their calls on the threads of an OpenMP library that it
 * has loaded anyway (`library`: the file's path), so that two sets of threads do not wait,
 * spinning, for each other. The library exports GOMP_parallel, as GNU's, LLVM's and Intel's
 * do. A child of fork goes back to threads of its own. Returns false if the library is not
 * loaded or lacks the function. */
bool tw_threadpool_use_openmp(const char *library);

typedef void (*tw_task_fn)(void *context, int64_t task, int thread);

/* Calls run(context, task, thread) once for each task in [0, tasks), in any order; `thread`
 * < limit distinguishes concurrent tasks (limit 0: the whole pool). Returns when all are
 * done and their writes are visible. pool may be NULL. */
void tw_threadpool_run(tw_threadpool *pool, int limit, int64_t tasks, tw_task_fn run,
                       void *context);

#endif
