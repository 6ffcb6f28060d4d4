/* fiber.c: fibers for WebAssembly, by Binaryen's Asyncify.
 *
 * A fiber that yields unwinds its frames into a buffer of its own, up to the call in
 * resume(); a resumed one rewinds them.  The resumer is never unwound, so that only what
 * runs inside fibers has to be instrumented.  C's stack in memory is a region of its own
 * for each fiber. */
#include "support/fiber.h"

#include "support/arena.h"

#include <stdlib.h>

#define IMPORTED(name) __attribute__((import_module("asyncify"), import_name(#name)))
IMPORTED(start_unwind) void asyncify_start_unwind(void *data);
IMPORTED(stop_unwind) void asyncify_stop_unwind(void);
IMPORTED(start_rewind) void asyncify_start_rewind(void *data);
IMPORTED(stop_rewind) void asyncify_stop_rewind(void);

__asm__(".globaltype __stack_pointer, i32\n");

enum { FRAMES = 1 << 14, STACK = 1 << 16 };

typedef enum state { FRESH, SUSPENDED, ENDED } state;

struct tw_fiber {
    struct {
        char *at, *end; /* of the saved frames: what Asyncify reads and writes */
    } data;
    void (*run)(void *user);
    void *user;
    char *frames, *stack;
    size_t stack_size;
    void *stack_pointer; /* where it was suspended */
    state state;
    bool unwinding, rewinding;
};

static __attribute__((noinline)) void *get_stack_pointer(void)
{
    void *at;
    __asm__ volatile("global.get __stack_pointer\nlocal.set %0" : "=r"(at));
    return at;
}

static __attribute__((noinline)) void set_stack_pointer(void *at)
{
    __asm__ volatile("local.get %0\nglobal.set __stack_pointer" : : "r"(at));
}

tw_status tw_fiber_create(void (*run)(void *user), void *user, size_t stack,
                          tw_fiber **out_fiber)
{
    tw_fiber *f = tw_xcalloc(1, sizeof *f);
    f->run = run;
    f->user = user;
    f->stack_size = stack > STACK ? stack : STACK;
    f->stack = malloc(f->stack_size);
    f->frames = malloc(FRAMES);
    if (!f->stack || !f->frames) {
        tw_fiber_destroy(f);
        return tw_error(TW_RESOURCE, "no memory for a fiber");
    }
    *out_fiber = f;
    return TW_SUCCESS;
}

void tw_fiber_destroy(tw_fiber *f)
{
    if (!f)
        return;
    free(f->stack);
    free(f->frames);
    free(f);
}

void tw_fiber_restart(tw_fiber *f)
{
    f->state = FRESH;
}

bool tw_fiber_resume(tw_fiber *f)
{
    if (f->state == ENDED)
        return false;
    void *const own = get_stack_pointer();
    if (f->state == SUSPENDED) {
        f->rewinding = true;
        set_stack_pointer(f->stack_pointer);
        asyncify_start_rewind(&f->data);
    } else {
        set_stack_pointer(f->stack + f->stack_size);
    }
    f->unwinding = false;
    f->run(f->user);
    if (f->unwinding)
        asyncify_stop_unwind();
    set_stack_pointer(own);
    f->state = f->unwinding ? SUSPENDED : ENDED;
    return f->unwinding;
}

void tw_fiber_yield(tw_fiber *f)
{
    if (f->rewinding) { /* it has come back to here */
        asyncify_stop_rewind();
        f->rewinding = false;
        return;
    }
    f->data.at = f->frames;
    f->data.end = f->frames + FRAMES;
    f->stack_pointer = get_stack_pointer();
    f->unwinding = true;
    asyncify_start_unwind(&f->data);
}

bool tw_fiber_ended(const tw_fiber *f)
{
    return f->state == ENDED;
}

bool tw_fiber_hand_over(tw_fiber *from, tw_fiber *to)
{
    (void)from;
    (void)to;
    return false;
}

bool tw_fiber_overflows(const tw_fiber *f, uintptr_t address)
{
    (void)f;
    (void)address;
    return false;
}

size_t tw_fiber_above(const tw_fiber *f, uintptr_t address)
{
    const uintptr_t end = (uintptr_t)(f->stack + f->stack_size);
    return address >= (uintptr_t)f->stack && address < end ? end - address : 0;
}

void tw_fiber_prefetch(const tw_fiber *f)
{
    (void)f;
}
