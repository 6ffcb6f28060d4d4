/* scf.c: the tables of the scf dialect. */
#include "dialect/scf/scf.h"

#include "dialect/constraints.h"
#include "dialect/control_syntax.h"
#include "dialect/scf/scf_hooks.h"

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def scf_ops[] = {
#include "dialect/scf/scf.def"
};

const ir_dialect scf_dialect = {
    .name = "scf",
    .ops = {scf_ops, SCF_OP_COUNT},
    .uses_properties = true,
    .allow_inline = true,
};
