/* memref.c: the tables of the memref dialect. */
#include "mlir/memref/memref.h"
#include "mlir/arith/arith_syntax.h"

#include "constraints/constraints.h"
#include "mlir/memref/memref_fold.h"
#include "mlir/memref/memref_hooks.h"
#include "mlir/shared/value_names.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def memref_ops[] = {
#include "mlir/memref/memref.def"
};

const ir_dialect memref_dialect = {
    .name = "memref",
    .ops = {memref_ops, MEMREF_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
