/* builtin.c: the tables of the builtin dialect. */
#include "dialect/builtin/builtin.h"

#include "dialect/constraints.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def builtin_ops[] = {
#include "dialect/builtin/builtin.def"
};

const ir_dialect builtin_dialect = {
    .name = "builtin",
    .ops = {builtin_ops, BUILTIN_OP_COUNT},
    .uses_properties = true,
};
