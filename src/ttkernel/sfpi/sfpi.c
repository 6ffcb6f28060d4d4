/* sfpi.c: the tables of the sfpi dialect. */
#include "ttkernel/sfpi/sfpi.h"

#include "constraints/constraints.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def sfpi_enum_##id = {                                                   \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "ttkernel/sfpi/sfpi.def"
#undef X

#define TW_ENUM(id, ...) &sfpi_enum_##id,
static const ir_enum_ref sfpi_enums[] = {
#include "ttkernel/sfpi/sfpi.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def sfpi_attrs[] = {
#include "ttkernel/sfpi/sfpi.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def sfpi_ops[] = {
#include "ttkernel/sfpi/sfpi.def"
};

const ir_dialect sfpi_dialect = {
    .name = "sfpi",
    .record_prefix = "SFPI_",
    .name_space = "tt::sfpi",
    .ops = {sfpi_ops, SFPI_OP_COUNT},
    .enums = {sfpi_enums, TW_COUNT(sfpi_enums)},
    .attrs = {sfpi_attrs, TW_COUNT(sfpi_attrs)},
    .uses_properties = true,
};
