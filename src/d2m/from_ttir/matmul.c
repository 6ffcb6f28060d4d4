/* matmul.c: ttir.matmul, whose inner dimension is a reduction loop, and products of blocks
 * in generics. */
#include "d2m/from_ttir/from_ttir.h"
#include "ttcore/ttcore_tile.h"

/* Maps of operands and result over (batch..., M, N, K). */
static void matmul_maps(ir_context *ctx, uint32_t rank, bool transpose_b,
                        ir_affine_map maps[3])
{
    const uint32_t m = rank - 2, n = rank - 1, k = rank;
    const uint32_t last[3][2] = {
        {m, k}, {transpose_b ? n : k, transpose_b ? k : n}, {m, n}};
    for (int i = 0; i < 3; i++) {
        ir_affine results[D2M_MAX_RANK];
        for (uint32_t d = 0; d < m; d++)
            results[d] = ir_affine_dim(ctx, d);
        results[m] = ir_affine_dim(ctx, last[i][0]);
        results[n] = ir_affine_dim(ctx, last[i][1]);
        maps[i] = ir_affine_map_get(ctx, rank + 1, 0, results, rank);
    }
}

/* The body of a linalg.generic that adds the product of its first two operands. */
static void multiply(ir_op *linalg, ir_loc loc)
{
    ir_builder b = d2m_linalg_body(linalg, loc);
    ir_value **args = ir_op_body(linalg, 0)->args;
    ir_value *result = ir_build1(&b, D2M_OP(tile_matmul), args[2]->type, args, 3, NULL, 0);
    d2m_linalg_yield(&b, &result, 1);
}

/* What the padding of the operands must hold. Products of padding along the inner
 * dimension, in the last tile or in tiles that fill a grid, are added to results, so it
 * must be zero. The function's arguments are padded with zeros; results of other operations
 * are not. Masks of what turns out to have no padding are dropped. */
static int64_t inner_fill(ir_value *const ins[2])
{
    return ins[0]->is_argument && ins[1]->is_argument ? TTCORE_OOBVal_Undef
                                                      : TTCORE_OOBVal_Zero;
}

bool d2m_convert_matmul(d2m_conv *c, ir_op *op)
{
    ir_value *ins[] = {ir_op_operand(op, 0), ir_op_operand(op, 1)};
    ir_type type = op->results[0].type;
    uint32_t rank = ins[0]->type->count;
    bool is_reduction[D2M_MAX_RANK] = {false};
    d2m_frame f;
    if (ir_op_bool(op, "transpose_a"))
        return d2m_refuse(c, "expected transpose_a to not be set");
    if (rank < 2 || ins[1]->type->count != rank || type->count != rank)
        return d2m_refuse(c, "matmul operands must have the same rank, 2 at the least");
    if (!d2m_frame_operands(
            c, &f, ins, 2, &type, 1,
            &(d2m_how){.tiled = true, .no_collapse = rank > 2, .fill = inner_fill(ins)}))
        return false;
    rank = d2m_frame_rank(&f);
    if (rank < 2 || rank + 1 > D2M_MAX_RANK)
        return d2m_refuse(c, "the layouts of a matmul have 2 dimensions at the least");
    matmul_maps(op->ctx, rank, ir_op_bool(op, "transpose_b"), f.maps);
    is_reduction[rank] = true;
    if (!d2m_frame_start(c, &f, is_reduction, rank + 1))
        return false;
    ir_op *linalg = d2m_frame_linalg(&f);
    multiply(linalg, c->b.loc);
    d2m_frame_end(&f, (ir_value *[]){ir_op_result(linalg, 0)});
    ir_value_replace_uses(&op->results[0], d2m_frame_result(c, &f, 0, type));
    return true;
}

/* ---- d2m.tile_matmul_block ---------------------------------------------------------- */

/* True if the user is after the operation in its block, or within one that is. */
static bool is_after(const ir_op *op, const ir_op *user)
{
    while (user && user->block != op->block)
        user = ir_op_parent(user);
    const ir_op *next = op->next;
    while (next && next != user)
        next = next->next;
    return user && next;
}

/* It has no result: what follows sees its output changed. */
bool d2m_convert_matmul_block(d2m_conv *c, ir_op *op)
{
    ir_value *ins[] = {ir_op_operand(op, 0), ir_op_operand(op, 1)};
    ir_value *out = ir_op_operand(op, 2);
    ir_affine_map maps[3];
    for (uint32_t i = 0; i < 3; i++) {
        ir_type type = ir_op_operand(op, i)->type;
        if (!ir_type_is_ranked(type) || type->kind != IR_TYPE_TENSOR || type->count != 2 ||
            !ttcore_is_tile(type->element))
            return d2m_refuse(c, "expected tensors of tiles with 2 dimensions");
    }
    matmul_maps(op->ctx, 2, ir_op_bool(op, "transpose_b"), maps);
    ir_op *linalg = d2m_build_linalg(&c->b, ins, 2, &out, 1, maps,
                                     (const bool[]){false, false, true}, 3);
    multiply(linalg, op->loc);
    for (ir_operand *use = out->uses, *next; use; use = next) {
        next = use->next_use;
        if (is_after(op, use->owner))
            ir_op_set_operand(use->owner, ir_operand_number(use), ir_op_result(linalg, 0));
    }
    return true;
}
