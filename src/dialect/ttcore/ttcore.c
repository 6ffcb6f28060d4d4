/* ttcore.c: the tables of the ttcore dialect. */
#include "dialect/ttcore/ttcore.h"

#include "dialect/constraints.h"
#include "dialect/ttcore/ttcore_hooks.h"

/* The result is the tuple of the operands' types. */
bool ttcore_tuple_verify(ir_op *op)
{
    ir_type result = op->results[0].type;
    bool same = result->count == op->n_operands;
    for (uint32_t i = 0; same && i < op->n_operands; i++)
        same = result->types[i] == ir_op_operand(op, i)->type;
    return same || ir_op_error(op, "expects a tuple of the operands' types, not '%s'",
                               ir_type_text(op->ctx, result));
}

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def ttcore_enum_##id = {                                                 \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "dialect/ttcore/ttcore.def"
#undef X

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def ttcore_attrs[] = {
#include "dialect/ttcore/ttcore.def"
};

#define TW_TYPE(id, ...) {__VA_ARGS__},
const ir_type_def ttcore_types[] = {
#include "dialect/ttcore/ttcore.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def ttcore_ops[] = {
#include "dialect/ttcore/ttcore.def"
};

const ir_dialect ttcore_dialect = {
    .name = "ttcore",
    .ops = {ttcore_ops, TTCORE_OP_COUNT},
    .attrs = {ttcore_attrs, TW_COUNT(ttcore_attrs)},
    .types = {ttcore_types, TW_COUNT(ttcore_types)},
    .uses_properties = true,
};
