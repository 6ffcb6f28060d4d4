/* support/fiber.h: functions that can suspend and resume, on one thread.
 *
 * A fiber has a stack of its own with a guard page below it and one above.  The creator
 * resumes it; it runs until it yields or its function returns.  Fibers do not nest here:
 * only the code that is not itself a fiber resumes one; a fiber may switch directly to
 * another. */
#ifndef TILEWRIGHT_SUPPORT_FIBER_H
#define TILEWRIGHT_SUPPORT_FIBER_H

#include "support/status.h"

typedef struct tw_fiber tw_fiber;

/* stack: bytes, rounded up to pages; 0 is 64 KiB. */
TW_NODISCARD tw_status tw_fiber_create(void (*run)(void *user), void *user, size_t stack,
                                       tw_fiber **out_fiber);
/* Allowed at any time outside the fiber; what its frames hold is not released. */
void tw_fiber_destroy(tw_fiber *fiber);
/* Restarts its function on the same stack; same restriction as tw_fiber_destroy. */
void tw_fiber_restart(tw_fiber *fiber);

/* Runs the fiber until it yields or ends; false once it has ended.  If it switched to other
 * fibers, the result is about the resumed one, not about the one that returned. */
bool tw_fiber_resume(tw_fiber *fiber);
bool tw_fiber_ended(const tw_fiber *fiber);
/* Called inside `from`: switches to `to`, which returns to the resumer of `from`.  Returns
 * false without effect where that is not possible (sanitizers, other processors). */
bool tw_fiber_hand_over(tw_fiber *from, tw_fiber *to);
/* True if an address lies just beyond the end of its stack. */
bool tw_fiber_overflows(const tw_fiber *fiber, uintptr_t address);
/* Bytes of its stack from an address up to its base; 0 if the address is not on it. */
size_t tw_fiber_above(const tw_fiber *fiber, uintptr_t address);
/* Prefetches its state into the host's caches before it is resumed. */
void tw_fiber_prefetch(const tw_fiber *fiber);
/* Called inside `fiber`: returns to its resumer. */
void tw_fiber_yield(tw_fiber *fiber);

#endif
