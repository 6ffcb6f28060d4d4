/* tensor_hooks.h: functions referenced by the rows of tensor.def. */
#ifndef TILEWRIGHT_MLIR_TENSOR_TENSOR_HOOKS_H
#define TILEWRIGHT_MLIR_TENSOR_TENSOR_HOOKS_H

#include "ir/op.h"

bool tensor_cast_verify(ir_op *op); /* and bitcast */
bool tensor_collapse_shape_verify(ir_op *op);
bool tensor_concat_verify(ir_op *op);
bool tensor_dynamic_sizes_verify(ir_op *op); /* empty, splat */
bool tensor_expand_shape_verify(ir_op *op);
bool tensor_extract_slice_verify(ir_op *op);
bool tensor_from_elements_verify(ir_op *op);
bool tensor_gather_verify(ir_op *op); /* and scatter */
bool tensor_generate_verify(ir_op *op);
bool tensor_generate_verify_body(ir_op *op);
bool tensor_indices_verify(ir_op *op); /* extract, insert */
bool tensor_insert_slice_verify(ir_op *op);
bool tensor_parallel_insert_slice_verify(ir_op *op);
bool tensor_pad_verify(ir_op *op);
bool tensor_pad_verify_body(ir_op *op);
bool tensor_reshape_verify(ir_op *op);

#endif
