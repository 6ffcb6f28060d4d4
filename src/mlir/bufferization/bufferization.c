/* bufferization.c: the tables of the bufferization dialect. */
#include "mlir/bufferization/bufferization.h"
#include "mlir/arith/arith_syntax.h"

#include "constraints/constraints.h"
#include "mlir/memref/memref_fold.h"
#include "mlir/memref/memref_hooks.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def bufferization_enum_##id = {                                          \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "mlir/bufferization/bufferization.def"
#undef X

#define TW_ENUM(id, ...) &bufferization_enum_##id,
static const ir_enum_ref bufferization_enums[] = {
#include "mlir/bufferization/bufferization.def"
};

/* A tensor that went to memory, and nothing between that could have written there. */
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

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def bufferization_ops[] = {
#include "mlir/bufferization/bufferization.def"
};

const ir_dialect bufferization_dialect = {
    .name = "bufferization",
    .record_prefix = "Bufferization_",
    .name_space = "bufferization",
    .ops = {bufferization_ops, BUFFERIZATION_OP_COUNT},
    .enums = {bufferization_enums, TW_COUNT(bufferization_enums)},
    .uses_properties = true,
    .allow_inline = true,
    .materialize = arith_materialize,
};
