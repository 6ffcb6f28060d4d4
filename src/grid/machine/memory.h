/* grid/machine/memory.h: L1 and banks of DRAM, the state of their bytes, and tensors. */
#ifndef TILEWRIGHT_GRID_MACHINE_MEMORY_H
#define TILEWRIGHT_GRID_MACHINE_MEMORY_H

#include "grid/check/padding.h"
#include "grid/check/race.h"
#include "tilewright/dtype.h"

enum { DEV_GRANULE = 16 }; /* bytes per mark */
enum { DEV_UNDEFINED = 0, DEV_DEFINED = 1, DEV_FIRST_TRANSFER = 2 };

struct dev_memory {
    uint8_t *bytes;
    /* Of a granule: undefined, defined, or 2 + the pending transfer (mark.c). */
    uint32_t *chunks, *marks;
    uint64_t base; /* address of the first byte */
    size_t size;
    bool own;         /* it owns the bytes */
    uint8_t holds;    /* 1 + format of its tensor, or 0; DEV_IN_ROWS */
    dev_edges *edges; /* NULL: its tensor fills all tiles, or its shape is unknown */
    bool whole;       /* its tensor fills all tiles */
    struct dev_shadow *shadow; /* race.c: recorded accesses, or NULL */
    uint64_t version;          /* of a bank's bytes: changes whenever they may change */
    uint32_t *loans;           /* loan.c: of each chunk, or NULL */
};

enum { DEV_CHUNK = 64 * DEV_GRANULE }; /* bytes that share a mark while they agree */

/* True if all chunks that a range touches have this one mark. */
static inline bool dev_marked(const dev_memory *memory, size_t at, size_t size,
                              uint32_t mark)
{
    const size_t last = (at + size - 1) / DEV_CHUNK;
    for (size_t i = at / DEV_CHUNK; i <= last; i++)
        if (memory->chunks[i] != mark)
            return false;
    return true;
}

/* True if no chunk that a range touches has a transfer under way; false if unknown. */
static inline bool dev_is_settled(const dev_memory *memory, size_t at, size_t size)
{
    const size_t last = (at + size - 1) / DEV_CHUNK;
    for (size_t i = at / DEV_CHUNK; i <= last; i++)
        if (memory->chunks[i] >= DEV_FIRST_TRANSFER)
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

/* A tensor on the device. Pages are tiles (or rows), numbered row-major over the tensor. */
enum { DEV_MAX_SHARD_DIMS = 8, DEV_MAX_MAPPED = 256 };

/* How a tensor is divided where grid and shard have more than two dimensions (`grid_y` and
 * `shard_y` are then the products of all but the last), or shards lie on other cores than a
 * rectangle in their order. */
typedef struct dev_shards {
    uint32_t rank; /* of the grid */
    int64_t grid[DEV_MAX_SHARD_DIMS], shard[DEV_MAX_SHARD_DIMS];
    bool mapped; /* to cores: row * columns of the chip + column */
    uint16_t core[DEV_MAX_MAPPED];
} dev_shards;

typedef struct dev_buffer {
    dev_space space;
    bool live;
    uint64_t address;
    tw_dtype format;
    bool tiled;
    bool empty; /* created without values: the host may read unwritten pages */
    int64_t grid_y, grid_x, shard_y,
        shard_x;        /* shards in units of pages: tiles, or elements */
    int core_y, core_x; /* L1: core of the first shard */
    int core_columns;   /* L1: shards per row of cores; 0: grid_x */
    struct {
        int64_t at[2], size[2];
    } only;              /* L1: of circular buffers, the cores that use them; size 0: all */
    dev_shards *shards;  /* in more dimensions or on other cores, or NULL */
    int64_t matrix_rows; /* rows that are padded to tiles together; 0: all */
    int64_t columns;     /* before padding; 0: a multiple of tiles */
    int64_t edge_rows, edge_columns; /* the same, or of what the host has written */
    size_t page, stride, pages;      /* bytes of one, from one to the next, their number */
    size_t per_bank;                 /* bytes at one core or bank */
    dev_memory *banks;               /* DRAM only */
    uint8_t *bytes;                  /* of the banks */
} dev_buffer;

void dev_mark(dev_memory *memory, size_t at, size_t size, uint32_t mark);
uint32_t dev_mark_at(const dev_memory *memory, size_t granule);
/* Returns the first granule of a range with another mark; SIZE_MAX: none. */
size_t dev_mark_differs(const dev_memory *memory, size_t at, size_t size, uint32_t mark);
/* Granules with this mark (or unmarked) become defined. */
void dev_mark_define(dev_memory *memory, size_t at, size_t size, uint32_t mark);
/* Creates zeroed memory; untouched pages stay unmapped. With `bytes`: uses these. */
dev_memory dev_memory_create(uint64_t base, size_t size, uint8_t *bytes);
/* Zeroed bytes for many memories, in large pages if possible; NULL: out of memory. */
uint8_t *dev_bytes_create(size_t size);
void dev_bytes_free(uint8_t *bytes, size_t size);
void dev_memory_free(dev_memory *memory);

#endif
