/* tensor.c: the tables of the tensor dialect. */
#include "dialect/tensor/tensor.h"
#include "dialect/arith/arith_syntax.h"

#include "dialect/constraints.h"
#include "dialect/tensor/tensor_fold.h"
#include "dialect/tensor/tensor_hooks.h"
#include "dialect/value_names.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def tensor_ops[] = {
#include "dialect/tensor/tensor.def"
};

const ir_dialect tensor_dialect = {
    .name = "tensor",
    .ops = {tensor_ops, TENSOR_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
