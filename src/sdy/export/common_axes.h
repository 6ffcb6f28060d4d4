/* common_axes.h: finds a sharding of the factors compatible with all of an op's tensors. */
#ifndef TILEWRIGHT_SDY_EXPORT_COMMON_AXES_H
#define TILEWRIGHT_SDY_EXPORT_COMMON_AXES_H

#include "sdy/propagation/projection.h"

/* The axes of each factor, in `out` (n_factors).  `sizes`: element counts of the
 * tensors. */
void sdy_find_common_axes(const sdy_projection *p, ir_attr rule, const int64_t *sizes,
                          sdy_factor_axes *out);
/* Assigns the axes to all tensors with the factor; changed tensors are marked. */
void sdy_update_factor(sdy_projection *p, uint32_t factor, const sdy_factor_axes *axes);
/* The axes shared by all tensors with the factor; false if they differ. */
bool sdy_agreed_axes(const sdy_projection *p, uint32_t factor, sdy_factor_axes *out);
static inline bool sdy_axes_same(const sdy_factor_axes *a, const sdy_factor_axes *b)
{
    return a->n == b->n && memcmp(a->at, b->at, a->n * sizeof *a->at) == 0;
}

#endif
