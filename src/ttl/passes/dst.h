/* dst.h: registers of DST, as several passes count them. */
#ifndef TILEWRIGHT_TTL_PASSES_DST_H
#define TILEWRIGHT_TTL_PASSES_DST_H

#include "ir/op.h"

/* Tiles of DST that a ttl.compute has under its configuration; warns of mixed widths. */
uint32_t ttl_dst_capacity(ir_op *compute);
/* Registers that one tile of a ttl.compute takes, once they are assigned; 0 before. */
int64_t ttl_dst_registers(ir_op *compute);

#endif
