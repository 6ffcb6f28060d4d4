/* symbol_refs.h: the symbol references inside attributes and operations. */
#ifndef TILEWRIGHT_MLIR_PASSES_SYMBOL_REFS_H
#define TILEWRIGHT_MLIR_PASSES_SYMBOL_REFS_H

#include "ir/op.h"

typedef void symbol_ref_fn(ir_op *op, ir_attr ref, void *user);

/* Calls `fn` for each reference in the operation's own attributes, at any depth. */
void symbol_refs_of(ir_op *op, symbol_ref_fn *fn, void *user);
/* The same for the operation and everything nested in it, except nested symbol tables (and
 * the operation's own regions if it is one). */
void symbol_refs_below(ir_op *op, symbol_ref_fn *fn, void *user);

#endif
