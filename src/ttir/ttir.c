/* ttir.c: the tables of the ttir dialect. */
#include "ttir/ttir.h"

#include "constraints/constraints.h"
#include "ttir/ttir_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def ttir_enum_##id = {                                                   \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "ttir/ttir.def"
#undef X

#define TW_ENUM(id, ...) &ttir_enum_##id,
static const ir_enum_ref ttir_enums[] = {
#include "ttir/ttir.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def ttir_attrs[] = {
#include "ttir/ttir.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def ttir_types[] = {
#include "ttir/ttir.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def ttir_ops[] = {
#include "ttir/ttir.def"
};

const ir_dialect ttir_dialect = {
    .name = "ttir",
    .ops = {ttir_ops, TTIR_OP_COUNT},
    .enums = {ttir_enums, TW_COUNT(ttir_enums)},
    .attrs = {ttir_attrs, TW_COUNT(ttir_attrs)},
    .types = {ttir_types, TW_COUNT(ttir_types)},
    .uses_properties = true,
    .record_prefix = "TTIR_",
    .name_space = "tt::ttir",
    .materialize = ttir_materialize,
    .allow_inline = true,
};
