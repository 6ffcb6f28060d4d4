/* memref_hooks.h: functions referenced by the rows of memref.def and
 * bufferization.def. */
#ifndef TILEWRIGHT_MLIR_MEMREF_MEMREF_HOOKS_H
#define TILEWRIGHT_MLIR_MEMREF_MEMREF_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void memref_alloca_scope_parse(ir_parser *p, ir_parsed_op *op);
void memref_alloca_scope_print(ir_printer *p, ir_op *op);
void memref_atomic_parse(ir_parser *p, ir_parsed_op *op);
void memref_atomic_print(ir_printer *p, ir_op *op);
bool memref_distinct_objects_infer(ir_infer *in);
bool memref_distinct_objects_verify(ir_op *op);
void memref_dma_start_parse(ir_parser *p, ir_parsed_op *op);
void memref_dma_start_print(ir_printer *p, ir_op *op);
bool memref_dma_start_verify(ir_op *op);
void memref_prefetch_parse(ir_parser *p, ir_parsed_op *op);
void memref_prefetch_print(ir_printer *p, ir_op *op);
void memref_transpose_parse(ir_parser *p, ir_parsed_op *op);
void memref_transpose_print(ir_printer *p, ir_op *op);
bool memref_alloc_verify(ir_op *op); /* and alloca */
bool memref_atomic_rmw_verify(ir_op *op);
bool memref_atomic_verify_body(ir_op *op);
bool memref_cast_verify(ir_op *op);
bool memref_dma_wait_verify(ir_op *op);
bool memref_get_global_verify(ir_op *op);
bool memref_indices_verify(ir_op *op); /* load, store, prefetch, atomic_rmw */
bool memref_metadata_verify(ir_op *op);
bool memref_realloc_verify(ir_op *op);
bool memref_reshape_verify(ir_op *op);
bool memref_shape_verify(ir_op *op); /* collapse_shape, expand_shape */
bool memref_assume_alignment_verify(ir_op *op);
bool memref_atomic_yield_verify(ir_op *op);
bool memref_slice_verify(ir_op *op); /* subview, reinterpret_cast */
bool memref_transpose_verify(ir_op *op);
bool memref_memory_space_cast_verify(ir_op *op);
bool bufferization_match_verify(ir_op *op);
bool memref_alloca_scope_verify_regions(ir_op *op);
bool memref_view_verify(ir_op *op);
bool bufferization_alloc_tensor_verify(ir_op *op);
bool memref_global_verify(ir_op *op);
bool bufferization_dealloc_verify(ir_op *op);
bool bufferization_dealloc_infer(ir_infer *in);
bool bufferization_materialize_verify(ir_op *op);
void bufferization_alloc_tensor_parse(ir_parser *p, ir_parsed_op *op);
void bufferization_alloc_tensor_print(ir_printer *p, ir_op *op);

/* "," ( "read" | "write" ) "," "locality" "<" int ">" "," ( "data" | "instr" ), also of
 * affine.prefetch */
bool memref_parse_prefetch_words(ir_parser *p, ir_parsed_op *op);
void memref_put_prefetch_words(ir_printer *p, const ir_op *op);

#endif
