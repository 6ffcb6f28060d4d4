/* ttcore.c: the tables of the ttcore dialect. */
#include "ttcore/ttcore.h"

#include "ttcore/ttcore_constraints.h"
#include "ttcore/ttcore_hooks.h"

#define IR_CONSTRAINT(id, ...) const ir_constraint C_##id = {__VA_ARGS__};
#include "ttcore/ttcore_constraints.def"
#undef IR_CONSTRAINT

#define IR_DIALECT ttcore
#define IR_ROWS "ttcore/ttcore.def"
#include "ir/dialect_tables.h"

const ir_dialect ttcore_dialect = {
    .name = "ttcore",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .record_prefix = "TTCore_",
    .name_space = "tt::ttcore",
};
