/* bufferization.c: the tables of the bufferization dialect. */
#include "dialect/bufferization/bufferization.h"
#include "dialect/arith/arith_syntax.h"

#include "dialect/constraints.h"
#include "dialect/memref/memref_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def bufferization_enum_##id = {                                          \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "dialect/bufferization/bufferization.def"
#undef X

#define TW_ENUM(id, ...) &bufferization_enum_##id,
static const ir_enum_ref bufferization_enums[] = {
#include "dialect/bufferization/bufferization.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def bufferization_ops[] = {
#include "dialect/bufferization/bufferization.def"
};

const ir_dialect bufferization_dialect = {
    .name = "bufferization",
    .record_prefix = "Bufferization_",
    .name_space = "bufferization",
    .ops = {bufferization_ops, BUFFERIZATION_OP_COUNT},
    .enums = {bufferization_enums, TW_COUNT(bufferization_enums)},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
