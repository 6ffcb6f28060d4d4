/* tape_fold.c: reduces the jobs of a run to fewer jobs with the same effect.
 *
 * Memory is divided into grains: the largest power of two, a kilobyte at most, of which all
 * operands are multiples. A forward pass makes operands that were copied, grain by grain,
 * read the original bytes as long as these are unchanged. A backward pass drops jobs whose
 * results are not read; circular buffers and DST are not observable after the program. A
 * second forward pass makes a job whose result is only copied elsewhere write it there. */
#include "grid/replay/tape_fold.h"

#include <stdlib.h>

enum { LARGEST = DEV_CHUNK, SMALLEST = 32, MAX_GRAINS = 1 << 22, NOT_FOUND = UINT16_MAX };

/* ---- memories ---------------------------------------------------------------------- */

static void add_memory(dev_folder *f, dev_tape_memory of)
{
    TW_PUSH(f->known, f->n_known, f->known_capacity, of);
}

static int by_address(const void *a, const void *b)
{
    const dev_tape_memory *x = a, *y = b;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static void find_memories(dev_folder *f)
{
    const dev_machine *m = f->m;
    for (size_t i = 0; i < m->tensors.n; i++)
        for (int k = 0; m->tensors.buffers[i].banks && k < m->chip->dram_banks; k++) {
            dev_memory *bank = &m->tensors.buffers[i].banks[k];
            add_memory(f, (dev_tape_memory){.bytes = bank->bytes,
                                            .size = bank->size,
                                            .memory = bank,
                                            .core = -1,
                                            .buffer = i,
                                            .bank = k});
        }
    for (int i = 0; i < m->chip->grid_y * m->chip->grid_x; i++)
        if (m->cores[i])
            add_memory(f, (dev_tape_memory){.bytes = m->cores[i]->l1.bytes,
                                            .size = m->cores[i]->l1.size,
                                            .memory = &m->cores[i]->l1,
                                            .core = i});
    for (size_t i = 0; i < m->n_threads; i++)
        for (int k = 0; m->threads[i]->is_compute && k < DEV_MAX_DST; k++)
            add_memory(f, (dev_tape_memory){
                              .bytes = (uint8_t *)&m->threads[i]->compute->dst.slot[k].tile,
                              .size = sizeof(dev_tile),
                              .core = -1});
    qsort(f->known, f->n_known, sizeof *f->known, by_address);
    f->used = tw_xcalloc(f->n_known + 1, sizeof *f->used);
}

/* Returns the index in the tape of the memory that contains an operand. */
static uint16_t memory_of(dev_folder *f, const uint8_t *at, size_t size)
{
    size_t low = 0, high = f->n_known;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (f->known[middle].bytes <= at)
            low = middle;
        else
            high = middle;
    }
    const dev_tape_memory *of = &f->known[low];
    if (!f->n_known || at < of->bytes || at + size > of->bytes + of->size)
        return NOT_FOUND;
    if (!f->used[low]) {
        if (f->tape->n_memories + 1 >= NOT_FOUND)
            return NOT_FOUND;
        f->tape->memories[f->tape->n_memories] = *of;
        f->tape->memories[f->tape->n_memories].low = SIZE_MAX;
        f->used[low] = (uint16_t)++f->tape->n_memories;
    }
    return f->used[low] - 1;
}

static const uint8_t *operand(const dev_job *job, int operand)
{
    return operand == DEV_JOB_OUT ? job->out : operand == DEV_JOB_A ? job->a : job->b;
}

/* Finds the memories of all operands, and the size of a grain. */
static bool locate(dev_folder *f)
{
    size_t bits = LARGEST;
    f->tape->memories = tw_xcalloc(f->n_known + 1, sizeof *f->tape->memories);
    for (size_t i = 0; i < f->n; i++)
        for (int k = 0; k < DEV_JOB_OPERANDS; k++) {
            dev_fold_job *node = &f->nodes[i];
            const size_t size = dev_job_bytes(&node->j.job, k);
            if (!size)
                continue;
            const uint8_t *at = operand(&node->j.job, k);
            const uint16_t number = memory_of(f, at, size);
            if (number == NOT_FOUND)
                return false;
            dev_tape_memory *of = &f->tape->memories[number];
            const size_t from = (size_t)(at - of->bytes);
            node->j.memory[k] = number;
            of->low = TW_MIN(of->low, from);
            of->high = TW_MAX(of->high, from + size);
            bits |= from | size;
        }
    for (size_t i = 0; i < f->p->n_cbs; i++)
        bits |= f->p->cbs[i].base | f->p->cbs[i].page;
    f->size = bits & -bits;
    size_t total = 0;
    for (size_t i = 0; i < f->tape->n_memories; i++) {
        dev_tape_memory *of = &f->tape->memories[i];
        of->first = (uint32_t)total;
        total += (of->high - of->low) / f->size;
    }
    f->n_grains = (uint32_t)total;
    return f->size >= SMALLEST && total < MAX_GRAINS;
}

static void number_grains(dev_folder *f)
{
    for (size_t i = 0; i < f->n; i++)
        for (int k = 0; k < DEV_JOB_OPERANDS; k++) {
            dev_fold_job *node = &f->nodes[i];
            const dev_tape_memory *of = &f->tape->memories[node->j.memory[k]];
            node->n[k] = (uint32_t)(dev_job_bytes(&node->j.job, k) / f->size);
            if (node->n[k]) {
                const size_t from = (size_t)(operand(&node->j.job, k) - of->bytes);
                node->at[k] = of->first + (uint32_t)((from - of->low) / f->size);
            }
        }
}

/* ---- grains observable after the program --------------------------------------------- */

static bool in_fresh_cb(const dev_program *p, size_t at)
{
    for (size_t i = 0; i < p->n_cbs; i++) {
        const dev_cb_spec *c = &p->cbs[i];
        if (c->fresh && at >= c->base && at < c->base + (size_t)c->page * c->pages)
            return true;
    }
    return false;
}

static void depend_on(dev_folder *f, size_t index)
{
    dev_tape *tape = f->tape;
    for (size_t i = 0; i < tape->n_buffers; i++)
        if (tape->buffers[i].index == index)
            return;
    dev_buffer as = f->m->tensors.buffers[index];
    as.banks = NULL;
    as.bytes = NULL;
    tape->buffers[tape->n_buffers++] = (struct dev_tape_buffer){index, as};
}

/* Adds the L1 tensor that owns a byte to the dependencies; false if there is none. */
static bool depend_on_l1(dev_folder *f, size_t at)
{
    for (size_t i = 0; i < f->m->tensors.n; i++) {
        const dev_buffer *b = &f->m->tensors.buffers[i];
        if (!b->live || !dev_space_is_l1(b->space) || at < b->address ||
            at >= b->address + b->per_bank)
            continue;
        depend_on(f, i);
        return true;
    }
    return false;
}

/* Adds the tensors that arguments name or jobs access to the dependencies. */
static bool depend(dev_folder *f)
{
    f->tape->buffers = tw_xcalloc(f->m->tensors.n + 1, sizeof *f->tape->buffers);
    for (size_t i = 0; i < f->p->n_kernels; i++) {
        const dev_kernel *k = &f->p->kernels[i];
        for (int list = 0; list < DEV_ARG_LISTS; list++)
            for (size_t a = 0; a < k->n_args[list]; a++) {
                const dev_arg *arg = &k->args[list][a];
                if (arg->kind == DEV_ARG_ADDRESS || arg->kind == DEV_ARG_ACCESSOR)
                    depend_on(f, f->p->tensors ? f->p->tensors[arg->value]
                                               : (size_t)arg->value);
            }
    }
    for (size_t i = 0; i < f->tape->n_memories; i++) {
        const dev_tape_memory *of = &f->tape->memories[i];
        if (of->memory && of->core < 0)
            depend_on(f, of->buffer);
        dev_grain *g = f->grains + of->first;
        for (size_t at = of->low; at < of->high; at += f->size, g++) {
            g->lasts = of->memory && (of->core < 0 || !in_fresh_cb(f->p, at));
            if (g->lasts && of->core >= 0 && (g->written || g->needed) &&
                !depend_on_l1(f, at))
                return false;
        }
    }
    return true;
}

/* ---- forwards: operands at their origins --------------------------------------------- */

static uint32_t origin_of(const dev_folder *f, uint32_t at)
{
    const dev_grain *g = &f->grains[at];
    return g->origin_version == f->grains[g->origin].version ? g->origin : at;
}

static uint16_t memory_of_grain(const dev_folder *f, uint32_t at)
{
    size_t low = 0, high = f->tape->n_memories;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (f->tape->memories[middle].first <= at)
            low = middle;
        else
            high = middle;
    }
    return (uint16_t)low;
}

static void read_origin(const dev_folder *f, dev_fold_job *node, int operand)
{
    const uint32_t n = node->n[operand], first = n ? origin_of(f, node->at[operand]) : 0;
    for (uint32_t i = 1; i < n; i++)
        if (origin_of(f, node->at[operand] + i) != first + i)
            return;
    if (!n || first == node->at[operand])
        return;
    const uint16_t memory = memory_of_grain(f, first);
    if (memory != memory_of_grain(f, first + n - 1))
        return;
    node->at[operand] = first;
    node->j.memory[operand] = memory;
}

static void note_reads(dev_folder *f, const dev_fold_job *node, int operand)
{
    for (uint32_t i = 0; i < node->n[operand]; i++) {
        dev_grain *g = &f->grains[node->at[operand] + i];
        g->needed |= !g->written;
    }
}

static void read_origins(dev_folder *f)
{
    for (uint32_t i = 0; i < f->n_grains; i++)
        f->grains[i].origin = i;
    for (size_t i = 0; i < f->n; i++) {
        dev_fold_job *node = &f->nodes[i];
        const bool copies = node->j.job.kind == &dev_job_copy;
        note_reads(f, node, DEV_JOB_A);
        note_reads(f, node, DEV_JOB_B);
        if (node->j.job.adds)
            note_reads(f, node, DEV_JOB_OUT);
        read_origin(f, node, DEV_JOB_A);
        read_origin(f, node, DEV_JOB_B);
        const uint32_t to = node->at[DEV_JOB_OUT], from = node->at[DEV_JOB_A],
                       n = node->n[DEV_JOB_OUT];
        const bool apart = to + n <= from || from + n <= to;
        for (uint32_t k = 0; k < n; k++) {
            dev_grain *g = &f->grains[to + k];
            g->written = true;
            g->version++;
            g->origin = copies && apart ? from + k : to + k;
            g->origin_version = f->grains[g->origin].version;
        }
    }
}

/* ---- backwards: results that are not read -------------------------------------------- */

static bool any_live(const dev_folder *f, const dev_fold_job *node, int operand)
{
    for (uint32_t i = 0; i < node->n[operand]; i++)
        if (f->grains[node->at[operand] + i].live)
            return true;
    return false;
}

static void set_live(dev_folder *f, const dev_fold_job *node, int operand, bool live)
{
    for (uint32_t i = 0; i < node->n[operand]; i++)
        f->grains[node->at[operand] + i].live = live;
}

static void drop_unread(dev_folder *f)
{
    for (uint32_t i = 0; i < f->n_grains; i++)
        f->grains[i].live = f->grains[i].lasts;
    for (size_t i = f->n; i--;) {
        dev_fold_job *node = &f->nodes[i];
        const bool idle = node->j.job.kind == &dev_job_copy &&
                          node->at[DEV_JOB_A] == node->at[DEV_JOB_OUT];
        node->dropped = idle || !any_live(f, node, DEV_JOB_OUT);
        if (node->dropped)
            continue;
        set_live(f, node, DEV_JOB_OUT, node->j.job.adds);
        node->last_reader = !any_live(f, node, DEV_JOB_A);
        set_live(f, node, DEV_JOB_A, true);
        set_live(f, node, DEV_JOB_B, true);
    }
}

/* ---- forwards: results at their copies ----------------------------------------------- */

static void touch(dev_folder *f, const dev_fold_job *node, int operand, uint32_t number)
{
    for (uint32_t i = 0; i < node->n[operand]; i++) {
        f->grains[node->at[operand] + i].touched = number;
        f->grains[node->at[operand] + i].read = true;
    }
}

static void write_result(dev_folder *f, const dev_fold_job *node, uint32_t number)
{
    for (uint32_t i = 0; i < node->n[DEV_JOB_OUT]; i++) {
        dev_grain *g = &f->grains[node->at[DEV_JOB_OUT] + i];
        g->touched = g->writer = number;
        g->read = false;
    }
}

uint32_t dev_fold_sole_writer(const dev_folder *f, const dev_fold_job *node, int operand)
{
    const uint32_t writer = node->n[operand] ? f->grains[node->at[operand]].writer : 0;
    const dev_fold_job *source = writer ? &f->nodes[writer - 1] : NULL;
    if (!source || source->at[DEV_JOB_OUT] != node->at[operand] ||
        source->n[DEV_JOB_OUT] != node->n[operand])
        return 0;
    for (uint32_t i = 0; i < node->n[operand]; i++) {
        const dev_grain *g = &f->grains[node->at[operand] + i];
        if (g->writer != writer || g->read)
            return 0;
    }
    return writer;
}

/* Returns the last of the jobs, each adding to the result of the previous one, whose whole
 * result only this copy reads, and which could write it to the copy's destination because
 * nothing has accessed that since the first job; or 0. */
static uint32_t source_of(const dev_folder *f, const dev_fold_job *copy)
{
    if (copy->j.job.kind != &dev_job_copy || !copy->last_reader)
        return 0;
    const uint32_t last = dev_fold_sole_writer(f, copy, DEV_JOB_A);
    uint32_t first = last;
    while (first && f->nodes[first - 1].j.job.adds)
        first = f->nodes[first - 1].onto;
    for (uint32_t i = 0; first && i < copy->n[DEV_JOB_OUT]; i++)
        if (f->grains[copy->at[DEV_JOB_OUT] + i].touched >= first)
            return 0;
    return first ? last : 0;
}

static void write_there(dev_folder *f, dev_fold_job *copy, uint32_t last)
{
    for (uint32_t number = last; number; number = f->nodes[number - 1].onto) {
        dev_fold_job *source = &f->nodes[number - 1];
        source->at[DEV_JOB_OUT] = copy->at[DEV_JOB_OUT];
        source->j.memory[DEV_JOB_OUT] = copy->j.memory[DEV_JOB_OUT];
        source->j.job.past = copy->j.job.past && !source->j.job.adds && number == last;
    }
    copy->dropped = true;
    write_result(f, &f->nodes[last - 1], last);
}

static void write_through(dev_folder *f)
{
    for (uint32_t i = 0; i < f->n; i++) {
        dev_fold_job *node = &f->nodes[i];
        if (node->dropped)
            continue;
        const uint32_t source = source_of(f, node);
        if (source) {
            write_there(f, node, source);
            continue;
        }
        touch(f, node, DEV_JOB_A, i + 1);
        touch(f, node, DEV_JOB_B, i + 1);
        node->onto = node->j.job.adds ? dev_fold_sole_writer(f, node, DEV_JOB_OUT) : 0;
        write_result(f, node, i + 1);
    }
}

/* ---- the tape ------------------------------------------------------------------------ */

static void add_ranges(const dev_folder *f, bool written, dev_tape_range **out,
                       size_t *out_n)
{
    size_t capacity = 0;
    for (uint32_t i = 0; i < f->tape->n_memories; i++) {
        const dev_tape_memory *of = &f->tape->memories[i];
        const dev_grain *g = f->grains + of->first;
        bool open = false;
        for (size_t at = of->low; of->memory && at < of->high; at += f->size, g++) {
            const bool in = written ? g->written : g->needed;
            if (in && !open) {
                dev_tape_range r = {.memory = i, .at = at};
                TW_PUSH(*out, *out_n, capacity, r);
            }
            if (in)
                (*out)[*out_n - 1].size += f->size;
            open = in;
        }
    }
}

static bool same_unit(const dev_compute *a, const dev_compute *b)
{
    return a->dst.format == b->dst.format && a->unit.level == b->unit.level &&
           a->unit.phases == b->unit.phases && a->unit.dst == b->unit.dst &&
           a->unit.wormhole == b->unit.wormhole;
}

/* Copies all kinds of compute units once for each host thread: those of kernels' threads
 * are destroyed. */
static void add_units(dev_folder *f)
{
    dev_tape *tape = f->tape;
    tape->units = tw_xcalloc(2 * f->m->n_threads + 1, sizeof *tape->units);
    for (size_t i = 0; i < f->m->n_threads; i++) {
        const dev_compute *c = f->m->threads[i]->compute;
        if (!f->m->threads[i]->is_compute)
            continue;
        size_t k = 0;
        while (k < tape->n_units && !same_unit(tape->units[2 * k], c))
            k++;
        if (k < tape->n_units)
            continue;
        for (size_t host = 0; host < 2; host++) {
            dev_compute *unit = tw_xcalloc(1, sizeof *unit);
            unit->dst.format = c->dst.format;
            unit->unit = c->unit;
            tape->units[2 * k + host] = unit;
        }
        tape->n_units++;
    }
}

static size_t unit_like(const dev_tape *tape, const dev_compute *c)
{
    size_t k = 0;
    while (!same_unit(tape->units[2 * k], c))
        k++;
    return k;
}

static uint8_t *address(const dev_folder *f, const dev_fold_job *node, int operand)
{
    dev_tape_memory *of = &f->tape->memories[node->j.memory[operand]];
    const size_t from = of->low + (size_t)(node->at[operand] - of->first) * f->size;
    if (!node->n[operand])
        return NULL;
    if (!of->memory && !of->own)
        of->own = tw_xmalloc_lines(of->size);
    return (of->memory ? (uint8_t *)(uintptr_t)of->bytes : of->own) + from;
}

static void add_job(dev_folder *f, const dev_fold_job *node)
{
    dev_tape *tape = f->tape;
    dev_tape_job *j = &tape->jobs[tape->n_prepare + tape->n];
    *j = node->j;
    j->job.out = address(f, node, DEV_JOB_OUT);
    j->job.a = address(f, node, DEV_JOB_A);
    j->job.b = address(f, node, DEV_JOB_B);
    if (node->prepared[0]) {
        j->job.a = &tape->prepared[node->prepared[0] - 1];
        j->job.b = &tape->prepared[node->prepared[1] - 1];
        j->memory[DEV_JOB_A] = j->memory[DEV_JOB_B] = DEV_NO_MEMORY;
    }
    if (j->job.unit) {
        const size_t unit = unit_like(tape, j->job.unit);
        j->unit = (uint16_t)(unit + 1);
        j->job.unit = tape->units[2 * unit];
    }
}

static void add_jobs(dev_folder *f)
{
    dev_tape *tape = f->tape;
    uint32_t *order = tw_xmalloc((f->n + 1) * sizeof *order);
    const size_t n = dev_fold_order(f, order);
    tape->jobs = tw_xmalloc((n + f->n_prepares + 1) * sizeof *tape->jobs);
    if (f->n_prepares)
        tape->prepared = tw_xmalloc_lines(f->n_prepares * sizeof *tape->prepared);
    for (; tape->n_prepare < f->n_prepares; tape->n_prepare++) {
        add_job(f, &f->prepares[tape->n_prepare]);
        dev_tape_job *j = &tape->jobs[tape->n_prepare];
        j->job.out = &tape->prepared[tape->n_prepare];
        j->memory[DEV_JOB_OUT] = DEV_NO_MEMORY;
        tape->memories[j->memory[DEV_JOB_A]].prepared = true;
    }
    for (; tape->n < n; tape->n++)
        add_job(f, &f->nodes[order[tape->n]]);
    const dev_job *last = NULL;
    for (size_t i = tape->n_prepare + tape->n; i-- > tape->n_prepare;)
        last = dev_product_follow(last, &tape->jobs[i].job);
    free(order);
}

static bool fold(dev_folder *f)
{
    find_memories(f);
    if (!locate(f))
        return false;
    f->grains = tw_xcalloc(f->n_grains + 1, sizeof *f->grains);
    number_grains(f);
    read_origins(f);
    if (!depend(f))
        return false;
    for (uint32_t i = 0; i < f->n_grains; i++)
        if (f->grains[i].needed && !f->grains[i].lasts)
            return false;
    drop_unread(f);
    write_through(f);
    dev_fold_products(f);
    add_ranges(f, false, &f->tape->needs, &f->tape->n_needs);
    add_ranges(f, true, &f->tape->writes, &f->tape->n_writes);
    add_units(f);
    add_jobs(f);
    return true;
}

bool dev_tape_fold(const dev_machine *m, const dev_program *p, const dev_recording *from,
                   dev_tape *to)
{
    dev_folder f = {.m = m, .p = p, .tape = to, .n = from->n};
    f.nodes = tw_xcalloc(from->n + 1, sizeof *f.nodes);
    for (size_t i = 0; i < from->n; i++)
        f.nodes[i].j.job = from->jobs[i];
    bool ok = fold(&f);
    free(f.known);
    free(f.used);
    free(f.nodes);
    free(f.prepares);
    free(f.grains);
    return ok;
}
