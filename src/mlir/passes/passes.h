/* passes.h: steps of passes that others use, too. */
#ifndef TILEWRIGHT_MLIR_PASSES_PASSES_H
#define TILEWRIGHT_MLIR_PASSES_PASSES_H

#include "ir/pass/pass.h"

/* Puts the bodies of const-eval functions where ttcore.load_cached asks for their results,
 * and recorded traces where they are replayed.
 * False after a diagnostic. */
bool transform_inline_cached(ir_op *func);

/* Puts each operation of a block, but for its terminator, behind what it reads; the rest
 * stays as it is. False if there is a circle. */
bool transform_sort_block(ir_block *block);

/* Moves what does not change in a loop in front of it. */
void transform_hoist_invariants(ir_op *loop);

/* Erases the functions beside `entry` that nothing which it reaches names. */
void transform_keep_reached(ir_op *entry);

#endif
