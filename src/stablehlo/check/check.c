/* check.c: the tables of the check dialect. */
#include "stablehlo/check/check.h"

#include "constraints/constraints.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def check_ops[] = {
#include "stablehlo/check/check.def"
};

const ir_dialect check_dialect = {
    .name = "check",
    .ops = {check_ops, CHECK_OP_COUNT},
    .uses_properties = true,
};
