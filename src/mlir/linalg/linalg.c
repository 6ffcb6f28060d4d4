/* linalg.c: the tables of the linalg dialect. */
#include "mlir/linalg/linalg.h"
#include "mlir/arith/arith_syntax.h"

#include "constraints/constraints.h"
#include "mlir/linalg/linalg_hooks.h"
#include "mlir/memref/memref_fold.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def linalg_enum_##id = {                                                 \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "mlir/linalg/linalg.def"
#undef X

#define TW_ENUM(id, ...) &linalg_enum_##id,
static const ir_enum_ref linalg_enums[] = {
#include "mlir/linalg/linalg.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def linalg_attrs[] = {
#include "mlir/linalg/linalg.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def linalg_ops[] = {
#include "mlir/linalg/linalg.def"
};

const ir_dialect linalg_dialect = {
    .name = "linalg",
    .record_prefix = "Linalg_",
    .name_space = "linalg",
    .ops = {linalg_ops, LINALG_OP_COUNT},
    .enums = {linalg_enums, TW_COUNT(linalg_enums)},
    .attrs = {linalg_attrs, TW_COUNT(linalg_attrs)},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
