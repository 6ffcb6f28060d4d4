/* vhlo_to_stablehlo.h: converts portable artifacts back to StableHLO. */
#ifndef TILEWRIGHT_STABLEHLO_VHLO_TO_STABLEHLO_VHLO_TO_STABLEHLO_H
#define TILEWRIGHT_STABLEHLO_VHLO_TO_STABLEHLO_VHLO_TO_STABLEHLO_H

#include "ir/pass/pass.h"

/* The other dialect's attribute whose parameters convert one by one, in both directions;
 * NULL if there is none. */
const ir_attr_def *vhlo_attr_counterpart(const ir_attr_def *def);
/* An enum's value as the attribute `twin` of the other dialect, in both directions: cases
 * keep their text.  NULL if there is no such attribute or case. */
ir_attr vhlo_enum_counterpart(ir_context *ctx, ir_attr attr, const char *twin);

#endif
