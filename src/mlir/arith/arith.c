/* arith.c: the tables of the arith dialect. */
#include "mlir/arith/arith.h"

#include "constraints/constraints.h"
#include "mlir/arith/arith_syntax.h"
#include "mlir/shared/value_names.h"

#define X(symbol, value, text) {#symbol, value, text},
#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def arith_enum_##id = {                                                  \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(X)), __VA_ARGS__};
#include "mlir/arith/arith.def"
#undef X

#define TW_ENUM(id, ...) &arith_enum_##id,
static const ir_enum_ref arith_enums[] = {
#include "mlir/arith/arith.def"
};

#define TW_ATTR(id, ...) {__VA_ARGS__},
const ir_attr_def arith_attrs[] = {
#include "mlir/arith/arith.def"
};

#define TW_OP(id, ...) {__VA_ARGS__},
const ir_op_def arith_ops[] = {
#include "mlir/arith/arith.def"
};

const ir_dialect arith_dialect = {
    .name = "arith",
    .record_prefix = "Arith_",
    .name_space = "arith",
    .ops = {arith_ops, ARITH_OP_COUNT},
    .enums = {arith_enums, TW_COUNT(arith_enums)},
    .attrs = {arith_attrs, TW_COUNT(arith_attrs)},
    .uses_properties = true,
    .materialize = arith_materialize,
    .allow_inline = true,
};

bool arith_constant_int(const ir_value *v, int64_t *out)
{
    const ir_op *maker = v ? ir_value_def(v) : NULL;
    ir_attr value = ir_op_is(maker, ARITH_OP(constant)) ? ir_op_attr(maker, "value") : NULL;
    if (!ir_attr_is(value, IR_ATTR_INTEGER))
        return false;
    *out = value->value;
    return true;
}

static ir_value *constant_of(ir_builder *b, ir_attr value)
{
    return ir_build1(b, ARITH_OP(constant), value->type, NULL, 0,
                     IR_ATTRS({"value", value}));
}

ir_value *arith_index(ir_builder *b, int64_t value)
{
    return constant_of(b, ir_index_attr(b->ctx, value));
}

ir_value *arith_i32(ir_builder *b, int64_t value)
{
    return constant_of(b, ir_i32_attr(b->ctx, value));
}
