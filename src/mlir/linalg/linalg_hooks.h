/* linalg_hooks.h: functions referenced by the rows of linalg.def, and their shared
 * parts. */
#ifndef TILEWRIGHT_MLIR_LINALG_LINALG_HOOKS_H
#define TILEWRIGHT_MLIR_LINALG_LINALG_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void linalg_generic_parse(ir_parser *p, ir_parsed_op *op);
void linalg_generic_print(ir_printer *p, ir_op *op);
void linalg_generic_names(ir_printer *p, ir_op *op);
void linalg_named_parse(ir_parser *p, ir_parsed_op *op); /* add, matmul, conv_2d, ... */
void linalg_named_print(ir_printer *p, ir_op *op);
void linalg_yield_parse(ir_parser *p, ir_parsed_op *op);
void linalg_yield_print(ir_printer *p, ir_op *op);
void linalg_body_parse(ir_parser *p, ir_parsed_op *op); /* map and reduce */
void linalg_body_print(ir_printer *p, ir_op *op);
void linalg_map_names(ir_printer *p, ir_op *op);
void linalg_reduce_names(ir_printer *p, ir_op *op);
void linalg_dims_parse(ir_parser *p, ir_parsed_op *op); /* transpose and broadcast */
void linalg_dims_print(ir_printer *p, ir_op *op);
void linalg_transpose_names(ir_printer *p, ir_op *op);
void linalg_broadcast_names(ir_printer *p, ir_op *op);

/* ins(...) outs(...): appends the operands; the counts go to `sizes`. */
bool linalg_parse_ins_outs(ir_parser *p, ir_parsed_op *op, int32_t sizes[2]);
void linalg_put_ins_outs(ir_printer *p, const ir_op *op, size_t n_inputs);
/* Adds a result of the type of each output that is a tensor. */
void linalg_add_tensor_results(ir_parser *p, ir_parsed_op *op, uint32_t first_output);

/* Fills an empty region with the body of a named operation: one argument of the element
 * type of each operand, scalar work, linalg.yield.  Reports and returns false if the
 * operation's body is not known. */
bool linalg_build_body(ir_parser *p, ir_parsed_op *op, ir_region *region);

/* linalg_maps.c: the indexing maps of a named operation, one for each operand, and the
 * number of its loops; NULL if they are not known. */
ir_attr linalg_maps_of(const ir_op *op, uint32_t *n_loops);
/* The maps of an operation whose text names none; NULL if its row has no such attribute, or
 * they are mandatory. */
ir_attr linalg_default_maps(ir_context *ctx, const ir_op_def *def, size_t operands,
                            ir_type last);
/* Adds the maps to operations without the attribute, as MLIR's verifier does. */
void linalg_note_maps(ir_op *op, ir_attr maps);
/* Verifies the rules of its kind: fills, convolutions. */
bool linalg_verify_kind(ir_op *op, ir_attr maps);

/* linalg_fold.c */
bool linalg_fold_transpose(ir_op *op, const ir_attr *constants, ir_fold_result *results);

/* linalg_verify.c */
bool linalg_verify_broadcast(ir_op *op);
bool linalg_verify_generic(ir_op *op);
bool linalg_verify_index(ir_op *op);
bool linalg_verify_map(ir_op *op);
bool linalg_verify_named(ir_op *op); /* other named operations */
bool linalg_verify_reduce(ir_op *op);
bool linalg_verify_results(ir_op *op);
bool linalg_verify_shaped(ir_op *op);
bool linalg_verify_softmax(ir_op *op);
bool linalg_verify_transpose(ir_op *op);
bool linalg_verify_yield(ir_op *op);

/* linalg_verify_pack.c */
bool linalg_verify_pack(ir_op *op);
bool linalg_verify_winograd_filter(ir_op *op);
bool linalg_verify_winograd_input(ir_op *op);
bool linalg_verify_winograd_output(ir_op *op);

#endif
