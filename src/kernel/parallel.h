/* parallel.h: numbered tasks over the threads of a pool, as the larger kernels use it. */
#ifndef TILEWRIGHT_KERNEL_PARALLEL_H
#define TILEWRIGHT_KERNEL_PARALLEL_H

#include "support/base.h"

struct tw_threadpool;

/* Threads that work for a pool, the caller's included; 1 without a pool. */
static inline int krn_threads(struct tw_threadpool *pool)
{
    (void)pool;
    return 1;
}

/* run(context, task, thread) for each task in [0, tasks), thread in [0, threads); threads
 * 0: all. */
static inline void krn_parallel(struct tw_threadpool *pool, int threads, int64_t tasks,
                                void (*run)(void *context, int64_t task, int thread),
                                void *context)
{
    (void)pool;
    (void)threads;
    for (int64_t i = 0; i < tasks; i++)
        run(context, i, 0);
}

#endif
