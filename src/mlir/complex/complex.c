/* complex.c: the tables of the complex dialect, arithmetic on complex numbers. */
#include "mlir/complex/complex.h"

#include "constraints/constraints.h"
#include "mlir/complex/complex_hooks.h"
#include "mlir/shared/value_names.h"

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def complex_attrs[] = {
#include "mlir/complex/complex.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def complex_ops[] = {
#include "mlir/complex/complex.def"
};

const ir_dialect complex_dialect = {
    .name = "complex",
    .ops = {complex_ops, COMPLEX_OP_COUNT},
    .attrs = {complex_attrs, TW_COUNT(complex_attrs)},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = complex_materialize,
};
