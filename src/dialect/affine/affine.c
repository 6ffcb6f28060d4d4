/* affine.c: the tables of the affine dialect. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith_syntax.h"

#include "dialect/affine/affine_hooks.h"
#include "dialect/constraints.h"
#include "dialect/memref/memref_fold.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def affine_ops[] = {
#include "dialect/affine/affine.def"
};

const ir_dialect affine_dialect = {
    .name = "affine",
    .ops = {affine_ops, AFFINE_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
