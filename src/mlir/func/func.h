/* func.h: row indices of the func dialect. */
#ifndef TILEWRIGHT_MLIR_FUNC_FUNC_H
#define TILEWRIGHT_MLIR_FUNC_FUNC_H

#define IR_DIALECT func
#define IR_PREFIX FUNC
#define IR_ROWS "mlir/func/func.def"
#include "ir/dialect_names.h"

#define FUNC_OP(id) (&func_ops[FUNC_##id])

/* Attribute of a function's argument, NULL if it has none; setting NULL removes it. */
ir_attr func_arg_attr(const ir_op *func, size_t arg, const char *name);
void func_set_arg_attr(ir_op *func, size_t arg, const char *name, ir_attr value);
ir_attr func_result_attr(const ir_op *func, size_t result, const char *name);
void func_set_result_attr(ir_op *func, size_t result, const char *name, ir_attr value);
/* Removes an unused argument with its attributes. */
void func_erase_arg(ir_op *func, size_t arg);
/* Creates a function without a body, public or private. */
ir_op *func_create(ir_builder *b, ir_attr name, ir_type type, bool is_private);
/* Adds its body: an empty block with the function's arguments. */
ir_block *func_add_body(ir_op *func);
/* Converts each argument and result type of the function; its body's arguments are
 * unchanged. */
void func_convert_types(ir_op *func, ir_type (*convert)(ir_type t, void *user), void *user);
/* Sets the function's type from its block arguments and its first return. */
void func_refresh_type(ir_op *func);

#endif
