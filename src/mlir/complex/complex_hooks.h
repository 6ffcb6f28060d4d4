/* complex_hooks.h: functions referenced by the rows of complex.def. */
#ifndef TILEWRIGHT_MLIR_COMPLEX_COMPLEX_HOOKS_H
#define TILEWRIGHT_MLIR_COMPLEX_COMPLEX_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

ir_attr complex_number_parse(ir_parser *p, const ir_attr_def *def);
void complex_number_print(ir_printer *p, ir_attr attr);
bool complex_number_verify(ir_context *ctx, ir_loc loc, ir_attr attr);

bool complex_verify_constant(ir_op *op);
bool complex_verify_bitcast(ir_op *op);

bool complex_fold_constant(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool complex_fold_part(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool complex_fold_create(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool complex_fold_inverse(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool complex_fold_binary(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool complex_fold_bitcast(ir_op *op, const ir_attr *constants, ir_fold_result *results);
ir_op *complex_materialize(void *builder, ir_attr value, ir_type type, ir_loc loc);

#endif
