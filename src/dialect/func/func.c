/* func.c: the tables of the func dialect. */
#include "dialect/func/func.h"

#include "dialect/constraints.h"
#include "dialect/func/func_hooks.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def func_ops[] = {
#include "dialect/func/func.def"
};

const ir_dialect func_dialect = {
    .name = "func",
    .ops = {func_ops, FUNC_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
};
