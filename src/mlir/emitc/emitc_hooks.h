/* emitc_hooks.h: functions referenced by the rows of emitc.def. */
#ifndef TILEWRIGHT_MLIR_EMITC_EMITC_HOOKS_H
#define TILEWRIGHT_MLIR_EMITC_EMITC_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void emitc_include_parse(ir_parser *p, ir_parsed_op *op);
void emitc_include_print(ir_printer *p, ir_op *op);
void emitc_do_parse(ir_parser *p, ir_parsed_op *op);
void emitc_do_print(ir_printer *p, ir_op *op);
void emitc_expression_parse(ir_parser *p, ir_parsed_op *op);
void emitc_expression_print(ir_printer *p, ir_op *op);

bool emitc_for_verify(ir_op *op);

/* emitc_verify_types.c */
bool emitc_verify_array(ir_context *ctx, ir_loc loc, ir_type type);
bool emitc_verify_lvalue(ir_context *ctx, ir_loc loc, ir_type type);
bool emitc_verify_opaque(ir_context *ctx, ir_loc loc, ir_type type);
bool emitc_verify_ptr(ir_context *ctx, ir_loc loc, ir_type type);

/* emitc_symbols.c */
bool emitc_call_verify_symbols(ir_op *op);
bool emitc_declare_func_verify_symbols(ir_op *op);
bool emitc_get_field_verify_symbols(ir_op *op);
bool emitc_get_global_verify_symbols(ir_op *op);
bool emitc_verify_get_field(ir_op *op);

/* emitc_verify.c */
bool emitc_verify_add(ir_op *op);
bool emitc_verify_apply(ir_op *op);
bool emitc_verify_call_opaque(ir_op *op);
bool emitc_verify_cast(ir_op *op);
bool emitc_verify_constant(ir_op *op);
bool emitc_verify_return(ir_op *op);
bool emitc_verify_sub(ir_op *op);
bool emitc_verify_verbatim(ir_op *op);
bool emitc_verify_yield(ir_op *op);

/* emitc_verify_variables.c */
bool emitc_verify_address_of(ir_op *op);
bool emitc_verify_assign(ir_op *op);
bool emitc_verify_dereference(ir_op *op);
bool emitc_verify_do(ir_op *op);
bool emitc_verify_expression(ir_op *op);
bool emitc_verify_field(ir_op *op);
bool emitc_verify_func(ir_op *op);
bool emitc_verify_global(ir_op *op);
bool emitc_verify_literal(ir_op *op);
bool emitc_verify_subscript(ir_op *op);
bool emitc_verify_switch(ir_op *op);
bool emitc_verify_variable(ir_op *op);

#endif
