/* ttnn_to_emitpy.h: TTNN programs as calls of ttnn's functions in Python. */
#ifndef TILEWRIGHT_CONVERT_TTNN_TO_EMITPY_H
#define TILEWRIGHT_CONVERT_TTNN_TO_EMITPY_H

#include "pass/pass.h"

extern const pass_def convert_ttnn_to_emitpy_pass;
extern const pass_def emitpy_name_vars_pass;
extern const pass_def emitpy_add_imports_pass;

/* What stands for an operation: the function, and its arguments, separated by commas:
 *
 *   lhs           the operand group or the attribute of that name, None without one
 *   dim=dim       the same by keyword; `=dim` for short
 *   @dtype @layout @memory @shape
 *                 what the result's type (or the attribute, where there is one) says
 *   #padding      integers of the attribute, two by two
 *   'text         Python
 *   !name         no argument: the function knows the attribute only left out, as ones
 *                 or as a sum */
typedef struct py_call {
    const ir_op_def *def;
    const char *callee; /* NULL: the operation's own name */
    const char *args;
} py_call;

extern const py_call py_calls[]; /* ends with a row without def */

ir_type py_opaque_type(ir_context *ctx, const char *text);
ir_attr py_opaque_attr(ir_context *ctx, const char *text);
/* An attribute or a property of a result as Python; NULL after a diagnostic. */
ir_attr py_attr(ir_op *op, const char *name, ir_attr a);
ir_attr py_pairs(ir_op *op, const char *name);
ir_attr py_property(ir_op *op, const char *name);

#endif
