/* ttcore_hooks.h: hooks referenced by the rows of ttcore.def. */
#ifndef TILEWRIGHT_TTCORE_TTCORE_HOOKS_H
#define TILEWRIGHT_TTCORE_TTCORE_HOOKS_H

#include "ir/op.h"
#include "ir/rules/rules.h"

chk_rules ttcore_rules(const ir_op_def *def);
extern const chk_param_rules ttcore_param_rules[];
bool ttcore_verify(ir_op *op);
bool ttcore_verify_core_range(ir_context *ctx, ir_loc loc, ir_attr attr);
bool ttcore_verify_device(ir_context *ctx, ir_loc loc, ir_attr device);
bool ttcore_verify_metal_layout(ir_context *ctx, ir_loc loc, ir_attr attr);
bool ttcore_verify_tile(ir_context *ctx, ir_loc loc, ir_type tile);
ir_type ttcore_tile_element(ir_type tile);
ir_type ttcore_tile_with_element(ir_type tile, ir_type element);
bool ttcore_tile_shares_exponents(ir_type tile);

#endif
