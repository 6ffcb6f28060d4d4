/* noc.c: transfers: start, completion and checks. */
#include "grid/machine/machine.h"

static inline uint32_t new_transfer(dev_machine *m)
{
    uint32_t number = m->noc.free_transfer;
    if (number) {
        m->noc.free_transfer = m->noc.transfers[number].next;
    } else {
        number = (uint32_t)m->noc.n_transfers;
        TW_PUSH(m->noc.transfers, m->noc.n_transfers, m->noc.transfers_capacity,
                (dev_transfer){0});
    }
    return number;
}

/* Where a transfer goes: a range of a memory. */
typedef struct target {
    dev_memory *memory;
    size_t at, size;
    bool is_l1;
} target;

/* Starts a transfer; the caller sets its source or value. Field by field: clearing the
 * whole first takes a string instruction, which is as slow as the rest. */
static inline uint32_t begin_transfer(dev_thread *t, ir_op *op, dev_transfer_kind kind,
                                      const target *to, double arrival, int noc)
{
    dev_machine *m = t->machine;
    const uint32_t number = new_transfer(m);
    dev_transfer *x = &m->noc.transfers[number];
    x->kind = kind;
    x->arrival = arrival;
    x->thread = t;
    x->op = op;
    x->from = NULL;
    x->to = to->memory;
    x->from_at = 0;
    x->to_at = to->at;
    x->size = to->size;
    x->value = 0;
    x->is_inline = x->sends_word = x->flushed = x->followed = false;
    x->is_l1 = to->is_l1;
    x->word = 0;
    x->noc = noc;
    x->transaction = t->traffic.transaction;
    x->sent = NULL;
    x->next = t->traffic.first;
    m->finish = TW_MAX(m->finish, arrival);
    dev_span(t, DEV_TRACK_NOC, op, t->now, arrival);
    m->profile.core_bytes[t->core->y * m->chip->grid_x + t->core->x] += to->size;
    t->traffic.first = number;
    return number;
}

static void release(dev_machine *m, uint32_t number)
{
    m->noc.transfers[number].to = NULL;
    m->noc.transfers[number].next = m->noc.free_transfer;
    m->noc.free_transfer = number;
}

void dev_transfer_define(dev_machine *m, uint32_t number)
{
    const dev_transfer *x = &m->noc.transfers[number];
    uint32_t *chunks = x->to->chunks;
    size_t i = x->to_at / DEV_CHUNK, end = (x->to_at + x->size) / DEV_CHUNK;
    if (TW_LIKELY((x->to_at | x->size) % DEV_CHUNK == 0)) { /* usually whole pages */
        while (i < end && chunks[i] == number + DEV_FIRST_TRANSFER)
            chunks[i++] = DEV_DEFINED;
        if (i == end)
            return;
    }
    dev_mark_define(x->to, x->to_at, x->size, number + DEV_FIRST_TRANSFER);
}

/* After a program: no memory has the mark of a transfer. */
void dev_transfers_clear(dev_machine *m)
{
    for (uint32_t n = 1; n < m->noc.n_transfers; n++)
        if (m->noc.transfers[n].to)
            dev_transfer_define(m, n);
    m->noc.n_transfers = 1;
    m->noc.free_transfer = 0;
}

/* Passes the sender's clock to later waiters of these words. */
static void words_come(dev_machine *m, dev_transfer *x)
{
    dev_far *sent = x->sent;
    x->sent = NULL;
    if (!sent)
        return;
    for (size_t at = x->to_at; x->is_l1 && at < x->to_at + x->size; at += 4)
        if (x->is_inline || dev_race_is_word(x->thread, x->to, at, 4))
            dev_race_word_comes(x->thread, x->op, x->to, at, sent, x->kind == DEV_ATOMIC);
    dev_far_release(m->races, sent);
}

void dev_transfer_arrive(dev_machine *m, uint32_t number)
{
    dev_transfer *x = &m->noc.transfers[number];
    if (!x->is_inline || !dev_are_semaphores(m, x->to, x->to_at, 4))
        dev_await_bytes(m);
    if (x->is_inline) {
        uint32_t old, value = x->value;
        memcpy(&old, x->to->bytes + x->to_at, 4);
        value += x->kind == DEV_ATOMIC ? old : 0;
        memcpy(x->to->bytes + x->to_at, &value, 4);
        x->to->version++;
        if (TW_UNLIKELY(m->delays != NULL))
            dev_order_access(x->thread, x->op, x->to, x->to_at);
        dev_transfer_define(m, number);
        if (x->is_l1)
            dev_word_changes(x->thread, x->op, x->to, x->to_at, old, value, x->arrival);
        words_come(m, x);
    } else {
        memmove(x->to->bytes + x->to_at, x->from->bytes + x->from_at, x->size);
        dev_transfer_define(m, number);
        words_come(m, x);
        dev_words_changed(x->to, x->to_at, x->size, x->arrival);
    }
}

void dev_noc_barrier(dev_thread *t, ir_op *op, unsigned kinds, int noc, int transaction)
{
    dev_machine *m = t->machine;
    t->wait.transfers = kinds;
    t->wait.noc = noc;
    t->wait.transaction = transaction;
    double latest = 0;
    bool any = false;
    uint32_t elsewhere = 0;
    for (uint32_t n = t->traffic.first; n; n = m->noc.transfers[n].next) {
        const dev_transfer *x = &m->noc.transfers[n];
        if (dev_awaits(t, x))
            latest = TW_MAX(latest, x->arrival);
        if (kinds >> x->kind & 1 && !x->flushed) {
            any |= x->noc == noc;
            elsewhere = n;
        }
    }
    if (elsewhere && !any)
        dev_report_at(t, DEV_WRONG_BARRIER, op, m->noc.transfers[elsewhere].op,
                      "this transfer is not waited for",
                      "waits on NoC %d, on which nothing is under way; NoC %d has work",
                      noc, m->noc.transfers[elsewhere].noc);
    dev_wait_until(t, DEV_WAIT_BARRIER, op, latest);
    dev_sync(t); /* a thread that reads the bytes before now reads too early */
    for (uint32_t *link = &t->traffic.first; *link;) {
        uint32_t number = *link;
        dev_transfer *x = &m->noc.transfers[number];
        if (!dev_awaits(t, x)) {
            link = &x->next;
            continue;
        }
        *link = x->next;
        if (!x->is_inline)
            dev_transfer_define(m, number);
        release(m, number);
    }
    if (!t->traffic.first) {
        t->traffic.begin = SIZE_MAX;
        t->traffic.end = 0;
    }
}

void dev_noc_flush(dev_thread *t, ir_op *op, int noc)
{
    dev_machine *m = t->machine;
    double latest = 0;
    bool all = true;
    for (uint32_t *link = &t->traffic.first; *link;) {
        uint32_t number = *link;
        dev_transfer *x = &m->noc.transfers[number];
        const bool write = x->kind == DEV_WRITE && x->noc == noc;
        if (write && x->flushed && x->arrival <= t->now) { /* only the last ones are kept */
            *link = x->next;
            if (!x->is_inline)
                dev_transfer_define(m, number);
            release(m, number);
            continue;
        }
        if (write) {
            latest = TW_MAX(latest, x->arrival);
            x->flushed = true;
        }
        all &= x->kind != DEV_WRITE || x->flushed;
        link = &x->next;
    }
    dev_wait_until(t, DEV_WAIT_BARRIER, op, latest);
    dev_sync(t);
    if (all) {
        t->traffic.begin = SIZE_MAX;
        t->traffic.end = 0;
    }
}

static bool fits_l1(dev_thread *t, ir_op *op, int64_t address, int64_t size,
                    const char *side)
{
    if (address >= 0 && size > 0 && (uint64_t)address + (uint64_t)size <= t->core->l1.size)
        return true;
    dev_report_at(t, DEV_NOC_RANGE, op, NULL,
                  "local addresses are offsets into L1, as get_read_ptr and get_write_ptr "
                  "give them",
                  "%s 0x%llx with %lld byte%s is not within this core's L1 of %zu bytes",
                  side, (long long)address, (long long)size, dev_s(size), t->core->l1.size);
    return false;
}

/* Reports coordinates of no worker, or an address beyond its L1. */
static void report_no_worker(dev_thread *t, ir_op *op, const dev_noc_address *p,
                             size_t size)
{
    const dev_chip *chip = t->machine->chip;
    const int y = p->y - chip->translated_y, x = p->x - chip->translated_x;
    if (y >= 0 && y < chip->grid_y && x >= 0 && x < chip->grid_x) {
        dev_report_at(
            t, DEV_NOC_RANGE, op, NULL,
            "addresses of a core are offsets into its L1; use those that circular "
            "buffers, tensors and semaphores have",
            "%zu byte%s at address 0x%x are not within the L1 of core %d,%d, which "
            "has %zu bytes",
            size, dev_s((long long)size), p->address, y, x, chip->l1_bytes);
        return;
    }
    dev_report_at(
        t, DEV_NOC_RANGE, op, NULL,
        "workers begin at translated coordinates 18,18; convert logical ones first",
        "no worker's L1 has %zu byte%s at x %d, y %d, address 0x%x", size,
        dev_s((long long)size), p->x, p->y, p->address);
}

/* Returns the bank of the tensor that the address names, if it is in it; or NULL. */
static inline dev_memory *named_tensor(const dev_machine *m, const dev_noc_address *p,
                                       size_t size, size_t *at)
{
    if (p->kind != DEV_NOC_BANK || !p->y || p->x >= m->chip->dram_banks)
        return NULL;
    const dev_buffer *b = &m->tensors.buffers[p->y - 1];
    if (!b->live || !b->banks)
        return NULL;
    dev_memory *bank = &b->banks[p->x];
    *at = p->address - bank->base;
    return *at < bank->size && size <= bank->size - *at ? bank : NULL;
}

static dev_memory *remote_memory(dev_thread *t, ir_op *op, const dev_noc_address *p,
                                 size_t size, size_t *at)
{
    dev_memory *named = named_tensor(t->machine, p, size, at);
    if (TW_LIKELY(named != NULL))
        return named;
    dev_memory *memory = dev_resolve(t->machine, p, size, at);
    if (!memory && p->kind == DEV_NOC_CORE)
        report_no_worker(t, op, p, size);
    else if (!memory)
        dev_report_at(
            t, DEV_NOC_RANGE, op, NULL,
            "nothing lies there: a tensor that was given back, another's address, "
            "or a bank that the tensor has no page in",
            "no tensor has %zu byte%s in DRAM bank %d at address 0x%x", size,
            dev_s((long long)size), p->x, p->address);
    return memory;
}

static void check_alignment(dev_thread *t, ir_op *op, int64_t near,
                            const dev_noc_address *far, bool read)
{
    const dev_chip *chip = t->machine->chip;
    /* writes to DRAM and all of L1 need only L1's alignment */
    int to = far->kind == DEV_NOC_BANK && read ? chip->dram_align : chip->l1_align;
    if (((uint64_t)near ^ far->address) & ((uint64_t)to - 1)) /* a power of two */
        dev_report_at(t, DEV_ALIGNMENT, op, NULL,
                      "hardware would move the wrong bytes; let both addresses have "
                      "the same remainder",
                      "local address 0x%llx and far address 0x%x differ modulo %d",
                      (long long)near, far->address, to);
}

/* Semaphores change at once even with a second host thread, and are not replayed. */
typedef enum copy_how { COPY_BY_JOB, COPY_PAST_CACHES, COPY_AT_ONCE } copy_how;

static void copy(dev_machine *m, uint8_t *to, const uint8_t *from, size_t size,
                 copy_how how)
{
    if (TW_UNLIKELY(size > UINT32_MAX || how == COPY_AT_ONCE)) {
        dev_await_bytes(m);
        memmove(to, from, size);
    } else if (how == COPY_BY_JOB && dev_does_at_once(m)) {
        memmove(to, from, size);
    } else {
        dev_do(m, &(dev_job){&dev_job_copy, to, from, .size = (uint32_t)size,
                             .past = how == COPY_PAST_CACHES});
    }
}

/* Banks of one tensor have equal addresses. */
static inline void note_access(const dev_thread *t, const ir_op *op,
                               const dev_noc_address *far, const dev_memory *memory,
                               size_t at)
{
    enum { BANK = 40 };
    if (TW_UNLIKELY(t->machine->delays != NULL))
        dev_order_access(t, op, memory,
                         far->kind == DEV_NOC_BANK ? at ^ (size_t)far->x << BANK : at);
}

/* The rest of a read, once its source is resolved. */
static void read_from(dev_thread *t, ir_op *op, const dev_noc_address *from,
                      dev_memory *memory, size_t at, int64_t to, int64_t size, int noc)
{
    check_alignment(t, op, to, from, true);
    dev_check_read(t, op, memory, at, (size_t)size, "source of a NoC read");
    const dev_pad pad = TW_UNLIKELY(t->machine->tensors.padded)
                            ? dev_pad_at(t->machine, memory, at, (size_t)size)
                            : (dev_pad){0};
    const bool reported =
        dev_cb_check_landing(t, op, (size_t)to, (size_t)size,
                             dev_holds(t->machine, memory, at, (size_t)size), pad);
    dev_check_write(t, op, &t->core->l1, (size_t)to, (size_t)size, NULL, reported);
    note_access(t, op, from, memory, at);
    const double arrives = dev_noc_arrival(t, from, (size_t)size, true, noc);
    const target here = {&t->core->l1, (size_t)to, (size_t)size, true};
    const uint32_t n = begin_transfer(t, op, DEV_READ, &here, arrives, noc);
    t->machine->noc.transfers[n].from = memory;
    t->machine->noc.transfers[n].from_at = at;
    dev_mark(&t->core->l1, (size_t)to, (size_t)size, n + DEV_FIRST_TRANSFER);
    /* no access is allowed before the barrier, so the bytes may be copied now */
    if (dev_loan_make(t->machine, &t->core->l1, (size_t)to, memory, at, (size_t)size))
        return;
    dev_own_bytes(t->machine, &t->core->l1, (size_t)to, (size_t)size);
    copy(t->machine, t->core->l1.bytes + to,
         dev_bytes_at(t->machine, memory, at, (size_t)size), (size_t)size,
         dev_touches_semaphores(t->machine, memory, at, (size_t)size) ||
                 dev_touches_semaphores(t->machine, &t->core->l1, (size_t)to, (size_t)size)
             ? COPY_AT_ONCE
             : COPY_BY_JOB);
}

void dev_noc_read(dev_thread *t, ir_op *op, const dev_noc_address *from, int64_t to,
                  int64_t size, int noc)
{
    size_t at;
    t->now += t->machine->chip->cost.issue_noc;
    dev_sync(t);
    if (!fits_l1(t, op, to, size, "destination"))
        return;
    dev_memory *memory = remote_memory(t, op, from, (size_t)size, &at);
    if (memory)
        read_from(t, op, from, memory, at, to, size, noc);
}

/* NoC 0 goes right and down, NoC 1 left and up; the corners must be in that order. */
static void check_corners(dev_thread *t, ir_op *op, const dev_noc_address *to, int noc)
{
    bool forward = to->x <= to->x_end && to->y <= to->y_end;
    bool backward = to->x >= to->x_end && to->y >= to->y_end;
    if (noc ? !backward : !forward)
        dev_report_at(t, DEV_MULTICAST, op, NULL,
                      noc ? "on NoC 1 the start is the lower right corner"
                          : "on NoC 0 the start is the upper left corner",
                      "the rectangle from x %d, y %d to x %d, y %d goes round the chip on "
                      "NoC %d",
                      to->x, to->y, to->x_end, to->y_end, noc);
}

/* Calls `each` for the workers of a multicast rectangle; returns their number. */
static int64_t multicast(dev_thread *t, ir_op *op, const dev_noc_address *to, int noc,
                         bool loopback, int64_t expected,
                         void (*each)(void *user, const dev_noc_address *to), void *user)
{
    int y0 = TW_MIN(to->y, to->y_end), y1 = TW_MAX(to->y, to->y_end);
    int x0 = TW_MIN(to->x, to->x_end), x1 = TW_MAX(to->x, to->x_end);
    check_corners(t, op, to, noc);
    const dev_chip *chip = t->machine->chip;
    const double start =
        TW_MAX(t->now, t->traffic.free); /* one packet, on a tree of links */
    double end = start;
    int64_t count = 0;
    bool self = false;
    t->machine->noc.in_multicast = true;
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            bool own = y - chip->translated_y == t->core->y &&
                       x - chip->translated_x == t->core->x;
            self |= own;
            if (!own || loopback) {
                count++;
                t->traffic.free = start;
                each(user, &(dev_noc_address){DEV_NOC_CORE, x, y, 0, 0, to->address});
                end = TW_MAX(end, t->traffic.free);
            }
        }
    t->machine->noc.in_multicast = false;
    t->traffic.free = end;
    if (self && !loopback && expected == count + 1)
        dev_report_at(t, DEV_MULTICAST, op, NULL,
                      "use the loopback form, or leave the sender out of the count",
                      "the rectangle holds the sender, which this form leaves out, and "
                      "%lld receiver%s %s expected",
                      (long long)expected, dev_s(expected), expected == 1 ? "is" : "are");
    else if (expected >= 0 && expected != count)
        dev_report_at(
            t, DEV_MULTICAST, op, NULL,
            "hardware's barrier would wait for ever; count the workers in the rectangle",
            "the rectangle (%d,%d)-(%d,%d) has %lld receiver%s, the call says %lld", to->x,
            to->y, to->x_end, to->y_end, (long long)count, dev_s(count),
            (long long)expected);
    return count;
}

typedef struct write_call {
    dev_thread *thread;
    ir_op *op;
    int64_t from, size;
    uint32_t value;
    bool add, sends_word;
    int noc;
    dev_far *sent; /* clock sent with a word, created when a receiver exists */
} write_call;

/* Returns the clock that a transfer carries to waiting threads. */
static dev_far *sent_with(write_call *w)
{
    if (!w->thread->machine->finds_races)
        return NULL;
    if (!w->sent)
        w->sent = dev_race_send(w->thread);
    w->sent->references++;
    return w->sent;
}

static void end_call(write_call *w)
{
    dev_far_release(w->thread->machine->races, w->sent);
}

static void write_one(void *user, const dev_noc_address *to)
{
    write_call *w = user;
    dev_thread *t = w->thread;
    size_t at;
    dev_memory *memory = remote_memory(t, w->op, to, (size_t)w->size, &at);
    if (!memory)
        return;
    dev_check_owner(t, w->op, memory, at, (size_t)w->size, "destination");
    dev_check_write(t, w->op, memory, at, (size_t)w->size, t->core->l1.bytes + w->from,
                    false);
    const uint8_t holds = dev_holds(t->machine, memory, at, (size_t)w->size);
    if (holds)
        dev_cb_check_leaving(t, w->op, (size_t)w->from, (size_t)w->size, holds);
    if (TW_UNLIKELY(t->machine->tensors.padded))
        dev_pad_stored(t, w->op, (size_t)w->from, memory, at, (size_t)w->size);
    bool l1 = to->kind == DEV_NOC_CORE;
    note_access(t, w->op, to, memory, at);
    const double arrives = dev_noc_arrival(t, to, (size_t)w->size, false, w->noc);
    const target there = {memory, at, (size_t)w->size, l1};
    const uint32_t n = begin_transfer(t, w->op, DEV_WRITE, &there, arrives, w->noc);
    t->machine->noc.transfers[n].from = &t->core->l1;
    t->machine->noc.transfers[n].from_at = (size_t)w->from;
    t->traffic.begin = TW_MIN(t->traffic.begin, (size_t)w->from);
    t->traffic.end = TW_MAX(t->traffic.end, (size_t)(w->from + w->size));
    dev_mark(memory, at, (size_t)w->size, n + DEV_FIRST_TRANSFER);
    if (l1 && dev_touches_semaphores(t->machine, memory, at, (size_t)w->size)) {
        t->machine->noc.transfers[n].sent = sent_with(w);
        dev_event_add(t->machine, t->machine->noc.transfers[n].arrival, n);
    } else {
        dev_own_bytes(t->machine, memory, at, (size_t)w->size);
        copy(t->machine, memory->bytes + at,
             dev_bytes_at(t->machine, &t->core->l1, (size_t)w->from, (size_t)w->size),
             (size_t)w->size,
             dev_touches_semaphores(t->machine, &t->core->l1, (size_t)w->from,
                                    (size_t)w->size)
                 ? COPY_AT_ONCE
             : !l1 && dev_is_large(memory) ? COPY_PAST_CACHES
                                           : COPY_BY_JOB);
    }
}

void dev_noc_write(dev_thread *t, ir_op *op, int64_t from, const dev_noc_address *to,
                   int64_t size, int noc, bool loopback, int64_t expected)
{
    write_call w = {.thread = t, .op = op, .from = from, .size = size, .noc = noc};
    t->now += t->machine->chip->cost.issue_noc;
    dev_sync(t);
    if (!fits_l1(t, op, from, size, "source"))
        return;
    check_alignment(t, op, from, to, false);
    dev_check_owner(t, op, &t->core->l1, (size_t)from, (size_t)size, "source");
    dev_check_read(t, op, &t->core->l1, (size_t)from, (size_t)size,
                   "source of a NoC write");
    if (to->kind == DEV_NOC_MULTICAST)
        multicast(t, op, to, noc, loopback, expected, write_one, &w);
    else
        write_one(&w, to);
    end_call(&w);
}

/* Words sent after data on another NoC may overtake it. */
static void check_order(dev_thread *t, ir_op *op, const dev_noc_address *to, int noc)
{
    const dev_machine *m = t->machine;
    for (uint32_t n = t->traffic.first; n; n = m->noc.transfers[n].next) {
        const dev_transfer *x = &m->noc.transfers[n];
        size_t at;
        if (x->kind != DEV_WRITE || x->is_inline || x->noc == noc ||
            to->kind != DEV_NOC_CORE || dev_resolve(t->machine, to, 4, &at) != x->to)
            continue;
        dev_report_at(t, DEV_ORDER, op, x->op,
                      "the data was sent here; wait with noc_async_write_barrier between",
                      "signals a core over NoC %d while data for it is under way on NoC %d",
                      noc, x->noc);
        return;
    }
}

static void word_one(void *user, const dev_noc_address *to)
{
    write_call *w = user;
    dev_thread *t = w->thread;
    size_t at;
    dev_memory *memory = remote_memory(t, w->op, to, 4, &at);
    if (!memory)
        return;
    dev_check_owner(t, w->op, memory, at, 4, "destination");
    double time = dev_noc_arrival(t, to, 4, false, w->noc) +
                  (w->add ? t->machine->chip->cost.atomic : 0);
    dev_far *sent = sent_with(w);
    const target there = {memory, at, 4, to->kind == DEV_NOC_CORE};
    const uint32_t n =
        begin_transfer(t, w->op, w->add ? DEV_ATOMIC : DEV_WRITE, &there, time, w->noc);
    dev_transfer *x = &t->machine->noc.transfers[n];
    x->from_at = (size_t)w->from;
    x->value = w->value;
    x->is_inline = true;
    x->sends_word = w->sends_word;
    x->sent = sent;
    dev_event_add(t->machine, time, n);
}

/* True if a word to this destination arrives after a write: same path, same core. */
static bool follows(const dev_thread *t, const dev_transfer *x, const dev_noc_address *to,
                    int noc)
{
    if (x->noc != noc || !x->is_l1)
        return false;
    const dev_chip *chip = t->machine->chip;
    const dev_core *core = dev_core_of(x->to);
    const int cx = core->x + chip->translated_x, cy = core->y + chip->translated_y;
    if (to->kind != DEV_NOC_MULTICAST)
        return cx == to->x && cy == to->y;
    return cx >= TW_MIN(to->x, to->x_end) && cx <= TW_MAX(to->x, to->x_end) &&
           cy >= TW_MIN(to->y, to->y_end) && cy <= TW_MAX(to->y, to->y_end);
}

/* A thread that waits for a word acquires what its sender did before, except writes without
 * a barrier that go elsewhere: these count as later. */
static void leave_behind(dev_thread *t, const dev_noc_address *to, int noc)
{
    dev_machine *m = t->machine;
    for (uint32_t n = m->finds_races ? t->traffic.first : 0; n;
         n = m->noc.transfers[n].next) {
        dev_transfer *x = &m->noc.transfers[n];
        if (x->kind != DEV_WRITE || x->is_inline || x->followed)
            continue;
        x->followed = follows(t, x, to, noc);
        x->word = t->clock.near[t->slot] - 1;
        if (!x->followed)
            dev_race_write(t, x->op, x->to, x->to_at, x->size, NULL, true);
    }
}

static void send_word(dev_thread *t, ir_op *op, const dev_noc_address *to, write_call *w,
                      bool loopback, int64_t expected)
{
    t->now += t->machine->chip->cost.issue_noc;
    dev_sync(t);
    check_order(t, op, to, w->noc);
    if (to->address % 4)
        dev_report_at(t, DEV_ALIGNMENT, op, NULL,
                      "hardware changes the aligned word that it lies in; use a "
                      "multiple of 4",
                      "a word's address 0x%x is no multiple of 4", to->address);
    else if (to->kind == DEV_NOC_MULTICAST)
        multicast(t, op, to, w->noc, loopback, expected, word_one, w);
    else
        word_one(w, to);
    leave_behind(t, to, w->noc);
    end_call(w);
}

void dev_noc_word(dev_thread *t, ir_op *op, dev_noc_address to, uint32_t value, bool add,
                  int noc, bool loopback, int64_t expected)
{
    write_call w = {
        .thread = t, .op = op, .size = 4, .value = value, .add = add, .noc = noc};
    send_word(t, op, &to, &w, loopback, expected);
}

void dev_noc_send_word(dev_thread *t, ir_op *op, dev_noc_address to, size_t from, int noc,
                       bool loopback, int64_t expected)
{
    write_call w = {.thread = t,
                    .op = op,
                    .size = 4,
                    .from = (int64_t)from,
                    .sends_word = true,
                    .noc = noc};
    memcpy(&w.value, dev_bytes_at(t->machine, &t->core->l1, from, 4), 4);
    send_word(t, op, &to, &w, loopback, expected);
}
