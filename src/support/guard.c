/* guard.c: see guard.h. */
#undef _FORTIFY_SOURCE /* its longjmp refuses to leave the stack of a fiber */
#include "support/guard.h"

#include <stdio.h>
#include <stdlib.h>

static _Thread_local tw_guard *innermost;

void tw_guard_enter(tw_guard *guard)
{
    guard->outer = innermost;
    guard->size = 0;
    innermost = guard;
}

void tw_guard_leave(tw_guard *guard)
{
    innermost = guard->outer;
}

void tw_out_of_memory(size_t size)
{
    if (innermost) {
        innermost->size = size;
        _longjmp(innermost->at, 1);
    }
    fprintf(stderr, "tilewright: out of memory (%zu bytes)\n", size);
    abort();
}

bool tw_attempt(void (*run)(void *context, int64_t a, int b), void *context, int64_t a,
                int b, size_t *out_size)
{
    tw_guard guard;
    tw_guard_enter(&guard);
    if (_setjmp(guard.at)) {
        *out_size = guard.size;
        tw_guard_leave(&guard);
        return false;
    }
    run(context, a, b);
    tw_guard_leave(&guard);
    return true;
}
