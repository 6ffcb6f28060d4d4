/* ttmetal.c: the tables of the ttmetal dialect. */
#include "ttmetal/ttmetal.h"

#include "constraints/constraints.h"
#include "ttmetal/ttmetal_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def ttmetal_enum_##id = {                                                \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "ttmetal/ttmetal.def"
#undef X

#define TW_ENUM(id, ...) &ttmetal_enum_##id,
static const ir_enum_ref ttmetal_enums[] = {
#include "ttmetal/ttmetal.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def ttmetal_attrs[] = {
#include "ttmetal/ttmetal.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def ttmetal_types[] = {
#include "ttmetal/ttmetal.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def ttmetal_ops[] = {
#include "ttmetal/ttmetal.def"
};

const ir_dialect ttmetal_dialect = {
    .name = "ttmetal",
    .record_prefix = "TTMetal_",
    .name_space = "tt::ttmetal",
    .ops = {ttmetal_ops, TTMETAL_OP_COUNT},
    .enums = {ttmetal_enums, TW_COUNT(ttmetal_enums)},
    .attrs = {ttmetal_attrs, TW_COUNT(ttmetal_attrs)},
    .types = {ttmetal_types, TW_COUNT(ttmetal_types)},
    .uses_properties = true,
};
