/* func.h: the func dialect: names of its rows. */
#ifndef TILEWRIGHT_MLIR_FUNC_FUNC_H
#define TILEWRIGHT_MLIR_FUNC_FUNC_H

#define IR_DIALECT func
#define IR_PREFIX FUNC
#define IR_ROWS "mlir/func/func.def"
#include "ir/dialect_names.h"

#define FUNC_OP(id) (&func_ops[FUNC_##id])

/* Attribute of a function's argument, NULL if it has none; setting NULL takes it away. */
ir_attr func_arg_attr(const ir_op *func, size_t arg, const char *name);
void func_set_arg_attr(ir_op *func, size_t arg, const char *name, ir_attr value);
ir_attr func_result_attr(const ir_op *func, size_t result, const char *name);
void func_set_result_attr(ir_op *func, size_t result, const char *name, ir_attr value);
/* Takes an argument (which nothing uses) away, with its attributes. */
void func_erase_arg(ir_op *func, size_t arg);
/* A function without a body yet, seen from everywhere or from its module only. */
ir_op *func_create(ir_builder *b, ir_attr name, ir_type type, bool is_private);
/* Its body: an empty block of the function's arguments. */
ir_block *func_add_body(ir_op *func);
/* Replaces each type that the function takes or returns; arguments of its body stay. */
void func_convert_types(ir_op *func, ir_type (*convert)(ir_type t, void *user), void *user);
/* Replaces the function's type by what its arguments and first return say. */
void func_refresh_type(ir_op *func);

#endif
