/* pthread.h: of one thread: locks do nothing, no thread starts. */
#pragma once

#include <errno.h>
#include <time.h>

typedef int pthread_mutex_t, pthread_cond_t, pthread_once_t, pthread_attr_t,
    pthread_mutexattr_t, pthread_condattr_t, pthread_key_t;
typedef unsigned long pthread_t;
#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_STACK_MIN 16384

#define PTHREAD_NOTHING(name, ...)                                                         \
    static inline int name(__VA_ARGS__)                                                    \
    {                                                                                      \
        return 0;                                                                          \
    }
PTHREAD_NOTHING(pthread_mutex_init, pthread_mutex_t *m, const pthread_mutexattr_t *a)
PTHREAD_NOTHING(pthread_mutex_destroy, pthread_mutex_t *m)
PTHREAD_NOTHING(pthread_mutex_lock, pthread_mutex_t *m)
PTHREAD_NOTHING(pthread_mutex_trylock, pthread_mutex_t *m)
PTHREAD_NOTHING(pthread_mutex_unlock, pthread_mutex_t *m)
PTHREAD_NOTHING(pthread_mutexattr_init, pthread_mutexattr_t *a)
PTHREAD_NOTHING(pthread_mutexattr_settype, pthread_mutexattr_t *a, int type)
PTHREAD_NOTHING(pthread_mutexattr_destroy, pthread_mutexattr_t *a)
PTHREAD_NOTHING(pthread_cond_init, pthread_cond_t *c, const pthread_condattr_t *a)
PTHREAD_NOTHING(pthread_cond_destroy, pthread_cond_t *c)
PTHREAD_NOTHING(pthread_cond_signal, pthread_cond_t *c)
PTHREAD_NOTHING(pthread_cond_broadcast, pthread_cond_t *c)
PTHREAD_NOTHING(pthread_cond_wait, pthread_cond_t *c, pthread_mutex_t *m)
PTHREAD_NOTHING(pthread_cond_timedwait, pthread_cond_t *c, pthread_mutex_t *m,
                const struct timespec *until)
PTHREAD_NOTHING(pthread_atfork, void (*a)(void), void (*b)(void), void (*c)(void))
PTHREAD_NOTHING(pthread_join, pthread_t t, void **result)
PTHREAD_NOTHING(pthread_detach, pthread_t t)
PTHREAD_NOTHING(pthread_attr_init, pthread_attr_t *a)
PTHREAD_NOTHING(pthread_attr_destroy, pthread_attr_t *a)
PTHREAD_NOTHING(pthread_attr_setstacksize, pthread_attr_t *a, unsigned long size)

static inline pthread_t pthread_self(void)
{
    return 1;
}

static inline int pthread_equal(pthread_t a, pthread_t b)
{
    return a == b;
}

static inline int pthread_create(pthread_t *t, const pthread_attr_t *a,
                                 void *(*run)(void *), void *user)
{
    return EAGAIN;
}

static inline int pthread_once(pthread_once_t *once, void (*run)(void))
{
    if (!*once) {
        *once = 1;
        run();
    }
    return 0;
}
