/* equivalence.h: whether two operations say the same thing. */
#ifndef TILEWRIGHT_TRANSFORM_EQUIVALENCE_H
#define TILEWRIGHT_TRANSFORM_EQUIVALENCE_H

#include "ir/op.h"

/* Equal names, attributes, operands, result types and regions; locations do not count. */
bool transform_equivalent(const ir_op *a, const ir_op *b);
/* Equal for equivalent operations. */
uint32_t transform_hash(const ir_op *op);

#endif
