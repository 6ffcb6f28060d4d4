/* ttkernel_to_emitc.h: kernels become calls of the kernel API in emitc. */
#ifndef TILEWRIGHT_CONVERT_TTKERNEL_TO_EMITC_H
#define TILEWRIGHT_CONVERT_TTKERNEL_TO_EMITC_H

#include "ir/op.h"
#include "pass/pass.h"

extern const pass_def convert_ttkernel_to_emitc_pass;

/* What stands for a value of a type in C++; the type itself where emitc has it. */
ir_type e_type(ir_type t);
ir_type e_opaque(ir_context *ctx, const char *text);
/* One result, by a row of emitc. */
ir_value *e_build(ir_builder *b, const ir_op_def *def, ir_type result,
                  ir_value *const *operands, size_t n);
ir_value *e_cast(ir_builder *b, ir_value *v, ir_type to);

/* Converts and erases one operation; false if it is not of this family, or after an error
 * (*failed is set). */
typedef bool e_convert_fn(ir_op *op, bool *failed);
e_convert_fn e_convert_transfer, e_convert_kernel, e_convert_arith;

#endif
