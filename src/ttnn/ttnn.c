/* ttnn.c: the tables of the ttnn dialect. */
#include "ttnn/ttnn.h"

#include "constraints/constraints.h"
#include "ttnn/ttnn_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def ttnn_enum_##id = {                                                   \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "ttnn/ttnn.def"
#undef X

#define TW_ENUM(id, ...) &ttnn_enum_##id,
static const ir_enum_ref ttnn_enums[] = {
#include "ttnn/ttnn.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def ttnn_attrs[] = {
#include "ttnn/ttnn.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def ttnn_types[] = {
#include "ttnn/ttnn.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def ttnn_ops[] = {
#include "ttnn/ttnn.def"
};

const ir_dialect ttnn_dialect = {
    .name = "ttnn",
    .ops = {ttnn_ops, TTNN_OP_COUNT},
    .enums = {ttnn_enums, TW_COUNT(ttnn_enums)},
    .attrs = {ttnn_attrs, TW_COUNT(ttnn_attrs)},
    .types = {ttnn_types, TW_COUNT(ttnn_types)},
    .uses_properties = true,
    .record_prefix = "TTNN_",
    .name_space = "tt::ttnn",
};
