/* shape.c: the tables of the shape dialect, which talks of shapes that are not known yet.
 */
#include "mlir/shape/shape.h"

#include "constraints/constraints.h"
#include "mlir/func/func_hooks.h"
#include "mlir/shape/shape_hooks.h"

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def shape_types[] = {
#include "mlir/shape/shape.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def shape_ops[] = {
#include "mlir/shape/shape.def"
};

const ir_dialect shape_dialect = {
    .name = "shape",
    .ops = {shape_ops, SHAPE_OP_COUNT},
    .types = {shape_types, TW_COUNT(shape_types)},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = shape_materialize,
};
