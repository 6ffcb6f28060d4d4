/* region_flow.h: what goes into regions and comes out of them fits where it arrives. */
#ifndef TILEWRIGHT_DIALECT_REGION_FLOW_H
#define TILEWRIGHT_DIALECT_REGION_FLOW_H

#include "ir/op.h"

/* One end of an edge of control flow: operands, block arguments or results. */
typedef struct region_end {
    const char *name;
    const ir_operand *operands;
    ir_value *const *args;
    ir_value *results;
    uint32_t count;
} region_end;

region_end region_results(ir_op *op);
region_end region_arguments(const ir_block *block, const char *name);
/* The operands from `skip` on of a block's terminator. */
region_end region_yields(const ir_op *end, uint32_t skip, const char *name);
/* Numbers and types agree; reports on `op` in MLIR's words. */
bool region_flows(ir_op *op, const region_end *from, const region_end *to);

#endif
