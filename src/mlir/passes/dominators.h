/* dominators.h: the dominator tree of a region. */
#ifndef TILEWRIGHT_MLIR_PASSES_DOMINATORS_H
#define TILEWRIGHT_MLIR_PASSES_DOMINATORS_H

#include "ir/op.h"

/* Reachable blocks in reverse post-order; parent[0] is unused, parent[i] < i.  A block's
 * number is its `order` until that field is reused. */
typedef struct dominators {
    ir_block **blocks;
    size_t *parent;
    size_t count;
} dominators;

dominators dominators_of(ir_region *region);
void dominators_free(dominators *d);

#endif
