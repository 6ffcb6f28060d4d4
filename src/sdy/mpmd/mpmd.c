/* mpmd.c: the tables of the mpmd dialect. */
#include "sdy/mpmd/mpmd.h"

#include "constraints/constraints.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def mpmd_enum_##id = {                                                   \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "sdy/mpmd/mpmd.def"
#undef X

#define TW_ENUM(id, ...) &mpmd_enum_##id,
static const ir_enum_ref mpmd_enums[] = {
#include "sdy/mpmd/mpmd.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def mpmd_attrs[] = {
#include "sdy/mpmd/mpmd.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def mpmd_types[] = {
#include "sdy/mpmd/mpmd.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def mpmd_ops[] = {
#include "sdy/mpmd/mpmd.def"
};

const ir_dialect mpmd_dialect = {
    .name = "mpmd",
    .ops = {mpmd_ops, MPMD_OP_COUNT},
    .enums = {mpmd_enums, TW_COUNT(mpmd_enums)},
    .attrs = {mpmd_attrs, TW_COUNT(mpmd_attrs)},
    .types = {mpmd_types, TW_COUNT(mpmd_types)},
    .uses_properties = true,
    .record_prefix = "Mpmd_",
    .name_space = "mpmd",
    .record_is_bare = true,
    .allow_inline = true,
};
