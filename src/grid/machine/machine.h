/* grid/machine/machine.h: one simulated chip: cores, memory, threads, time and reports.
 *
 * Each kernel thread is a fiber with its own clock. The scheduler always resumes the thread
 * with the lowest clock (ties by number, or by the seed) after the events up to that time
 * have happened, so that a thread sees the state of its time. Data of a transfer is marked
 * pending, in granules of 16 bytes, until the protocol allows its use; an earlier access is
 * reported. */
#ifndef TILEWRIGHT_GRID_MACHINE_MACHINE_H
#define TILEWRIGHT_GRID_MACHINE_MACHINE_H

#include "grid/check/report.h"
#include "grid/machine/debug.h"
#include "grid/machine/delays.h"
#include "grid/machine/jobs.h"
#include "grid/machine/loan.h"
#include "grid/machine/memory.h"
#include "grid/machine/speed.h"
#include "grid/units/matrix_unit.h"
#include "support/fiber.h"
#include "ttcore/system/chip_costs.h"

enum {
    DEV_MAX_CBS = 32,
    DEV_MAX_SEMAPHORES = 32,
    DEV_MAX_DST = 16,
    DEV_CORE_THREADS = 8,   /* at least as many as a core has */
    DEV_MAX_BUFFERS = 4000, /* accessors have 12 bits for their index */
    DEV_PACKED = 128,       /* flag combined with a format */
    DEV_IN_ROWS = 64,       /* likewise: rows, not tiles */
};

typedef struct dev_code dev_code;
typedef struct dev_recording dev_recording;

/* ---- circular buffers --------------------------------------------------------------- */

typedef struct dev_cb {
    bool live;
    const char *name; /* or NULL */
    tw_dtype format;
    uint32_t base, page, pages;
    uint32_t tile;                    /* bytes of a tile of the format */
    uint32_t read, write;             /* page indices in the ring */
    uint32_t used;                    /* the producer's view: pages not popped yet */
    uint32_t filled;                  /* the consumer's view: pages that have arrived */
    uint32_t reserved, waited;        /* granted and not pushed or popped yet */
    uint32_t packed;                  /* tiles packed sequentially since the last push */
    double *pushed_at, *popped_at;    /* of each page: when it was last pushed and popped */
    dev_clock *pushed_by, *popped_by; /* and the clock of the thread that did so */
    /* Of each page: 1 + format of the tensor that it was read from, or of what was packed
     * (with DEV_PACKED), or 0. */
    uint8_t *holds;
    dev_pad *pad;   /* of each page: padding.h */
    ir_op *fill_op; /* the last read of tiles in another format than the buffer's */
    dev_thread *wants_data, *wants_room;            /* threads blocked on it */
    ir_op *reserve_op, *push_op, *wait_op, *pop_op; /* the latest ones */
    dev_thread *reserver, *waiter;                  /* threads of reserve_op and wait_op */
    uint32_t push_number; /* of the last push, among those of its thread */
    bool pointed;         /* its write pointer was taken: possibly scratch memory */
    dev_thread *keeper;   /* a thread that ended with pages of it reserved */
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
    uint32_t value;                    /* of atomics and inline writes */
    bool is_inline, sends_word, is_l1; /* sends_word: the value is read from from_at */
    bool flushed;  /* has left: the source may change, though it may not have arrived */
    bool followed; /* by a word that arrives after it, */
    int32_t word;  /* with this count of its thread's releases */
    int noc, transaction;
    dev_far *sent; /* clock sent with a word, or NULL */
    uint32_t next; /* in the thread's list, or the free list; 0 ends */
} dev_transfer;

/* Arrival of a word, or of bytes over semaphores, at a core: threads may wait for it. */
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
    /* Not NULL: the values are still bf16, in a page of L1 or in the tile's own bytes. */
    const uint16_t *half;
    const dev_tile *page; /* not NULL: the values are in this page of L1, unconverted */
    dev_job late;         /* kind not NULL: it computes them from such pages when needed */
    ir_op *written;       /* NULL: not written since acquire */
    bool integer, read;
    dev_pad pad;
} dev_slot;

/* Source registers of the matrix unit, each with an unpacker. Matrix products take their
 * second operand from SrcA; everything else takes its first from there. */
typedef enum dev_source { DEV_SRC_A, DEV_SRC_B } dev_source;

/* The inits that a compute thread has called last. */
typedef struct dev_inits {
    const ir_op_def *init[2]; /* of the matrix and of the vector unit */
    ir_op *init_op[2];
    int init_kind;        /* the matrix unit's (init_order.c) */
    bool transpose;       /* of products' second operand */
    ir_op *pack_untilize; /* the packer writes rows since; or NULL */
} dev_inits;

/* The formats that unpackers and packer are set to. */
typedef struct dev_formats {
    bool formats_known, pack_known; /* an init has set the following formats */
    tw_dtype unpack_format[2], pack_format;
    dev_pad pad[2]; /* of the tiles last unpacked */
    ir_op *format_op, *pack_op;
    uint32_t relu;          /* mode of the packer's relu; 0: off */
    uint64_t unpack_to_dst; /* one bit per port */
    bool l1_accumulate;
} dev_formats;

/* The registers of DST and who has them. */
typedef struct dev_dst {
    dev_dst_state state;
    ir_op *state_op; /* the last transition */
    dev_dst_format format;
    bool wide, full_sync;
    int capacity;
    uint32_t lent;     /* one bit per slot whose values are still in L1 */
    uint32_t used;     /* one bit per slot that was written since acquire */
    double section[2]; /* when the packer released the last two DST sections */
    dev_slot slot[DEV_MAX_DST];
} dev_dst;

/* State that only compute threads have. */
typedef struct dev_compute {
    dev_inits inits;
    dev_formats formats;
    dev_matrix_unit unit;
    bool approx;
    int phases;
    double math, pack; /* when these units become free; unpackers: `now` */
    uint64_t random;   /* state of rand_tile */
    dev_dst dst;       /* from its slots on nothing is cleared between launches */
    dev_tile a, b, c;  /* source registers and a scratch tile */
    dev_tile scratch[3];
} dev_compute;

/* What a thread waits for. */
typedef struct dev_wait {
    dev_wait_kind kind;
    dev_cb *cb;
    uint32_t pages;
    uint32_t address, value; /* of a semaphore */
    bool minimum;
    int noc, transaction; /* of a barrier; transaction -1: all */
    unsigned transfers;   /* bits of dev_transfer_kind */
} dev_wait;

/* A thread's transfers. */
typedef struct dev_traffic {
    int transaction;    /* id of subsequent writes */
    uint32_t first;     /* list of transfers without a barrier yet */
    size_t begin, end;  /* range of this core's L1 that its pending writes read */
    double free;        /* when its NoC interface becomes free */
    int64_t state_size; /* noc_async_read_one_packet_set_state */
    int64_t state_address;
} dev_traffic;

/* State of a thread whose kernel is in C++. */
typedef struct dev_native_state {
    void *leave; /* where the kernel is left when it must end */
    int fault;   /* the signal that ended it, its code address and the accessed address */
    uintptr_t fault_pc, fault_address;
    bool own_code;   /* executing the kernel's own code or a library's, not the machine's */
    uint8_t *frames; /* the stack above the kernel's frame: it may hold overrun arrays */
    uintptr_t frames_at;
    size_t n_frames;
    uint8_t *globals; /* its variables while others run; NULL: it has not started */
    uint32_t lent;    /* number of pages of L1 in use by plain pointers */
} dev_native_state;

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
    uint32_t number; /* among all threads; breaks ties, or `rank` does with a seed */
    uint64_t rank;
    int slot;            /* index in its core's list of threads */
    uint32_t first_slot; /* of its core, among those of races.h's clocks */
    int noc;
    bool tensor_pages; /* see dev_kernel */
    double now;
    uint64_t steps, limit; /* operations executed, and the count at which it is stopped */
    bool silent;           /* an error ends this execution instead of being reported */
    bool ended;
    ir_op *at; /* the operation it waits in or last reported from */
    dev_wait wait;
    dev_traffic traffic;
    double *busy;   /* its core's busy cycles, per track */
    int64_t polled; /* the last address of L1 that it loaded from */
    /* pushes, and the last one of them whose pages it has waited for itself */
    uint32_t pushes, own_pushes_seen;
    dev_compute *compute; /* may exist though unused */
    bool is_compute;
    double stalled[DEV_WAIT_COUNT];
    dev_native_state native;
    dev_clock clock;                        /* what is ordered before its present */
    uint32_t delay_points[DEV_DELAY_KINDS]; /* met so far */
    uint32_t debug_line; /* of its operation; and that line's first operation */
    const ir_op *debug_first;
    bool on_line; /* its operation is of the line whose speed is another */
};

/* True if the thread's barrier covers this transfer of its own. */
static inline bool dev_awaits(const dev_thread *t, const dev_transfer *x)
{
    return (t->wait.transfers >> x->kind & 1) && x->noc == t->wait.noc &&
           (t->wait.transaction < 0 || x->transaction == t->wait.transaction);
}

/* The last change of a semaphore, for reports. */
typedef struct dev_semaphore_change {
    ir_op *op;
    int y, x; /* the core whose thread made it */
    uint32_t from, to;
    double cycle;
} dev_semaphore_change;

struct dev_core {
    int y, x;
    dev_memory l1;
    dev_cb cb[DEV_MAX_CBS];
    uint8_t live[DEV_MAX_CBS]; /* ports of the live buffers */
    int n_live;
    double *cb_times; /* storage of the buffers' times */
    size_t cb_times_capacity;
    dev_clock *clocks; /* likewise */
    size_t n_clocks;
    struct dev_word *words; /* used by threads to signal here */
    size_t n_words, words_capacity;
    dev_thread *threads[DEV_CORE_THREADS];
    int n_threads;
    dev_semaphore_change changes[DEV_MAX_SEMAPHORES];
};

/* ---- the machine -------------------------------------------------------------------- */

/* Activities of a core, for the profile. */
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
    uint64_t budget; /* operations before a thread is reported as endless; 0: 2^32 */
    bool profile;
    bool two_threads; /* of the host; has no other effect */
    bool no_races;    /* does not detect races */
    dev_numerics numerics;
    const volatile int *cancel; /* once non-zero: stop; or NULL */
} dev_options;

/* A thread that can continue, with its key in the schedule. */
typedef struct dev_ready {
    double time;
    uint64_t rank;
    dev_thread *thread;
} dev_ready;

/* Cycles that a transfer of this size takes. */
typedef struct dev_pace {
    size_t size;
    double noc, link, dram,
        both; /* at an interface, a link, a bank; both: interface and bank */
} dev_pace;

/* Tensors on the device, and what is known of their padding. */
typedef struct dev_tensors {
    dev_buffer *buffers;
    size_t n, capacity;
    size_t last;      /* of the last address looked up */
    uint64_t n_banks; /* of all tensors so far, to give each bank another version */
    bool padded;      /* some tensor does not fill its tiles */
    dev_mix *mixes;
    size_t n_mixes, mixes_capacity;
} dev_tensors;

/* The NoCs and the transfers under way. */
typedef struct dev_noc {
    dev_pace pace;
    double *bank_free;
    double *link_free; /* of each NoC's links between cores (noc_time.c) */
    bool in_multicast;
    bool one_core;           /* all threads of the program are on one core */
    dev_transfer *transfers; /* index 0 is unused */
    size_t n_transfers, transfers_capacity;
    uint32_t free_transfer;
} dev_noc;

/* The order in which threads run. */
typedef struct dev_schedule {
    dev_ready *ready; /* a heap of threads that can continue */
    size_t n_ready, ready_capacity;
    dev_thread *running, *next; /* next: resumed when the running one yields */
    dev_event *events;          /* a heap */
    size_t n_events, events_capacity;
    uint64_t order;
    dev_thread **spare; /* threads of former programs, with their fibers */
    size_t n_spare, spare_capacity;
} dev_schedule;

/* Work on bytes, and recordings of it. */
typedef struct dev_work {
    dev_jobs *jobs;           /* NULL: values are computed immediately */
    dev_recording *recording; /* of a run that may be replayed, or NULL */
    bool defers; /* kernels see bytes only through jobs, which are done at once: copies and
                    results may wait until they are needed */
    bool saw_bytes;     /* bytes were read outside of jobs and may affect control flow */
    unsigned abandoned; /* abandoned runs: recordings made before them are stale */
} dev_work;

/* Counters of a program, and the spans of its timeline. */
typedef struct dev_profile {
    uint64_t noc_bytes, dram_bytes, noc_transfers;
    uint64_t *core_bytes, *bank_bytes; /* of each core's NoC interfaces; of each bank */
    double (*busy)[DEV_TRACKS];        /* cycles of each core's units */
    double matrix_flops;
    dev_span_record *spans;
    size_t n_spans, spans_capacity;
    uint64_t spans_lost; /* beyond the limit */
    const char *helps;   /* JSON of what would help, for the page; or NULL; borrowed */
} dev_profile;

struct dev_machine {
    const dev_chip *chip;
    dev_options options;
    ir_context *ctx;
    dev_core **cores; /* grid_y * grid_x, created on first use */
    dev_thread **threads;
    size_t n_threads, threads_capacity;
    uint32_t n_semaphores;
    double now, begin, finish; /* begin: of the program */
    bool stop;                 /* the outcome is undefined from here on */
    bool cancelled;
    bool finds_races; /* detects races in this program */
    dev_races *races; /* NULL: races are not detected */
    dev_schedule schedule;
    dev_work work;
    dev_loans loans;
    struct dev_operands *operands; /* operands.h, or NULL */
    dev_noc noc;
    dev_tensors tensors;
    dev_profile profile;
    dev_report *reports;
    size_t n_reports, reports_capacity;
    dev_delays *delays;             /* of this run, or NULL; borrowed */
    dev_speed *speed;               /* likewise */
    dev_debug *debug;               /* likewise */
    struct dev_native_guard *guard; /* of a run with kernels in C++ */
    struct dev_natives *natives;    /* kernels in C++, or NULL; borrowed */
};

/* Checks whether the host wants the program to stop, and stops it then. */
bool dev_cancelled(dev_machine *m);
dev_machine *dev_machine_create(const dev_chip *chip, ir_context *ctx,
                                const dev_options *options);
void dev_machine_destroy(dev_machine *m);
void dev_banks_free(const dev_machine *m, dev_buffer *b);
dev_core *dev_core_at(dev_machine *m, int y, int x);
/* Destroys the threads of the last program, and its pending transfers. */
void dev_threads_clear(dev_machine *m);
/* The same in a child of fork, for a run of another host thread. */
void dev_machine_abandon(dev_machine *m);
dev_thread *dev_thread_add(dev_machine *m, dev_core *core, const dev_code *code);
/* Runs all threads to their ends, or to a report that stops them. */
void dev_machine_run(dev_machine *m);
/* trace.c: records a span for the timeline. */
void dev_span_keep(dev_thread *t, dev_track track, const ir_op *op, double start,
                   double end);
/* Books the time during which a unit or thread was busy (or waited). */
static inline void dev_span(dev_thread *t, dev_track track, const ir_op *op, double start,
                            double end)
{
    t->busy[track] += end - start;
    if (TW_UNLIKELY(t->machine->options.profile))
        dev_span_keep(t, track, op, start, end);
}

/* Waits until queued jobs are done, before DST's bytes are used outside of one. */
static inline void dev_await_jobs(dev_machine *m)
{
    m->work.saw_bytes = true;
    if (m->work.jobs)
        dev_jobs_wait(m->work.jobs);
}

/* Waits until the bytes of all memories are what they seem. */
static inline void dev_await_bytes(dev_machine *m)
{
    dev_await_jobs(m);
    if (m->loans.live)
        dev_loans_settle_all(m);
}

/* tape.c: appends the job to the recording. */
void dev_record(dev_machine *m, const dev_job *job);

/* True if jobs are run now and not recorded: then their work can be done without one. */
static inline bool dev_does_at_once(const dev_machine *m)
{
    return !m->work.jobs && !m->work.recording;
}

/* Runs a job on bytes: now, or in the second host thread. */
static inline void dev_do(dev_machine *m, const dev_job *job)
{
    if (TW_UNLIKELY(m->work.recording != NULL))
        dev_record(m, job);
    if (m->work.jobs)
        dev_jobs_add(m->work.jobs, job);
    else
        job->kind->run(job);
}

/* True if instructions are executed one at a time, with dev_before_call before each, and
 * never replayed. */
static inline bool dev_is_watched(const dev_machine *m)
{
    return m->delays || m->speed || m->debug;
}

/* Called before an instruction of a watched run; `first`: the operation begins with it. */
static inline void dev_before_call(dev_thread *t, ir_op *op, bool first)
{
    t->at = op;
    if (t->machine->delays)
        dev_delay_call(t, op);
    if (t->machine->speed)
        dev_speed_call(t, op);
    if (t->machine->debug && first)
        dev_debug_call(t, op);
}

/* ---- for operations ----------------------------------------------------------------- */

void dev_let_others_run(dev_thread *t);

static inline bool dev_runs_before(const dev_ready *a, double time, uint64_t rank)
{
    return (a->time < time) | ((a->time == time) & (a->rank < rank)); /* no branches */
}

/* Resumes threads with earlier clocks, and delivers what arrives until then. */
static inline void dev_sync(dev_thread *t)
{
    const dev_machine *m = t->machine;
    if ((m->schedule.n_events && m->schedule.events[0].time <= t->now) ||
        (m->schedule.n_ready && dev_runs_before(m->schedule.ready, t->now, t->rank)))
        dev_let_others_run(t);
}

/* Advances the thread's clock to `time`; the wait is booked under `wait`. */
static inline void dev_wait_until(dev_thread *t, dev_wait_kind wait, const ir_op *op,
                                  double time)
{
    if (time > t->now) {
        dev_span(t, DEV_TRACK_WAIT, op, t->now, time);
        t->stalled[wait] += time - t->now;
        t->now = time;
    }
}
/* Blocks until dev_wake; fields of the thread describe the condition. */
void dev_block(dev_thread *t, dev_wait_kind wait, ir_op *op);
void dev_wake(dev_thread *t, double time);
void dev_event_add(dev_machine *m, double time, uint32_t number);
/* Wakes threads that wait for a word in these bytes, which changed at a time. */
void dev_words_changed(dev_memory *memory, size_t at, size_t size, double time);
/* True if the value of the thread's semaphore satisfies its wait. */
bool dev_semaphore_holds(const dev_thread *t);

/* Reports an access to bytes of a core's L1 that do not belong to a circular buffer, a
 * tensor, the semaphores or the zeros. */
void dev_check_owner(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                     const char *what);
/* Checks the formats of pages of a circular buffer that are written to a tensor with tiles
 * of a format (`holds`: 1 + format). */
void dev_cb_check_leaving(dev_thread *t, ir_op *op, size_t at, size_t size, uint8_t holds);
/* The same for a transfer to this core; it must not overwrite pages not popped. */
bool dev_cb_check_landing(dev_thread *t, ir_op *op, size_t at, size_t size, uint8_t holds,
                          dev_pad pad);

/* Reports bytes of a range that are undefined or pending when it is read or written.
 * Offsets are within the memory. */
bool dev_find_unreadable(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                         size_t size, const char *what);
static inline void dev_check_read(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                                  size_t size, const char *what)
{
    bool reported = TW_UNLIKELY(!dev_marked(memory, at, size, DEV_DEFINED)) &&
                    dev_find_unreadable(t, op, memory, at, size, what);
    if (t->machine->finds_races)
        dev_race_read(t, op, memory, at, size, reported);
}
/* `bytes`: new contents if known, else NULL. `reported`: there is a report already. */
void dev_check_write(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                     const uint8_t *bytes, bool reported);
/* Loads into DST the values that it still refers to in these bytes, which may change
 * afterwards; false if there were none. */
bool dev_dst_fetch(dev_thread *t, const uint8_t *bytes, size_t size);
/* The same for all values that are elsewhere. */
void dev_dst_fetch_lent(dev_thread *t);
static inline void dev_dst_fetch_all(dev_thread *t)
{
    if (t->is_compute && t->compute->dst.lent)
        dev_dst_fetch_lent(t);
}
/* Finds the pages of a bank (core NULL), or of a core, at the edge of a tensor that does
 * not fill its tiles; false if it has none. */
bool dev_buffer_edges(const dev_machine *m, const dev_buffer *b, const dev_core *core,
                      size_t bank, dev_edges *out);
/* True for a bank so large that data leaves the caches before it is read again. */
static inline bool dev_is_large(const dev_memory *bank)
{
    return bank->size >= 1024 * 1024;
}
/* True for a range in a core's semaphores, which change at once, not by jobs. */
static inline bool dev_are_semaphores(const dev_machine *m, const dev_memory *memory,
                                      size_t at, size_t size)
{
    const size_t end = m->chip->l1_base;
    return !memory->base && at >= end - DEV_MAX_SEMAPHORES * 16 && at + size <= end;
}
/* True if any byte of the range does. */
static inline bool dev_touches_semaphores(const dev_machine *m, const dev_memory *memory,
                                          size_t at, size_t size)
{
    const size_t end = m->chip->l1_base;
    return !memory->base && at + size > end - DEV_MAX_SEMAPHORES * 16 && at < end;
}
/* Records a change of a word in a core's memory. */
void dev_word_changes(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                      uint32_t from, uint32_t to, double time);
static inline dev_core *dev_core_of(dev_memory *l1)
{
    return (dev_core *)((char *)l1 - offsetof(dev_core, l1));
}

/* True if the source of a write may change, for the thread: it has left, or the thread has
 * had an answer to the word that followed it on its path. */
bool dev_has_left(const dev_thread *t, const dev_transfer *x);

/* Release and acquire of a thread's clock through a page of a circular buffer. */
static inline void dev_race_release(dev_thread *t, dev_clock *page)
{
    if (!t->machine->finds_races)
        return;
    memcpy(page->near, t->clock.near, sizeof page->near);
    if (TW_UNLIKELY(page->far != t->clock.far))
        dev_race_keep(t, page);
    t->clock.near[t->slot]++;
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
/* Called when the thread ends with pages that it has reserved and not pushed. */
void dev_cb_left_reserved(dev_thread *t, dev_cb *cb);
void dev_cb_wait(dev_thread *t, ir_op *op, int64_t port, int64_t pages);
void dev_cb_pop(dev_thread *t, ir_op *op, int64_t port, int64_t pages);
/* True if the thread alone fills and empties the buffer: its packer and its unpacker are in
 * step, so that a missing reserve, or a missing wait for pages before some that it has
 * waited for, is no error on hardware. */
bool dev_cb_is_own(const dev_thread *t, const dev_cb *cb);
dev_cb *dev_cb_missing(dev_thread *t, ir_op *op, int64_t port); /* reports; NULL */
static inline dev_cb *dev_cb_get(dev_thread *t, ir_op *op, int64_t port)
{
    if (TW_LIKELY(port >= 0 && port < DEV_MAX_CBS && t->core->cb[port].live))
        return &t->core->cb[port];
    return dev_cb_missing(t, op, port);
}
/* Returns the index `pages` pages after `page` in the ring; at most one whole ring. */
static inline uint32_t dev_cb_behind(const dev_cb *cb, uint32_t page, uint32_t pages)
{
    uint32_t at = page + pages;
    return at >= cb->pages ? at - cb->pages : at;
}
int dev_cb_port(const dev_thread *t, const dev_cb *cb);

/* address.c: an address on the grid, packed into a register. Passed by pointer in hot code:
 * a structure stored by fields cannot be copied at once without waiting for the stores. */
typedef struct dev_noc_address {
    enum { DEV_NOC_CORE, DEV_NOC_BANK, DEV_NOC_MULTICAST } kind;
    int x, y, x_end, y_end; /* translated; bank: x, and in y 1 + the tensor, if known */
    uint32_t address;
} dev_noc_address;
int64_t dev_noc_pack(dev_noc_address p);
dev_noc_address dev_noc_unpack(int64_t bits);
void dev_noc_read(dev_thread *t, ir_op *op, const dev_noc_address *from, int64_t to,
                  int64_t size, int noc);
void dev_noc_write(dev_thread *t, ir_op *op, int64_t from, const dev_noc_address *to,
                   int64_t size, int noc, bool loopback, int64_t expected);
/* The value arrives as one word; it is added if `add`. */
void dev_noc_word(dev_thread *t, ir_op *op, dev_noc_address to, uint32_t value, bool add,
                  int noc, bool loopback, int64_t expected);
/* The same with a value read from a word of this core's L1. */
void dev_noc_send_word(dev_thread *t, ir_op *op, dev_noc_address to, size_t from, int noc,
                       bool loopback, int64_t expected);
/* noc_time.c: returns when a transfer that starts now completes; occupies the interface and
 * the bank for its time. */
double dev_noc_arrival(dev_thread *t, const dev_noc_address *far, size_t size, bool read,
                       int noc);
/* transaction: only those with this id; -1: all. */
void dev_noc_barrier(dev_thread *t, ir_op *op, unsigned kinds, int noc, int transaction);
/* Waits until writes have left, after which their sources may change. */
void dev_noc_flush(dev_thread *t, ir_op *op, int noc);
void dev_transfer_arrive(dev_machine *m, uint32_t number);
/* Marks the granules that still have the transfer's mark as defined. */
void dev_transfer_define(dev_machine *m, uint32_t number);
void dev_transfers_clear(dev_machine *m);
/* Address of a page of a tensor; false if the tensor has no such page. */
bool dev_page_address(const dev_machine *m, const dev_buffer *b, uint64_t base,
                      int64_t page, dev_noc_address *out);
dev_memory *dev_resolve(dev_machine *m, const dev_noc_address *p, size_t size,
                        size_t *out_at);
/* Returns the tensor that owns these bytes of every core's L1; NULL if there is none. */
const dev_buffer *dev_l1_tensor(const dev_machine *m, size_t at, size_t size);
/* Returns 1 + the format of a tensor's tiles, with DEV_IN_ROWS for rows; 0 if unknown. */
uint8_t dev_buffer_holds(const dev_buffer *b);
uint8_t dev_holds(const dev_machine *m, const dev_memory *memory, size_t at, size_t size);

#endif
