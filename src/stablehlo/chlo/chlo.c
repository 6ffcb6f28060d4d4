/* chlo.c: the tables of the chlo dialect. */
#include "stablehlo/chlo/chlo.h"

#include "constraints/constraints.h"
#include "ir/text/fields_syntax.h"
#include "stablehlo/chlo/chlo_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def chlo_enum_##id = {                                                   \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "stablehlo/chlo/chlo.def"
#undef X

#define TW_ENUM(id, ...) &chlo_enum_##id,
static const ir_enum_ref chlo_enums[] = {
#include "stablehlo/chlo/chlo.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def chlo_attrs[] = {
#include "stablehlo/chlo/chlo.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def chlo_ops[] = {
#include "stablehlo/chlo/chlo.def"
};

const ir_dialect chlo_dialect = {
    .name = "chlo",
    .ops = {chlo_ops, CHLO_OP_COUNT},
    .enums = {chlo_enums, TW_COUNT(chlo_enums)},
    .attrs = {chlo_attrs, TW_COUNT(chlo_attrs)},
    .uses_properties = true,
    .record_prefix = "CHLO_",
    .name_space = "chlo",
    .record_is_bare = true,
    .unknown_attr = "unknown chlo attribute",
    .bytecode = &chlo_bytecode,
    .allow_inline = true,
};
