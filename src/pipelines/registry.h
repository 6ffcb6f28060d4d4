/* registry.h: every pass and pipeline of the library. */
#ifndef TILEWRIGHT_PIPELINES_REGISTRY_H
#define TILEWRIGHT_PIPELINES_REGISTRY_H

#include "ir/pass/pass.h"

extern const pass_registry tw_passes;

/* Runs a pipeline, as text, over a module; false after a diagnostic. `config` may be NULL.
 */
bool tw_run_passes(ir_op *module, const char *pipeline, const pass_config *config);

/* CHLO operations that TTIR has itself or lowers better than their StableHLO expansion. */
#define TW_CHLO_OF_TTIR                                                                    \
    "acos,acosh,asin,asinh,atan,atanh,cosh,digamma,erf,erf_inv,erfc,is_inf,is_neg_inf,"    \
    "is_pos_inf,lgamma,sinh,square,tan,top_k"

#endif
