/* casts.h: tensor.cast that only adds or drops static sizes. */
#ifndef TILEWRIGHT_MLIR_TENSOR_CASTS_H
#define TILEWRIGHT_MLIR_TENSOR_CASTS_H

#include "ir/rewrite/rewrite.h"

/* Casts the value to that type, if it differs. */
ir_value *tensor_cast_to(rw_rewriter *rw, ir_value *v, ir_type type);
/* True if tensors of type `to` have every static size of `from`. */
bool tensor_type_refines(ir_type to, ir_type from);
/* The source of a cast that only drops static sizes; else NULL. */
ir_value *tensor_before_cast(const ir_value *v);

#endif
