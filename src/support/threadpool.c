/* support/threadpool.c: see threadpool.h.
 *
 * `state` is the number of threads inside the current job, plus OPEN while it may be
 * entered.  A thread enters by adding one to an open state and only then reads the job; the
 * caller closes it when the tasks are dealt out and waits for the count to fall to zero.  A
 * thread that wakes late finds the job closed and goes back to sleep, so no caller waits
 * for it. */
#include "support/threadpool.h"

#include "support/fork.h"
#include "support/guard.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define OPEN (UINT64_C(1) << 32)
/* How long a thread waits before it sleeps, since waking takes some fifty microseconds: it
 * spins for SPINS iterations, some 100 microseconds, more than the gap between steps of a
 * program; then it yields YIELDS times (a millisecond if the processor is otherwise
 * idle). */
#define SPINS 4000
#define YIELDS 2000

typedef struct worker {
    tw_threadpool *pool;
    pthread_t thread;
    int index;
} worker;

struct tw_threadpool {
    int threads, started; /* the caller included */
    bool begun;           /* threads have been started */
    tw_fork_watch fork;
    const volatile int *cancel;
    /* the job; written by the caller while the state is closed and no thread is inside */
    tw_task_fn run;
    void *context;
    int64_t tasks;
    int limit;

    _Atomic uint64_t state;
    _Atomic size_t lacking; /* bytes that a task had no memory for */
    _Atomic int64_t next;
    _Atomic uint64_t generation; /* of jobs; odd while the pool ends */
    _Atomic int sleepers;
    atomic_flag busy;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    worker workers[];
};

void tw_threadpool_set_cancel(tw_threadpool *pool, const volatile int *cancel)
{
    pool->cancel = cancel;
}

bool tw_threadpool_cancelled(const tw_threadpool *pool)
{
    return pool && tw_is_cancelled(pool->cancel);
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* One more iteration of waiting. */
static void wait_more(int turn)
{
    if (turn < SPINS)
        relax();
    else
        sched_yield();
}

static void deal_out(void *context, int64_t unused, int thread)
{
    tw_threadpool *pool = context;
    (void)unused;
    for (;;) {
        const int64_t task =
            atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (task >= pool->tasks || tw_threadpool_cancelled(pool))
            return;
        pool->run(pool->context, task, thread);
    }
}

/* Tasks that run out of memory end the job; its caller reports that. */
static void deal(tw_threadpool *pool, int thread)
{
    size_t size;
    if (tw_attempt(deal_out, pool, 0, thread, &size))
        return;
    atomic_store(&pool->lacking, TW_MAX(size, (size_t)1));
    atomic_store(&pool->next, pool->tasks);
}

/* Enters the job if it is open, and works until its tasks are dealt out. */
static void join(tw_threadpool *pool, int thread)
{
    uint64_t state = atomic_load(&pool->state);

    do {
        if (!(state & OPEN))
            return;
    } while (!atomic_compare_exchange_weak(&pool->state, &state, state + 1));
    if (thread < pool->limit)
        deal(pool, thread);
    atomic_fetch_sub_explicit(&pool->state, 1, memory_order_release);
}

static uint64_t wait_for_job(tw_threadpool *pool, uint64_t seen)
{
    uint64_t now;

    for (int i = 0; i < SPINS + YIELDS; wait_more(i++))
        if ((now = atomic_load_explicit(&pool->generation, memory_order_acquire)) != seen)
            return now;
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while ((now = atomic_load(&pool->generation)) == seen)
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
    return now;
}

static void *work(void *argument)
{
    const worker *self = argument;
    uint64_t seen = 0;

    for (;;) {
        seen = wait_for_job(self->pool, seen);
        if (seen & 1)
            return NULL;
        join(self->pool, self->index);
    }
}

static void announce(tw_threadpool *pool, uint64_t by)
{
    atomic_fetch_add(&pool->generation, by);
    if (atomic_load(&pool->sleepers) == 0)
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static int processors(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

/* The child has no worker threads, and no job that one of them had. */
static void reset_in_child(tw_fork_watch *watch)
{
    tw_threadpool *pool = TW_FORK_OWNER(watch, tw_threadpool, fork);

    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    atomic_store(&pool->state, 0);
    atomic_store(&pool->sleepers, 0);
    atomic_flag_clear(&pool->busy);
    pool->started = 1;
    pool->begun = false;
}

tw_status tw_threadpool_create(int threads, tw_threadpool **out_pool)
{
    const int wanted = threads > 0 ? threads : processors();
    const int n = TW_MAX(1, TW_MIN(wanted, TW_MAX_THREADS));
    tw_threadpool *pool = calloc(1, sizeof *pool + (size_t)n * sizeof pool->workers[0]);

    if (!pool)
        return tw_error(TW_RESOURCE, "no memory for a pool of %d threads", n);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    atomic_flag_clear(&pool->busy);
    pool->threads = n;
    pool->started = 1;
    tw_fork_watch_begin(&pool->fork, reset_in_child);
    *out_pool = pool;
    return TW_SUCCESS;
}

/* If a thread cannot be started, the others do its work. */
static void start(tw_threadpool *pool)
{
    pool->begun = true;
    while (pool->started < pool->threads) {
        worker *w = &pool->workers[pool->started];
        *w = (worker){.pool = pool, .index = pool->started};
        if (pthread_create(&w->thread, NULL, work, w) != 0)
            break;
        pool->started++;
    }
}

void tw_threadpool_release(tw_threadpool *pool)
{
    if (!pool)
        return;
    tw_fork_watch_end(&pool->fork);
    announce(pool, 1);
    for (int i = 1; i < pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

int tw_threadpool_threads(const tw_threadpool *pool)
{
    return pool ? pool->threads : 1;
}

static void run_alone(const tw_threadpool *pool, int64_t tasks, tw_task_fn run,
                      void *context)
{
    for (int64_t i = 0; i < tasks && !tw_threadpool_cancelled(pool); i++)
        run(context, i, 0);
}

void tw_threadpool_run(tw_threadpool *pool, int limit, int64_t tasks, tw_task_fn run,
                       void *context)
{
    const bool alone = !pool || pool->threads == 1 || tasks <= 1 || limit == 1;

    if (alone || atomic_flag_test_and_set_explicit(&pool->busy, memory_order_acquire)) {
        run_alone(pool, tasks, run, context);
        return;
    }
    if (!pool->begun)
        start(pool);
    pool->run = run;
    pool->context = context;
    pool->tasks = tasks;
    pool->limit = limit > 0 ? limit : pool->threads;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store(&pool->state, OPEN);
    announce(pool, 2);
    deal(pool, 0);
    atomic_fetch_sub(&pool->state, OPEN);
    for (int i = 0; atomic_load_explicit(&pool->state, memory_order_acquire) != 0;)
        wait_more(i < SPINS ? i++ : i); /* the awaited thread may need this processor */
    const size_t lacking = atomic_exchange(&pool->lacking, 0);
    atomic_flag_clear_explicit(&pool->busy, memory_order_release);
    if (lacking)
        tw_out_of_memory(lacking);
}
