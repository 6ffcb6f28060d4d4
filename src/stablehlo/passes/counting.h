/* counting.h: recognises iota-like and constant values along a dimension, through
 * broadcasts and reshapes. */
#ifndef TILEWRIGHT_STABLEHLO_PASSES_COUNTING_H
#define TILEWRIGHT_STABLEHLO_PASSES_COUNTING_H

#include "ir/op.h"

/* True if the elements are 0, 1, 2, ... along the dimension and do not depend on other
 * indices. */
bool hlo_counts_along(const ir_value *v, int64_t dim);
/* True if all elements along the dimension are equal. */
bool hlo_same_along(const ir_value *v, int64_t dim);

#endif
