/* linalg_loops.h: linalg.generic on memrefs as loops, and as loops over tiles of itself. */
#ifndef TILEWRIGHT_MLIR_LINALG_LINALG_LOOPS_H
#define TILEWRIGHT_MLIR_LINALG_LINALG_LOOPS_H

#include "ir/op.h"

enum { LINALG_MAX_LOOPS = 32 };

/* The extents of the loops, from the shapes of operands; false if one is dynamic or no
 * operand has it as a plain dimension. */
bool linalg_extents(const ir_op *generic, int64_t out[LINALG_MAX_LOOPS], uint32_t *n);

/* Replaces a linalg.generic on memrefs by a nest of affine.for with affine.load and
 * affine.store; returns the outermost loop, NULL (with nothing changed) if it is not
 * possible. */
ir_op *linalg_to_affine_loops(ir_op *generic);

/* Replaces a linalg.generic on memrefs by a nest of scf.for around one on subviews of
 * `sizes`, which divide the extents (0: no loop).  Returns the inner operation and the
 * loops, outermost first; NULL (with nothing changed) if it is not possible. */
ir_op *linalg_tile(ir_op *generic, const int64_t *sizes, ir_op **out_loops, size_t *out_n);

#endif
