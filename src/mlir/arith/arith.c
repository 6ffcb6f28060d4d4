/* arith.c: the tables of the arith dialect. */
#include "mlir/arith/arith.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/arith/arith_constraints.h"
#include "mlir/arith/arith_syntax.h"
#include "mlir/shared/value_names.h"

#define IR_CONSTRAINT(id, ...) const ir_constraint C_##id = {__VA_ARGS__};
#include "mlir/arith/arith_constraints.def"
#undef IR_CONSTRAINT

#define IR_DIALECT arith
#define IR_ROWS "mlir/arith/arith.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_arith;

const ir_dialect arith_dialect = {
    .name = "arith",
    .record_prefix = "Arith_",
    .name_space = "arith",
    IR_DIALECT_TABLES,
    .canonical = IR_LIST(ir_pattern_table_ref, &canonicalize_arith),
    .uses_properties = true,
    .materialize = arith_materialize,
    .allow_inline = true,
};

bool arith_constant_int(const ir_value *v, int64_t *out)
{
    const ir_op *producer = v ? ir_value_def(v) : NULL;
    ir_attr value =
        ir_op_is(producer, ARITH_OP(constant)) ? ir_op_attr(producer, "value") : NULL;
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

ir_value *arith_binary(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}
