/* scf.c: the tables of the scf dialect. */
#include "mlir/scf/scf.h"

#include "mlir/scf/scf_hooks.h"
#include "mlir/shared/control_syntax.h"

#define IR_DIALECT scf
#define IR_ROWS "mlir/scf/scf.def"
#define IR_CONSTRAINTS "mlir/scf/scf_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect scf_dialect = {
    .name = "scf",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .allow_inline = true,
};
