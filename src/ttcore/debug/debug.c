/* debug.c: the tables of the debug dialect. */
#include "ttcore/debug/debug.h"

#include "constraints/constraints.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def debug_ops[] = {
#include "ttcore/debug/debug.def"
};

const ir_dialect debug_dialect = {
    .name = "debug",
    .ops = {debug_ops, DEBUG_OP_COUNT},
    .uses_properties = true,
};
