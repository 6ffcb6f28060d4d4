/* d2m_hooks.h: functions that the operation rows of d2m.def name. */
#ifndef TILEWRIGHT_DIALECT_D2M_HOOKS_H
#define TILEWRIGHT_DIALECT_D2M_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void d2m_generic_parse(ir_parser *p, ir_parsed_op *op);
void d2m_generic_print(ir_printer *p, ir_op *op);
void d2m_remote_load_parse(ir_parser *p, ir_parsed_op *op);
void d2m_remote_load_print(ir_printer *p, ir_op *op);

#endif
