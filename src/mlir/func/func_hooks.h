/* func_hooks.h: functions referenced by the rows of func.def. */
#ifndef TILEWRIGHT_MLIR_FUNC_FUNC_HOOKS_H
#define TILEWRIGHT_MLIR_FUNC_FUNC_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

/* The text between a function's name and its attributes, for all kinds of functions:
 *   "(" [ args [ "," "..." ] ] ")" [ "->" results ]
 * with a dictionary after each argument and result. */
typedef struct func_side {
    ir_type_list types;
    ir_attr *attrs; /* dictionaries, scratch; NULL entries for none */
    uint32_t capacity;
    bool any;
} func_side;
typedef struct func_signature {
    ir_arg_list named;
    func_side in, out;
    bool may_vary, varies; /* "..." is allowed; is present */
} func_signature;
bool func_signature_parse(ir_parser *p, func_signature *s);
/* arg_attrs and res_attrs */
void func_signature_add_attrs(ir_parser *p, ir_parsed_op *op, const func_signature *s);
/* Parses the text after a signature: attributes, and an optional body. */
void func_rest_parse(ir_parser *p, ir_parsed_op *op, ir_attr name, ir_type type,
                     const func_signature *s);
void func_signature_print(ir_printer *p, ir_op *op, const ir_type *in, size_t n_in,
                          bool varies, const ir_type *out, size_t n_out);
void func_body_print(ir_printer *p, ir_op *op);

void func_func_parse(ir_parser *p, ir_parsed_op *op);
void func_func_print(ir_printer *p, ir_op *op);
/* Verifies types and attributes of arguments and results, for all kinds of functions. */
bool func_signature_verify(ir_op *op);
bool func_func_verify(ir_op *op);
bool func_return_verify(ir_op *op);
bool func_call_indirect_verify(ir_op *op);
bool func_call_verify(ir_op *op);
/* Verifies that the callee is a function of that kind with the call's operand and result
 * types. */
bool func_callee_verify(ir_op *op, const ir_op_def *function);
bool func_constant_verify(ir_op *op);
bool func_call_indirect_infer(ir_infer *in);
void func_constant_names(ir_printer *p, ir_op *op);

#endif
