/* debug.c: the tables of the debug dialect. */
#include "dialect/debug/debug.h"

#include "dialect/constraints.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def debug_ops[] = {
#include "dialect/debug/debug.def"
};

const ir_dialect debug_dialect = {
    .name = "debug",
    .ops = {debug_ops, DEBUG_OP_COUNT},
    .uses_properties = true,
};
