/* lower_affine.h: lowering of affine expressions to arithmetic, shared by the files of
 * lower-affine. */
#ifndef TILEWRIGHT_MLIR_AFFINE_LOWER_AFFINE_H
#define TILEWRIGHT_MLIR_AFFINE_LOWER_AFFINE_H

#include "ir/affine.h"
#include "ir/op.h"
#include "mlir/arith/arith.h"

ir_value *lower_binary(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y);
/* A product or sum of indices that is known not to overflow as signed (or also as
 * unsigned). */
ir_value *lower_exact(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y,
                      bool as_unsigned);
ir_value *lower_compare(ir_builder *b, int64_t predicate, ir_value *x, ir_value *y);
/* The value of an expression whose dimensions and symbols are `op`'s operands from `first`
 * on. */
ir_value *lower_expression(ir_builder *b, const ir_op *op, size_t first, ir_affine e,
                           uint32_t n_dims);
/* The value of an expression of dimensions only, with their values. */
ir_value *lower_expression_of(ir_builder *b, ir_value *const *dims, ir_affine e);
/* The maximum or minimum of the map's results `from` to `from + n`; a constant if all are
 * constants. */
ir_value *lower_extreme(ir_builder *b, const ir_op *op, size_t first, ir_affine_map map,
                        uint32_t from, uint32_t n, bool greatest);

void lower_affine_for(ir_op *op);
void lower_affine_if(ir_op *op);
bool lower_affine_parallel(ir_op *op);
void lower_affine_linearize(ir_op *op);
void lower_affine_delinearize(ir_op *op);

#endif
