/* func_hooks.h: functions that the rows of func.def name. */
#ifndef TILEWRIGHT_DIALECT_FUNC_HOOKS_H
#define TILEWRIGHT_DIALECT_FUNC_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void func_func_parse(ir_parser *p, ir_parsed_op *op);
void func_func_print(ir_printer *p, ir_op *op);
bool func_func_verify(ir_op *op);
bool func_return_verify(ir_op *op);
bool func_call_indirect_verify(ir_op *op);
bool func_call_verify(ir_op *op);
bool func_constant_verify(ir_op *op);
bool func_call_indirect_infer(ir_infer *in);
void func_constant_names(ir_printer *p, ir_op *op);

#endif
