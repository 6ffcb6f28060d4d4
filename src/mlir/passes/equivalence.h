/* equivalence.h: structural equivalence of operations. */
#ifndef TILEWRIGHT_MLIR_PASSES_EQUIVALENCE_H
#define TILEWRIGHT_MLIR_PASSES_EQUIVALENCE_H

#include "ir/op.h"

/* Equal names, attributes, operands, result types and regions; locations are ignored. */
bool transform_equivalent(const ir_op *a, const ir_op *b);
/* True if two regions that use no outer values are equivalent. */
bool transform_equivalent_regions(const ir_region *a, const ir_region *b);
/* Equal for equivalent operations. */
uint32_t transform_hash(const ir_op *op);

#endif
