/* stablehlo_to_vhlo.h: converts StableHLO to VHLO, the form of portable artifacts. */
#ifndef TILEWRIGHT_STABLEHLO_VHLO_FROM_STABLEHLO_STABLEHLO_TO_VHLO_H
#define TILEWRIGHT_STABLEHLO_VHLO_FROM_STABLEHLO_STABLEHLO_TO_VHLO_H

#include "ir/pass/pass.h"

/* The VHLO counterpart of an attribute; NULL if there is none.  With `others`, attributes
 * and types of other dialects are kept. */
ir_attr stablehlo_attr_to_vhlo(ir_context *ctx, ir_attr attr, bool others);
ir_type stablehlo_type_to_vhlo(ir_type type, bool others);
/* #vhlo.integer_v1<value : i64>, #vhlo.tensor_v1<...> of one dimension */
ir_attr vhlo_i64(ir_context *ctx, int64_t value);
ir_attr vhlo_i64_list(ir_context *ctx, const int64_t *values, size_t count);
ir_attr vhlo_bool(ir_context *ctx, bool value);

/* The VHLO value of an attribute omitted in StableHLO; NULL if it is required. `op` is
 * the StableHLO operation. */
ir_attr vhlo_default(ir_op *op, const char *name);

#endif
