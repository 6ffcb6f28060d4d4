/* llvm_hooks.h: functions referenced by the rows of llvm.def. */
#ifndef TILEWRIGHT_MLIR_LLVM_LLVM_HOOKS_H
#define TILEWRIGHT_MLIR_LLVM_LLVM_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "llvm/llvm.h"

/* llvm_types.c: nested types of the dialect are written without its prefix. */
ir_type llvm_parse_pointer(ir_parser *p, const ir_type_def *def);
void llvm_print_pointer(ir_printer *p, ir_type type);
ir_type llvm_parse_array(ir_parser *p, const ir_type_def *def);
void llvm_print_array(ir_printer *p, ir_type type);

/* llvm_struct.c */
ir_type llvm_parse_struct(ir_parser *p, const ir_type_def *def);
void llvm_print_struct(ir_printer *p, ir_type type);

/* llvm_types.c */
ir_type llvm_parse_function(ir_parser *p, const ir_type_def *def);
void llvm_print_function(ir_printer *p, ir_type type);
ir_type llvm_function_type(ir_context *ctx, ir_type result, const ir_type *inputs, size_t n,
                           bool varies);
/* "(" [ type , ... ] ")" without prefixes; "..." may end it if out_varies is given. */
bool llvm_parse_types(ir_parser *p, ir_attr *out, bool *out_varies);
void llvm_put_types(ir_printer *p, ir_attr types);
/* The type at a position inside an aggregate; NULL if there is none (*out_beyond is the
 * invalid index). */
ir_type llvm_type_at(ir_type aggregate, ir_attr position, int64_t *out_beyond);

/* llvm_functions.c */
void llvm_func_parse(ir_parser *p, ir_parsed_op *op);
void llvm_func_print(ir_printer *p, ir_op *op);
bool llvm_func_verify(ir_op *op);
void llvm_global_parse(ir_parser *p, ir_parsed_op *op);
void llvm_global_print(ir_printer *p, ir_op *op);
void llvm_call_parse(ir_parser *p, ir_parsed_op *op);
void llvm_call_print(ir_printer *p, ir_op *op);
bool llvm_call_verify(ir_op *op);
bool llvm_return_verify(ir_op *op);
bool llvm_comdat_verify(ir_op *op); /* the operations allowed in a comdat */
bool llvm_target_features_verify(ir_context *ctx, ir_loc loc, ir_attr attr);

/* llvm_verify.c */
bool llvm_bitcast_verify(ir_op *op);
bool llvm_constant_verify(ir_op *op);
bool llvm_widen_verify(ir_op *op); /* sext and zext */

/* llvm_atomics.c */
bool llvm_atomicrmw_verify(ir_op *op);
bool llvm_cmpxchg_infer(ir_infer *in);
bool llvm_cmpxchg_verify(ir_op *op);
bool llvm_fence_verify(ir_op *op);
bool llvm_load_verify(ir_op *op);
bool llvm_store_verify(ir_op *op);

/* llvm_syntax.c */
void llvm_float_parse(ir_parser *p, ir_parsed_op *op); /* of one or two operands */
void llvm_float_print(ir_printer *p, ir_op *op);
void llvm_compare_parse(ir_parser *p, ir_parsed_op *op);
void llvm_compare_print(ir_printer *p, ir_op *op);
void llvm_member_parse(ir_parser *p, ir_parsed_op *op); /* insertvalue, extractvalue */
void llvm_member_print(ir_printer *p, ir_op *op);
bool llvm_member_verify(ir_op *op);
void llvm_address_parse(ir_parser *p, ir_parsed_op *op); /* getelementptr */
void llvm_address_print(ir_printer *p, ir_op *op);
bool llvm_address_verify(ir_op *op);

#endif
