/* native_guard.c: faults of kernels in C++: invalid memory accesses, division by zero,
 * stack overflow, endless loops without a call. While a program with such kernels runs,
 * these signals are turned into a report and end the kernel; signals from other code go to
 * their former handlers.
 *
 * A plain pointer into L1 is lent a page: mapped at the pointer's own address, with the
 * contents of the core's L1, until the kernel calls the API; then its writes are stored to
 * L1. */
#include "grid/native/native.h"

#include "support/fork.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGVTALRM};

enum {
    STACK = 64 * 1024,
    LENT_PAGE = 4096,
    MAX_LENT = 384,             /* all of an L1 */
    UNWRITTEN = 0x5A,           /* contents of lent bytes that were never written */
    PATIENCE = 10 * 1000 * 1000 /* nanoseconds between checks for cancellation */
};

struct dev_native_guard {
    stack_t old_stack;
    void *stack;
    timer_t timer;
    bool has_timer;
    dev_thread *thread;  /* that runs now; NULL: none in C++ */
    dev_thread *looping; /* at the last tick */
    uint64_t turning_steps;
    uintptr_t lent[MAX_LENT];
};

/* A signal handler gets no context but the host thread on which it runs. */
static _Thread_local dev_native_guard *active;

/* Signal handlers and the low addresses that are lent belong to the process: of the
 * programs with such kernels that its threads run, only one runs at a time. */
static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction former[TW_COUNT(signals)]; /* of the program that holds the lock */
static bool taken;                                 /* protected by it */
static tw_fork_watch forks;

/* In a child of fork: the lock's owner exists in the parent only. */
static void after_fork(tw_fork_watch *watch)
{
    (void)watch;
    pthread_mutex_init(&running, NULL);
    for (size_t i = 0; taken && i < TW_COUNT(signals); i++)
        sigaction(signals[i], &former[i], NULL);
    taken = false;
}

static void watch_forks(void)
{
    tw_fork_watch_begin(&forks, after_fork);
}

static uintptr_t pc_of(const void *context)
{
#if defined(__x86_64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

static uintptr_t stack_of(const void *context)
{
#if defined(__x86_64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.sp;
#else
    (void)context;
    return 0;
#endif
}

static bool in_kernel(const dev_thread *t, uintptr_t pc)
{
    return pc >= t->code->native_begin && pc < t->code->native_end;
}

/* True if the address is in the kernel's code, in C library code called by it, or where a
 * wild pointer led it. */
static bool is_kernels(const dev_thread *t, uintptr_t pc)
{
    return t && t->native.leave && (t->native.own_code || in_kernel(t, pc));
}

/* Returns the kernel's current address, or that of the innermost return address on the
 * stack that lies in its code, as the call's address: one before. */
static uintptr_t kernel_pc(const dev_thread *t, const void *context)
{
    uintptr_t pc = pc_of(context), sp = stack_of(context) & ~(sizeof(uintptr_t) - 1);
    if (in_kernel(t, pc))
        return pc + 1;
    for (; tw_fiber_above(t->fiber, sp) > sizeof sp; sp += sizeof sp)
        if (in_kernel(t, *(const uintptr_t *)sp))
            return *(const uintptr_t *)sp;
    return 0;
}

/* True if the thread made no call between two ticks: it loops without any call. */
static bool is_looping(dev_native_guard *g)
{
    dev_thread *t = g->thread;
    if (g->looping == t && g->turning_steps == t->steps)
        return true;
    g->looping = t;
    g->turning_steps = t->steps;
    return false;
}

/* ---- lent pages ---------------------------------------------------------------------- */

/* Fills a page with the bytes of L1, and a pattern where nothing was written. */
static void fill_page(const dev_memory *l1, uintptr_t at, uint8_t *out)
{
    for (size_t i = 0; i < LENT_PAGE; i += DEV_GRANULE) {
        bool known = at + i + DEV_GRANULE <= l1->size &&
                     dev_mark_at(l1, (at + i) / DEV_GRANULE) != DEV_UNDEFINED;
        if (known)
            memcpy(out + i, l1->bytes + at + i, DEV_GRANULE);
        else
            memset(out + i, UNWRITTEN, DEV_GRANULE);
    }
}

static bool lend(dev_native_guard *g, uintptr_t address)
{
    dev_thread *t = g->thread;
    uintptr_t page = address & ~(uintptr_t)(LENT_PAGE - 1);
    if (page < DEV_NATIVE_POINTERS || address >= t->core->l1.size ||
        t->native.lent == MAX_LENT)
        return false;
    void *at = mmap((void *)page, LENT_PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != (void *)page) {
        if (at != MAP_FAILED) /* an old kernel treated the address as a hint */
            munmap(at, LENT_PAGE);
        return false;
    }
    dev_await_bytes(t->machine);
    fill_page(&t->core->l1, page, at);
    g->lent[t->native.lent++] = page;
    return true;
}

/* Stores the changed bytes to L1. */
static void take_over(dev_thread *t, ir_op *op, uintptr_t page)
{
    dev_memory *l1 = &t->core->l1;
    const uint8_t *mine = (const uint8_t *)page;
    uint8_t before[LENT_PAGE];
    fill_page(l1, page, before);
    for (size_t i = 0; i < LENT_PAGE && page + i + DEV_GRANULE <= l1->size;
         i += DEV_GRANULE) {
        if (memcmp(mine + i, before + i, DEV_GRANULE) == 0)
            continue;
        dev_check_owner(t, op, l1, page + i, DEV_GRANULE, "address");
        dev_check_write(t, op, l1, page + i, DEV_GRANULE, NULL, false);
        memcpy(l1->bytes + page + i, mine + i, DEV_GRANULE);
        dev_mark(l1, page + i, DEV_GRANULE, DEV_DEFINED);
        dev_words_changed(l1, page + i, DEV_GRANULE, t->now);
    }
}

void dev_native_store_lent(dev_thread *t, ir_op *op)
{
    uint32_t n = t->native.lent;
    dev_await_bytes(t->machine);
    t->native.lent = 0;
    for (uint32_t i = 0; i < n; i++) {
        take_over(t, op, active->lent[i]);
        munmap((void *)active->lent[i], LENT_PAGE);
    }
}

/* ---- signals ----------------------------------------------------------------------- */

static void handle(int number, siginfo_t *info, void *context)
{
    dev_native_guard *g = active;
    dev_thread *t = g ? g->thread : NULL;
    uintptr_t pc = pc_of(context);
    if (number == SIGSEGV && is_kernels(t, pc) && lend(g, (uintptr_t)info->si_addr))
        return; /* and retry the instruction */
    if (is_kernels(t, pc) && (number != SIGVTALRM || is_looping(g))) {
        t->native.fault = number;
        t->native.fault_address = (uintptr_t)info->si_addr;
        t->native.fault_pc = kernel_pc(t, context);
        dev_native_leave(t);
    }
    for (size_t i = 0; i < TW_COUNT(signals); i++)
        if (signals[i] == number && number != SIGVTALRM)
            sigaction(number, &former[i], NULL); /* the former handler gets it */
}

/* Returns false if the run was cancelled while waiting. */
static bool lock_guard(dev_machine *m)
{
    while (pthread_mutex_trylock(&running) != 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PATIENCE;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_mutex_timedlock(&running, &until) == 0)
            break;
        if (dev_cancelled(m))
            return false;
    }
    return true;
}

dev_native_guard *dev_native_guard_begin(dev_machine *m)
{
    bool any = false;
    for (size_t i = 0; i < m->n_threads; i++)
        any |= m->threads[i]->code->entry != NULL;
    if (!any)
        return NULL;
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    pthread_once(&watched, watch_forks);
    if (!lock_guard(m))
        return NULL;
    dev_native_guard *g = tw_xcalloc(1, sizeof *g);
    g->stack = tw_xmalloc(STACK);
    active = g;
    sigaltstack(&(stack_t){.ss_sp = g->stack, .ss_size = STACK}, &g->old_stack);
    struct sigaction action = {.sa_sigaction = handle,
                               .sa_flags =
                                   SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < TW_COUNT(signals); i++)
        sigaction(signals[i], &action, &former[i]);
    taken = true;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM};
#ifdef sigev_notify_thread_id
    event.sigev_notify_thread_id = gettid();
#else
    event._sigev_un._tid = gettid();
#endif
    const struct itimerspec second = {{1, 0}, {1, 0}};
    g->has_timer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &g->timer) == 0 &&
                   timer_settime(g->timer, 0, &second, NULL) == 0;
    return g;
}

void dev_native_abandon(dev_thread *t)
{
    dev_native_leave_globals(t);
    free(t->native.frames);
    t->native.frames = NULL;
    t->native.n_frames = 0;
}

void dev_native_guard_end(const dev_machine *m, dev_native_guard *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < m->n_threads; i++)
        dev_native_abandon(m->threads[i]);
    if (g->has_timer)
        timer_delete(g->timer);
    for (size_t i = 0; i < TW_COUNT(signals); i++)
        sigaction(signals[i], &former[i], NULL);
    sigaltstack(&g->old_stack, NULL);
    active = NULL;
    taken = false;
    pthread_mutex_unlock(&running);
    free(g->stack);
    free(g);
}

void dev_native_enter(dev_thread *t, dev_native_guard *g)
{
    g->thread = t->code->entry ? t : NULL;
    if (!g->thread)
        return;
    dev_native_take_globals(t);
    t->code->module->enter(t);
}

/* ---- reports ----------------------------------------------------------------------- */

static void describe(const dev_thread *t, tw_strbuf *out)
{
    if (t->native.fault == SIGFPE)
        tw_strbuf_puts(out, "makes a division that has no result");
    else if (t->native.fault == SIGILL)
        tw_strbuf_puts(out, "the kernel ends in a trap");
    else if (t->native.fault_address < t->core->l1.size)
        tw_strbuf_printf(out, "address 0x%llx of L1 is used through a plain pointer",
                         (unsigned long long)t->native.fault_address);
    else if (t->native.fault_address - (uintptr_t)t->code->module->guard < TW_KERNEL_GUARD)
        tw_strbuf_printf(out, "address 0x%llx lies behind the kernel's variables",
                         (unsigned long long)t->native.fault_address);
    else if (tw_fiber_overflows(t->fiber, t->native.fault_address))
        tw_strbuf_puts(out,
                       "the stack of 256 KiB is used up: a recursion, or large arrays");
    else
        tw_strbuf_printf(out, "address 0x%llx is no memory of the kernel's",
                         (unsigned long long)t->native.fault_address);
}

void dev_native_report_fault(dev_thread *t)
{
    tw_strbuf text = {0};
    ir_op *op = dev_native_op_at(t, t->native.fault_pc);
    if (t->native.fault == SIGVTALRM) {
        dev_report_at(t, DEV_BUDGET, op, NULL, "the loop calls nothing and changes nothing",
                      "an endless loop");
    } else {
        describe(t, &text);
        dev_report_at(t, DEV_L1_RANGE, op, NULL,
                      t->native.fault_address < t->core->l1.size &&
                              t->native.fault != SIGFPE
                          ? "declare it as a pointer to tt_l1_ptr, as in "
                            "'volatile tt_l1_ptr uint32_t *p'"
                          : "hardware's core would go on with whatever comes of that",
                      "%s", tw_strbuf_text(&text));
        t->machine->stop = true;
    }
    tw_strbuf_free(&text);
    t->native.fault = 0;
}
