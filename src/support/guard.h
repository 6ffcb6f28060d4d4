/* guard.h: running out of memory inside a public function.
 *
 * Memory is allocated by functions that do not return without it (arena.h), as most callers
 * could do nothing else. A public function that returns a status runs its body under a
 * guard: where an allocation fails, control returns there, and the caller gets a status of
 * TW_RESOURCE. What the body had allocated by then is lost. Without a guard, as in the
 * tools, the process ends with a message.
 *
 * A guard belongs to a thread. No lock may be taken under it that is not released before
 * the next allocation; tasks of thread pools have guards of their own. */
#ifndef TILEWRIGHT_SUPPORT_GUARD_H
#define TILEWRIGHT_SUPPORT_GUARD_H

#include "support/status.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct tw_guard {
    jmp_buf at;
    struct tw_guard *outer;
    size_t size; /* the allocation that failed */
} tw_guard;

void tw_guard_enter(tw_guard *guard);
void tw_guard_leave(tw_guard *guard);

/* Returns to the innermost guard of this thread; ends the process if there is none. */
_Noreturn void tw_out_of_memory(size_t size);

/* A status of TW_RESOURCE, also where there is no memory for it. */
tw_status tw_no_memory(size_t size);

/* True for what tw_no_memory returned. */
bool tw_is_out_of_memory(tw_status status);

/* Calls run(context, a, b). Returns false, with the size, if an allocation failed. */
bool tw_attempt(void (*run)(void *context, int64_t a, int b), void *context, int64_t a,
                int b, size_t *out_size);

/* Before a function that is called under a guard: inlined, its variables would be lost. */
#define TW_UNDER_GUARD static __attribute__((noinline)) tw_status

/* Returns the status of a call, made under a guard, from the function around it. */
#define TW_RETURN_GUARDED(call)                                                            \
    do {                                                                                   \
        tw_guard guard_;                                                                   \
        tw_status guarded_;                                                                \
        tw_guard_enter(&guard_);                                                           \
        if (_setjmp(guard_.at))                                                            \
            guarded_ = tw_no_memory(guard_.size);                                          \
        else                                                                               \
            guarded_ = (call);                                                             \
        tw_guard_leave(&guard_);                                                           \
        return guarded_;                                                                   \
    } while (0)

#endif
