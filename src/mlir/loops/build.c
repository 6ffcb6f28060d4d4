/* build.c: see loops.h. */
#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

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

/* Gives a loop its body: the index and a terminator. */
static void add_body(ir_op *loop, const ir_op_def *yield)
{
    ir_context *ctx = loop->ctx;
    ir_block *body = ir_block_create(ctx);
    ir_region_append(&loop->regions[0], body);
    ir_block_add_arg(ctx, body, ir_index_type(ctx), loop->loc);
    ir_builder b = ir_builder_at_end(ctx, body, loop->loc);
    ir_build_op(&b, yield, NULL, 0, NULL, 0, NULL, 0, 0);
}

ir_op *scf_for_build(ir_builder *b, ir_value *from, ir_value *to, ir_value *step)
{
    ir_op *loop =
        ir_build_op(b, SCF_OP(for), NULL, 0, IR_VALUES(from, to, step), NULL, 0, 1);
    add_body(loop, SCF_OP(yield));
    return loop;
}

ir_op *affine_for_build(ir_builder *b, ir_value *to)
{
    ir_context *ctx = b->ctx;
    ir_affine zero = ir_affine_constant(ctx, 0), bound = ir_affine_symbol(ctx, 0);
    int64_t segments[] = {0, 1, 0};
    ir_op *loop = ir_build_op(
        b, AFFINE_OP(for), NULL, 0, &to, 1,
        IR_ATTRS(
            {"lowerBoundMap", ir_affine_map_attr(ctx, ir_affine_map_get(ctx, 0, 0, &zero, 1))},
            {"upperBoundMap", ir_affine_map_attr(ctx, ir_affine_map_get(ctx, 0, 1, &bound, 1))},
            {"step", ir_index_attr(ctx, 1)},
            {"operandSegmentSizes", ir_dense_i32_array(ctx, segments, 3)}),
        1);
    add_body(loop, AFFINE_OP(yield));
    return loop;
}
