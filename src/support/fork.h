/* support/fork.h: state that a child of fork must make anew.
 *
 * A child has only the thread that called fork, and the memory of its parent as it was at
 * that moment: a mutex that another thread held stays locked for ever, and a pool's threads
 * are gone.  Whatever has such state watches for forks, and resets it in the child.  The
 * parent waits for nothing but the list of watches. */
#ifndef TILEWRIGHT_SUPPORT_FORK_H
#define TILEWRIGHT_SUPPORT_FORK_H

#include "support/base.h"

/* A member of the object that watches; the list is threaded through it. */
typedef struct tw_fork_watch {
    void (*in_child)(struct tw_fork_watch *watch);
    struct tw_fork_watch *next, **link; /* link: the pointer to this watch */
} tw_fork_watch;

/* From now on each child of fork calls in_child(watch) before fork returns there, in its
 * only thread. in_child may allocate and initialize locks, and waits for none; it neither
 * begins nor ends a watch. */
void tw_fork_watch_begin(tw_fork_watch *watch, void (*in_child)(tw_fork_watch *watch));
/* Before the object is freed. A watch that is zero has not begun; ending it does nothing.
 */
void tw_fork_watch_end(tw_fork_watch *watch);

/* The object of `type` whose member `member` the watch is. */
#define TW_FORK_OWNER(watch, type, member)                                                 \
    ((type *)(void *)((char *)(watch)-offsetof(type, member)))

#endif
