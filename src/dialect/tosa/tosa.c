/* tosa.c: the tables of the tosa dialect. */
#include "dialect/tosa/tosa.h"

#include "dialect/constraints.h"

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def tosa_types[] = {
#include "dialect/tosa/tosa.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def tosa_ops[] = {
#include "dialect/tosa/tosa.def"
};

const ir_dialect tosa_dialect = {
    .name = "tosa",
    .ops = {tosa_ops, TOSA_OP_COUNT},
    .types = {tosa_types, TW_COUNT(tosa_types)},
    .uses_properties = true,
};
