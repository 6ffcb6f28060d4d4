/* d2m.c: the tables of the d2m dialect. */
#include "d2m/d2m.h"

#include "constraints/constraints.h"
#include "d2m/d2m_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def d2m_enum_##id = {                                                    \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "d2m/d2m.def"
#undef X

#define TW_ENUM(id, ...) &d2m_enum_##id,
static const ir_enum_ref d2m_enums[] = {
#include "d2m/d2m.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def d2m_attrs[] = {
#include "d2m/d2m.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def d2m_types[] = {
#include "d2m/d2m.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def d2m_ops[] = {
#include "d2m/d2m.def"
};

const ir_dialect d2m_dialect = {
    .name = "d2m",
    .record_prefix = "D2M_",
    .name_space = "tt::d2m",
    .ops = {d2m_ops, D2M_OP_COUNT},
    .enums = {d2m_enums, TW_COUNT(d2m_enums)},
    .attrs = {d2m_attrs, TW_COUNT(d2m_attrs)},
    .types = {d2m_types, TW_COUNT(d2m_types)},
    .uses_properties = true,
};
