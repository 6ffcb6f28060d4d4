/* vhlo.c: the tables of the vhlo dialect. */
#include "stablehlo/vhlo/vhlo.h"

#include "constraints/constraints.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def vhlo_enum_##id = {                                                   \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "stablehlo/vhlo/vhlo.def"
#undef X

#define TW_ENUM(id, ...) &vhlo_enum_##id,
static const ir_enum_ref vhlo_enums[] = {
#include "stablehlo/vhlo/vhlo.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def vhlo_attrs[] = {
#include "stablehlo/vhlo/vhlo.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def vhlo_types[] = {
#include "stablehlo/vhlo/vhlo.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def vhlo_ops[] = {
#include "stablehlo/vhlo/vhlo.def"
};

const ir_dialect vhlo_dialect = {
    .name = "vhlo",
    .record_prefix = "VHLO_",
    .name_space = "vhlo",
    .ops = {vhlo_ops, VHLO_OP_COUNT},
    .enums = {vhlo_enums, TW_COUNT(vhlo_enums)},
    .attrs = {vhlo_attrs, TW_COUNT(vhlo_attrs)},
    .types = {vhlo_types, TW_COUNT(vhlo_types)},
    .uses_properties = true,
    .bytecode = &vhlo_bytecode,
};
