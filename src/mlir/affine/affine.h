/* affine.h: row indices of the affine dialect. */
#ifndef TILEWRIGHT_MLIR_AFFINE_AFFINE_H
#define TILEWRIGHT_MLIR_AFFINE_AFFINE_H

#define IR_DIALECT affine
#define IR_PREFIX AFFINE
#define IR_ROWS "mlir/affine/affine.def"
#include "ir/dialect_names.h"

#define AFFINE_OP(id) (&affine_ops[AFFINE_##id])

/* Canonical forms of accesses and loops (canonicalize.c), and of linear indices. */
extern const struct rw_pattern_table canonicalize_affine, canonicalize_affine_index;

#endif
