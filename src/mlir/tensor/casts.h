/* casts.h: tensor.cast where it only tells or forgets sizes. */
#ifndef TILEWRIGHT_MLIR_TENSOR_CASTS_H
#define TILEWRIGHT_MLIR_TENSOR_CASTS_H

#include "ir/rewrite/rewrite.h"

/* The value as that type. */
ir_value *tensor_cast_to(rw_rewriter *rw, ir_value *v, ir_type type);
/* Whether tensors of type `to` say all sizes that those of `from` say. */
bool tensor_type_tells(ir_type to, ir_type from);
/* What a cast was of, if it only forgot sizes; else NULL. */
ir_value *tensor_before_cast(const ir_value *v);

#endif
