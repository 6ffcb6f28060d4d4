/* tosa.c: the tables of the tosa dialect. */
#include "mlir/tosa/tosa.h"

#include "mlir/scf/scf_hooks.h"
#include "mlir/tosa/tosa_hooks.h"

#define IR_DIALECT tosa
#define IR_ROWS "mlir/tosa/tosa.def"
#define IR_CONSTRAINTS "mlir/tosa/tosa_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect tosa_dialect = {
    .name = "tosa",
    IR_DIALECT_TABLES,
    .uses_properties = true,
};
