/* parallel.h: indexed tasks on the threads of a pool, for the larger kernels. */
#ifndef TILEWRIGHT_HOST_PARALLEL_H
#define TILEWRIGHT_HOST_PARALLEL_H

#include "support/threadpool.h"

/* Threads that work for a pool, the caller's included; 1 without a pool. */
static inline int krn_threads(tw_threadpool *pool)
{
    return tw_threadpool_threads(pool);
}

/* run(context, task, thread) for each task in [0, tasks), thread in [0, threads); threads
 * 0: all. */
static inline void krn_parallel(tw_threadpool *pool, int threads, int64_t tasks,
                                tw_task_fn run, void *context)
{
    tw_threadpool_run(pool, threads, tasks, run, context);
}

#endif
