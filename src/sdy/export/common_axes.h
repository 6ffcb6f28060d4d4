/* common_axes.h: how to shard the factors of an operation so that all its tensors fit. */
#ifndef TILEWRIGHT_SDY_EXPORT_COMMON_AXES_H
#define TILEWRIGHT_SDY_EXPORT_COMMON_AXES_H

#include "sdy/propagation/projection.h"

/* Axes for each factor, in `out` (n_factors of them).  `sizes`: elements of the tensors. */
void sdy_find_common_axes(const sdy_projection *p, ir_attr rule, const int64_t *sizes,
                          sdy_factor_axes *out);
/* Gives all tensors with a factor those axes; those that change are marked. */
void sdy_update_factor(sdy_projection *p, uint32_t factor, const sdy_factor_axes *axes);
/* The axes that all tensors with the factor have; false if they differ. */
bool sdy_agreed_axes(const sdy_projection *p, uint32_t factor, sdy_factor_axes *out);
static inline bool sdy_axes_same(const sdy_factor_axes *a, const sdy_factor_axes *b)
{
    return a->n == b->n && memcmp(a->at, b->at, a->n * sizeof *a->at) == 0;
}

#endif
