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

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* GOMP_parallel: calls function(data) on `threads` threads, the caller among them. */
typedef void (*openmp_fn)(void (*function)(void *), void *data, unsigned threads,
                          unsigned flags);

#define OPEN (UINT64_C(1) << 32)
/* How long a thread waits before it sleeps, since waking takes some fifty microseconds: it
 * spins for SPINS iterations, some 100 microseconds, more than the gap between steps of a
 * program; then it yields YIELDS times (a millisecond if the processor is otherwise
 * idle). */
#define SPINS 4000
#define YIELDS 2000

/* The tasks that a thread takes before it takes other threads'. The same part of a tensor
 * then meets the same thread in one step after another, whose cache has it. */
typedef struct share {
    _Alignas(64) _Atomic int64_t next;
    int64_t end;
} share;

/* A call: its tasks, dealt out one by one. */
typedef struct job {
    const tw_threadpool *pool;
    tw_task_fn run;
    void *context;
    share *shares; /* one per thread */
    int limit;
    int (*number)(void);    /* of OpenMP's thread */
    _Atomic size_t lacking; /* bytes that a task had no memory for */
} job;

/* The threads of a process, which its pools share: programs run one after another find them
 * awake, and a process with a thousand programs has no thousand threads. They are started
 * by the first call that wants as many, and end with the last pool. */
typedef struct crew {
    pthread_mutex_t lifetime; /* guards `pools`, and the end of the threads */
    int64_t pools;
    tw_fork_watch fork;
    int started; /* the caller included; changed by who has set busy */
    pthread_t threads[TW_MAX_THREADS];
    job *job; /* written by the caller while the state is closed and no thread is inside */

    _Atomic uint64_t state;
    _Atomic uint64_t generation; /* of jobs; odd while the threads end */
    _Atomic int sleepers;
    atomic_flag busy;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    _Atomic(openmp_fn) openmp;
    int (*openmp_number)(void); /* omp_get_thread_num, set before `openmp` */
} crew;

static crew shared = {
    .lifetime = PTHREAD_MUTEX_INITIALIZER,
    .started = 1,
    .busy = ATOMIC_FLAG_INIT,
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .wake = PTHREAD_COND_INITIALIZER,
};

struct tw_threadpool {
    int threads; /* the caller included */
    const volatile int *cancel;
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
    job *j = context;
    (void)unused;
    for (int i = 0; i < j->limit; i++) {
        share *s = &j->shares[(thread + i) % j->limit];
        for (;;) {
            const int64_t task =
                atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
            if (tw_threadpool_cancelled(j->pool))
                return;
            if (task >= s->end)
                break;
            j->run(j->context, task, thread);
        }
    }
}

/* Tasks that run out of memory end the job; its caller reports that. */
static void deal(job *j, int thread)
{
    size_t size;
    if (thread >= j->limit || tw_attempt(deal_out, j, 0, thread, &size))
        return;
    atomic_store(&j->lacking, TW_MAX(size, (size_t)1));
    for (int i = 0; i < j->limit; i++)
        atomic_store(&j->shares[i].next, j->shares[i].end);
}

/* Enters the job if it is open, and works until its tasks are dealt out. */
static void join(crew *c, int thread)
{
    uint64_t state = atomic_load(&c->state);

    do {
        if (!(state & OPEN))
            return;
    } while (!atomic_compare_exchange_weak(&c->state, &state, state + 1));
    deal(c->job, thread);
    atomic_fetch_sub_explicit(&c->state, 1, memory_order_release);
}

static uint64_t wait_for_job(crew *c, uint64_t seen)
{
    uint64_t now;

    for (int i = 0; i < SPINS + YIELDS; wait_more(i++))
        if ((now = atomic_load_explicit(&c->generation, memory_order_acquire)) != seen)
            return now;
    pthread_mutex_lock(&c->mutex);
    atomic_fetch_add(&c->sleepers, 1);
    while ((now = atomic_load(&c->generation)) == seen)
        pthread_cond_wait(&c->wake, &c->mutex);
    atomic_fetch_sub(&c->sleepers, 1);
    pthread_mutex_unlock(&c->mutex);
    return now;
}

static void *work(void *index)
{
    uint64_t seen = 0;

    for (;;) {
        seen = wait_for_job(&shared, seen);
        if (seen & 1)
            return NULL;
        join(&shared, (int)(intptr_t)index);
    }
}

static void announce(crew *c, uint64_t by)
{
    atomic_fetch_add(&c->generation, by);
    if (atomic_load(&c->sleepers) == 0)
        return;
    pthread_mutex_lock(&c->mutex);
    pthread_cond_broadcast(&c->wake);
    pthread_mutex_unlock(&c->mutex);
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
    crew *c = TW_FORK_OWNER(watch, crew, fork);

    pthread_mutex_init(&c->lifetime, NULL);
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->wake, NULL);
    atomic_store(&c->state, 0);
    atomic_store(&c->generation, 0);
    atomic_store(&c->sleepers, 0);
    atomic_flag_clear(&c->busy);
    atomic_store(&c->openmp, NULL); /* libgomp's threads do not survive either */
    c->started = 1;
}

static void watch(void)
{
    tw_fork_watch_begin(&shared.fork, reset_in_child);
}

tw_status tw_threadpool_create(int threads, tw_threadpool **out_pool)
{
    const int wanted = threads > 0 ? threads : processors();
    const int n = TW_MAX(1, TW_MIN(wanted, TW_MAX_THREADS));
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    tw_threadpool *pool = calloc(1, sizeof *pool);

    if (!pool)
        return tw_error(TW_RESOURCE, "no memory for a pool of %d threads", n);
    pool->threads = n;
    pthread_once(&watched, watch);
    pthread_mutex_lock(&shared.lifetime);
    shared.pools++;
    pthread_mutex_unlock(&shared.lifetime);
    *out_pool = pool;
    return TW_SUCCESS;
}

/* If a thread cannot be started, the others do its work. A new thread has seen no
 * generation, so it looks for a job at once. */
static void start(crew *c, int threads)
{
    while (c->started < threads) {
        void *index = (void *)(intptr_t)c->started;
        if (pthread_create(&c->threads[c->started], NULL, work, index) != 0)
            break;
        c->started++;
    }
}

static void end_threads(crew *c)
{
    announce(c, 1);
    for (int i = 1; i < c->started; i++)
        pthread_join(c->threads[i], NULL);
    c->started = 1;
    atomic_store(&c->generation, 0);
}

void tw_threadpool_release(tw_threadpool *pool)
{
    if (!pool)
        return;
    free(pool);
    pthread_mutex_lock(&shared.lifetime);
    if (--shared.pools == 0)
        end_threads(&shared);
    pthread_mutex_unlock(&shared.lifetime);
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

/* Runs the job on the caller and the crew; false if the crew is busy. */
static bool run_on_crew(crew *c, job *j)
{
    if (atomic_flag_test_and_set_explicit(&c->busy, memory_order_acquire))
        return false;
    if (c->started < j->pool->threads)
        start(c, j->pool->threads);
    c->job = j;
    atomic_store(&c->state, OPEN);
    announce(c, 2);
    deal(j, 0);
    atomic_fetch_sub(&c->state, OPEN);
    for (int i = 0; atomic_load_explicit(&c->state, memory_order_acquire) != 0;)
        wait_more(i < SPINS ? i++ : i); /* the awaited thread may need this processor */
    atomic_flag_clear_explicit(&c->busy, memory_order_release);
    return true;
}

static void openmp_thread(void *context)
{
    job *j = context;
    deal(j, j->number());
}

void tw_threadpool_run(tw_threadpool *pool, int limit, int64_t tasks, tw_task_fn run,
                       void *context)
{
    if (!pool || pool->threads == 1 || tasks <= 1 || limit == 1) {
        run_alone(pool, tasks, run, context);
        return;
    }
    share shares[TW_MAX_THREADS];
    const openmp_fn openmp = atomic_load(&shared.openmp);
    job j = {
        .pool = pool,
        .run = run,
        .context = context,
        .shares = shares,
        .number = shared.openmp_number,
    };

    limit = limit > 0 ? TW_MIN(limit, pool->threads) : pool->threads;
    j.limit = (int)TW_MIN(limit, tasks);
    for (int i = 0; i < j.limit; i++) {
        atomic_init(&shares[i].next, tasks * i / j.limit);
        shares[i].end = tasks * (i + 1) / j.limit;
    }
    if (openmp)
        openmp(openmp_thread, &j, (unsigned)j.limit, 0);
    else if (!run_on_crew(&shared, &j))
        run_alone(pool, tasks, run, context);
    if (j.lacking)
        tw_out_of_memory(j.lacking);
}

bool tw_threadpool_use_openmp(const char *library)
{
/* ThreadSanitizer does not see how the threads of OpenMP synchronize. */
#if defined(__SANITIZE_THREAD__) || !defined(RTLD_NOLOAD)
    (void)library;
    return false;
#else
    void *const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    void *const found = handle ? dlsym(handle, "GOMP_parallel") : NULL;
    void *const number = handle ? dlsym(handle, "omp_get_thread_num") : NULL;
    openmp_fn function;

    if (!found || !number)
        return false;
    memcpy(&function, &found, sizeof function);
    memcpy(&shared.openmp_number, &number, sizeof number);
    atomic_store(&shared.openmp, function);
    return true; /* the library stays loaded */
#endif
}
