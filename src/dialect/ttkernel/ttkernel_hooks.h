/* ttkernel_hooks.h: functions that the operation rows of ttkernel.def name. */
#ifndef TILEWRIGHT_DIALECT_TTKERNEL_HOOKS_H
#define TILEWRIGHT_DIALECT_TTKERNEL_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void ttkernel_startup_parse(ir_parser *p, ir_parsed_op *op);
void ttkernel_startup_print(ir_printer *p, ir_op *op);
void ttkernel_accessor_args_parse(ir_parser *p, ir_parsed_op *op);
void ttkernel_accessor_args_print(ir_printer *p, ir_op *op);
void ttkernel_transfer_parse(ir_parser *p, ir_parsed_op *op);
void ttkernel_transfer_print(ir_printer *p, ir_op *op);

bool ttkernel_verify(ir_op *op);

#endif
