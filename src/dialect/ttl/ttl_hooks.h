/* ttl_hooks.h: functions that the operation rows of ttl.def name. */
#ifndef TILEWRIGHT_DIALECT_TTL_HOOKS_H
#define TILEWRIGHT_DIALECT_TTL_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void ttl_compute_parse(ir_parser *p, ir_parsed_op *op);
void ttl_compute_print(ir_printer *p, ir_op *op);

#endif
