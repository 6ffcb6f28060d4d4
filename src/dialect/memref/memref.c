/* memref.c: the tables of the memref dialect. */
#include "dialect/memref/memref.h"
#include "dialect/arith/arith_syntax.h"

#include "dialect/constraints.h"
#include "dialect/memref/memref_fold.h"
#include "dialect/memref/memref_hooks.h"
#include "dialect/value_names.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def memref_ops[] = {
#include "dialect/memref/memref.def"
};

const ir_dialect memref_dialect = {
    .name = "memref",
    .ops = {memref_ops, MEMREF_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
