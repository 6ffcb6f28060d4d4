/* bank_bytes.h: what a tensor takes of the banks of its memory: the cores' L1, or the
 * channels of DRAM.  A buffer has the same address in all of them. */
#ifndef TILEWRIGHT_TTNN_BANK_BYTES_H
#define TILEWRIGHT_TTNN_BANK_BYTES_H

#include "ir/type.h"

/* TTNN_BufferType_* of a tensor's layout; SystemMemory without one. */
int64_t ttnn_memory_of(ir_type tensor);
/* Bytes of each bank, of `banks` whose buffers begin at multiples of `align`, for a tensor
 * with a layout; *out_banks: how many banks have a part. */
int64_t ttnn_bank_bytes(ir_type tensor, int64_t banks, int64_t align, int64_t *out_banks);

#endif
