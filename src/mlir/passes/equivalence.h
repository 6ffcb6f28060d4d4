/* equivalence.h: whether two operations say the same thing. */
#ifndef TILEWRIGHT_MLIR_PASSES_EQUIVALENCE_H
#define TILEWRIGHT_MLIR_PASSES_EQUIVALENCE_H

#include "ir/op.h"

/* Equal names, attributes, operands, result types and regions; locations do not count. */
bool transform_equivalent(const ir_op *a, const ir_op *b);
/* Whether two regions that read nothing outside do the same. */
bool transform_equivalent_regions(const ir_region *a, const ir_region *b);
/* Equal for equivalent operations. */
uint32_t transform_hash(const ir_op *op);

#endif
