/* matmul.c: ttir.matmul, whose inner dimension is a reduction loop. */
#include "d2m/from_ttir/from_ttir.h"

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
    if (!d2m_frame_operands(c, &f, ins, 2, &type, 1,
                            &(d2m_how){.tiled = true, .no_collapse = rank > 2}))
        return false;
    rank = d2m_frame_rank(&f);
    if (rank < 2 || rank + 1 > D2M_MAX_RANK)
        return d2m_refuse(c, "the layouts of a matmul have 2 dimensions at the least");
    matmul_maps(op->ctx, rank, ir_op_bool(op, "transpose_b"), f.maps);
    is_reduction[rank] = true;
    if (!d2m_frame_start(c, &f, is_reduction, rank + 1))
        return false;
    ir_op *linalg = d2m_frame_linalg(&f);
    ir_builder b = d2m_linalg_body(linalg, c->b.loc);
    ir_value **args = ir_op_body(linalg, 0)->args;
    ir_value *result = ir_build1(&b, D2M_OP(tile_matmul), args[2]->type, args, 3, NULL, 0);
    d2m_linalg_yield(&b, &result, 1);
    d2m_frame_end(&f, (ir_value *[]){ir_op_result(linalg, 0)});
    ir_value_replace_uses(&op->results[0], d2m_frame_result(c, &f, 0, type));
    return true;
}
