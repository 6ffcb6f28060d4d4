/* l1_and_dram.h: a program's use of the device's memory.
 *
 * The device gives every buffer the same address in all banks: the cores' L1, or the
 * channels of DRAM. An interleaved tensor distributes its pages (tiles, or rows)
 * round-robin over all banks, a sharded one has one shard on each of its cores. So one free
 * list for each of the two memories, in bytes of one bank, is sufficient. */
#ifndef TILEWRIGHT_RUNTIME_L1_AND_DRAM_H
#define TILEWRIGHT_RUNTIME_L1_AND_DRAM_H

#include "ir/op.h"
#include "support/arena.h"
#include "support/status.h"
#include "tilewright/dtype.h"

typedef enum rt_space { RT_HOST, RT_DRAM, RT_L1, RT_SPACE_COUNT } rt_space;

/* A tensor's allocation; several values (a reshape's) may share one. */
typedef struct rt_allocation {
    rt_space space;
    int64_t address, bytes; /* in every bank that holds a part */
    int64_t banks;
    uint32_t owners;
    bool fell_back; /* assigned to L1, but placed in DRAM */
} rt_allocation;

typedef struct rt_bank {
    int64_t count; /* number of banks */
    int64_t bytes; /* of one bank */
    int64_t align;
    int64_t used, peak;
    rt_allocation **held; /* sorted by address */
    size_t n_held, capacity;
} rt_bank;

typedef struct rt_memory {
    rt_bank bank[RT_SPACE_COUNT];
    bool dram_fallback;
    size_t fallbacks;
    tw_arena arena;
} rt_memory;

/* Opens the chip of the module's ttcore.system_desc, else a Wormhole. */
tw_status rt_memory_open(ir_op *module, bool dram_fallback, rt_memory *out) TW_NODISCARD;
void rt_memory_close(rt_memory *m);
/* Allocates memory for a tensor of this type; *out is NULL for one on the host. */
tw_status rt_memory_allocate(rt_memory *m, ir_type tensor,
                             rt_allocation **out) TW_NODISCARD;
void rt_memory_release(rt_memory *m, rt_allocation *allocation);
/* Returns the space of a tensor, the bytes of one page, and the number of pages; sharded:
 * one page per core. */
rt_space rt_memory_need(const rt_memory *m, ir_type tensor, int64_t *out_bytes,
                        int64_t *out_banks);

#endif
