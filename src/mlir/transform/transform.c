/* transform.c: the tables of the transform dialect. */
#include "mlir/transform/transform.h"

#include "mlir/func/func_hooks.h"
#include "mlir/linalg/linalg.h"
#include "mlir/transform/transform_constraints.h"
#include "mlir/transform/transform_hooks.h"

#define IR_CONSTRAINT(id, ...) const ir_constraint C_##id = {__VA_ARGS__};
#include "mlir/transform/transform_constraints.def"
#undef IR_CONSTRAINT

#define IR_DIALECT transform
#define IR_ROWS "mlir/transform/transform.def"
#include "ir/dialect_tables.h"

const ir_dialect transform_dialect = {
    .name = "transform",
    .record_prefix = "Transform_",
    .name_space = "transform",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .verify_discardable = transform_verify_discardable,
};
