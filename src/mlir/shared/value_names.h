/* value_names.h: default names of results of MLIR's own dialects. */
#ifndef TILEWRIGHT_MLIR_SHARED_VALUE_NAMES_H
#define TILEWRIGHT_MLIR_SHARED_VALUE_NAMES_H

#include "ir/text/printer.h"

/* For rows whose first result has one fixed name: %extracted of tensor.extract. */
void ir_name_fixed(ir_printer *p, ir_op *op);
/* %c4, %c4_i32, %true, %cst of arith.constant. */
void arith_constant_names(ir_printer *p, ir_op *op);

#endif
