/* tosa.c: the tables of the tosa dialect. */
#include "mlir/tosa/tosa.h"

#include "constraints/constraints.h"
#include "mlir/scf/scf_hooks.h"
#include "mlir/tosa/tosa_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def tosa_enum_##id = {                                                   \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "mlir/tosa/tosa.def"
#undef X

#define TW_ENUM(id, ...) &tosa_enum_##id,
static const ir_enum_ref tosa_enums[] = {
#include "mlir/tosa/tosa.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def tosa_attrs[] = {
#include "mlir/tosa/tosa.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def tosa_types[] = {
#include "mlir/tosa/tosa.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def tosa_ops[] = {
#include "mlir/tosa/tosa.def"
};

const ir_dialect tosa_dialect = {
    .name = "tosa",
    .ops = {tosa_ops, TOSA_OP_COUNT},
    .enums = {tosa_enums, TW_COUNT(tosa_enums)},
    .attrs = {tosa_attrs, TW_COUNT(tosa_attrs)},
    .types = {tosa_types, TW_COUNT(tosa_types)},
    .uses_properties = true,
};
