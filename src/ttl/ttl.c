/* ttl.c: the tables of the ttl dialect. */
#include "ttl/ttl.h"

#include "constraints/constraints.h"
#include "ttl/ttl_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def ttl_enum_##id = {                                                    \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "ttl/ttl.def"
#undef X

#define TW_ENUM(id, ...) &ttl_enum_##id,
static const ir_enum_ref ttl_enums[] = {
#include "ttl/ttl.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def ttl_attrs[] = {
#include "ttl/ttl.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def ttl_types[] = {
#include "ttl/ttl.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def ttl_ops[] = {
#include "ttl/ttl.def"
};

const ir_dialect ttl_dialect = {
    .name = "ttl",
    .ops = {ttl_ops, TTL_OP_COUNT},
    .enums = {ttl_enums, TW_COUNT(ttl_enums)},
    .attrs = {ttl_attrs, TW_COUNT(ttl_attrs)},
    .types = {ttl_types, TW_COUNT(ttl_types)},
    .uses_properties = true,
    .record_prefix = "TTL_",
    .name_space = "tt::ttl",
};
