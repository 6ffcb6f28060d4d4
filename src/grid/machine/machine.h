/* grid/machine/machine.h: one simulated chip: cores, memory, threads, time and reports.
 *
 * Each kernel thread is a fiber with a clock of its own.  The scheduler always resumes the
 * thread whose clock is lowest (ties by number, or by the seed) after the events up to that
 * time have happened, so that what a thread sees is what was there at its time.  Data that
 * a transfer brings is marked pending, 16 bytes at a time, until the protocol says that it
 * may be used; whoever touches it earlier is reported. */
#ifndef TILEWRIGHT_GRID_MACHINE_MACHINE_H
#define TILEWRIGHT_GRID_MACHINE_MACHINE_H

#include "grid/check/report.h"
#include "grid/machine/chip_costs.h"
#include "grid/machine/jobs.h"
#include "grid/machine/memory.h"
#include "grid/units/matrix_unit.h"
#include "support/fiber.h"

enum {
    DEV_MAX_CBS = 32,
    DEV_MAX_SEMAPHORES = 32,
    DEV_MAX_DST = 16,
    DEV_CORE_THREADS = 8,   /* more than a core has */
    DEV_MAX_BUFFERS = 4000, /* accessors have 12 bits for their number */
    DEV_PACKED = 128,       /* beside a format */
    DEV_IN_ROWS = 64,       /* likewise: no tiles */
};

typedef struct dev_code dev_code;
typedef struct dev_recording dev_recording;

/* ---- circular buffers --------------------------------------------------------------- */

typedef struct dev_cb {
    bool live;
    const char *name; /* or NULL */
    tw_dtype format;
    uint32_t base, page, pages;
    uint32_t read, write;             /* page numbers in the ring */
    uint32_t used;                    /* the producer's view: pages not yet given back */
    uint32_t filled;                  /* the consumer's view: pages that have arrived */
    uint32_t reserved, waited;        /* what was granted and not yet pushed or popped */
    uint32_t packed;                  /* tiles packed in order since the last push */
    double *pushed_at, *popped_at;    /* a time for each page: when it came, when it went */
    dev_clock *pushed_by, *popped_by; /* and what whoever did that knew */
    /* Of each page: 1 + format of the tensor that it was read from, or of what was packed
     * (and DEV_PACKED then), or 0. */
    uint8_t *holds;
    dev_pad *pad;   /* of each page: padding.h */
    ir_op *fill_op; /* the last read of another format than the buffer's */
    dev_thread *wants_data, *wants_room;            /* who is blocked on it */
    ir_op *reserve_op, *push_op, *wait_op, *pop_op; /* the last ones */
    dev_thread *reserver, *waiter;                  /* of reserve_op and wait_op */
    bool pointed; /* somebody has asked where it is written: scratch memory, perhaps */
    dev_thread *keeper; /* who has reserved pages of it to the end */
} dev_cb;

/* ---- transfers and events ----------------------------------------------------------- */

typedef enum dev_transfer_kind { DEV_READ, DEV_WRITE, DEV_ATOMIC } dev_transfer_kind;

typedef struct dev_transfer {
    dev_transfer_kind kind;
    double arrival;
    dev_thread *thread;
    ir_op *op;
    dev_memory *from, *to;
    size_t from_at, to_at, size;       /* offsets */
    uint32_t value;                    /* atomics; inline writes */
    bool is_inline, sends_word, is_l1; /* sends_word: from_at is where its value lies */
    bool flushed;  /* its source may change; it may be on its way still */
    bool followed; /* by a word that arrives behind it */
    int noc, transaction;
    dev_far *sent; /* what comes with a word, or NULL */
    uint32_t next; /* of the thread's list, or of the free ones; 0 ends */
} dev_transfer;

/* A word, or bytes over semaphores, that arrive at a core: others may wait for it. */
typedef struct dev_event {
    double time;
    uint64_t order;
    uint32_t number; /* of the transfer */
} dev_event;

/* ---- threads ------------------------------------------------------------------------ */

typedef enum dev_wait_kind {
    DEV_RUN,
    DEV_WAIT_CB_SPACE,
    DEV_WAIT_CB_DATA,
    DEV_WAIT_SEMAPHORE,
    DEV_WAIT_BARRIER,
    DEV_DONE,
    DEV_WAIT_COUNT
} dev_wait_kind;

typedef enum dev_dst_state {
    DEV_DST_FREE,
    DEV_DST_MATH,
    DEV_DST_COMMITTED,
    DEV_DST_PACK
} dev_dst_state;

typedef struct dev_slot {
    dev_tile tile;
    /* Not NULL: its numbers are bf16 still, in a page of L1 or in the tile's own bytes. */
    const uint16_t *half;
    const dev_tile *page; /* not NULL: its numbers lie in this page of L1, as they are */
    ir_op *written;       /* NULL: nothing since acquire */
    bool integer, read;
    dev_pad pad;
} dev_slot;

/* Registers before the matrix unit, each with an unpacker.  Products take their second
 * operand from SrcA, everything else its first. */
typedef enum dev_source { DEV_SRC_A, DEV_SRC_B } dev_source;

/* What only compute threads have. */
typedef struct dev_compute {
    dev_dst_state state;
    ir_op *state_op;          /* the last transition */
    const ir_op_def *init[2]; /* the last init of the matrix and of the vector unit */
    ir_op *init_op[2];
    int init_kind;                  /* what the matrix unit's init says beyond its name */
    bool transpose;                 /* the second operand of products is transposed */
    ir_op *pack_untilize;           /* the packer writes rows since this init, or NULL */
    bool formats_known, pack_known; /* what an init has set up: */
    tw_dtype unpack_format[2], pack_format;
    dev_pad pad[2]; /* of what the unpackers took last */
    ir_op *format_op, *pack_op;
    dev_dst_format format;
    bool wide, full_sync, approx, l1_accumulate;
    uint32_t relu; /* what the packer does with small or large numbers: 0 nothing */
    uint64_t unpack_to_dst; /* a bit for each port */
    int capacity, phases;
    dev_matrix_unit unit;
    uint32_t lent;     /* a bit for each slot whose numbers lie in L1 */
    uint32_t used;     /* a bit for each slot that was written since acquire */
    double math, pack; /* when these units are free; unpacking is the thread's clock */
    uint64_t random;   /* of rand_tile */
    double section[2]; /* when the packer left the last two DST sections */
    dev_slot slot[DEV_MAX_DST];
    dev_tile a, b, c; /* source registers and a scratch tile */
    dev_tile scratch[3];
} dev_compute;

struct dev_thread {
    dev_machine *machine;
    dev_core *core;
    const dev_code *code;
    tw_fiber *fiber;
    int64_t *reg;
    size_t reg_capacity;
    const int64_t *args[3]; /* runtime, common runtime, compile-time */
    const struct dev_arg *arg_specs[3];
    size_t n_args[3];
    uint32_t number; /* of all threads; ties go to the lower, or by `rank` with a seed */
    uint64_t rank;
    int noc;
    bool tensor_pages; /* dev_kernel */
    double now;
    uint64_t steps, limit; /* operations that it ran; it stops where it reaches the limit */
    bool silent;           /* a mistake is not reported, but ends this */
    bool ended;
    dev_wait_kind wait;
    ir_op *at; /* the operation it waits in or last reported from */
    dev_cb *wait_cb;
    uint32_t wait_pages;
    uint32_t wait_address, wait_value;
    bool wait_minimum;
    int wait_noc, wait_transaction;
    int transaction;             /* of the writes to come */
    unsigned wait_kinds;         /* bits of dev_transfer_kind */
    uint32_t transfers;          /* list of those without a barrier yet */
    size_t sends_from, sends_to; /* where the writes among them read this core's L1 */
    double noc_free;
    double *busy;       /* of its core, for each track */
    int64_t state_size; /* noc_async_read_one_packet_set_state */
    int64_t state_address;
    int64_t polled;       /* the last address of L1 that it loaded from */
    dev_compute *compute; /* may be there though unused */
    bool is_compute;
    double stalled[DEV_WAIT_COUNT];
    void *leave; /* where a kernel in C++ goes on when it must end */
    int fault;   /* the signal that ended it, where it came and about what address */
    uintptr_t fault_pc, fault_address;
    bool own_code; /* what runs is the kernel's own, or what it calls but for the machine */
    uint8_t *frames; /* the stack above the kernel's: arrays may have been left there */
    uintptr_t frames_at;
    size_t n_frames;
    uint8_t *globals; /* its variables while others run; NULL: it has not started */
    uint32_t lent;    /* pages of L1 that such a kernel uses by plain pointers right now */
    int place;        /* in its core's list of threads */
    dev_clock clock;  /* what it knows of others' work */
};

/* Whether the thread's barrier is for this transfer of its. */
static inline bool dev_awaits(const dev_thread *t, const dev_transfer *x)
{
    return (t->wait_kinds >> x->kind & 1) && x->noc == t->wait_noc &&
           (t->wait_transaction < 0 || x->transaction == t->wait_transaction);
}

/* Who changed a semaphore last, for reports. */
typedef struct dev_semaphore_change {
    ir_op *op;
    int y, x; /* the core whose thread did it */
    uint32_t from, to;
    double cycle;
} dev_semaphore_change;

struct dev_core {
    int y, x;
    dev_memory l1;
    dev_cb cb[DEV_MAX_CBS];
    uint8_t live[DEV_MAX_CBS]; /* ports of those that are */
    int n_live;
    double *cb_times; /* what the buffers' times point into */
    size_t cb_times_capacity;
    dev_clock *clocks; /* the same */
    size_t n_clocks;
    struct dev_word *words; /* with which threads have signalled here */
    size_t n_words, words_capacity;
    dev_thread *threads[DEV_CORE_THREADS];
    int n_threads;
    dev_semaphore_change changes[DEV_MAX_SEMAPHORES];
};

/* ---- the machine -------------------------------------------------------------------- */

/* What can be busy on a core, for the profile. */
typedef enum dev_track {
    DEV_TRACK_WAIT,
    DEV_TRACK_UNPACK,
    DEV_TRACK_MATH,
    DEV_TRACK_PACK,
    DEV_TRACK_NOC,
    DEV_TRACKS
} dev_track;

typedef struct dev_span_record {
    const dev_thread *thread;
    dev_track track;
    const ir_op *op;
    double start, end; /* since the program began */
    const dev_cb *cb;  /* that was waited for, or NULL */
} dev_span_record;

typedef struct dev_options {
    uint64_t seed;   /* 0: threads in their order */
    uint64_t budget; /* operations of one thread before it counts as endless; 0: 2^32 */
    bool profile;
    bool two_threads; /* of the host; nothing else differs */
    bool no_races;    /* does not look for accesses in no order */
    dev_numerics numerics;
    const volatile int *cancel; /* becomes non-zero: stop; or NULL */
} dev_options;

/* A thread that can go on, and what decides when. */
typedef struct dev_ready {
    double time;
    uint64_t rank;
    dev_thread *thread;
} dev_ready;

/* Cycles that bytes of this number take. */
typedef struct dev_pace {
    size_t size;
    double noc, dram, both; /* both: the slower of the two */
} dev_pace;

struct dev_machine {
    const dev_chip *chip;
    dev_options options;
    ir_context *ctx;
    dev_core **cores; /* grid_y * grid_x, made when first used */
    dev_buffer *buffers;
    size_t n_buffers, buffers_capacity, last_buffer; /* the last that a place lay in */
    bool padded; /* there has been a tensor that does not fill its tiles */
    dev_mix *mixes;
    size_t n_mixes, mixes_capacity;
    dev_pace pace;
    double *bank_free;
    double *link_free; /* of each NoC's links between cores (noc_time.c) */
    bool in_multicast;
    dev_thread **threads;
    size_t n_threads, threads_capacity;
    dev_thread **spare; /* of former programs, with their fibers */
    size_t n_spare, spare_capacity;
    dev_ready *ready; /* a heap: those that can go on */
    size_t n_ready, ready_capacity;
    struct dev_native_guard *guard; /* of a run with kernels in C++ */
    dev_races *races;               /* NULL: nobody looks for them */
    bool finds_races;               /* in this program */
    dev_jobs *jobs;                 /* NULL: numbers are computed where they are needed */
    dev_recording *recording;       /* of a run that may be repeated, or NULL */
    bool
        saw_bytes; /* somebody but jobs has looked at bytes: they may decide what happens */
    dev_thread *running, *next; /* next: who goes on when the one that runs yields */
    dev_transfer *transfers;    /* number 0 is none */
    size_t n_transfers, transfers_capacity;
    uint32_t free_transfer;
    dev_event *events; /* a heap */
    size_t n_events, events_capacity;
    uint64_t order;
    unsigned abandoned;        /* runs that were: what programs have recorded is stale */
    uint64_t n_banks;          /* of all tensors so far: their versions differ */
    double now, begin, finish; /* begin: of the program */
    dev_report *reports;
    size_t n_reports, reports_capacity;
    bool stop; /* the outcome is undefined from here on */
    bool cancelled;
    uint64_t noc_bytes, dram_bytes, noc_transfers;
    uint64_t *core_bytes, *bank_bytes; /* of each core's NoC interfaces; of each bank */
    double (*busy)[DEV_TRACKS];        /* cycles of each core's units */
    double matrix_flops;
    dev_span_record *spans;
    size_t n_spans, spans_capacity;
    uint64_t spans_lost; /* beyond what is kept */
    uint32_t n_semaphores;
    struct dev_natives *natives; /* kernels in C++, or NULL; somebody else's */
};

/* Whether the host wants the program to stop: then it does. */
bool dev_cancelled(dev_machine *m);
dev_machine *dev_machine_create(const dev_chip *chip, ir_context *ctx,
                                const dev_options *options);
void dev_machine_destroy(dev_machine *m);
void dev_banks_free(const dev_machine *m, dev_buffer *b);
dev_core *dev_core_at(dev_machine *m, int y, int x);
/* Ends the threads of the last program, and what it left under way. */
void dev_threads_clear(dev_machine *m);
/* In a child of fork: the same of a run that another thread of the host was at. */
void dev_machine_abandon(dev_machine *m);
dev_thread *dev_thread_add(dev_machine *m, dev_core *core, const dev_code *code);
/* Runs all threads to their ends, or to a report that stops them. */
void dev_machine_run(dev_machine *m);
/* trace.c: keeps a span for the timeline. */
void dev_span_keep(dev_thread *t, dev_track track, const ir_op *op, double start,
                   double end);
/* A unit or thread was busy (or waited) from one time to another. */
static inline void dev_span(dev_thread *t, dev_track track, const ir_op *op, double start,
                            double end)
{
    t->busy[track] += end - start;
    if (TW_UNLIKELY(t->machine->options.profile))
        dev_span_keep(t, track, op, start, end);
}

/* Bytes are what they should be by now. */
static inline void dev_await_bytes(dev_machine *m)
{
    m->saw_bytes = true;
    if (m->jobs)
        dev_jobs_wait(m->jobs);
}

/* tape.c: keeps the job. */
void dev_record(dev_machine *m, const dev_job *job);

/* Work on bytes: now, or by the other thread of the host. */
static inline void dev_do(dev_machine *m, const dev_job *job)
{
    if (TW_UNLIKELY(m->recording != NULL))
        dev_record(m, job);
    if (m->jobs)
        dev_jobs_add(m->jobs, job);
    else
        job->kind->run(job);
}

/* ---- for operations ----------------------------------------------------------------- */

void dev_let_others_run(dev_thread *t);

static inline bool dev_runs_before(const dev_ready *a, double time, uint64_t rank)
{
    return (a->time < time) | ((a->time == time) & (a->rank < rank)); /* no branches */
}

/* Lets others run up to this thread's time, and what arrives by then arrive. */
static inline void dev_sync(dev_thread *t)
{
    const dev_machine *m = t->machine;
    if ((m->n_events && m->events[0].time <= t->now) ||
        (m->n_ready && dev_runs_before(m->ready, t->now, t->rank)))
        dev_let_others_run(t);
}

/* The thread goes on no earlier than that; what it loses is booked under `wait`. */
static inline void dev_wait_until(dev_thread *t, dev_wait_kind wait, const ir_op *op,
                                  double time)
{
    if (time > t->now) {
        dev_span(t, DEV_TRACK_WAIT, op, t->now, time);
        t->stalled[wait] += time - t->now;
        t->now = time;
    }
}
/* Blocks until dev_wake; the fields of the thread say what for. */
void dev_block(dev_thread *t, dev_wait_kind wait, ir_op *op);
void dev_wake(dev_thread *t, double time);
void dev_event_add(dev_machine *m, double time, uint32_t number);
/* Bytes of a core's memory have changed at a time: wakes who waits for a word of them. */
void dev_words_changed(dev_memory *memory, size_t at, size_t size, double time);
/* Whether what the thread's semaphore holds is what it waits for. */
bool dev_semaphore_holds(const dev_thread *t);

/* Whether somebody owns these bytes of a core's L1: a circular buffer, a tensor, the
 * semaphores, the zeros; reports who not. */
void dev_check_owner(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                     const char *what);
/* A page of a circular buffer goes to a tensor whose tiles are of a format (1 + it). */
void dev_cb_check_leaving(dev_thread *t, ir_op *op, size_t at, size_t size, uint8_t holds);
/* The same of a transfer into this core, of tiles of a format; it may not land on pages
 * that nobody has popped. */
bool dev_cb_check_landing(dev_thread *t, ir_op *op, size_t at, size_t size, uint8_t holds,
                          dev_pad pad);

/* A range of a memory is about to be read or written: reports what is not defined or under
 * way.  Offsets are within the memory. */
bool dev_find_unreadable(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                         size_t size, const char *what);
static inline void dev_check_read(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                                  size_t size, const char *what)
{
    bool told = TW_UNLIKELY(!dev_marked(memory, at, size, DEV_DEFINED)) &&
                dev_find_unreadable(t, op, memory, at, size, what);
    if (t->machine->finds_races)
        dev_race_read(t, op, memory, at, size, told);
}
/* `bytes`: what comes there, where that is known; else NULL.  `told`: something has been
 * reported about this already. */
void dev_check_write(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                     const uint8_t *bytes, bool told);
/* DST takes over what it has left in these bytes so far: they may change now; whether there
 * was anything. */
bool dev_dst_fetch(dev_thread *t, const uint8_t *bytes, size_t size);
/* The same of all of L1. */
static inline void dev_dst_fetch_all(dev_thread *t)
{
    if (t->is_compute && t->compute->lent)
        dev_dst_fetch(t, t->core->l1.bytes, t->core->l1.size);
}
/* What a bank (core NULL), or a core, has of a tensor that does not fill its tiles; false:
 * it fills them, or has nothing there. */
bool dev_buffer_edges(const dev_machine *m, const dev_buffer *b, const dev_core *core,
                      size_t bank, dev_edges *out);
/* Whether a bank holds so much of a tensor that what is written there leaves the caches
 * before it is read. */
static inline bool dev_is_large(const dev_memory *bank)
{
    return bank->size >= 1024 * 1024;
}
/* Whether a range lies among a core's semaphores: only what signals touches these, and no
 * numbers decide what they hold. */
static inline bool dev_are_semaphores(const dev_machine *m, const dev_memory *memory,
                                      size_t at, size_t size)
{
    const size_t end = m->chip->l1_base;
    return !memory->base && at >= end - DEV_MAX_SEMAPHORES * 16 && at + size <= end;
}
/* The same of any byte of it. */
static inline bool dev_touches_semaphores(const dev_machine *m, const dev_memory *memory,
                                          size_t at, size_t size)
{
    const size_t end = m->chip->l1_base;
    return !memory->base && at + size > end - DEV_MAX_SEMAPHORES * 16 && at < end;
}
/* A word of a core's memory goes from one value to another. */
void dev_word_changes(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                      uint32_t from, uint32_t to, double time);
static inline dev_core *dev_core_of(dev_memory *l1)
{
    return (dev_core *)((char *)l1 - offsetof(dev_core, l1));
}

/* The thread hands its work so far over with this page, or takes over what came so. */
static inline void dev_race_release(dev_thread *t, dev_clock *page)
{
    if (!t->machine->finds_races)
        return;
    memcpy(page->near, t->clock.near, sizeof page->near);
    if (TW_UNLIKELY(page->far != t->clock.far))
        dev_race_keep(t, page);
    t->clock.near[t->place]++;
}

static inline void dev_race_acquire(dev_thread *t, const dev_clock *page)
{
    if (!t->machine->finds_races)
        return;
    for (int i = 0; i < DEV_NEAR; i++)
        t->clock.near[i] = TW_MAX(t->clock.near[i], page->near[i]);
    if (TW_UNLIKELY(page->far != NULL && page->far != t->clock.far))
        dev_race_learn(t, page->far);
}

/* circular_buffer.c */
void dev_cb_reserve(dev_thread *t, ir_op *op, int64_t port, int64_t pages);
void dev_cb_push(dev_thread *t, ir_op *op, int64_t port, int64_t pages);
/* The thread ends with pages that it has reserved and not pushed. */
void dev_cb_left_reserved(dev_thread *t, dev_cb *cb);
void dev_cb_wait(dev_thread *t, ir_op *op, int64_t port, int64_t pages);
void dev_cb_pop(dev_thread *t, ir_op *op, int64_t port, int64_t pages);
dev_cb *dev_cb_missing(dev_thread *t, ir_op *op, int64_t port); /* NULL, and a report */
static inline dev_cb *dev_cb_get(dev_thread *t, ir_op *op, int64_t port)
{
    if (TW_LIKELY(port >= 0 && port < DEV_MAX_CBS && t->core->cb[port].live))
        return &t->core->cb[port];
    return dev_cb_missing(t, op, port);
}
/* So many pages behind another of the ring; at most the whole ring. */
static inline uint32_t dev_cb_behind(const dev_cb *cb, uint32_t page, uint32_t pages)
{
    uint32_t at = page + pages;
    return at >= cb->pages ? at - cb->pages : at;
}
int dev_cb_port(const dev_thread *t, const dev_cb *cb);

/* address.c: a place on the grid packed into a register.  By address where time counts:
 * what was stored in parts cannot be copied at once without waiting for the stores. */
typedef struct dev_place {
    enum { DEV_PLACE_CORE, DEV_PLACE_BANK, DEV_PLACE_MULTICAST } kind;
    int x, y, x_end, y_end; /* translated; bank: x */
    uint32_t address;
} dev_place;
int64_t dev_place_pack(dev_place p);
dev_place dev_place_unpack(int64_t bits);
void dev_noc_read(dev_thread *t, ir_op *op, const dev_place *from, int64_t to, int64_t size,
                  int noc);
void dev_noc_write(dev_thread *t, ir_op *op, int64_t from, const dev_place *to,
                   int64_t size, int noc, bool loopback, int64_t expected);
/* The value arrives as one word; adds instead when `add`. */
void dev_noc_word(dev_thread *t, ir_op *op, dev_place to, uint32_t value, bool add, int noc,
                  bool loopback, int64_t expected);
/* The same with the value of a word of this core's L1. */
void dev_noc_send_word(dev_thread *t, ir_op *op, dev_place to, size_t from, int noc,
                       bool loopback, int64_t expected);
/* transaction: only those with this id; -1: all. */
/* noc_time.c: when a transfer that starts now is over; takes the interface and the bank
 * for its time. */
double dev_noc_arrival(dev_thread *t, const dev_place *far, size_t size, bool read,
                       int noc);
void dev_noc_barrier(dev_thread *t, ir_op *op, unsigned kinds, int noc, int transaction);
/* Waits until writes have left: their sources may change then. */
void dev_noc_flush(dev_thread *t, ir_op *op, int noc);
void dev_transfer_arrive(dev_machine *m, uint32_t number);
/* Marks what a transfer brought as defined, where it still bears its mark. */
void dev_transfer_settle(dev_machine *m, uint32_t number);
void dev_transfers_clear(dev_machine *m);
/* Page of a tensor as a place; false if the tensor has no such page. */
bool dev_page_place(const dev_machine *m, const dev_buffer *b, uint64_t base, int64_t page,
                    dev_place *out);
dev_memory *dev_resolve(dev_machine *m, const dev_place *p, size_t size, size_t *out_at);
/* The tensor that has these bytes of every core's L1; NULL if none has. */
const dev_buffer *dev_l1_tensor(const dev_machine *m, size_t at, size_t size);
/* 1 + the format of what a tensor has there, and DEV_IN_ROWS; 0 where that is unknown. */
uint8_t dev_buffer_holds(const dev_buffer *b);
uint8_t dev_holds(const dev_machine *m, const dev_memory *memory, size_t at, size_t size);

#endif
