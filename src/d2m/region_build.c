/* region_build.c: builds regions of d2m.generic. */
#include "d2m/region_build.h"

#include "d2m/metal_layout.h"
#include "mlir/arith/arith.h"
#include "mlir/linalg/linalg.h"
#include "mlir/tensor/tensor.h"

#include <stdlib.h>

ir_value *d2m_build_index_constant(ir_builder *b, int64_t value)
{
    return ir_build1(b, ARITH_OP(constant), ir_index_type(b->ctx), NULL, 0,
                     IR_ATTRS({"value", ir_index_attr(b->ctx, value)}));
}

ir_value *d2m_build_shard(ir_builder *b, const ir_value *operand)
{
    return ir_build1(b, TENSOR_OP(empty), d2m_shard_tensor(operand->type), NULL, 0, NULL,
                     0);
}

ir_value *d2m_build_load(ir_builder *b, ir_value *buffer, ir_value *from,
                         ir_value *const *indices, size_t n_indices, const int64_t *mcast,
                         size_t n_mcast)
{
    ir_value *operands[2 + 2 * D2M_MAX_RANK] = {buffer, from};
    size_t n = 2;
    for (size_t i = 0; i < n_indices; i++)
        operands[n++] = indices[i];
    for (size_t i = 0; i < n_mcast; i++)
        operands[n++] = d2m_build_index_constant(b, mcast[i]);
    int64_t segments[] = {1, 1, (int64_t)n_indices, 0, 0, 0, (int64_t)n_mcast};
    ir_op *op = ir_build_op(
        b, D2M_OP(remote_load), &buffer->type, 1, operands, n,
        IR_ATTRS({"operandSegmentSizes", ir_dense_i32_array(b->ctx, segments, 7)}), 0);
    return ir_op_result(op, 0);
}

ir_value *d2m_build_store(ir_builder *b, ir_value *to, ir_value *const *indices,
                          size_t n_indices, ir_value *shard)
{
    ir_value *operands[2 + D2M_MAX_RANK] = {to};
    for (size_t i = 0; i < n_indices; i++)
        operands[1 + i] = indices[i];
    operands[1 + n_indices] = shard;
    int64_t segments[] = {1, (int64_t)n_indices, 1, 0, 0, 0, 0, 0};
    ir_op *op = ir_build_op(
        b, D2M_OP(remote_store), &to->type, 1, operands, 2 + n_indices,
        IR_ATTRS({"operandSegmentSizes", ir_dense_i32_array(b->ctx, segments, 8)}), 0);
    return ir_op_result(op, 0);
}

/* ---- linalg.generic ----------------------------------------------------------------- */

ir_op *d2m_build_linalg(ir_builder *b, ir_value *const *ins, size_t n_ins,
                        ir_value *const *outs, size_t n_outs, const ir_affine_map *maps,
                        const bool *is_reduction, size_t n_loops)
{
    ir_value *operands[D2M_MAX_FRAME];
    ir_type results[D2M_MAX_FRAME];
    ir_attr iterators[D2M_MAX_RANK];
    size_t n = 0;
    for (size_t i = 0; i < n_ins; i++)
        operands[n++] = ins[i];
    for (size_t i = 0; i < n_outs; i++) {
        results[i] = outs[i]->type;
        operands[n++] = outs[i];
    }
    for (size_t i = 0; i < n_loops; i++)
        iterators[i] =
            ir_enum_attr(b->ctx, LINALG_ATTR(iterator_type),
                         is_reduction && is_reduction[i] ? LINALG_IteratorType_reduction
                                                         : LINALG_IteratorType_parallel);
    int64_t segments[] = {(int64_t)n_ins, (int64_t)n_outs};
    ir_op *op = ir_build_op(
        b, LINALG_OP(generic), results, n_outs, operands, n,
        IR_ATTRS({"indexing_maps", d2m_maps_attr(b->ctx, maps, n)},
                 {"iterator_types", ir_array_attr(b->ctx, iterators, n_loops)},
                 {"operandSegmentSizes", ir_dense_i32_array(b->ctx, segments, 2)}),
        1);
    ir_block *body = ir_block_create(b->ctx);
    ir_region_append(&op->regions[0], body);
    for (size_t i = 0; i < n; i++)
        ir_block_add_arg(b->ctx, body, operands[i]->type->element, b->loc);
    return op;
}

ir_builder d2m_linalg_body(ir_op *linalg, ir_loc loc)
{
    return ir_builder_at_end(linalg->ctx, ir_op_body(linalg, 0), loc);
}

void d2m_linalg_yield(ir_builder *b, ir_value *const *values, size_t n)
{
    ir_build_op(b, LINALG_OP(yield), NULL, 0, values, n, NULL, 0, 0);
}

/* ---- whole generics ----------------------------------------------------------------- */

/* The grid dimensions along which a load is sent to other cores: those of parallel loops,
 * if a reduction loop has a dimension, too. */
static size_t multicast_dims(const d2m_frame *f, ir_affine_map map, int64_t *out)
{
    size_t n = 0;
    bool reduces = false;
    for (uint32_t i = 0; i < map->n_results; i++) {
        ir_affine e = map->results[i];
        if (e->kind != IR_AFFINE_DIM)
            continue;
        if (f->is_reduction && f->is_reduction[e->value])
            reduces = true;
        else
            out[n++] = i;
    }
    return reduces && f->multicast ? n : 0;
}

/* Whether the block factors of the operands' grids can be derived. */
static bool fits(const d2m_frame *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (f->maps[i]->n_results != f->operands[i]->type->count / 2 ||
            f->operands[i]->type->count > 2 * D2M_MAX_RANK)
            return false;
    return f->n_loops <= D2M_MAX_RANK;
}

bool d2m_frame_begin(d2m_frame *f, ir_builder *at)
{
    size_t n = f->n_ins + f->n_outs;
    ir_value *indices[D2M_MAX_FRAME][D2M_MAX_RANK];
    if (!fits(f, n))
        return false;
    f->op = d2m_build_generic(
        at, &(d2m_generic_parts){
                .inputs = f->operands,
                .n_inputs = f->n_ins,
                .outputs = f->operands + f->n_ins,
                .n_outputs = f->n_outs,
                .grid = d2m_grid_for_output(f->operands[f->n_ins]),
                .maps = d2m_maps_attr(at->ctx, f->maps, n),
                .iterators = d2m_iterators_attr(at->ctx, f->is_reduction, f->n_loops),
                .threads = d2m_threads_attr(at->ctx, f->thread)});
    f->b = ir_builder_at_end(at->ctx, ir_op_body(f->op, 0), at->loc);
    if (f->thread != D2M_ThreadType_Unified)
        return true;
    for (size_t i = 0; i < n; i++)
        d2m_build_grid_indices(&f->b, f->maps[i], indices[i]);
    for (size_t i = 0; i < n; i++) {
        int64_t mcast[D2M_MAX_RANK];
        f->shards[i] = d2m_build_shard(&f->b, f->operands[i]);
        if (i < f->n_ins)
            f->shards[i] = d2m_build_load(&f->b, f->shards[i], f->operands[i], indices[i],
                                          f->maps[i]->n_results, mcast,
                                          multicast_dims(f, f->maps[i], mcast));
    }
    return true;
}

ir_op *d2m_frame_linalg(d2m_frame *f)
{
    return d2m_build_linalg(&f->b, f->shards, f->n_ins, f->shards + f->n_ins, f->n_outs,
                            f->maps, f->is_reduction, f->n_loops);
}

void d2m_frame_end(d2m_frame *f, ir_value *const *results)
{
    ir_value *stored[D2M_MAX_FRAME], *indices[D2M_MAX_RANK];
    for (size_t i = 0; i < f->n_outs; i++) {
        ir_affine_map map = f->maps[f->n_ins + i];
        d2m_build_grid_indices(&f->b, map, indices);
        stored[i] = d2m_build_store(&f->b, f->operands[f->n_ins + i], indices,
                                    map->n_results, results[i]);
    }
    ir_build_op(&f->b, D2M_OP(yield), NULL, 0, stored, f->n_outs, NULL, 0, 0);
}
