/* mark.c: the state of every 16 bytes (granule) of a memory.
 *
 * Most ranges are whole pages with one mark, so the 64 granules of a chunk (1 KiB) share a
 * word as long as they agree; their own marks are consulted only otherwise. */
#include "grid/machine/machine.h"

#include "host/tiles/tile.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { CHUNK = DEV_CHUNK / DEV_GRANULE, HUGE_PAGE = 2 * 1024 * 1024 };
static const uint32_t MIXED = UINT32_MAX;

uint8_t *dev_bytes_create(size_t size)
{
    size = tw_align_up(size + 1, HUGE_PAGE);
    uint8_t *p =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, size, MADV_HUGEPAGE); /* hint only; avoids TLB misses */
    return p;
}

void dev_bytes_free(uint8_t *bytes, size_t size)
{
    if (bytes)
        munmap(bytes, tw_align_up(size + 1, HUGE_PAGE));
}

dev_memory dev_memory_create(uint64_t base, size_t size, uint8_t *bytes)
{
    size_t chunks = size / DEV_GRANULE / CHUNK + 1;
    return (dev_memory){.bytes = bytes ? bytes : tw_xcalloc(1, size),
                        .own = !bytes,
                        .chunks = tw_xcalloc(chunks, sizeof(uint32_t)),
                        .marks = tw_xcalloc(chunks * CHUNK, sizeof(uint32_t)),
                        .base = base,
                        .size = size};
}

void dev_memory_free(dev_memory *memory)
{
    if (memory->own)
        free(memory->bytes);
    dev_shadow_free(memory);
    free(memory->edges);
    free(memory->chunks);
    free(memory->marks);
    free(memory->loans);
}

/* Gives the granules of a chunk their own marks. */
static uint32_t *own_marks(dev_memory *memory, size_t chunk)
{
    uint32_t *marks = memory->marks + chunk * CHUNK;
    if (memory->chunks[chunk] != MIXED) {
        krn_tiles()->fill(marks, CHUNK, memory->chunks[chunk]);
        memory->chunks[chunk] = MIXED;
    }
    return marks;
}

void dev_mark(dev_memory *memory, size_t at, size_t size, uint32_t mark)
{
    memory->version++;
    if (TW_LIKELY((at | size) % DEV_CHUNK == 0)) {
        for (size_t i = at / DEV_CHUNK; i < (at + size) / DEV_CHUNK; i++)
            memory->chunks[i] = mark;
        return;
    }
    /* a transfer marks granules it covers wholly; DEFINED marks every granule touched */
    bool whole = mark >= DEV_FIRST_TRANSFER;
    size_t i = (whole ? at + DEV_GRANULE - 1 : at) / DEV_GRANULE;
    size_t end = (whole ? at + size : at + size + DEV_GRANULE - 1) / DEV_GRANULE;
    while (i < end) {
        size_t chunk = i / CHUNK, next = TW_MIN((chunk + 1) * CHUNK, end);
        if (next - i == CHUNK)
            memory->chunks[chunk] = mark;
        else if (memory->chunks[chunk] != mark)
            krn_tiles()->fill(own_marks(memory, chunk) + i % CHUNK, next - i, mark);
        i = next;
    }
}

uint32_t dev_mark_at(const dev_memory *memory, size_t granule)
{
    uint32_t shared = memory->chunks[granule / CHUNK];
    return shared != MIXED ? shared : memory->marks[granule];
}

size_t dev_mark_differs(const dev_memory *memory, size_t at, size_t size, uint32_t mark)
{
    size_t i = at / DEV_GRANULE, end = (at + size + DEV_GRANULE - 1) / DEV_GRANULE;
    while (i < end) {
        size_t chunk = i / CHUNK, next = TW_MIN((chunk + 1) * CHUNK, end);
        uint32_t shared = memory->chunks[chunk];
        if (shared != mark) {
            if (shared != MIXED)
                return i;
            for (; i < next; i++)
                if (memory->marks[i] != mark)
                    return i;
        }
        i = next;
    }
    return SIZE_MAX;
}

void dev_mark_define(dev_memory *memory, size_t at, size_t size, uint32_t mark)
{
    size_t i = at / DEV_GRANULE, end = (at + size + DEV_GRANULE - 1) / DEV_GRANULE;
    while (i < end) {
        size_t chunk = i / CHUNK, next = TW_MIN((chunk + 1) * CHUNK, end);
        uint32_t shared = memory->chunks[chunk];
        if (shared == mark && next - i == CHUNK) {
            memory->chunks[chunk] = DEV_DEFINED;
        } else if (shared == mark || shared == DEV_UNDEFINED || shared == MIXED) {
            uint32_t *marks = own_marks(memory, chunk);
            for (size_t k = i % CHUNK; k < i % CHUNK + (next - i); k++)
                if (marks[k] == mark || marks[k] == DEV_UNDEFINED)
                    marks[k] = DEV_DEFINED;
        }
        i = next;
    }
}
