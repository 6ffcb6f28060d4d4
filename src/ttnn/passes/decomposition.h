/* decomposition.h: patterns of ttnn-decomposition that stand in files of their own. */
#ifndef TILEWRIGHT_TTNN_PASSES_DECOMPOSITION_H
#define TILEWRIGHT_TTNN_PASSES_DECOMPOSITION_H

#include "ir/rewrite/rewrite.h"

/* ttnn.distributed_rms_norm: in the shape of its kernel, or decomposed. */
bool ttnn_decompose_distributed_rms_norm(ir_op *op, rw_rewriter *rw);
/* A convolution in groups over more channels than L1 takes: a few of its groups at a time.
 */
bool ttnn_split_grouped_conv(ir_op *op, rw_rewriter *rw);

#endif
