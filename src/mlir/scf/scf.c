/* scf.c: the tables of the scf dialect. */
#include "mlir/scf/scf.h"

#include "constraints/constraints.h"
#include "mlir/scf/scf_hooks.h"
#include "mlir/shared/control_syntax.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def scf_ops[] = {
#include "mlir/scf/scf.def"
};

const ir_dialect scf_dialect = {
    .name = "scf",
    .ops = {scf_ops, SCF_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
};
