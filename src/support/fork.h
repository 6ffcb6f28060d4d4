/* support/fork.h: state that a child of fork must recreate.
 *
 * A child has only the thread that called fork, and the memory of its parent as it was at
 * that moment: a mutex that another thread held stays locked forever, and a pool's threads
 * are gone.  Objects with such state watch for forks and reset it in the child.  The parent
 * waits for nothing but the list of watches. */
#ifndef TILEWRIGHT_SUPPORT_FORK_H
#define TILEWRIGHT_SUPPORT_FORK_H

#include "support/base.h"

/* A member of the object that watches; the list is threaded through it. */
typedef struct tw_fork_watch {
    void (*in_child)(struct tw_fork_watch *watch);
    struct tw_fork_watch *next, **link; /* link: the pointer to this watch */
} tw_fork_watch;

/* Makes each child of fork call in_child(watch) before fork returns there, in its only
 * thread. in_child may allocate and initialize locks, but must not wait for one, nor begin
 * or end a watch. */
void tw_fork_watch_begin(tw_fork_watch *watch, void (*in_child)(tw_fork_watch *watch));
/* Must be called before the object is freed. A zeroed watch has not begun; ending it does
 * nothing. */
void tw_fork_watch_end(tw_fork_watch *watch);

/* The object of `type` that contains the watch as `member`. */
#define TW_FORK_OWNER(watch, type, member)                                                 \
    ((type *)(void *)((char *)(watch)-offsetof(type, member)))

#endif
