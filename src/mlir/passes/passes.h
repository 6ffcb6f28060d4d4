/* passes.h: parts of passes that other passes use. */
#ifndef TILEWRIGHT_MLIR_PASSES_PASSES_H
#define TILEWRIGHT_MLIR_PASSES_PASSES_H

#include "ir/pass/pass.h"

/* Inlines the bodies of const-eval functions where ttcore.load_cached uses their results.
 * Returns false after a diagnostic. */
bool transform_inline_cached(ir_op *func);

/* Inlines calls of functions of TTNN into `func`; what calls itself, or has no body, stays
 * a call. Returns false after a diagnostic: inlined, the program is too large. */
bool transform_inline_programs(ir_op *func);

/* Replaces ttnn.capture_or_execute_trace by the functions that they capture. Returns false
 * after a diagnostic. */
bool transform_inline_traces(ir_op *func);

/* Repeats the operations of a capture at each ttnn.execute_trace of the function and erases
 * what begins, ends and runs traces. Returns false after a diagnostic. */
bool transform_replay_traces(ir_op *func);

/* Sorts the operations of a block, except its terminator, topologically; keeps the order
 * otherwise. Returns false if there is a cycle. */
bool transform_sort_block(ir_block *block);

/* Hoists loop-invariant operations out of a loop. */
void transform_hoist_invariants(ir_op *loop);

/* Erases functions other than `entry` that are not reachable from it. */
void transform_keep_reached(ir_op *entry);

#endif
