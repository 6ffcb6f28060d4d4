/* ttcore.c: the tables of the ttcore dialect. */
#include "ttcore/ttcore.h"

#include "constraints/constraints.h"
#include "ttcore/ttcore_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def ttcore_enum_##id = {                                                 \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "ttcore/ttcore.def"
#undef X

#define TW_ENUM(id, ...) &ttcore_enum_##id,
static const ir_enum_ref ttcore_enums[] = {
#include "ttcore/ttcore.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def ttcore_attrs[] = {
#include "ttcore/ttcore.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def ttcore_types[] = {
#include "ttcore/ttcore.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def ttcore_ops[] = {
#include "ttcore/ttcore.def"
};

const ir_dialect ttcore_dialect = {
    .name = "ttcore",
    .ops = {ttcore_ops, TTCORE_OP_COUNT},
    .enums = {ttcore_enums, TW_COUNT(ttcore_enums)},
    .attrs = {ttcore_attrs, TW_COUNT(ttcore_attrs)},
    .types = {ttcore_types, TW_COUNT(ttcore_types)},
    .uses_properties = true,
    .record_prefix = "TTCore_",
    .name_space = "tt::ttcore",
};
