/* shape.c: the tables of the shape dialect, for shapes that are not known at compile
 * time. */
#include "mlir/shape/shape.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/func/func_hooks.h"
#include "mlir/shape/shape_hooks.h"

#define IR_DIALECT shape
#define IR_ROWS "mlir/shape/shape.def"
#define IR_CONSTRAINTS "mlir/shape/shape_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_shape;

const ir_dialect shape_dialect = {
    .name = "shape",
    IR_DIALECT_TABLES,
    .canonical = IR_LIST(ir_pattern_table_ref, &canonicalize_shape),
    .uses_properties = true,
    .allow_inline = true,
    .materialize = shape_materialize,
};
