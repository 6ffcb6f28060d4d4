/* emitpy.c: the tables of the emitpy dialect. */
#include "dialect/emitpy/emitpy.h"

#include "dialect/constraints.h"
#include "dialect/emitpy/emitpy_hooks.h"

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def emitpy_attrs[] = {
#include "dialect/emitpy/emitpy.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def emitpy_types[] = {
#include "dialect/emitpy/emitpy.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def emitpy_ops[] = {
#include "dialect/emitpy/emitpy.def"
};

const ir_dialect emitpy_dialect = {
    .name = "emitpy",
    .record_prefix = "EmitPy_",
    .name_space = "tt::emitpy",
    .ops = {emitpy_ops, EMITPY_OP_COUNT},
    .attrs = {emitpy_attrs, TW_COUNT(emitpy_attrs)},
    .types = {emitpy_types, TW_COUNT(emitpy_types)},
    .uses_properties = true,
};
