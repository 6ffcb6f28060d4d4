/* test_threadpool.c: every task runs once, whatever the number of threads, nested or
 * concurrent. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/threadpool.h"

typedef struct job {
    tw_threadpool *pool;
    _Atomic int counts[1000];
    _Atomic int inside[8];
    _Atomic int clashes, nested;
} job;

static void count(void *context, int64_t task, int thread)
{
    job *j = context;
    if (atomic_fetch_add(&j->inside[thread], 1) != 0)
        atomic_fetch_add(&j->clashes, 1);
    atomic_fetch_add(&j->counts[task], 1);
    atomic_fetch_sub(&j->inside[thread], 1);
}

static void test_every_task_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; threads++) {
        tw_threadpool *pool;
        assert_null(tw_threadpool_create(threads, &pool));
        assert_int_equal(tw_threadpool_threads(pool), threads);
        for (int round = 0; round < 300; round++) {
            job *j = calloc(1, sizeof *j);
            const int64_t tasks = round % 2 ? round * 3 : round % 7;
            tw_threadpool_run(pool, round % 3, tasks, count, j);
            for (int64_t i = 0; i < 1000; i++)
                assert_int_equal(j->counts[i], i < tasks);
            assert_int_equal(j->clashes, 0);
            free(j);
            if (round % 100 == 0)
                usleep(2000); /* so that threads fall asleep */
        }
        tw_threadpool_release(pool);
    }
    job *j = calloc(1, sizeof *j);
    tw_threadpool_run(NULL, 0, 5, count, j);
    assert_int_equal(j->counts[4], 1);
    free(j);
    tw_threadpool_release(NULL);
}

static void inner(void *context, int64_t task, int thread)
{
    job *j = context;
    (void)task;
    (void)thread;
    atomic_fetch_add(&j->nested, 1);
}

static void outer(void *context, int64_t task, int thread)
{
    job *j = context;
    (void)task;
    (void)thread;
    tw_threadpool_run(j->pool, 0, 10, inner, j);
}

static void test_nested(void **state)
{
    job *j = calloc(1, sizeof *j);
    (void)state;
    assert_null(tw_threadpool_create(3, &j->pool));
    tw_threadpool_run(j->pool, 0, 50, outer, j);
    assert_int_equal(j->nested, 500);
    tw_threadpool_release(j->pool);
    free(j);
}

typedef struct stop {
    job job;
    volatile int cancel;
} stop;

static void stop_at_ten(void *context, int64_t task, int thread)
{
    stop *s = context;
    count(&s->job, task, thread);
    if (task == 10)
        __atomic_store_n(&s->cancel, 1, __ATOMIC_RELAXED);
}

static void test_cancelled(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        stop *s = calloc(1, sizeof *s);
        tw_threadpool *pool;
        int done = 0;
        assert_null(tw_threadpool_create(threads, &pool));
        tw_threadpool_set_cancel(pool, &s->cancel);
        assert_false(tw_threadpool_cancelled(pool));
        tw_threadpool_run(pool, 0, 1000, stop_at_ten, s);
        assert_true(tw_threadpool_cancelled(pool));
        for (int i = 0; i < 1000; i++)
            done += s->job.counts[i];
        assert_in_range(done, 11, 999);
        assert_int_equal(s->job.counts[10], 1);
        tw_threadpool_run(pool, 0, 5, stop_at_ten, s); /* nothing is started */
        assert_in_range(s->job.counts[0], 1, 1);
        tw_threadpool_set_cancel(pool, NULL);
        tw_threadpool_run(pool, 0, 5, stop_at_ten, s);
        assert_int_equal(s->job.counts[0], 2);
        tw_threadpool_release(pool);
        free(s);
    }
    assert_false(tw_threadpool_cancelled(NULL));
}

static void *call(void *argument)
{
    for (int i = 0; i < 200; i++)
        outer(argument, 0, 0);
    return NULL;
}

static void test_callers_at_once(void **state)
{
    job *j = calloc(1, sizeof *j);
    pthread_t threads[4];
    (void)state;
    assert_null(tw_threadpool_create(2, &j->pool));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call, j), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(j->nested, 4 * 200 * 10);
    tw_threadpool_release(j->pool);
    free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_task_once),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_callers_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
