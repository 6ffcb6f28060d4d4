/* arith_syntax.h: hand-written text of arith. */
#ifndef TILEWRIGHT_DIALECT_ARITH_SYNTAX_H
#define TILEWRIGHT_DIALECT_ARITH_SYNTAX_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void arith_select_parse(ir_parser *p, ir_parsed_op *op);
void arith_select_print(ir_printer *p, ir_op *op);

#endif
