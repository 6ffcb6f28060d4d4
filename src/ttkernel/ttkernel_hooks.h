/* ttkernel_hooks.h: functions that the operation rows of ttkernel.def name. */
#ifndef TILEWRIGHT_TTKERNEL_TTKERNEL_HOOKS_H
#define TILEWRIGHT_TTKERNEL_TTKERNEL_HOOKS_H

#include "ir/rules/rules.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

void ttkernel_startup_parse(ir_parser *p, ir_parsed_op *op);
void ttkernel_startup_print(ir_printer *p, ir_op *op);
void ttkernel_accessor_args_parse(ir_parser *p, ir_parsed_op *op);
void ttkernel_accessor_args_print(ir_printer *p, ir_op *op);
/* With parentheses and types, or without, as the plan of TTL has operations. */
void ttkernel_call_parse(ir_parser *p, ir_parsed_op *op);
void ttkernel_call_print(ir_printer *p, ir_op *op);
void ttkernel_laid_accessor_parse(ir_parser *p, ir_parsed_op *op);
void ttkernel_laid_accessor_print(ir_printer *p, ir_op *op);
ir_type ttkernel_semaphore_parse(ir_parser *p, const ir_type_def *def);

bool ttkernel_accessor_type_verify(ir_context *ctx, ir_loc loc, ir_type type);
bool ttkernel_laid_accessor_verify(ir_op *op);
chk_rules ttkernel_rules(const ir_op_def *def);
bool ttkernel_verify(ir_op *op);

#endif
