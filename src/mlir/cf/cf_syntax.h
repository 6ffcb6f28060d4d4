/* cf_syntax.h: functions referenced by the rows of cf.def. */
#ifndef TILEWRIGHT_MLIR_CF_CF_SYNTAX_H
#define TILEWRIGHT_MLIR_CF_CF_SYNTAX_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void cf_switch_parse(ir_parser *p, ir_parsed_op *op);
void cf_switch_print(ir_printer *p, ir_op *op);
bool cf_branch_verify(ir_op *op); /* br, cond_br */
bool cf_switch_verify(ir_op *op);

#endif
