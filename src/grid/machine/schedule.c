/* schedule.c: the order in which threads run.
 *
 * Threads of a core that communicate through circular buffers need no common clock: each
 * page carries the time at which it was pushed or popped, so a thread runs until it lacks a
 * page. Other shared state (banks, other cores, semaphores) is accessed in order of time:
 * there dev_sync lets every thread with an earlier clock run first. Equal clocks are
 * ordered by number, or by the seed. */
#include "grid/native/native.h"

#include <math.h>
#include <stdlib.h>

/* ---- arrivals ---------------------------------------------------------------------- */

static bool earlier(const dev_event *a, const dev_event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

void dev_event_add(dev_machine *m, double time, uint32_t number)
{
    dev_schedule *s = &m->schedule;
    dev_event e = {time, s->order++, number};
    TW_PUSH(s->events, s->n_events, s->events_capacity, e);
    for (size_t i = s->n_events - 1;
         i && earlier(&s->events[i], &s->events[(i - 1) / 2]);) {
        dev_event swap = s->events[i];
        s->events[i] = s->events[(i - 1) / 2];
        s->events[(i - 1) / 2] = swap;
        i = (i - 1) / 2;
    }
}

static dev_event pop_event(dev_machine *m)
{
    dev_schedule *s = &m->schedule;
    dev_event first = s->events[0], last = s->events[--s->n_events];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= s->n_events)
            break;
        if (child + 1 < s->n_events && earlier(&s->events[child + 1], &s->events[child]))
            child++;
        if (!earlier(&s->events[child], &last))
            break;
        s->events[i] = s->events[child];
        i = child;
    }
    s->events[i] = last;
    return first;
}

static void happen(dev_machine *m)
{
    dev_event e = pop_event(m);
    m->finish = fmax(m->finish, e.time);
    dev_transfer_arrive(m, e.number);
}

/* ---- ready threads: a heap ----------------------------------------------------------- */

static void ready_add(dev_machine *m, dev_thread *t)
{
    dev_schedule *s = &m->schedule;
    const dev_ready new = {t->now, t->rank, t};
    TW_PUSH(s->ready, s->n_ready, s->ready_capacity, new);
    size_t i = s->n_ready - 1;
    for (;
         i && dev_runs_before(&new, s->ready[(i - 1) / 2].time, s->ready[(i - 1) / 2].rank);
         i = (i - 1) / 2)
        s->ready[i] = s->ready[(i - 1) / 2];
    s->ready[i] = new;
}

/* Sifts a new root down to its position. */
static void ready_sink(dev_machine *m, double time, uint64_t rank, dev_thread *thread)
{
    dev_ready *heap = m->schedule.ready;
    size_t i = 0;
    for (size_t child = 1; child < m->schedule.n_ready; child = 2 * i + 1) {
        if (child + 1 < m->schedule.n_ready &&
            dev_runs_before(&heap[child + 1], heap[child].time, heap[child].rank))
            child++;
        if (!dev_runs_before(&heap[child], time, rank))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = (dev_ready){time, rank, thread};
}

static dev_thread *ready_take(dev_machine *m)
{
    dev_thread *first = m->schedule.ready[0].thread;
    if (--m->schedule.n_ready) {
        const dev_ready *last = &m->schedule.ready[m->schedule.n_ready];
        ready_sink(m, last->time, last->rank, last->thread);
    }
    return first;
}

/* Removes the first thread and inserts another. */
static dev_thread *ready_exchange(dev_machine *m, dev_thread *t)
{
    dev_thread *first = m->schedule.ready[0].thread;
    ready_sink(m, t->now, t->rank, t);
    return first;
}

/* ---- called by threads -------------------------------------------------------------- */

/* Prefetches the stack and state of the next thread, which has not run for long. */
static void prefetch_first(const dev_machine *m)
{
    enum { LINE = 64 };
    if (!m->schedule.n_ready)
        return;
    const dev_thread *t = m->schedule.ready[0].thread;
    for (size_t i = 0; i < sizeof *t; i += LINE)
        __builtin_prefetch((const char *)t + i);
    tw_fiber_prefetch(t->fiber);
    __builtin_prefetch(t->reg);
    __builtin_prefetch(t->reg + 8);
    __builtin_prefetch(t->reg + 16);
}

/* Switches between threads directly, without dev_machine_run, if fibers support that. */
static void go_on_with(dev_thread *t, dev_thread *next)
{
    dev_machine *m = t->machine;
    m->schedule.running = next;
    prefetch_first(m);
    if (m->guard)
        dev_native_enter(next, m->guard);
    if (tw_fiber_hand_over(t->fiber, next->fiber))
        return;
    m->schedule.next = next;
    tw_fiber_yield(t->fiber);
}

void dev_let_others_run(dev_thread *t)
{
    dev_machine *m = t->machine;
    dev_dst_fetch_all(t);
    /* not what arrives after the clock of a thread that has still to run */
    while (
        m->schedule.n_events && m->schedule.events[0].time <= t->now &&
        (!m->schedule.n_ready || m->schedule.events[0].time <= m->schedule.ready[0].time))
        happen(m);
    if (m->schedule.n_ready && dev_runs_before(m->schedule.ready, t->now, t->rank))
        go_on_with(t, ready_exchange(m, t));
    if (TW_UNLIKELY(m->speed != NULL))
        dev_speed_resume(t);
}

void dev_block(dev_thread *t, dev_wait_kind wait, ir_op *op)
{
    dev_dst_fetch_all(t);
    dev_machine *m = t->machine;
    t->wait.kind = wait;
    t->at = op;
    if (m->schedule.n_ready &&
        !(m->schedule.n_events && m->schedule.events[0].time <= m->schedule.ready[0].time))
        go_on_with(t, ready_take(m));
    else
        tw_fiber_yield(t->fiber);
    if (TW_UNLIKELY(m->speed != NULL))
        dev_speed_resume(t);
}

void dev_wake(dev_thread *t, double time)
{
    dev_wait_until(t, t->wait.kind, t->at, time);
    t->wait.kind = DEV_RUN;
    ready_add(t->machine, t);
}

bool dev_semaphore_holds(const dev_thread *t)
{
    uint32_t value;
    memcpy(&value, t->core->l1.bytes + t->wait.address, 4);
    return t->wait.minimum ? value >= t->wait.value : value == t->wait.value;
}

void dev_words_changed(dev_memory *memory, size_t at, size_t size, double time)
{
    dev_core *core = dev_core_of(memory);
    for (int i = 0; i < core->n_threads; i++) {
        dev_thread *t = core->threads[i];
        if (t->wait.kind == DEV_WAIT_SEMAPHORE && t->wait.address + 4 > at &&
            t->wait.address < at + size && dev_semaphore_holds(t))
            dev_wake(t, time);
    }
}

/* ---- programs ---------------------------------------------------------------------- */

void dev_threads_clear(dev_machine *m)
{
    dev_races_end(m);
    for (size_t i = 0; i < m->n_threads; i++) {
        m->threads[i]->core->n_threads = 0;
        TW_PUSH(m->schedule.spare, m->schedule.n_spare, m->schedule.spare_capacity,
                m->threads[i]);
    }
    m->n_threads = m->schedule.n_ready = m->schedule.n_events = m->tensors.n_mixes = 0;
    m->schedule.next = NULL;
    m->stop = m->cancelled = false;
    dev_transfers_clear(m);
    for (int i = 0; i < m->chip->dram_banks; i++)
        m->noc.bank_free[i] = m->finish;
}

void dev_machine_abandon(dev_machine *m)
{
    if (m->work.jobs && !dev_jobs_are_here(m->work.jobs)) { /* they would never complete */
        dev_jobs_destroy(m->work.jobs);
        m->work.jobs = NULL;
    }
    for (size_t i = 0; i < m->n_threads; i++)
        dev_native_abandon(m->threads[i]);
    dev_loans_settle_all(m);
    m->work.recording = NULL;
    m->guard = NULL;
    m->noc.in_multicast = false;
    m->work.abandoned++;
    dev_reports_clear(m);
    dev_threads_clear(m);
}

/* Creates a thread, reusing the registers, fiber and compute unit of a former one. */
static dev_thread *new_thread(dev_machine *m)
{
    if (!m->schedule.n_spare)
        return tw_xcalloc(1, sizeof(dev_thread));
    dev_thread *t = m->schedule.spare[--m->schedule.n_spare];
    dev_thread kept = {.reg = t->reg,
                       .reg_capacity = t->reg_capacity,
                       .fiber = t->fiber,
                       .compute = t->compute};
    *t = kept;
    return t;
}

dev_thread *dev_thread_add(dev_machine *m, dev_core *core, const dev_code *code)
{
    dev_thread *t = new_thread(m);
    t->machine = m;
    t->core = core;
    t->busy = m->profile.busy[core->y * m->chip->grid_x + core->x];
    t->traffic.begin = SIZE_MAX;
    t->code = code;
    t->number = (uint32_t)m->n_threads;
    t->now = m->finish;
    t->rank = t->number;
    if (m->options.seed) { /* splitmix64 of seed and number */
        uint64_t z = m->options.seed * UINT64_C(0x9E3779B97F4A7C15) + t->number + 1;
        z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
        t->rank = z ^ z >> 31;
        t->now += (double)(t->rank % 97); /* also staggers the start of threads */
    }
    TW_PUSH(m->threads, m->n_threads, m->threads_capacity, t);
    if (TW_UNLIKELY(m->delays != NULL))
        dev_delay_start(t);
    t->slot = core->n_threads;
    if (core->n_threads < DEV_CORE_THREADS)
        core->threads[core->n_threads++] = t;
    return t;
}

static void finish_thread(dev_machine *m, dev_thread *t)
{
    t->wait.kind = DEV_DONE;
    m->finish = fmax(m->finish, t->now);
    if (t->is_compute)
        m->finish = fmax(m->finish, fmax(t->compute->math, t->compute->pack));
}

bool dev_cancelled(dev_machine *m)
{
    if (tw_is_cancelled(m->options.cancel))
        m->stop = m->cancelled = true;
    return m->cancelled;
}

void dev_machine_run(dev_machine *m)
{
    m->guard = dev_native_guard_begin(m);
    m->noc.one_core = true;
    for (size_t i = 0; i < m->n_threads; i++) {
        m->noc.one_core &= m->threads[i]->core == m->threads[0]->core;
        ready_add(m, m->threads[i]);
    }
    while (!m->stop && !dev_cancelled(m)) {
        dev_thread *next = m->schedule.next;
        m->schedule.next = NULL;
        if (!next && m->schedule.n_events &&
            (!m->schedule.n_ready ||
             m->schedule.events[0].time <= m->schedule.ready[0].time)) {
            happen(m);
            continue;
        }
        if (!next && !m->schedule.n_ready)
            break;
        m->schedule.running = next ? next : ready_take(m);
        if (m->guard)
            dev_native_enter(m->schedule.running, m->guard);
        tw_fiber_resume(m->schedule.running->fiber);
        if (m->debug && m->debug->stopped)
            dev_debug_stop(m);
        else if (tw_fiber_ended(m->schedule.running->fiber))
            finish_thread(m, m->schedule.running);
    }
    if (m->work.jobs)
        dev_jobs_wait(m->work.jobs);
    dev_loans_settle_all(m);
    dev_native_guard_end(m, m->guard);
    m->guard = NULL;
    for (size_t i = 0; i < m->n_threads && !m->stop; i++)
        if (m->threads[i]->wait.kind != DEV_DONE)
            dev_report_deadlock(m);
}
