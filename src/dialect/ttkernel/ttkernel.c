/* ttkernel.c: the tables of the ttkernel dialect. */
#include "dialect/ttkernel/ttkernel.h"

#include "dialect/constraints.h"
#include "dialect/ttkernel/ttkernel_hooks.h"
#include "dialect/ttl/ttl_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def ttkernel_enum_##id = {                                               \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "dialect/ttkernel/ttkernel.def"
#undef X

#define TW_ENUM(id, ...) &ttkernel_enum_##id,
static const ir_enum_ref ttkernel_enums[] = {
#include "dialect/ttkernel/ttkernel.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def ttkernel_attrs[] = {
#include "dialect/ttkernel/ttkernel.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def ttkernel_types[] = {
#include "dialect/ttkernel/ttkernel.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def ttkernel_ops[] = {
#include "dialect/ttkernel/ttkernel.def"
};

const ir_dialect ttkernel_dialect = {
    .name = "ttkernel",
    .record_prefix = "TTKernel_",
    .name_space = "tt::ttkernel",
    .ops = {ttkernel_ops, TTKERNEL_OP_COUNT},
    .enums = {ttkernel_enums, TW_COUNT(ttkernel_enums)},
    .attrs = {ttkernel_attrs, TW_COUNT(ttkernel_attrs)},
    .types = {ttkernel_types, TW_COUNT(ttkernel_types)},
    .uses_properties = true,
    .parse_bare = ttkernel_call_parse,
};
