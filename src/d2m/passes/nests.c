/* nests.c: affine loops and accesses. */
#include "d2m/passes/nests.h"
#include "d2m/generic.h"

#include "mlir/affine/affine.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

ir_value *d2m_affine_loop(ir_builder *b, int64_t from, int64_t to, int64_t step,
                          ir_builder *out_body)
{
    ir_context *ctx = b->ctx;
    ir_affine bounds[] = {ir_affine_constant(ctx, from), ir_affine_constant(ctx, to)};
    ir_affine_map low = ir_affine_map_get(ctx, 0, 0, &bounds[0], 1);
    ir_affine_map high = ir_affine_map_get(ctx, 0, 0, &bounds[1], 1);
    ir_op *loop = ir_build_op(
        b, AFFINE_OP(for), NULL, 0, NULL, 0,
        IR_ATTRS({"lowerBoundMap", ir_affine_map_attr(ctx, low)},
                 {"upperBoundMap", ir_affine_map_attr(ctx, high)},
                 {"step", ir_index_attr(ctx, step)},
                 {"operandSegmentSizes",
                  ir_dense_array(ir_integer_type(ctx, 32, IR_SIGNLESS), (int32_t[3]){0}, 3)}),
        1);
    ir_block *body = ir_block_create(ctx);
    ir_region_append(&loop->regions[0], body);
    ir_value *iv = ir_block_add_arg(ctx, body, ir_index_type(ctx), b->loc);
    *out_body = ir_builder_at_end(ctx, body, b->loc);
    out_body->before =
        ir_build_op(out_body, AFFINE_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    return iv;
}

ir_op *d2m_scf_to_affine(ir_op *loop)
{
    int64_t from, to, step;
    if (!ir_op_is(loop, SCF_OP(for)) || loop->n_results ||
        !loop_constant(ir_op_operand(loop, 0), &from) ||
        !loop_constant(ir_op_operand(loop, 1), &to) ||
        !loop_constant(ir_op_operand(loop, 2), &step) || step <= 0)
        return NULL;
    ir_builder b = ir_builder_before(loop), in;
    ir_value *iv = d2m_affine_loop(&b, from, to, step, &in);
    ir_block *body = ir_op_body(loop, 0);
    ir_value_replace_uses(body->args[0], iv);
    if (body->last->prev)
        ir_block_splice(in.block, in.before, body, body->first, body->last->prev);
    ir_op *affine = ir_op_parent(in.before);
    ir_op_erase(loop);
    return affine;
}

static ir_attr identity(ir_context *ctx, size_t rank)
{
    return ir_affine_map_attr(ctx, ir_affine_identity(ctx, (uint32_t)rank));
}

ir_value *d2m_affine_load(ir_builder *b, ir_value *memref, ir_value *const *at, size_t n)
{
    ir_value *operands[D2M_MAX_RANK + 1] = {memref};
    memcpy(operands + 1, at, n * sizeof *at);
    return ir_build1(b, AFFINE_OP(load), memref->type->element, operands, n + 1,
                     IR_ATTRS({"map", identity(b->ctx, n)}));
}

void d2m_affine_store(ir_builder *b, ir_value *value, ir_value *memref, ir_value *const *at,
                      size_t n)
{
    ir_value *operands[D2M_MAX_RANK + 2] = {value, memref};
    memcpy(operands + 2, at, n * sizeof *at);
    ir_build_op(b, AFFINE_OP(store), NULL, 0, operands, n + 2,
                IR_ATTRS({"map", identity(b->ctx, n)}), 0);
}

bool d2m_is_loop(const ir_op *op)
{
    return ir_op_is(op, AFFINE_OP(for)) || ir_op_is(op, SCF_OP(for));
}
