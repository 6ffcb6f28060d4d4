/* region_flow.h: type checks along control-flow edges into and out of regions. */
#ifndef TILEWRIGHT_MLIR_SHARED_REGION_FLOW_H
#define TILEWRIGHT_MLIR_SHARED_REGION_FLOW_H

#include "ir/op.h"

/* One end of an edge of control flow: operands, block arguments or results. */
typedef struct region_end {
    const char *name;
    const ir_op *terminator; /* owner of these operands, or NULL */
    const ir_operand *operands;
    ir_value *const *args;
    ir_value *results;
    uint32_t count;
} region_end;

region_end region_results(ir_op *op);
region_end region_arguments(const ir_block *block, const char *name);
/* The operands from `skip` on of a block's terminator. */
region_end region_yields(const ir_op *end, uint32_t skip);
/* Checks that counts and types agree; reports on `op` in MLIR's words. */
bool region_flows(ir_op *op, const region_end *from, const region_end *to);

/* Checks that the body of a loop has arguments for the induction variable and the operands
 * from first_init on, which printing relies on. */
bool region_loop_counts_fit(ir_op *op, uint32_t first_init, const ir_block *body);
/* Checks that a loop's initial values, body arguments after its induction variable, yielded
 * values and results agree. */
bool region_loop_fits(ir_op *op, uint32_t first_init, const ir_block *body);
/* Checks that the outputs, operands from `first` on, are tensors with the results' types,
 * or memrefs. */
bool region_outputs_fit(ir_op *op, size_t first, size_t n);

#endif
