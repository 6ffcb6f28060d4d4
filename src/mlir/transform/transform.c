/* transform.c: the tables of the transform dialect. */
#include "mlir/transform/transform.h"

#include "constraints/constraints.h"
#include "mlir/func/func_hooks.h"
#include "mlir/transform/transform_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def transform_enum_##id = {                                              \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "mlir/transform/transform.def"
#undef X

#define TW_ENUM(id, ...) &transform_enum_##id,
static const ir_enum_ref transform_enums[] = {
#include "mlir/transform/transform.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def transform_attrs[] = {
#include "mlir/transform/transform.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def transform_types[] = {
#include "mlir/transform/transform.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def transform_ops[] = {
#include "mlir/transform/transform.def"
};

const ir_dialect transform_dialect = {
    .name = "transform",
    .record_prefix = "Transform_",
    .name_space = "transform",
    .ops = {transform_ops, TRANSFORM_OP_COUNT},
    .enums = {transform_enums, TW_COUNT(transform_enums)},
    .attrs = {transform_attrs, TW_COUNT(transform_attrs)},
    .types = {transform_types, TW_COUNT(transform_types)},
    .uses_properties = true,
    .verify_discardable = transform_verify_discardable,
};
