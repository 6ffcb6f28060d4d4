/* emitpy_hooks.h: hooks referenced by the operation rows of emitpy.def. */
#ifndef TILEWRIGHT_EMITPY_EMITPY_HOOKS_H
#define TILEWRIGHT_EMITPY_EMITPY_HOOKS_H

#include "ir/rules/rules.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

void emitpy_assign_parse(ir_parser *p, ir_parsed_op *op);
void emitpy_assign_print(ir_printer *p, ir_op *op);
void emitpy_assign_global_parse(ir_parser *p, ir_parsed_op *op);
void emitpy_assign_global_print(ir_printer *p, ir_op *op);
void emitpy_class_parse(ir_parser *p, ir_parsed_op *op);
void emitpy_class_print(ir_printer *p, ir_op *op);
void emitpy_expression_parse(ir_parser *p, ir_parsed_op *op);
void emitpy_expression_print(ir_printer *p, ir_op *op);
void emitpy_import_parse(ir_parser *p, ir_parsed_op *op);
void emitpy_import_print(ir_printer *p, ir_op *op);

chk_rules emitpy_rules(const ir_op_def *def);
extern const chk_param_rules emitpy_param_rules[];
bool emitpy_verify(ir_op *op);
bool emitpy_verify_class(ir_context *ctx, ir_loc loc, ir_type type);
bool emitpy_verify_opaque(ir_context *ctx, ir_loc loc, ir_type type);

#endif
