/* emitpy.c: the tables of the emitpy dialect. */
#include "emitpy/emitpy.h"

#include "emitpy/emitpy_hooks.h"

#define IR_DIALECT emitpy
#define IR_ROWS "emitpy/emitpy.def"
#define IR_CONSTRAINTS "emitpy/emitpy_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect emitpy_dialect = {
    .name = "emitpy",
    .record_prefix = "EmitPy_",
    .name_space = "tt::emitpy",
    IR_DIALECT_TABLES,
    .uses_properties = true,
};
