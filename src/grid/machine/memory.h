/* grid/machine/memory.h: L1 and banks of DRAM, what is known of their bytes, and tensors
 * that lie there. */
#ifndef TILEWRIGHT_GRID_MACHINE_MEMORY_H
#define TILEWRIGHT_GRID_MACHINE_MEMORY_H

#include "grid/check/padding.h"
#include "grid/check/race.h"
#include "tilewright/dtype.h"

enum { DEV_GRANULE = 16 }; /* bytes under one mark */
enum { DEV_UNDEFINED = 0, DEV_DEFINED = 1, DEV_FIRST_TRANSFER = 2 };

struct dev_memory {
    uint8_t *bytes;
    /* Of a granule: undefined, defined, or 2 + the transfer under way (mark.c). */
    uint32_t *chunks, *marks;
    uint64_t base; /* address of the first byte */
    size_t size;
    bool own;         /* the bytes are its own */
    uint8_t holds;    /* 1 + format of what a tensor has there, or 0; DEV_IN_ROWS */
    dev_edges *edges; /* NULL: its tensor fills all its tiles, or says nothing of it */
    bool whole;       /* its tensor fills all its tiles */
    struct dev_shadow *shadow; /* race.c: accesses so far, or NULL */
    uint64_t version;          /* of a bank's bytes: another whenever they may be others */
};

enum { DEV_CHUNK = 64 * DEV_GRANULE }; /* bytes that share a mark while they agree */

/* Whether all chunks that a range touches bear one mark, which says the same of it. */
static inline bool dev_marked(const dev_memory *memory, size_t at, size_t size,
                              uint32_t mark)
{
    const size_t last = (at + size - 1) / DEV_CHUNK;
    for (size_t i = at / DEV_CHUNK; i <= last; i++)
        if (memory->chunks[i] != mark)
            return false;
    return true;
}

typedef enum dev_space {
    DEV_L1,
    DEV_L1_INTERLEAVED,
    DEV_DRAM_INTERLEAVED,
    DEV_DRAM_SHARDED
} dev_space;

static inline bool dev_space_is_l1(dev_space space)
{
    return space == DEV_L1 || space == DEV_L1_INTERLEAVED;
}

static inline bool dev_space_is_sharded(dev_space space)
{
    return space == DEV_L1 || space == DEV_DRAM_SHARDED;
}

/* A tensor on the device.  Pages are tiles (or rows), numbered row-major over the tensor.
 */
typedef struct dev_buffer {
    dev_space space;
    bool live;
    uint64_t address;
    tw_dtype format;
    bool tiled;
    bool empty; /* made without values: the host may read what nothing has written */
    int64_t grid_y, grid_x, shard_y,
        shard_x;                     /* shards in pages' units: tiles, or elements */
    int core_y, core_x;              /* L1: where the first shard lies */
    int core_columns;                /* L1: shards to a row of cores; 0: grid_x */
    int64_t matrix_rows;             /* rows that pad to tiles together; 0: all */
    int64_t columns;                 /* before they are padded; 0: as many as tiles have */
    int64_t edge_rows, edge_columns; /* the same, or of what the host has written */
    size_t page, stride, pages;      /* bytes of one, from one to the next, how many */
    size_t per_place;                /* bytes at one core or bank */
    dev_memory *banks;               /* DRAM only */
    uint8_t *bytes;                  /* of the banks */
} dev_buffer;

void dev_mark(dev_memory *memory, size_t at, size_t size, uint32_t mark);
uint32_t dev_mark_at(const dev_memory *memory, size_t granule);
/* The first granule of a range that bears another mark; SIZE_MAX: none. */
size_t dev_mark_differs(const dev_memory *memory, size_t at, size_t size, uint32_t mark);
/* What bears this mark, or none, is defined now. */
void dev_mark_settle(dev_memory *memory, size_t at, size_t size, uint32_t mark);
/* Zeros; pages that nobody touches stay unmapped.  With `bytes`: in these. */
dev_memory dev_memory_create(uint64_t base, size_t size, uint8_t *bytes);
/* Zeros for many memories, in large pages if the system has them; NULL: no memory. */
uint8_t *dev_bytes_create(size_t size);
void dev_bytes_free(uint8_t *bytes, size_t size);
void dev_memory_free(dev_memory *memory);

#endif
