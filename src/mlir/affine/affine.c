/* affine.c: the tables of the affine dialect. */
#include "mlir/affine/affine.h"
#include "mlir/arith/arith_syntax.h"

#include "constraints/constraints.h"
#include "mlir/affine/affine_hooks.h"
#include "mlir/memref/memref_fold.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def affine_ops[] = {
#include "mlir/affine/affine.def"
};

const ir_dialect affine_dialect = {
    .name = "affine",
    .ops = {affine_ops, AFFINE_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
