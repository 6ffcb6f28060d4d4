/* ttnn_hooks.h: the hooks of ttnn's rows. */
#ifndef TILEWRIGHT_TTNN_TTNN_HOOKS_H
#define TILEWRIGHT_TTNN_TTNN_HOOKS_H

#include "ir/op.h"
#include "ir/rules/rules.h"

/* ttnn_verify.c */
bool ttnn_verify(ir_op *op);
extern const chk_param_rules ttnn_param_rules[];
bool ttnn_verify_layout(ir_context *ctx, ir_loc loc, ir_attr attr);
bool ttnn_verify_memory_config(ir_context *ctx, ir_loc loc, ir_attr attr);
bool ttnn_verify_core_range(ir_context *ctx, ir_loc loc, ir_attr attr);

/* ttnn_program_verify.c */
bool ttnn_verify_core_range_set(ir_context *ctx, ir_loc loc, ir_attr attr);
bool ttnn_verify_kernel(ir_context *ctx, ir_loc loc, ir_attr attr);
bool ttnn_verify_program(ir_context *ctx, ir_loc loc, ir_attr attr);
bool ttnn_check_generic(ir_op *op);
bool ttnn_check_subgraph(ir_op *op);

/* ttnn_trace_verify.c */
bool ttnn_check_trace(ir_op *op);

/* ttnn_fold.c */
#define FOLD(name)                                                                         \
    bool ttnn_fold_##name(ir_op *op, const ir_attr *operands, ir_fold_result *results);
FOLD(all_reduce)
FOLD(collective)
FOLD(identity)
FOLD(permute)
FOLD(reshape)
FOLD(slice)
FOLD(to_layout)
FOLD(to_tensor_spec)
#undef FOLD

/* ttnn_rules.c */
chk_rules ttnn_rules(const ir_op_def *def);

#endif
