/* vhlo.h: the vhlo dialect: symbols of its rows. */
#ifndef TILEWRIGHT_STABLEHLO_VHLO_VHLO_H
#define TILEWRIGHT_STABLEHLO_VHLO_VHLO_H

#include "stablehlo/vhlo/vhlo_enums.h"

#define IR_DIALECT vhlo
#define IR_PREFIX VHLO
#define IR_ROWS "stablehlo/vhlo/vhlo.def"
#include "ir/dialect_names.h"

extern const struct ir_bytecode_codec vhlo_bytecode;
#define VHLO_OP(id) (&vhlo_ops[VHLO_##id])

#define VHLO_ATTR(id) (&vhlo_attrs[VHLO_ATTR_##id])

#define VHLO_TYPE(id) (&vhlo_types[VHLO_TYPE_##id])

/* Syntax of rows (vhlo_syntax.c). */
bool vhlo_verify_dict(ir_context *ctx, ir_loc loc, ir_attr attr);
bool vhlo_verify_parts(ir_context *ctx, ir_loc loc, ir_type type);
bool vhlo_verify_tensor_type(ir_context *ctx, ir_loc loc, ir_type type);
bool vhlo_verify_typed(ir_context *ctx, ir_loc loc, ir_attr attr); /* float, integer, ... */
bool vhlo_verify_result_accuracy(ir_context *ctx, ir_loc loc, ir_attr attr);
ir_attr vhlo_parse_integer(ir_parser *p, const ir_attr_def *def);
void vhlo_print_valued(ir_printer *p, ir_attr attr);
ir_attr vhlo_parse_tensor(ir_parser *p, const ir_attr_def *def);
/* vhlo_op_syntax.c */
void vhlo_func_parse(ir_parser *p, ir_parsed_op *op);
void vhlo_func_print(ir_printer *p, ir_op *op);
bool vhlo_func_verify(ir_op *op);

#endif
