/* fiber.c: stacks and the switch between them.
 *
 * On x86-64 a switch saves the six callee-saved registers of the System V ABI and jumps to
 * where the other side stopped: a return there would be mispredicted. The control words of
 * the floating-point units are the caller's throughout.  Other processors use ucontext.
 * Address and thread sanitizer are notified of every switch. */
#include "support/fiber.h"

#include "support/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#ifdef TW_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__x86_64__) && !defined(__CET__)
#define FIBER_X86_64 1
#else
#include <ucontext.h>
#endif

struct tw_fiber {
    void (*run)(void *user);
    void *user;
    char *
        stack; /* the mapping; its first page is a guard page, as is the one after `size` */
    size_t size, page;
    bool ended;
#ifdef FIBER_X86_64
    void *own_sp, *caller_sp;
#else
    ucontext_t own, caller;
#endif
#ifdef TW_ASAN
    void *own_fake, *caller_fake;
    const void *caller_bottom;
    size_t caller_size;
#endif
#ifdef FIBER_TSAN
    void *own_context, *caller_context;
#endif
};

static void entered(tw_fiber *f)
{
#ifdef TW_ASAN
    __sanitizer_finish_switch_fiber(f->own_fake, &f->caller_bottom, &f->caller_size);
#else
    (void)f;
#endif
}

static void switch_to_caller(tw_fiber *f);

static void body(tw_fiber *f)
{
    entered(f);
    f->run(f->user);
    f->ended = true;
    switch_to_caller(f);
    abort(); /* an ended fiber is never resumed */
}

#ifdef FIBER_X86_64

/* void fiber_switch(void **save_sp, void *load_sp) */
void fiber_switch(void **save_sp, void *load_sp) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".hidden fiber_switch\n"
        ".globl fiber_switch\n"
        ".type fiber_switch, @function\n"
        "fiber_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n"
        "    jmpq *%rcx\n"
        ".size fiber_switch, .-fiber_switch\n"
        /* first entry: r12 = fiber, r13 = body; the stack is 16-byte aligned here */
        ".hidden fiber_start\n"
        ".globl fiber_start\n"
        ".type fiber_start, @function\n"
        "fiber_start:\n"
        "    movq %r12, %rdi\n"
        "    callq *%r13\n"
        "    ud2\n"
        ".size fiber_start, .-fiber_start\n");
void fiber_start(void) __attribute__((visibility("hidden")));

static void prepare(tw_fiber *f)
{
    /* distribute the tops of stacks over different cache lines */
    size_t down = (uintptr_t)f->stack / f->page * 11 % 64 * 64;
    uintptr_t *sp = (uintptr_t *)(f->stack + f->size - down);
    *--sp = 0; /* alignment, and an end for backtraces */
    *--sp = 0;
    *--sp = (uintptr_t)fiber_start;
    *--sp = 0;               /* rbp */
    *--sp = 0;               /* rbx */
    *--sp = (uintptr_t)f;    /* r12 */
    *--sp = (uintptr_t)body; /* r13 */
    *--sp = 0;               /* r14 */
    *--sp = 0;               /* r15 */
    f->own_sp = sp;
}

static void swap_in(tw_fiber *f)
{
    fiber_switch(&f->caller_sp, f->own_sp);
}

static void swap_out(tw_fiber *f)
{
    fiber_switch(&f->own_sp, f->caller_sp);
}

#else

static void start(unsigned low, unsigned high)
{
    body((tw_fiber *)((uintptr_t)low | (uintptr_t)((uint64_t)high << 32)));
}

static void prepare(tw_fiber *f)
{
    uint64_t bits = (uintptr_t)f;
    getcontext(&f->own);
    f->own.uc_stack.ss_sp = f->stack + f->page;
    f->own.uc_stack.ss_size = f->size - f->page;
    f->own.uc_link = NULL;
    makecontext(&f->own, (void (*)(void))start, 2, (unsigned)bits, (unsigned)(bits >> 32));
}

static void swap_in(tw_fiber *f)
{
    swapcontext(&f->caller, &f->own);
}

static void swap_out(tw_fiber *f)
{
    swapcontext(&f->own, &f->caller);
}

#endif

/* Drops the sanitizer's record of earlier frames at the same addresses. */
static void forget_frames(tw_fiber *f)
{
#ifdef TW_ASAN
    __asan_unpoison_memory_region(f->stack + f->page, f->size - f->page);
#else
    (void)f;
#endif
}

static void switch_to_caller(tw_fiber *f)
{
#ifdef TW_ASAN
    __sanitizer_start_switch_fiber(f->ended ? NULL : &f->own_fake, f->caller_bottom,
                                   f->caller_size);
#endif
#ifdef FIBER_TSAN
    __tsan_switch_to_fiber(f->caller_context, 0);
#endif
    swap_out(f);
    entered(f);
}

bool tw_fiber_overflows(const tw_fiber *f, uintptr_t address)
{
    const uintptr_t end = (uintptr_t)f->stack + f->page;
    return address < end && address >= end - 16 * f->page;
}

size_t tw_fiber_above(const tw_fiber *f, uintptr_t address)
{
    const uintptr_t low = (uintptr_t)f->stack + f->page,
                    top = (uintptr_t)f->stack + f->size;
    return address >= low && address < top ? top - address : 0;
}

tw_status tw_fiber_create(void (*run)(void *user), void *user, size_t stack,
                          tw_fiber **out_fiber)
{
    tw_fiber *f = tw_xcalloc(1, sizeof *f);
    f->page = (size_t)sysconf(_SC_PAGESIZE);
    f->size = tw_align_up(stack ? stack : 65536, f->page) + f->page;
    f->stack = mmap(NULL, f->size + f->page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f->stack == MAP_FAILED || mprotect(f->stack, f->page, PROT_NONE) != 0 ||
        mprotect(f->stack + f->size, f->page, PROT_NONE) != 0) {
        tw_status status =
            tw_error(TW_RESOURCE, "no memory for a fiber's stack of %zu bytes: %s", f->size,
                     strerror(errno));
        if (f->stack != MAP_FAILED)
            munmap(f->stack, f->size + f->page);
        free(f);
        return status;
    }
    f->run = run;
    f->user = user;
#ifdef FIBER_TSAN
    f->own_context = __tsan_create_fiber(0);
#endif
    forget_frames(f);
    prepare(f);
    *out_fiber = f;
    return TW_SUCCESS;
}

void tw_fiber_destroy(tw_fiber *f)
{
    if (!f)
        return;
#ifdef FIBER_TSAN
    __tsan_destroy_fiber(f->own_context);
#endif
    munmap(f->stack, f->size + f->page);
    free(f);
}

void tw_fiber_restart(tw_fiber *f)
{
    f->ended = false;
#ifdef TW_ASAN
    f->own_fake = NULL;
#endif
#ifdef FIBER_TSAN /* the interrupted function is abandoned */
    __tsan_destroy_fiber(f->own_context);
    f->own_context = __tsan_create_fiber(0);
#endif
    forget_frames(f);
    prepare(f);
}

bool tw_fiber_ended(const tw_fiber *f)
{
    return f->ended;
}

void tw_fiber_prefetch(const tw_fiber *f)
{
#ifdef FIBER_X86_64
    const char *top = f->own_sp;
    for (int i = 0; i < 5; i++)
        __builtin_prefetch(top + i * 64);
#else
    (void)f;
#endif
}

bool tw_fiber_hand_over(tw_fiber *from, tw_fiber *to)
{
#if defined(FIBER_X86_64) && !defined(TW_ASAN) && !defined(FIBER_TSAN)
    assert(!to->ended);
    to->caller_sp = from->caller_sp;
    fiber_switch(&from->own_sp, to->own_sp);
    return true;
#else
    (void)from, (void)to;
    return false;
#endif
}

bool tw_fiber_resume(tw_fiber *f)
{
    assert(!f->ended);
#ifdef TW_ASAN
    __sanitizer_start_switch_fiber(&f->caller_fake, f->stack + f->page, f->size - f->page);
#endif
#ifdef FIBER_TSAN
    f->caller_context = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(f->own_context, 0);
#endif
    swap_in(f);
#ifdef TW_ASAN
    __sanitizer_finish_switch_fiber(f->caller_fake, NULL, NULL);
#endif
    return !f->ended;
}

void tw_fiber_yield(tw_fiber *f)
{
    switch_to_caller(f);
}
