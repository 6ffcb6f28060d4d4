/* stablehlo_hooks.h: hooks referenced by the rows of stablehlo.def. */
#ifndef TILEWRIGHT_STABLEHLO_STABLEHLO_HOOKS_H
#define TILEWRIGHT_STABLEHLO_STABLEHLO_HOOKS_H

#include "ir/rules/rules.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

void stablehlo_constant_parse(ir_parser *p, ir_parsed_op *op);
void stablehlo_constant_print(ir_printer *p, ir_op *op);
void stablehlo_constant_names(ir_printer *p, ir_op *op);
void stablehlo_reduce_parse(ir_parser *p, ir_parsed_op *op);
void stablehlo_reduce_print(ir_printer *p, ir_op *op);
void stablehlo_while_parse(ir_parser *p, ir_parsed_op *op);
void stablehlo_while_print(ir_printer *p, ir_op *op);
void stablehlo_while_names(ir_printer *p, ir_op *op);

/* stablehlo_attr_verify.c */
bool stablehlo_verify_future(ir_context *ctx, ir_loc loc, ir_type type);
bool stablehlo_verify_result_accuracy(ir_context *ctx, ir_loc loc, ir_attr attr);
bool stablehlo_verify_mesh_axes(ir_context *ctx, ir_loc loc, ir_attr attr);
bool stablehlo_verify_bounds(ir_context *ctx, ir_loc loc, ir_attr attr, ir_type tensor);
bool stablehlo_verify_dot_algorithm(ir_context *ctx, ir_loc loc, ir_attr attr);

/* stablehlo_rules.c */
bool stablehlo_verify(ir_op *op);
bool stablehlo_verify_groups(ir_op *op); /* the mesh referenced by replica groups */
bool stablehlo_verify_composite(ir_op *op);
bool stablehlo_verify_inferred(ir_op *op); /* runs after its regions are verified */
chk_rules stablehlo_inference_rules(const ir_op_def *def);
chk_rules stablehlo_own_rules(const ir_op_def *def);

#endif
