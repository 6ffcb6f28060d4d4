/* arith_syntax.h: functions referenced by the rows of arith.def: hand-written text, folds.
 */
#ifndef TILEWRIGHT_MLIR_ARITH_ARITH_SYNTAX_H
#define TILEWRIGHT_MLIR_ARITH_ARITH_SYNTAX_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void arith_select_parse(ir_parser *p, ir_parsed_op *op);
void arith_select_print(ir_printer *p, ir_op *op);

/* folds: arith_fold.c, arith_fold_float.c */
bool arith_fold_binary(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool arith_fold_extended(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool arith_fold_float(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool arith_fold_negf(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool arith_fold_cmpf(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool arith_fold_bitcast(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool arith_fold_cast(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool arith_fold_cmpi(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool arith_fold_select(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool arith_cast_verify(ir_op *op);
bool arith_constant_verify(ir_op *op);
ir_op *arith_materialize(void *builder, ir_attr value, ir_type type, ir_loc loc);

#endif
