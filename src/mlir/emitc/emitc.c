/* emitc.c: the tables of the emitc dialect. */
#include "mlir/emitc/emitc.h"

#include "constraints/constraints.h"
#include "mlir/emitc/emitc_hooks.h"
#include "mlir/func/func_hooks.h"
#include "mlir/shared/control_syntax.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def emitc_enum_##id = {                                                  \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "mlir/emitc/emitc.def"
#undef X

#define TW_ENUM(id, ...) &emitc_enum_##id,
static const ir_enum_ref emitc_enums[] = {
#include "mlir/emitc/emitc.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def emitc_attrs[] = {
#include "mlir/emitc/emitc.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def emitc_types[] = {
#include "mlir/emitc/emitc.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def emitc_ops[] = {
#include "mlir/emitc/emitc.def"
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
