/* mark.c: what is known of every 16 bytes of a memory.
 *
 * Most ranges are whole pages with one mark, so 64 granules (1 KiB) share a word as long
 * as they agree; only where they do not are their own marks looked at. */
#include "device/machine.h"

#include "kernel/tile.h"

#include <stdlib.h>

enum { CHUNK = 64 }; /* granules */
static const uint32_t MIXED = UINT32_MAX;

dev_memory dev_memory_create(uint64_t base, size_t size)
{
    size_t chunks = size / DEV_GRANULE / CHUNK + 1;
    return (dev_memory){.bytes = tw_xcalloc(1, size),
                        .chunks = tw_xcalloc(chunks, sizeof(uint32_t)),
                        .marks = tw_xcalloc(chunks * CHUNK, sizeof(uint32_t)),
                        .base = base,
                        .size = size};
}

void dev_memory_free(dev_memory *memory)
{
    free(memory->bytes);
    free(memory->chunks);
    free(memory->marks);
}

/* Gives the granules of a chunk marks of their own. */
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
    /* a transfer marks what it covers wholly; being defined spreads to what is touched */
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

void dev_mark_settle(dev_memory *memory, size_t at, size_t size, uint32_t mark)
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
