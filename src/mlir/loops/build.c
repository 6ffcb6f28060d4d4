/* build.c: see loops.h. */
#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"

bool loop_constant(const ir_value *v, int64_t *out)
{
    ir_attr a = rw_constant(v);
    if (!ir_attr_is(a, IR_ATTR_INTEGER))
        return false;
    *out = a->value;
    return true;
}

ir_value *loop_build_constant(ir_builder *b, ir_type type, int64_t value)
{
    return ir_build1(b, ARITH_OP(constant), type, NULL, 0,
                     IR_ATTRS({"value", ir_integer_attr(type, value)}));
}

ir_value *loop_arith(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

ir_value *loop_arith_folded(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    ir_attr constants[] = {rw_constant(x), rw_constant(y)};
    ir_fold_result folded = {0};
    ir_value *made = loop_arith(b, def, x, y);
    ir_op *op = ir_value_def(made);
    if (!def->fold || !def->fold(op, constants, &folded) || (!folded.attr && !folded.value))
        return made;
    ir_value *value = folded.value
                          ? folded.value
                          : loop_build_constant(b, x->type, ir_attr_int(folded.attr, 0));
    ir_op_erase(op);
    return value;
}

ir_value *loop_affine_value(ir_builder *b, const affine_mapping *m)
{
    ir_value *values[2 * AFFINE_MAPPING_CAPACITY];
    ir_affine e = m->results[0];
    if (e->kind == IR_AFFINE_CONSTANT)
        return loop_build_constant(b, ir_index_type(b->ctx), e->value);
    if (e->kind == IR_AFFINE_DIM || e->kind == IR_AFFINE_SYMBOL)
        return (e->kind == IR_AFFINE_DIM ? m->dims : m->symbols)[e->value];
    return ir_build1(b, AFFINE_OP(apply), ir_index_type(b->ctx), values,
                     affine_mapping_values(m, values),
                     IR_ATTRS({"map", ir_affine_map_attr(b->ctx, affine_mapping_map(m))}));
}

ir_value *loop_affine_folded(ir_builder *b, ir_affine e, ir_value *const *symbols,
                             uint32_t n)
{
    affine_mapping m = {.ctx = b->ctx, .n_symbols = n, .n_results = 1, .results = {e}};
    for (uint32_t i = 0; i < n; i++)
        m.symbols[i] = symbols[i];
    affine_mapping_compose(&m);
    return loop_affine_value(b, &m);
}

size_t loop_inits(const ir_op *loop, size_t *first)
{
    size_t count = 0;
    *first = 0;
    ir_op_operand_group(loop, loop->def->operands.count - 1, first, &count);
    return count;
}
