/* buffer_memory.h: bytes that buffers take in L1 and DRAM, and the memories of the chip. */
#ifndef TILEWRIGHT_D2M_ALLOCATION_BUFFER_MEMORY_H
#define TILEWRIGHT_D2M_ALLOCATION_BUFFER_MEMORY_H

#include "d2m/generic.h"

/* The usable addresses [base, end) of each core's or bank's memory. */
typedef struct d2m_memory {
    int64_t base, end, align;
} d2m_memory;

/* The memory L1 or DRAM of the chip that `op` runs on; false without a system
 * descriptor. */
bool d2m_memory_of_chip(ir_op *op, int64_t space, d2m_memory *out);
/* The TTCORE_MemorySpace_ of a memref; System if it names none. */
int64_t d2m_space_of(ir_type memref);
/* The bytes of one core's part of a buffer: in L1 in whole tiles. At most about
 * TW_PRODUCT_MAX. */
int64_t d2m_buffer_bytes(ir_type memref, int64_t space);
/* The bytes that a buffer takes in each core's L1 or each DRAM bank, over which shards are
 * distributed in turn. */
int64_t d2m_allocation_bytes(ir_type memref, int64_t space, const d2m_memory *memory,
                             int64_t banks, int64_t buffers);
/* True if the value is seen through a view that reorders elements. */
bool d2m_has_reordering_view(const ir_value *v);

#endif
