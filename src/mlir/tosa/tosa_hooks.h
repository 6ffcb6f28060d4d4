/* tosa_hooks.h: functions referenced by the rows of the tosa dialect. */
#ifndef TILEWRIGHT_MLIR_TOSA_TOSA_HOOKS_H
#define TILEWRIGHT_MLIR_TOSA_TOSA_HOOKS_H

#include "ir/rules/rules.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

/* tosa_verify.c: checks common to every operation, then the rules of this one. */
bool tosa_verify(ir_op *op);
bool tosa_verify_inferred(ir_op *op);
/* tosa_rules.c */
chk_rules tosa_own_rules(const ir_op_def *def);
/* tosa_verify_window.c: checks that result sizes fit the windows. */
bool tosa_check_pool_window(ir_op *op);
bool tosa_check_conv_window(ir_op *op);
/* tosa_verify_control.c: checks that rules cannot express. */
bool tosa_check_cond_if(ir_op *op);
bool tosa_check_while_loop(ir_op *op);
bool tosa_check_variable(ir_op *op);
bool tosa_check_variable_use(ir_op *op);
bool tosa_check_clamp(ir_op *op);

/* tosa_syntax.c */
void tosa_enums_parse(ir_parser *p, ir_parsed_op *op);
void tosa_enums_print(ir_printer *p, ir_op *op);
void tosa_cond_if_parse(ir_parser *p, ir_parsed_op *op);
void tosa_cond_if_print(ir_printer *p, ir_op *op);
void tosa_variable_parse(ir_parser *p, ir_parsed_op *op);
void tosa_variable_print(ir_printer *p, ir_op *op);

#endif
