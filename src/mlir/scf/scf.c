/* scf.c: the tables of the scf dialect. */
#include "mlir/scf/scf.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/scf/scf_hooks.h"
#include "mlir/shared/control_syntax.h"

#define IR_DIALECT scf
#define IR_ROWS "mlir/scf/scf.def"
#define IR_CONSTRAINTS "mlir/scf/scf_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_scf, canonicalize_scf_cast, canonicalize_scf_if,
    canonicalize_scf_parallel, canonicalize_scf_while;

const ir_dialect scf_dialect = {
    .name = "scf",
    IR_DIALECT_TABLES,
    .canonical =
        IR_LIST(ir_pattern_table_ref, &canonicalize_scf, &canonicalize_scf_cast,
                &canonicalize_scf_if, &canonicalize_scf_parallel, &canonicalize_scf_while),
    .uses_properties = true,
    .allow_inline = true,
};
