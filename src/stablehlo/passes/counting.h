/* counting.h: what is known of numbers along a dimension, through what spreads and reshapes
 * them. */
#ifndef TILEWRIGHT_STABLEHLO_PASSES_COUNTING_H
#define TILEWRIGHT_STABLEHLO_PASSES_COUNTING_H

#include "ir/op.h"

/* Whether they are 0, 1, 2, ... along the dimension, the same everywhere else. */
bool hlo_counts_along(const ir_value *v, int64_t dim);
/* Whether they are the same everywhere along the dimension. */
bool hlo_same_along(const ir_value *v, int64_t dim);

#endif
