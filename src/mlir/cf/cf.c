/* cf.c: the tables of the cf dialect. */
#include "mlir/cf/cf.h"
#include "mlir/cf/cf_syntax.h"

#include "constraints/constraints.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def cf_ops[] = {
#include "mlir/cf/cf.def"
};

const ir_dialect cf_dialect = {
    .name = "cf",
    .ops = {cf_ops, CF_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
};
