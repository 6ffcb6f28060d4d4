/* canonical.h: canonical forms of whatever dialects a program uses. */
#ifndef TILEWRIGHT_MLIR_PASSES_CANONICAL_H
#define TILEWRIGHT_MLIR_PASSES_CANONICAL_H

#include "ir/rewrite/rewrite.h"

/* The canonical patterns of all dialects of the context (ir_dialect.canonical), and room
 * for `extra` more behind them; the caller frees. */
rw_pattern *transform_canonical_patterns(const ir_context *ctx, size_t extra,
                                         size_t *count);

/* Applies the canonical patterns to what is below `op`.  `enabled` and `disabled` are lists
 * of pattern names separated by commas; both may be empty. */
bool transform_canonicalize(ir_op *op, const rw_options *options, tw_str enabled,
                            tw_str disabled);

#endif
