/* tape.c: see tape.h: selection, replay and recording of tapes. */
#include "grid/replay/tape.h"

#include "host/tiles/tile.h"
#include "support/hash.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    MAX_TAPES = 4,      /* per program: tensors often alternate */
    MAX_JOBS = 1 << 17, /* per recording */
    SEEN = 8,
    POLL = 1024, /* jobs between two checks for cancellation */
    LINE = 64,
    AHEAD = 4, /* jobs to prefetch: products evict their operands */
};

struct dev_tapes {
    dev_tape *at[MAX_TAPES];
    size_t n, next;
    int64_t *key; /* of the run that begins */
    size_t n_key;
    uint64_t seen[SEEN]; /* hashes of the keys of the last runs without a tape */
    size_t n_seen;
    bool none; /* recordings of this program cannot be replayed */
};

/* ---- recording --------------------------------------------------------------------- */

void dev_record(dev_machine *m, const dev_job *job)
{
    dev_recording *r = m->work.recording;
    if (job->kind->out == DEV_NO_BYTES) /* a hint without effect */
        return;
    r->full |= r->n == MAX_JOBS;
    if (!r->full)
        TW_PUSH(r->jobs, r->n, r->capacity, *job);
}

size_t dev_job_bytes(const dev_job *job, int operand)
{
    const dev_extent extent = operand == DEV_JOB_OUT ? job->kind->out
                              : operand == DEV_JOB_A ? job->kind->a
                                                     : job->kind->b;
    switch (extent) {
    case DEV_NO_BYTES:
        break;
    case DEV_SIZE:
        return job->size;
    case DEV_REGISTER:
        return sizeof(dev_tile);
    case DEV_HALF:
        return sizeof(uint16_t[DEV_TILE_ELEMENTS]);
    case DEV_PAGE_X:
        return dev_tile_bytes((tw_dtype)job->x);
    case DEV_PAGE_Y:
        return dev_tile_bytes((tw_dtype)job->y);
    }
    return 0;
}

/* ---- keys -------------------------------------------------------------------------- */

static size_t count_args(const dev_kernel *k, int list)
{
    bool each = list == DEV_ARGS_RUNTIME && k->per_core;
    return k->n_args[list] * (each ? (size_t)(k->rows * k->columns) : 1);
}

/* Writes what may differ between two runs of a program, apart from its tensors' layouts. */
static void write_key(const dev_machine *m, const dev_program *p, int64_t *key)
{
    *key++ = (int64_t)m->options.seed;
    for (size_t i = 0; i < p->n_cbs; i++)
        *key++ = p->cbs[i].base;
    for (size_t i = 0; i < p->n_kernels; i++)
        for (int list = 0; list < DEV_ARG_LISTS; list++) {
            size_t n = count_args(&p->kernels[i], list);
            memcpy(key, p->kernels[i].values[list], n * sizeof *key);
            key += n;
        }
}

static struct dev_tapes *make_tapes(dev_program *p)
{
    struct dev_tapes *t = p->tapes = tw_xcalloc(1, sizeof *t);
    t->n_key = 1 + p->n_cbs;
    t->none = dev_program_sees_bytes(p);
    for (size_t i = 0; i < p->n_kernels; i++)
        for (int list = 0; list < DEV_ARG_LISTS; list++)
            t->n_key += count_args(&p->kernels[i], list);
    t->key = tw_xcalloc(t->n_key, sizeof *t->key);
    return t;
}

void dev_tape_free(dev_tape *tape)
{
    for (size_t i = 0; i < tape->n_memories; i++)
        free(tape->memories[i].own);
    for (size_t i = 0; i < 2 * tape->n_units; i++)
        free(tape->units[i]);
    free(tape->units);
    free(tape->key);
    free(tape->prepared);
    free(tape->jobs);
    free(tape->memories);
    free(tape->needs);
    free(tape->writes);
    free(tape->buffers);
    free(tape->threads);
    free(tape);
}

void dev_tapes_free(struct dev_tapes *tapes)
{
    if (!tapes)
        return;
    for (size_t i = 0; i < tapes->n; i++)
        dev_tape_free(tapes->at[i]);
    free(tapes->key);
    free(tapes);
}

bool dev_tapes_want(const dev_machine *m, dev_program *p)
{
    struct dev_tapes *t = p->tapes;
    if (!t || t->none || m->options.profile)
        return false;
    const uint64_t hash = tw_hash_bytes(0, t->key, t->n_key * sizeof *t->key);
    for (size_t i = 0; i < TW_MIN(t->n_seen, (size_t)SEEN); i++)
        if (t->seen[i] == hash)
            return true;
    t->seen[t->n_seen++ % SEEN] = hash;
    return false;
}

/* ---- matching ---------------------------------------------------------------------- */

static bool same_layout(const dev_buffer *a, const dev_buffer *b)
{
    return a->live == b->live && a->space == b->space && a->address == b->address &&
           a->format == b->format && a->tiled == b->tiled && a->grid_y == b->grid_y &&
           a->grid_x == b->grid_x && a->shard_y == b->shard_y && a->shard_x == b->shard_x &&
           a->core_y == b->core_y && a->core_x == b->core_x && a->shards == b->shards &&
           a->core_columns == b->core_columns && a->matrix_rows == b->matrix_rows &&
           a->page == b->page && a->stride == b->stride && a->pages == b->pages &&
           a->per_bank == b->per_bank;
}

static bool same_buffers(const dev_machine *m, const dev_tape *tape)
{
    for (size_t i = 0; i < tape->n_buffers; i++) {
        const struct dev_tape_buffer *b = &tape->buffers[i];
        if (b->index >= m->tensors.n || !same_layout(&b->as, &m->tensors.buffers[b->index]))
            return false;
    }
    return true;
}

static dev_memory *memory_now(dev_machine *m, const dev_tape_memory *of)
{
    return of->core >= 0 ? &m->cores[of->core]->l1
           : of->memory  ? &m->tensors.buffers[of->buffer].banks[of->bank]
                         : NULL;
}

/* Updates the addresses of a tensor that was recreated elsewhere in the host's memory. */
static void follow(dev_machine *m, dev_tape *tape)
{
    bool moved = false;
    for (size_t i = 0; i < tape->n_memories; i++) {
        dev_tape_memory *of = &tape->memories[i];
        if (of->memory) {
            of->memory = memory_now(m, of);
            moved |= of->memory->bytes != of->bytes;
        }
    }
    for (size_t i = 0; moved && i < tape->n_prepare + tape->n; i++) {
        dev_tape_job *j = &tape->jobs[i];
        const void *at[] = {j->job.out, j->job.a, j->job.b};
        for (int k = 0; k < DEV_JOB_OPERANDS; k++) {
            if (!at[k] || j->memory[k] == DEV_NO_MEMORY)
                continue;
            const dev_tape_memory *of = &tape->memories[j->memory[k]];
            if (of->memory)
                at[k] = of->memory->bytes + ((const uint8_t *)at[k] - of->bytes);
        }
        j->job.out = (void *)(uintptr_t)at[DEV_JOB_OUT];
        j->job.a = at[DEV_JOB_A];
        j->job.b = at[DEV_JOB_B];
    }
    for (size_t i = 0; moved && i < tape->n_memories; i++)
        if (tape->memories[i].memory)
            tape->memories[i].bytes = tape->memories[i].memory->bytes;
}

static bool inputs_defined(const dev_tape *tape)
{
    for (size_t i = 0; i < tape->n_needs; i++) {
        const dev_tape_range *r = &tape->needs[i];
        const dev_memory *memory = tape->memories[r->memory].memory;
        if (!dev_marked(memory, r->at, r->size, DEV_DEFINED) &&
            dev_mark_differs(memory, r->at, r->size, DEV_DEFINED) != SIZE_MAX)
            return false;
    }
    return true;
}

/* ---- replay ------------------------------------------------------------------------ */

/* Jobs in parts; each host thread takes the next one, so that a late thread does less. */
typedef struct work {
    dev_machine *m;
    const dev_tape *tape;
    const dev_tape_job *jobs;
    const uint32_t *parts; /* start of each part, and the end */
    size_t n_parts;
    bool prepares;
    atomic_size_t next;
} work;

/* Operands in tensors are often far apart; prepared ones are in a cache. */
static inline void fetch_operand(const dev_tape_job *j, int operand, const void *at)
{
    const size_t size = dev_job_bytes(&j->job, operand);
    for (size_t i = 0; j->memory[operand] != DEV_NO_MEMORY && i < size; i += LINE)
        __builtin_prefetch((const char *)at + i);
}

/* Prefetches the operands of the next job, and of those after it. */
static inline void fetch_ahead(const work *w, uint32_t i, uint32_t end)
{
    const dev_tape_job *later = &w->jobs[TW_MIN(i + AHEAD, end - 1)],
                       *next = &w->jobs[TW_MIN(i + 1, end - 1)];
    __builtin_prefetch(&later->job);
    __builtin_prefetch(&later->unit);
    fetch_operand(next, DEV_JOB_A, next->job.a);
    if (next->job.b != next->job.a)
        fetch_operand(next, DEV_JOB_B, next->job.b);
}

static void play_job(const work *w, const dev_tape_job *j, size_t host)
{
    if (w->prepares && w->tape->memories[j->memory[DEV_JOB_A]].fresh)
        return;
    if (!host || !j->unit) {
        j->job.kind->run(&j->job);
        return;
    }
    dev_job job = j->job;
    job.unit = w->tape->units[2 * ((size_t)j->unit - 1) + host];
    job.kind->run(&job);
}

/* False if the host wants the program to stop. */
static bool play_part(const work *w, size_t part, size_t host)
{
    const uint32_t end = w->parts[part + 1];
    const bool fetches = krn_tiles()->fetches;
    for (uint32_t i = w->parts[part]; i < end; i++) {
        if (fetches)
            fetch_ahead(w, i, end);
        play_job(w, &w->jobs[i], host);
        if (!host && i % POLL == 0 && dev_cancelled(w->m))
            return false;
    }
    return true;
}

static void play_parts(work *w, size_t host)
{
    size_t part;
    while ((part = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed)) <
           w->n_parts)
        if (!play_part(w, part, host))
            atomic_store_explicit(&w->next, w->n_parts, memory_order_relaxed);
    dev_job_fence(); /* of results that went past the caches */
}

static void play_other(const dev_job *job)
{
    play_parts(job->out, 1);
}

static const dev_job_kind other_parts = {play_other, DEV_NO_BYTES, DEV_NO_BYTES,
                                         DEV_NO_BYTES};

static void play_jobs(dev_machine *m, work *w)
{
    const bool shared = m->work.jobs && w->n_parts > 1;
    if (shared) {
        dev_jobs_add(m->work.jobs, &(dev_job){&other_parts, w});
        dev_jobs_publish(m->work.jobs);
    }
    play_parts(w, 0);
    if (shared)
        dev_jobs_wait(m->work.jobs);
}

/* Operands prepared from memory that has not changed since, such as weights, remain valid.
 * L1 has no version and is always prepared again. */
static bool find_fresh(dev_tape *tape)
{
    bool all = true;
    for (size_t i = 0; i < tape->n_memories; i++) {
        dev_tape_memory *of = &tape->memories[i];
        const uint64_t version = of->memory && of->core < 0 ? of->memory->version : 0;
        of->fresh = version && version == of->version;
        of->version = version;
        all &= of->fresh || !of->prepared;
    }
    return all;
}

static void forget_prepared(dev_tape *tape)
{
    for (size_t i = 0; i < tape->n_memories; i++)
        tape->memories[i].version = 0;
}

static void play(dev_machine *m, dev_tape *tape)
{
    uint32_t even[DEV_TAPE_PARTS + 1];
    const size_t n = TW_MIN(tape->n_prepare, (size_t)DEV_TAPE_PARTS);
    for (size_t i = 0; n && i <= n; i++)
        even[i] = (uint32_t)(i * tape->n_prepare / n);
    if (!find_fresh(tape))
        play_jobs(m, &(work){m, tape, tape->jobs, even, n, true, 0});
    if (!m->cancelled)
        play_jobs(m, &(work){m, tape, tape->jobs + tape->n_prepare, tape->parts,
                             tape->n_parts, false, 0});
    else
        forget_prepared(tape);
}

static void tell(dev_program *p, const dev_tape *tape)
{
    p->cycles = tape->cycles;
    p->noc_bytes = tape->noc_bytes;
    p->dram_bytes = tape->dram_bytes;
    p->noc_transfers = tape->noc_transfers;
    p->n_threads = 0;
    for (size_t i = 0; i < tape->n_threads; i++)
        TW_PUSH(p->threads, p->n_threads, p->threads_capacity, tape->threads[i]);
}

static dev_tape *find_fitting(const dev_machine *m, const struct dev_tapes *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (memcmp(t->at[i]->key, t->key, t->n_key * sizeof *t->key) == 0 &&
            same_buffers(m, t->at[i]))
            return t->at[i];
    return NULL;
}

/* False, without effect, if inputs are undefined: executing the program reports that. */
static bool play_if_defined(dev_machine *m, dev_program *p, dev_tape *tape)
{
    follow(m, tape);
    if (!inputs_defined(tape))
        return false;
    for (size_t k = 0; k < tape->n_writes; k++) {
        const dev_tape_range *r = &tape->writes[k];
        dev_mark(tape->memories[r->memory].memory, r->at, r->size, DEV_DEFINED);
    }
    play(m, tape);
    m->finish = m->begin + tape->cycles;
    tell(p, tape);
    return true;
}

bool dev_tapes_play(dev_machine *m, dev_program *p)
{
    struct dev_tapes *t = p->tapes ? p->tapes : make_tapes(p);
    if (t->none || m->options.profile || dev_cancelled(m))
        return false;
    write_key(m, p, t->key);
    dev_tape *tape = find_fitting(m, t);
    if (!tape)
        return false;
    if (m->work.jobs)
        dev_jobs_begin(
            m->work.jobs); /* the second thread wakes up while marks are checked */
    const bool played = play_if_defined(m, p, tape);
    if (m->work.jobs)
        dev_jobs_end(m->work.jobs);
    return played;
}

/* ---- recording --------------------------------------------------------------------- */

void dev_tapes_keep(dev_machine *m, dev_program *p)
{
    struct dev_tapes *t = p->tapes;
    dev_recording *r = m->work.recording;
    if (m->n_reports || m->stop || m->cancelled)
        return;
    if (m->work.saw_bytes || r->full) {
        t->none = true;
        return;
    }
    dev_tape *tape = tw_xcalloc(1, sizeof *tape);
    if (!dev_tape_fold(m, p, r, tape)) {
        t->none = true;
        dev_tape_free(tape);
        return;
    }
    tape->key = tw_xcalloc(t->n_key, sizeof *tape->key);
    memcpy(tape->key, t->key, t->n_key * sizeof *tape->key);
    tape->cycles = p->cycles;
    tape->noc_bytes = p->noc_bytes;
    tape->dram_bytes = p->dram_bytes;
    tape->noc_transfers = p->noc_transfers;
    tape->n_threads = p->n_threads;
    tape->threads = tw_xcalloc(p->n_threads + 1, sizeof *tape->threads);
    memcpy(tape->threads, p->threads, p->n_threads * sizeof *tape->threads);
    if (t->n < MAX_TAPES) {
        t->at[t->n++] = tape;
        return;
    }
    dev_tape_free(t->at[t->next]);
    t->at[t->next] = tape;
    t->next = (t->next + 1) % MAX_TAPES;
}
