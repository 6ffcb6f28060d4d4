/* transform_hooks.h: functions that the rows of transform.def name. */
#ifndef TILEWRIGHT_DIALECT_TRANSFORM_HOOKS_H
#define TILEWRIGHT_DIALECT_TRANSFORM_HOOKS_H

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

#endif
