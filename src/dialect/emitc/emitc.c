/* emitc.c: the tables of the emitc dialect. */
#include "dialect/emitc/emitc.h"

#include "dialect/constraints.h"
#include "dialect/control_syntax.h"
#include "dialect/emitc/emitc_hooks.h"
#include "dialect/func/func_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def emitc_enum_##id = {                                                  \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "dialect/emitc/emitc.def"
#undef X

#define TW_ENUM(id, ...) &emitc_enum_##id,
static const ir_enum_ref emitc_enums[] = {
#include "dialect/emitc/emitc.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def emitc_attrs[] = {
#include "dialect/emitc/emitc.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def emitc_types[] = {
#include "dialect/emitc/emitc.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def emitc_ops[] = {
#include "dialect/emitc/emitc.def"
};

const ir_dialect emitc_dialect = {
    .name = "emitc",
    .record_prefix = "EmitC_",
    .name_space = "emitc",
    .ops = {emitc_ops, EMITC_OP_COUNT},
    .enums = {emitc_enums, TW_COUNT(emitc_enums)},
    .attrs = {emitc_attrs, TW_COUNT(emitc_attrs)},
    .types = {emitc_types, TW_COUNT(emitc_types)},
    .uses_properties = true,
};
