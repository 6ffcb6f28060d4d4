/* dst_packing.h: how many tiles of each result of a region's linalg.generic operations DST
 * holds at once, so that the math unit fills one half of it while the packer empties the
 * other. */
#ifndef TILEWRIGHT_D2M_PASSES_DST_PACKING_H
#define TILEWRIGHT_D2M_PASSES_DST_PACKING_H

#include "ir/op.h"

typedef struct dst_packing {
    ir_op *op;         /* the linalg.generic */
    int64_t per_flip;  /* tiles between two exchanges of DST */
    int64_t per_outer; /* tiles in an iteration of the loops that all operations share */
} dst_packing;

/* Fills one row for each of the operations, which are in one region of a generic; false
 * after an error or (without one) if there is nothing to pack. */
bool d2m_pack_dst(ir_op *const *ops, size_t n, int64_t physical, dst_packing *out,
                  bool *failed);

#endif
