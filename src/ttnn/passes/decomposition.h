/* decomposition.h: patterns of ttnn-decomposition that stand in files of their own. */
#ifndef TILEWRIGHT_TTNN_PASSES_DECOMPOSITION_H
#define TILEWRIGHT_TTNN_PASSES_DECOMPOSITION_H

#include "ir/rewrite/rewrite.h"

/* ttnn.distributed_rms_norm: in the shape of its kernel, or decomposed. */
bool ttnn_decompose_distributed_rms_norm(ir_op *op, rw_rewriter *rw);
/* A convolution in groups over more channels than L1 takes: a few of its groups at a time.
 */
bool ttnn_split_grouped_conv(ir_op *op, rw_rewriter *rw);

/* tt-mlir's enable-op-constraints asks tt-metal whether its kernels accept an operation as
 * it is (shapes, data types, layouts, program configurations), and rewrites it otherwise.
 * src/cost knows the cycles and the L1 of accepted operations, not which these are: with
 * its answer an operation could stay that the hardware refuses. */
#define TTNN_NO_OP_CONSTRAINTS                                                             \
    "no model says which shapes and layouts tt-metal's kernels accept"
/* Reports the option, and returns false. */
bool ttnn_no_op_constraints(const ir_op *module);

#endif
