/* cf.c: the tables of the cf dialect. */
#include "mlir/cf/cf.h"
#include "mlir/cf/cf_syntax.h"

#include "ir/rewrite/rewrite.h"
#define IR_DIALECT cf
#define IR_ROWS "mlir/cf/cf.def"
#define IR_CONSTRAINTS "mlir/cf/cf_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_cf;

const ir_dialect cf_dialect = {
    .name = "cf",
    IR_DIALECT_TABLES,
    .canonical = IR_LIST(ir_pattern_table_ref, &canonicalize_cf),
    .uses_properties = true,
    .allow_inline = true,
};
