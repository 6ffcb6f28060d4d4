/* joins.h: steps that take over the work of the next one, when a run's steps are known. */
#ifndef TILEWRIGHT_RUNTIME_JOINS_H
#define TILEWRIGHT_RUNTIME_JOINS_H

#include "host/strips/strip.h"
#include "runtime/plan.h"

/* Makes `out` do the work of convolution a and of b, a norm of its channels by constants or
 * one activation of its result, which b alone reads. False if they do not fit. */
bool rt_conv_join(const rt_step *a, const rt_step *b, rt_step *out);

/* True if the step scales and shifts the channels of a channels-last tensor by constants,
 * which are given. */
bool rt_norm_of_channels(const rt_step *step, const float **out_scale,
                         const float **out_shift);
/* The function of an element-wise step of one operand, KRN_STRIP_none for any other. */
krn_strip_id rt_group_single(const rt_step *step);

#endif
