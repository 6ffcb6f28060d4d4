/* pdl_hooks.h: functions referenced by the rows of pdl.def. */
#ifndef TILEWRIGHT_MLIR_PDL_PDL_HOOKS_H
#define TILEWRIGHT_MLIR_PDL_PDL_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

/* pdl_syntax.c */
ir_type pdl_range_parse(ir_parser *p, const ir_type_def *def);
void pdl_range_print(ir_printer *p, ir_type type);
bool pdl_range_verify(ir_context *ctx, ir_loc loc, ir_type type);

/* pdl_verify.c */
bool pdl_verify_attribute(ir_op *op);
bool pdl_verify_bound(ir_op *op); /* operand, operands: must be bound by a match */
bool pdl_verify_constraint(ir_op *op);
bool pdl_verify_native_rewrite(ir_op *op);
bool pdl_verify_operation(ir_op *op);
bool pdl_verify_pattern(ir_op *op); /* with its body */
bool pdl_verify_range(ir_op *op);
bool pdl_verify_replace(ir_op *op);
bool pdl_verify_results(ir_op *op);
bool pdl_verify_rewrite(ir_op *op); /* with its body */
bool pdl_verify_type(ir_op *op);    /* type, types */

#endif
