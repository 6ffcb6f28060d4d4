/* pool_plan.h: window arithmetic shared by the paths of krn_window_run. */
#ifndef TILEWRIGHT_HOST_POOL_POOL_PLAN_H
#define TILEWRIGHT_HOST_POOL_POOL_PLAN_H

#include "host/pool/pool.h"

/* Position in the input that tap `tap` of output `at` reads on an axis; -1: padding or a
 * hole between dilated elements. */
static inline int64_t krn_window_source(const krn_window_plan *p, int axis, int64_t at,
                                        int64_t tap)
{
    const krn_window_desc *d = &p->desc;
    const int64_t dilated =
        at * d->stride[axis] + tap * d->dilation[axis] - d->pad_low[axis];
    if (d->base_dilation[axis] == 1) /* the usual case, without a division */
        return dilated >= 0 && dilated < d->shape[axis] ? dilated : -1;
    if (dilated < 0 || dilated % d->base_dilation[axis] != 0)
        return -1;
    const int64_t from = dilated / d->base_dilation[axis];
    return from < d->shape[axis] ? from : -1;
}

/* Number of taps of output `at` on an axis that lie in the padded input: all, except where
 * ceil_mode reaches beyond it. */
static inline int64_t krn_window_counted(const krn_window_plan *p, int axis, int64_t at)
{
    const krn_window_desc *d = &p->desc;
    const int64_t dilated =
        d->shape[axis] > 0 ? (d->shape[axis] - 1) * d->base_dilation[axis] + 1 : 0;
    const int64_t room =
        dilated + d->pad_low[axis] + d->pad_high[axis] - at * d->stride[axis];
    return TW_MAX(
        0, TW_MIN(d->window[axis], (room + d->dilation[axis] - 1) / d->dilation[axis]));
}

/* Any type, any window: by the definition. */
void krn_window_general(const krn_window_plan *plan, const void *in, const void *init,
                        void *out, struct tw_threadpool *pool);

#endif
