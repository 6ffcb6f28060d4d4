/* l1_and_dram.h: what a program takes of the device's memory.
 *
 * The device gives every buffer the same address in all banks: the cores' L1, or the
 * channels of DRAM.  An interleaved tensor spreads its pages (tiles, or rows) over all
 * banks in turn, a sharded one lies on its cores, a shard each.  So one free list for each
 * of the two memories, in bytes of one bank, says what fits. */
#ifndef TILEWRIGHT_RUNTIME_L1_AND_DRAM_H
#define TILEWRIGHT_RUNTIME_L1_AND_DRAM_H

#include "ir/op.h"
#include "support/arena.h"
#include "support/status.h"
#include "tilewright/dtype.h"

typedef enum rt_space { RT_HOST, RT_DRAM, RT_L1, RT_SPACE_COUNT } rt_space;

/* A tensor's place; several values (a reshape's) may share one. */
typedef struct rt_place {
    rt_space space;
    int64_t address, bytes; /* in every bank that holds a part */
    int64_t banks;
    uint32_t owners;
    bool fell_back; /* wanted L1, got DRAM */
} rt_place;

typedef struct rt_bank {
    int64_t count; /* of banks */
    int64_t bytes; /* of one */
    int64_t align;
    int64_t used, peak;
    rt_place **held; /* by address */
    size_t n_held, capacity;
} rt_bank;

typedef struct rt_memory {
    rt_bank bank[RT_SPACE_COUNT];
    bool dram_fallback;
    size_t fallbacks;
    tw_arena arena;
} rt_memory;

/* The chip that the module's ttcore.system_desc describes, else a Wormhole. */
tw_status rt_memory_open(ir_op *module, bool dram_fallback, rt_memory *out) TW_NODISCARD;
void rt_memory_close(rt_memory *m);
/* Finds room for a tensor of this type; *out is NULL for one on the host. */
tw_status rt_memory_place(rt_memory *m, ir_type tensor, rt_place **out) TW_NODISCARD;
void rt_memory_release(rt_memory *m, rt_place *place);
/* Bytes that one page takes, and how many pages there are; sharded: one page a core. */
rt_space rt_memory_need(const rt_memory *m, ir_type tensor, int64_t *out_bytes,
                        int64_t *out_banks);

#endif
