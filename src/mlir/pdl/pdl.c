/* pdl.c: the tables of the pdl dialect. */
#include "mlir/pdl/pdl.h"

#include "constraints/constraints.h"
#include "mlir/pdl/pdl_hooks.h"

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def pdl_types[] = {
#include "mlir/pdl/pdl.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def pdl_ops[] = {
#include "mlir/pdl/pdl.def"
};

const ir_dialect pdl_dialect = {
    .name = "pdl",
    .record_prefix = "PDL_",
    .name_space = "pdl",
    .ops = {pdl_ops, PDL_OP_COUNT},
    .types = {pdl_types, TW_COUNT(pdl_types)},
    .uses_properties = true,
};

ir_type pdl_element_type(ir_type type)
{
    bool range = type->kind == IR_TYPE_DIALECT && type->def == PDL_TYPE(range);
    return range ? type->params[0]->type : type;
}
