/* jobs.c: a ring with one thread at each end.
 *
 * The producer publishes its end only now and then, so that the cache line does not move
 * between cores with every job. The consumer spins, then yields, and sleeps only between
 * programs. */
#include "grid/machine/jobs.h"

#include "host/strips/strip.h"
#include "support/arena.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RING = 1024, BATCH = 8, SPINS = 200, LINE = 64 };

struct dev_jobs {
    dev_job ring[RING];
    _Alignas(LINE) _Atomic uint64_t given; /* jobs visible to the consumer */
    _Alignas(LINE) _Atomic uint64_t done;
    _Alignas(LINE) uint64_t end,
        seen;      /* the producer's: jobs in the ring; completed when last checked */
    pid_t process; /* that owns the thread: fork copies no threads */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool active, over; /* under the mutex */
    atomic_bool idle;  /* the program has ended: sleep */
    fenv_t modes;      /* floating-point modes of the producer */
};

static void relax(unsigned *spins)
{
    if (++*spins < SPINS) {
#ifdef __x86_64__
        __builtin_ia32_pause();
#endif
    } else {
        sched_yield();
    }
}

static void work(dev_jobs *j)
{
    uint64_t at = atomic_load_explicit(&j->done, memory_order_relaxed);
    for (unsigned spins = 0;;) {
        uint64_t given = atomic_load_explicit(&j->given, memory_order_acquire);
        if (at == given) {
            if (atomic_load_explicit(&j->idle, memory_order_acquire) &&
                at == atomic_load_explicit(&j->given, memory_order_acquire))
                return;
            relax(&spins);
            continue;
        }
        spins = 0;
        while (at < given) {
            const dev_job *job = &j->ring[at % RING];
            job->kind->run(job);
            at++;
            if (at % BATCH == 0 || at == given)
                atomic_store_explicit(&j->done, at, memory_order_release);
        }
    }
}

static void *run(void *user)
{
    dev_jobs *j = user;
    pthread_mutex_lock(&j->mutex);
    while (!j->over) {
        if (!j->active) {
            pthread_cond_wait(&j->wake, &j->mutex);
            continue;
        }
        pthread_mutex_unlock(&j->mutex);
        fesetenv(&j->modes);
        work(j);
        pthread_mutex_lock(&j->mutex);
        j->active = false;
        pthread_cond_broadcast(&j->wake);
    }
    pthread_mutex_unlock(&j->mutex);
    return NULL;
}

tw_status dev_jobs_create(dev_jobs **out_jobs)
{
    dev_jobs *j = aligned_alloc(LINE, tw_align_up(sizeof *j, LINE));
    if (!j)
        return tw_error(TW_RESOURCE, "no memory for a queue of jobs");
    memset(j, 0, sizeof *j);
    j->process = getpid();
    pthread_mutex_init(&j->mutex, NULL);
    pthread_cond_init(&j->wake, NULL);
    int error = pthread_create(&j->thread, NULL, run, j);
    if (error) {
        pthread_cond_destroy(&j->wake);
        pthread_mutex_destroy(&j->mutex);
        free(j);
        return tw_error(TW_RESOURCE, "cannot start a second thread: %s", strerror(error));
    }
    *out_jobs = j;
    return TW_SUCCESS;
}

void dev_jobs_destroy(dev_jobs *j)
{
    if (!j)
        return;
    if (j->process == getpid()) {
        pthread_mutex_lock(&j->mutex);
        j->over = true;
        pthread_cond_broadcast(&j->wake);
        pthread_mutex_unlock(&j->mutex);
        pthread_join(j->thread, NULL);
        pthread_cond_destroy(&j->wake);
        pthread_mutex_destroy(&j->mutex);
    }
    free(j);
}

bool dev_jobs_are_here(const dev_jobs *j)
{
    return j->process == getpid();
}

void dev_jobs_begin(dev_jobs *j)
{
    pthread_mutex_lock(&j->mutex);
    while (j->active) /* it may not have gone to sleep after the last program */
        pthread_cond_wait(&j->wake, &j->mutex);
    fegetenv(&j->modes);
    atomic_store_explicit(&j->idle, false, memory_order_release);
    j->active = true;
    pthread_cond_broadcast(&j->wake);
    pthread_mutex_unlock(&j->mutex);
}

void dev_jobs_end(dev_jobs *j)
{
    dev_jobs_wait(j);
    atomic_store_explicit(&j->idle, true, memory_order_release);
}

static void wait_until_done(dev_jobs *j, uint64_t number)
{
    for (unsigned spins = 0; j->seen < number; relax(&spins))
        j->seen = atomic_load_explicit(&j->done, memory_order_acquire);
}

void dev_jobs_add(dev_jobs *j, const dev_job *job)
{
    if (j->end - j->seen >= RING) {
        atomic_store_explicit(&j->given, j->end, memory_order_release);
        wait_until_done(j, j->end - RING + BATCH);
    }
    j->ring[j->end % RING] = *job;
    if (++j->end % BATCH == 0)
        atomic_store_explicit(&j->given, j->end, memory_order_release);
}

void dev_jobs_publish(dev_jobs *j)
{
    atomic_store_explicit(&j->given, j->end, memory_order_release);
}

void dev_jobs_wait(dev_jobs *j)
{
    if (j->seen == j->end)
        return;
    dev_jobs_publish(j);
    wait_until_done(j, j->end);
}

void dev_job_put(const dev_job *job, const void *result, size_t size)
{
    if (result != job->out)
        krn_strips()->stream(result, size, job->out);
}

void dev_job_fence(void)
{
    krn_strips()->fence();
}

static void copy(const dev_job *job)
{
    if (!job->past) {
        memmove(job->out, job->a, job->size);
        return;
    }
    dev_job_put(job, job->a, job->size);
    dev_job_fence();
}

static void prefetch(const dev_job *job)
{
    const char *at = job->a, *end = at + job->size;
    if (job->how)
#pragma GCC unroll 8
        for (; at < end; at += LINE)
            __builtin_prefetch(at, 1, 2);
    else
#pragma GCC unroll 8
        for (; at < end; at += LINE)
            __builtin_prefetch(at, 0, 2);
}

const dev_job_kind dev_job_copy = {copy, DEV_SIZE, DEV_SIZE, DEV_NO_BYTES};
const dev_job_kind dev_job_prefetch = {prefetch, DEV_NO_BYTES, DEV_NO_BYTES, DEV_NO_BYTES};
