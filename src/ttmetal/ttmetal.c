/* ttmetal.c: the tables of the ttmetal dialect. */
#include "ttmetal/ttmetal.h"

#include "ttcore/ttcore.h"
#include "ttcore/ttcore_constraints.h"
#include "ttkernel/ttkernel.h"
#include "ttmetal/ttmetal_hooks.h"

#define IR_DIALECT ttmetal
#define IR_ROWS "ttmetal/ttmetal.def"
#define IR_CONSTRAINTS "ttmetal/ttmetal_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect ttmetal_dialect = {
    .name = "ttmetal",
    .record_prefix = "TTMetal_",
    .name_space = "tt::ttmetal",
    IR_DIALECT_TABLES,
    .uses_properties = true,
};
