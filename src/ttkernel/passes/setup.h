/* setup.h: which operations set compute units up, for passes over kernels. */
#ifndef TILEWRIGHT_TTKERNEL_PASSES_SETUP_H
#define TILEWRIGHT_TTKERNEL_PASSES_SETUP_H

#include "ttkernel/ttkernel.h"

static inline bool ttkernel_is_init(const ir_op *op)
{
    return ir_def_has(op->def, "TTKernel_InitOpTrait");
}

static inline bool ttkernel_is_format_change(const ir_op *op)
{
    return op->def == TTKERNEL_OP(reconfig_data_format_srca) ||
           op->def == TTKERNEL_OP(pack_reconfig_data_format);
}

static inline bool ttkernel_is_accumulation(const ir_op *op)
{
    return op->def == TTKERNEL_OP(pack_reconfig_l1_acc);
}

static inline bool ttkernel_is_pack(const ir_op *op)
{
    return op->def == TTKERNEL_OP(pack_tile) || op->def == TTKERNEL_OP(pack_tile_block);
}

#endif
