/* emitc_hooks.h: functions that the rows of emitc.def name. */
#ifndef TILEWRIGHT_DIALECT_EMITC_HOOKS_H
#define TILEWRIGHT_DIALECT_EMITC_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void emitc_include_parse(ir_parser *p, ir_parsed_op *op);
void emitc_include_print(ir_printer *p, ir_op *op);
void emitc_do_parse(ir_parser *p, ir_parsed_op *op);
void emitc_do_print(ir_printer *p, ir_op *op);
void emitc_expression_parse(ir_parser *p, ir_parsed_op *op);
void emitc_expression_print(ir_printer *p, ir_op *op);

bool emitc_for_verify(ir_op *op);

#endif
