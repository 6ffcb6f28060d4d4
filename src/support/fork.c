/* support/fork.c: see fork.h.
 *
 * A process has one list of fork handlers, so there is one list of watches per process,
 * too.  Its mutex is held across fork, so that the child finds the list consistent. */
#include "support/fork.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static tw_fork_watch *watches;

static void before_fork(void)
{
    pthread_mutex_lock(&mutex);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&mutex);
}

static void in_child(void)
{
    pthread_mutex_unlock(&mutex);
    for (tw_fork_watch *w = watches; w; w = w->next)
        w->in_child(w);
}

/* If the handlers cannot be installed (out of memory), children are not notified. */
static void install(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_child);
}

void tw_fork_watch_begin(tw_fork_watch *watch, void (*function)(tw_fork_watch *watch))
{
    static pthread_once_t installed = PTHREAD_ONCE_INIT;

    pthread_once(&installed, install);
    pthread_mutex_lock(&mutex);
    *watch = (tw_fork_watch){.in_child = function, .next = watches, .link = &watches};
    if (watches)
        watches->link = &watch->next;
    watches = watch;
    pthread_mutex_unlock(&mutex);
}

void tw_fork_watch_end(tw_fork_watch *watch)
{
    if (!watch->link)
        return;
    pthread_mutex_lock(&mutex);
    *watch->link = watch->next;
    if (watch->next)
        watch->next->link = watch->link;
    pthread_mutex_unlock(&mutex);
    *watch = (tw_fork_watch){0};
}
