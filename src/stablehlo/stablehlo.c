/* stablehlo.c: the tables of the stablehlo dialect. */
#include "stablehlo/stablehlo.h"

#include "constraints/constraints.h"
#include "ir/text/fields_syntax.h"
#include "stablehlo/stablehlo_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def stablehlo_enum_##id = {                                              \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "stablehlo/stablehlo.def"
#undef X

#define TW_ENUM(id, ...) &stablehlo_enum_##id,
static const ir_enum_ref stablehlo_enums[] = {
#include "stablehlo/stablehlo.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def stablehlo_attrs[] = {
#include "stablehlo/stablehlo.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def stablehlo_types[] = {
#include "stablehlo/stablehlo.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def stablehlo_ops[] = {
#include "stablehlo/stablehlo.def"
};

const ir_dialect stablehlo_dialect = {
    .name = "stablehlo",
    .ops = {stablehlo_ops, STABLEHLO_OP_COUNT},
    .enums = {stablehlo_enums, TW_COUNT(stablehlo_enums)},
    .attrs = {stablehlo_attrs, TW_COUNT(stablehlo_attrs)},
    .types = {stablehlo_types, TW_COUNT(stablehlo_types)},
    .uses_properties = true,
    .record_prefix = "StableHLO_",
    .name_space = "stablehlo",
    .record_is_bare = true,
    .says_unknown_types = true,
    .unknown_attr = "unknown StableHLO attribute",
    .bytecode = &stablehlo_bytecode,
    .allow_inline = true,
};
