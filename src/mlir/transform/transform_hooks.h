/* transform_hooks.h: functions referenced by the rows of transform.def. */
#ifndef TILEWRIGHT_MLIR_TRANSFORM_TRANSFORM_HOOKS_H
#define TILEWRIGHT_MLIR_TRANSFORM_TRANSFORM_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void transform_split_parse(ir_parser *p, ir_parsed_op *op);
void transform_split_print(ir_printer *p, ir_op *op);
bool transform_split_verify(ir_op *op);
bool transform_match_dims_verify(ir_op *op);
bool transform_foreach_match_verify(ir_op *op);
bool transform_registered_pass_verify(ir_op *op);

/* transform_verify.c */
bool transform_verify_same_results(ir_op *op);
bool transform_verify_split_handle(ir_op *op);
bool transform_verify_interchange(ir_op *op);
bool transform_verify_hoist_pad(ir_op *op);
bool transform_verify_pack_transpose(ir_op *op);

bool transform_verify_tile_using_for(ir_op *op);
bool transform_verify_tile_using_forall(ir_op *op);
bool transform_verify_fuse(ir_op *op);
bool transform_verify_pack_greedily(ir_op *op);
bool transform_verify_pad(ir_op *op);
bool transform_verify_vectorize(ir_op *op);
bool transform_verify_bufferize(ir_op *op);
bool transform_verify_num_associations(ir_op *op);
bool transform_verify_dialect_to_llvm(ir_op *op);
bool transform_verify_bounded(ir_op *op);
bool transform_verify_tile_sizes(ir_op *op);

/* transform_verify_regions.c */
bool transform_sequence_verify(ir_op *op);
bool transform_named_sequence_verify(ir_op *op);
bool transform_include_verify_symbols(ir_op *op);
bool transform_collect_matching_verify_symbols(ir_op *op);
bool transform_foreach_match_verify_symbols(ir_op *op);
bool transform_alternatives_verify(ir_op *op);
bool transform_foreach_verify(ir_op *op);
bool transform_apply_patterns_verify(ir_op *op);
bool transform_apply_conversions_verify(ir_op *op);
bool transform_replace_verify(ir_op *op);

/* Verifies the dialect's discardable attributes on operations. */
bool transform_verify_discardable(ir_op *op, ir_named_attr attr);
/* transform_recursion.c: checks that no named sequence in it includes itself. */
bool transform_check_recursion(ir_op *table);

#endif
