/* sdy.c: the tables of the sdy dialect. */
#include "sdy/sdy.h"

#include "constraints/constraints.h"
#include "sdy/sdy_verify.h"
#include "stablehlo/stablehlo_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def sdy_enum_##id = {                                                    \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "sdy/sdy.def"
#undef X

#define TW_ENUM(id, ...) &sdy_enum_##id,
static const ir_enum_ref sdy_enums[] = {
#include "sdy/sdy.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def sdy_attrs[] = {
#include "sdy/sdy.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def sdy_ops[] = {
#include "sdy/sdy.def"
};

const ir_dialect sdy_dialect = {
    .name = "sdy",
    .ops = {sdy_ops, SDY_OP_COUNT},
    .enums = {sdy_enums, TW_COUNT(sdy_enums)},
    .attrs = {sdy_attrs, TW_COUNT(sdy_attrs)},
    .uses_properties = true,
    .record_prefix = "Sdy_",
    .name_space = "sdy",
    .record_is_bare = true,
    .bytecode = &sdy_bytecode,
    .verify_discardable = sdy_verify_discardable,
    .verify_function_attr = sdy_verify_function_attr,
    .allow_inline = true,
};
