/* bufferization.c: the tables of the bufferization dialect. */
#include "mlir/bufferization/bufferization.h"
#include "mlir/arith/arith_syntax.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/memref/memref_fold.h"
#include "mlir/memref/memref_hooks.h"

/* Folds to_tensor of to_buffer if nothing in between could have written to it. */
static bool bufferization_fold_to_tensor(ir_op *op, const ir_attr *constants,
                                         ir_fold_result *results)
{
    const ir_op *buffer = ir_value_def(ir_op_operand(op, 0));
    (void)constants;
    if (!ir_op_is(buffer, BUFFERIZATION_OP(to_buffer)) || buffer->next != op ||
        ir_op_operand(buffer, 0)->type != op->results[0].type)
        return false;
    results[0].value = ir_op_operand(buffer, 0);
    return true;
}

#define IR_DIALECT bufferization
#define IR_ROWS "mlir/bufferization/bufferization.def"
#define IR_CONSTRAINTS "mlir/bufferization/bufferization_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_bufferization, canonicalize_buffers;

const ir_dialect bufferization_dialect = {
    .name = "bufferization",
    .record_prefix = "Bufferization_",
    .name_space = "bufferization",
    IR_DIALECT_TABLES,
    .canonical =
        IR_LIST(ir_pattern_table_ref, &canonicalize_bufferization, &canonicalize_buffers),
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
