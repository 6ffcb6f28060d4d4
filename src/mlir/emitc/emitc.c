/* emitc.c: the tables of the emitc dialect. */
#include "mlir/emitc/emitc.h"

#include "mlir/emitc/emitc_constraints.h"
#include "mlir/emitc/emitc_hooks.h"
#include "mlir/func/func_hooks.h"
#include "mlir/shared/control_syntax.h"

#define IR_CONSTRAINT(id, ...) const ir_constraint C_##id = {__VA_ARGS__};
#include "mlir/emitc/emitc_constraints.def"
#undef IR_CONSTRAINT

#define IR_DIALECT emitc
#define IR_ROWS "mlir/emitc/emitc.def"
#include "ir/dialect_tables.h"

const ir_dialect emitc_dialect = {
    .name = "emitc",
    .record_prefix = "EmitC_",
    .name_space = "emitc",
    IR_DIALECT_TABLES,
    .uses_properties = true,
};
