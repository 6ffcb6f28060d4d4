/* snapshot.c: see snapshot.h. */
#include "grid/search/snapshot.h"

#include "support/hash.h"

#include <stdlib.h>

static size_t first_chunk(const dev_saved_range *r)
{
    return r->at / DEV_CHUNK;
}

static size_t n_chunks(const dev_saved_range *r)
{
    return (r->at + r->size - 1) / DEV_CHUNK + 1 - first_chunk(r);
}

static void save_range(dev_snapshot *s, dev_memory *memory, size_t at, size_t size)
{
    enum { MARKS = DEV_CHUNK / DEV_GRANULE };
    dev_saved_range r = {.memory = memory, .at = at, .size = size};
    if (!size)
        return;
    const size_t n = n_chunks(&r), first = first_chunk(&r);
    r.bytes = tw_xmalloc(size);
    r.chunks = tw_xmalloc(n * sizeof *r.chunks);
    r.marks = tw_xmalloc(n * MARKS * sizeof *r.marks);
    memcpy(r.bytes, memory->bytes + at, size);
    memcpy(r.chunks, memory->chunks + first, n * sizeof *r.chunks);
    memcpy(r.marks, memory->marks + first * MARKS, n * MARKS * sizeof *r.marks);
    TW_PUSH(s->ranges, s->n, s->capacity, r);
}

static size_t n_links(const dev_machine *m)
{
    return (size_t)(m->chip->noc.rows * m->chip->noc.columns) * 4;
}

void dev_snapshot_save(dev_snapshot *s, dev_machine *m, const size_t *buffers, size_t n)
{
    *s = (dev_snapshot){.m = m, .finish = m->finish};
    s->link_free = tw_xmalloc(n_links(m) * sizeof *s->link_free);
    memcpy(s->link_free, m->noc.link_free, n_links(m) * sizeof *s->link_free);
    for (size_t i = 0; i < n; i++) {
        const dev_buffer *b = &m->tensors.buffers[buffers[i]];
        for (int k = 0; b->banks && k < m->chip->dram_banks; k++)
            save_range(s, &b->banks[k], 0, b->banks[k].size);
        for (int k = 0; !b->banks && k < m->chip->grid_y * m->chip->grid_x; k++)
            if (m->cores[k])
                save_range(s, &m->cores[k]->l1, (size_t)b->address, b->per_bank);
    }
}

void dev_snapshot_restore(const dev_snapshot *s)
{
    enum { MARKS = DEV_CHUNK / DEV_GRANULE };
    for (size_t i = 0; i < s->n; i++) {
        const dev_saved_range *r = &s->ranges[i];
        const size_t n = n_chunks(r), first = first_chunk(r);
        memcpy(r->memory->bytes + r->at, r->bytes, r->size);
        memcpy(r->memory->chunks + first, r->chunks, n * sizeof *r->chunks);
        memcpy(r->memory->marks + first * MARKS, r->marks, n * MARKS * sizeof *r->marks);
        r->memory->version++;
    }
    s->m->finish = s->finish;
    memcpy(s->m->noc.link_free, s->link_free, n_links(s->m) * sizeof *s->link_free);
    for (int i = 0; i < s->m->chip->dram_banks; i++)
        s->m->noc.bank_free[i] = s->finish;
}

uint64_t dev_snapshot_hash(const dev_snapshot *s)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < s->n; i++)
        hash = tw_hash_bytes(hash, s->ranges[i].memory->bytes + s->ranges[i].at,
                             s->ranges[i].size);
    return hash;
}

void dev_snapshot_free(dev_snapshot *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->ranges[i].bytes);
        free(s->ranges[i].chunks);
        free(s->ranges[i].marks);
    }
    free(s->ranges);
    free(s->link_free);
    *s = (dev_snapshot){0};
}
