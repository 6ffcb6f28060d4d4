/* shape_hooks.h: functions referenced by the rows of shape.def. */
#ifndef TILEWRIGHT_MLIR_SHAPE_SHAPE_HOOKS_H
#define TILEWRIGHT_MLIR_SHAPE_SHAPE_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void shape_assuming_parse(ir_parser *p, ir_parsed_op *op);
void shape_assuming_print(ir_printer *p, ir_op *op);
void shape_const_shape_parse(ir_parser *p, ir_parsed_op *op);
void shape_const_shape_print(ir_printer *p, ir_op *op);

void shape_reduce_parse(ir_parser *p, ir_parsed_op *op);
void shape_reduce_print(ir_printer *p, ir_op *op);
void shape_library_parse(ir_parser *p, ir_parsed_op *op);
void shape_library_print(ir_printer *p, ir_op *op);

void shape_const_size_names(ir_printer *p, ir_op *op); /* %c5 */

bool shape_verify_assuming_all(ir_op *op);
bool shape_verify_assuming(ir_op *op); /* with its region */
bool shape_verify_const_shape(ir_op *op);
bool shape_verify_shape_of(ir_op *op);
bool shape_verify_reduce(ir_op *op);
bool shape_verify_yield(ir_op *op);
bool shape_verify_meet(ir_op *op);
bool shape_verify_extents(ir_op *op); /* the result is less specific than the operands */

/* shape_fold.c */
bool shape_fold_const_shape(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_is_broadcastable(ir_op *op, const ir_attr *constants,
                                 ir_fold_result *results);
bool shape_fold_shape_of(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_any(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_arith(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_assuming_all(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_broadcast(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_concat(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_const_witness(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_cstr_broadcastable(ir_op *op, const ir_attr *constants,
                                   ir_fold_result *results);
bool shape_fold_cstr_eq(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_cstr_require(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_dim(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_extents(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_extreme(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_from_extents(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_get_extent(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_num_elements(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_same_constant(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_rank(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_shape_eq(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool shape_fold_split_at(ir_op *op, const ir_attr *constants, ir_fold_result *results);
ir_op *shape_materialize(void *builder, ir_attr value, ir_type type, ir_loc loc);

#endif
