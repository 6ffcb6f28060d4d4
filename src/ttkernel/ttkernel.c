/* ttkernel.c: the tables of the ttkernel dialect. */
#include "ttkernel/ttkernel.h"

#include "constraints/constraints.h"
#include "ttkernel/ttkernel_hooks.h"
#include "ttl/ttl_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def ttkernel_enum_##id = {                                               \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "ttkernel/ttkernel.def"
#undef X

#define TW_ENUM(id, ...) &ttkernel_enum_##id,
static const ir_enum_ref ttkernel_enums[] = {
#include "ttkernel/ttkernel.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def ttkernel_attrs[] = {
#include "ttkernel/ttkernel.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def ttkernel_types[] = {
#include "ttkernel/ttkernel.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def ttkernel_ops[] = {
#include "ttkernel/ttkernel.def"
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
