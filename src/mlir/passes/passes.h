/* passes.h: parts of passes that other passes use. */
#ifndef TILEWRIGHT_MLIR_PASSES_PASSES_H
#define TILEWRIGHT_MLIR_PASSES_PASSES_H

#include "ir/pass/pass.h"

/* Inlines the bodies of const-eval functions where ttcore.load_cached uses their results,
 * and recorded traces where they are replayed.
 * Returns false after a diagnostic. */
bool transform_inline_cached(ir_op *func);

/* Sorts the operations of a block, except its terminator, topologically; keeps the order
 * otherwise. Returns false if there is a cycle. */
bool transform_sort_block(ir_block *block);

/* Hoists loop-invariant operations out of a loop. */
void transform_hoist_invariants(ir_op *loop);

/* Erases functions other than `entry` that are not reachable from it. */
void transform_keep_reached(ir_op *entry);

#endif
