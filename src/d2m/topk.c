/* topk.c: builds the topk of shards. */
#include "d2m/topk.h"

#include "d2m/generic.h"
#include "d2m/region_build.h"
#include "ttcore/ttcore_tile.h"

/* A new tensor at its placement, or of the type if it has none. */
static ir_value *placed(ir_builder *b, const d2m_placement *p, ir_type otherwise)
{
    return p && p->type ? d2m_build_empty(b, p->type, p->maps)
                        : d2m_build_empty(b, otherwise, (d2m_virtual_grid){0});
}

/* One tile of scratch on each core of the tensor. */
static ir_type scratch_type(ir_type tensor, ir_type tile)
{
    d2m_shape grid, one = {{1, 1}, 2};
    int64_t dims[D2M_MAX_RANK + 2];
    d2m_half_of(tensor, false, &grid);
    d2m_layout l = d2m_layout_make(tensor->ctx, &one, TTCORE_MemorySpace_DeviceL1,
                                   TTCORE_TensorMemoryLayout_Sharded, true);
    memcpy(dims, grid.at, grid.n * sizeof *dims);
    dims[grid.n] = dims[grid.n + 1] = 1;
    return ir_tensor_type(tile, dims, grid.n + 2, d2m_layout_attr(tensor->ctx, &l));
}

/* The tiles of the input transposed, since topk sorts down columns. */
static ir_value *transposed(ir_builder *b, ir_value *input, const d2m_placement *p)
{
    d2m_frame f = {.n_ins = 1,
                   .n_outs = 1,
                   .thread = D2M_ThreadType_Unified,
                   .operands = {input, placed(b, p, NULL)},
                   .n_loops = p->type->count / 2};
    f.maps[0] = f.maps[1] = ir_affine_identity(b->ctx, f.n_loops);
    if (!d2m_frame_begin(&f, b))
        return NULL;
    if (p->grid)
        ir_op_set_attr(f.op, "grid", p->grid);
    ir_op *linalg = d2m_frame_linalg(&f);
    ir_builder body = d2m_linalg_body(linalg, b->loc);
    ir_value *tile = ir_build1(&body, D2M_OP(tile_transpose), p->type->element,
                               ir_op_body(linalg, 0)->args, 1, NULL, 0);
    d2m_linalg_yield(&body, &tile, 1);
    d2m_frame_end(&f, (ir_value *[]){ir_op_result(linalg, 0)});
    ir_value *operands[] = {ir_op_result(f.op, 0), placed(b, p, NULL)};
    return ir_build1(b, D2M_OP(to_layout), p->type, operands, 2, NULL, 0);
}

bool d2m_build_leaf_topk(ir_builder *b, ir_value *input, int64_t k, int64_t dim,
                         int64_t reduced_size, const d2m_leaf_buffers *buffers,
                         ir_value *out[2])
{
    ir_context *ctx = b->ctx;
    ir_type type = input->type;
    ir_type index = ttcore_tile_of(ir_integer_type(ctx, 32, IR_SIGNLESS));
    ir_type indices = ir_tensor_type(index, type->dims, type->count, type->encoding);
    ir_affine zeros[D2M_MAX_RANK];
    d2m_frame f = {.n_ins = 2,
                   .n_outs = 2,
                   .thread = D2M_ThreadType_Unified,
                   .n_loops = type->count / 2};
    if (buffers && buffers->transpose.type &&
        !(input = transposed(b, input, &buffers->transpose)))
        return false;
    f.operands[0] = input;
    f.operands[1] =
        placed(b, buffers ? &buffers->scratch : NULL, scratch_type(type, index));
    f.operands[2] = placed(b, buffers ? &buffers->values : NULL, type);
    f.operands[3] = placed(b, buffers ? &buffers->indices : NULL, indices);
    for (uint32_t i = 0; i < f.n_loops; i++)
        zeros[i] = ir_affine_constant(ctx, 0);
    for (int i = 0; i < 4; i++)
        f.maps[i] = i == 1 ? ir_affine_map_get(ctx, f.n_loops, 0, zeros, f.n_loops)
                           : ir_affine_identity(ctx, f.n_loops);
    if (!d2m_frame_begin(&f, b))
        return false;
    if (buffers && buffers->values.grid)
        ir_op_set_attr(f.op, "grid", buffers->values.grid);
    ir_type shards[] = {f.shards[2]->type, f.shards[3]->type};
    ir_op *block = ir_build_op(&f.b, D2M_OP(topk_block), shards, 2, f.shards, 4,
                               IR_ATTRS({"k", ir_i32_attr(ctx, k)},
                                        {"num_elements", ir_i64_attr(ctx, reduced_size)},
                                        {"stable_sort", ir_bool_attr(ctx, false)},
                                        {"dim", ir_i32_attr(ctx, dim)},
                                        {"generate_indices", ir_bool_attr(ctx, true)}),
                               0);
    ir_value *results[] = {ir_op_result(block, 0), ir_op_result(block, 1)};
    d2m_frame_end(&f, results);
    out[0] = ir_op_result(f.op, 0);
    out[1] = ir_op_result(f.op, 1);
    return true;
}

ir_op *d2m_topk_block_of(ir_op *leaf)
{
    ir_block *body = ir_op_body(leaf, 0);
    for (ir_op *op = body ? body->first : NULL; op; op = op->next)
        if (op->def == D2M_OP(topk_block) && ir_op_bool(op, "generate_indices"))
            return op;
    return NULL;
}

bool d2m_is_topk_leaf(const ir_op *op)
{
    return op->def == D2M_OP(generic) && op->n_results == 2 &&
           d2m_group_size(op, "inputs") == 2 && d2m_topk_block_of((ir_op *)op);
}

ir_value *d2m_topk_input_of(const ir_op *leaf)
{
    ir_value *v = ir_op_operand(leaf, 0);
    for (int steps = 0; steps < 1000 && d2m_is_remote(v->type); steps++) {
        const ir_op *op = ir_value_def(v);
        if (!ir_op_is(op, D2M_OP(to_layout)) && !ir_op_is(op, D2M_OP(view_layout)) &&
            !ir_op_is(op, D2M_OP(mask)) &&
            !(ir_op_is(op, D2M_OP(generic)) && d2m_group_size(op, "inputs") == 1))
            return NULL;
        v = ir_op_operand(op, 0);
    }
    return d2m_is_remote(v->type) ? NULL : v;
}

bool d2m_read_placement(ir_attr attr, d2m_placement *out)
{
    *out = (d2m_placement){.type = attr->params[0]->type, .grid = attr->params[1]};
    if (attr->params[2] && attr->params[3])
        out->maps = (d2m_virtual_grid){attr->params[2]->map, attr->params[3]->map};
    return d2m_is_remote(out->type) && out->type->kind == IR_TYPE_TENSOR &&
           out->type->count == 4 && ttcore_is_tile(out->type->element);
}
