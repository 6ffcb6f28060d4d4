/* emitpy.c: the tables of the emitpy dialect. */
#include "emitpy/emitpy.h"

#include "constraints/constraints.h"
#include "emitpy/emitpy_hooks.h"

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def emitpy_attrs[] = {
#include "emitpy/emitpy.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def emitpy_types[] = {
#include "emitpy/emitpy.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def emitpy_ops[] = {
#include "emitpy/emitpy.def"
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
