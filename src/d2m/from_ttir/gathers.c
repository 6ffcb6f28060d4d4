/* gathers.c: argmax, topk and embeddings: operations whose results depend on positions. */
#include "d2m/from_ttir/from_ttir.h"
#include "d2m/topk.h"
#include "ttcore/ttcore_tile.h"

/* ---- topk --------------------------------------------------------------------------- */

bool d2m_convert_topk(d2m_conv *c, ir_op *op)
{
    ir_value *in = ir_op_operand(op, 0), *leaf[2];
    int64_t rank = in->type->count, dim = ir_op_int(op, "dim", -1),
            k = ir_op_int(op, "k", 1);
    dim += dim < 0 ? rank : 0;
    if (rank != 2 || (dim != 0 && dim != 1))
        return d2m_refuse(c, "D2M topk only supports 2D reduction on dim 0 or dim 1");
    if (k > 64)
        return d2m_refuse(c, "D2M topk only supports k <= 64");
    int64_t size = in->type->dims[dim];
    if (size <= D2M_TILE && k > D2M_TILE)
        return d2m_refuse(c, "single-tile topk input only supports k <= 32");
    if (d2m_is_ttnn_tensor(in->type))
        return d2m_refuse(c, "D2M topk takes no tensor with a ttnn layout");
    ir_value *laid_out = d2m_lay_out(
        c, in, c->in_space, &(d2m_how){.tiled = true, .fill = TTCORE_OOBVal_NegInf});
    if (!laid_out || !d2m_build_leaf_topk(&c->b, laid_out, k, dim, size, NULL, leaf))
        return false;
    ir_op_set_attr(ir_value_def(leaf[0]), D2M_TOPK_INDEX_TYPE,
                   ir_type_attr(op->results[1].type->element));
    for (int i = 0; i < 2; i++)
        leaf[i] = d2m_take_out(c, leaf[i], op->results[i].type);
    for (int i = 0; i < 2; i++)
        ir_value_replace_uses(&op->results[i], leaf[i]);
    return true;
}

/* ---- argmax ------------------------------------------------------------------------- */

/* A device tensor for the result of a step, on one core. */
static ir_value *device_for(d2m_conv *c, ir_type type)
{
    return d2m_lay_out_result(c, type, &(d2m_how){.tiled = true});
}

/* The positions along the rows in every column: counted in f32, broadcast, then integers.
 */
static ir_value *build_positions(d2m_conv *c, ir_type in, ir_type counted, ir_type integers)
{
    ir_context *ctx = c->b.ctx;
    bool all[2] = {true, true};
    d2m_frame f = {.n_ins = 1,
                   .n_outs = 1,
                   .multicast = c->multicast,
                   .thread = D2M_ThreadType_Unified};
    if (!(f.operands[1] = device_for(c, counted)) ||
        !(f.operands[0] = d2m_build_index_tile(c, f.operands[1]->type)))
        return NULL;
    f.maps[0] = d2m_map_without(ctx, 2, all);
    f.maps[1] = ir_affine_identity(ctx, 2);
    if (!d2m_frame_start(c, &f, NULL, 2))
        return NULL;
    ir_value *block =
        ir_build1(&f.b, D2M_OP(arange_block), f.shards[1]->type, f.shards, 2,
                  IR_ATTRS({"num_elements", ir_i64_attr(ctx, in->dims[0])},
                           {"start", ir_i64_attr(ctx, 0)}, {"step", ir_i64_attr(ctx, 1)},
                           {"colMajor", ir_bool_attr(ctx, true)}));
    d2m_frame_end(&f, &block);
    const ir_type types[] = {counted, integers};
    for (int step = 0; step < 2; step++) {
        f.operands[0] = ir_op_result(f.op, 0);
        if (!(f.operands[1] = device_for(c, types[step])))
            return NULL;
        f.maps[0] = ir_affine_identity(ctx, 2);
        if (!d2m_frame_start(c, &f, NULL, 2))
            return NULL;
        ir_op *linalg = d2m_frame_linalg(&f);
        ir_builder b = d2m_linalg_body(linalg, c->b.loc);
        ir_attr col = ir_enum_attr(ctx, D2M_ATTR(tile_bcast_type), D2M_TileBcastType_Col);
        ir_value *tile = ir_build1(&b, step ? D2M_OP(tile_typecast) : D2M_OP(tile_bcast),
                                   f.shards[1]->type->element, ir_op_body(linalg, 0)->args,
                                   1, IR_ATTRS({"bcast_type", step ? NULL : col}));
        d2m_linalg_yield(&b, &tile, 1);
        d2m_frame_end(&f, (ir_value *[]){ir_op_result(linalg, 0)});
    }
    return ir_op_result(f.op, 0);
}

/* The buffer of rows of elements under the type of tiles, with nothing moved: the unit that
 * computes argmax reads rows where others read tiles. */
static ir_value *rows_as_tiles(d2m_conv *c, ir_value *rows)
{
    ir_context *ctx = c->b.ctx;
    d2m_layout l;
    d2m_shape grid;
    ir_affine results[2 * D2M_MAX_RANK];
    ir_type tile = ttcore_tile_of(rows->type->element);
    d2m_half_of(rows->type, false, &grid);
    ir_type type =
        tile && d2m_layout_of(rows->type, &l) ? d2m_device_tensor(tile, &l, &grid) : NULL;
    if (!type) {
        d2m_refuse(c, "the layout of argmax's operand has no whole tiles");
        return NULL;
    }
    for (uint32_t i = 0; i < type->count; i++)
        results[i] = ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_dim(ctx, i),
                                      ir_affine_constant(ctx, i < grid.n ? 1 : D2M_TILE));
    return d2m_conv_view(
        c, rows, type, ir_affine_map_get(ctx, type->count, 0, results, type->count), true);
}

/* The same device tensor with rows of elements in place of tiles. */
static ir_type untiled(ir_type t)
{
    d2m_layout l;
    d2m_shape grid;
    d2m_half_of(t, false, &grid);
    ir_type element =
        ttcore_is_tile(t->element) ? t->element->def->element(t->element) : NULL;
    return element && d2m_layout_of(t, &l) ? d2m_device_tensor(element, &l, &grid) : NULL;
}

/* The operation over operands and results in the frame; the positions are result 1. */
static ir_value *build_argmax(d2m_conv *c, d2m_frame *f)
{
    ir_context *ctx = c->b.ctx;
    bool reduced[] = {true, false};
    f->maps[0] = f->maps[1] = ir_affine_identity(ctx, 2);
    for (size_t i = 2; i < 6; i++)
        f->maps[i] = d2m_map_without(ctx, 2, reduced);
    if (d2m_frame_rank(f) != 2 || !d2m_frame_start(c, f, reduced, 2))
        return NULL;
    ir_op *linalg = d2m_frame_linalg(f);
    ir_builder b = d2m_linalg_body(linalg, c->b.loc);
    ir_value **args = ir_op_body(linalg, 0)->args, *results[4];
    ir_type types[4];
    for (int i = 0; i < 4; i++)
        types[i] = args[2 + i]->type;
    ir_op *argmax = ir_build_op(&b, D2M_OP(tile_argmax), types, 4, args, 2, NULL, 0, 0);
    for (int i = 0; i < 4; i++)
        results[i] = ir_op_result(argmax, i);
    d2m_linalg_yield(&b, results, 4);
    for (int i = 0; i < 4; i++)
        results[i] = ir_op_result(linalg, i);
    d2m_frame_end(f, results);
    ir_value *tiles = ir_op_result(f->op, 1);
    ir_type rows = untiled(tiles->type);
    return rows ? d2m_conv_view(c, tiles, rows, ir_affine_identity(ctx, rows->count), true)
                : NULL;
}

/* The dimension of a matrix that is reduced; false for other tensors and both of them. */
static bool argmax_dim(d2m_conv *c, ir_op *op, bool *last)
{
    int64_t dims[TTIR_MAX_DIMS];
    int64_t n = ir_attr_ints(ir_op_attr(op, "dim_arg"), dims, TTIR_MAX_DIMS);
    ir_type in = ir_op_operand(op, 0)->type;
    bool reduced[2] = {n < 0, n < 0};
    if (in->count != 2)
        return d2m_refuse(c, "D2M argmax only supports rank 2 at the moment.");
    for (int64_t i = 0; i < TW_MIN(n, (int64_t)TTIR_MAX_DIMS); i++)
        reduced[dims[i] & 1] = true;
    if (reduced[0] && reduced[1])
        return d2m_refuse(c, "D2M argmax with dim_arg = RC not supported.");
    *last = !reduced[0];
    if (in->dims[*last ? 0 : 1] > D2M_TILE)
        return d2m_refuse(
            c, "D2M argmax with non-reduced dim size > 32 not supported at the moment.");
    return !d2m_is_ttnn_tensor(in) ||
           d2m_refuse(c, "D2M argmax takes no tensor with a ttnn layout");
}

bool d2m_convert_argmax(d2m_conv *c, ir_op *op)
{
    static const int64_t order[] = {1, 0};
    ir_context *ctx = op->ctx;
    ir_value *in = ir_op_operand(op, 0);
    ir_type i32 = ir_integer_type(ctx, 32, IR_SIGNLESS);
    bool last;
    d2m_frame f;
    if (!argmax_dim(c, op, &last))
        return false;
    if (last) /* columns are reduced, so rows become columns */
        in = ttir_build_permute(&c->b, in, order);
    ir_type type = in->type;
    int64_t dims[] = {1, type->dims[1]};
    ir_value *positions = build_positions(
        c, type, ir_tensor_type(ir_float_type(ctx, IR_F32), type->dims, 2, type->encoding),
        ir_tensor_type(i32, type->dims, 2, type->encoding));
    ir_type value = ir_tensor_type(type->element, dims, 2, type->encoding);
    ir_type index = ir_tensor_type(i32, dims, 2, type->encoding);
    ir_type results[] = {value, index, value, index};
    d2m_how masked = {.tiled = true, .fill = TTCORE_OOBVal_NegInf};
    if (!positions || !d2m_frame_operands(c, &f, &in, 1, results, 4, &masked))
        return false;
    memmove(f.operands + 2, f.operands + 1, 4 * sizeof *f.operands);
    f.n_ins = 2;
    ir_value *rows = d2m_lay_out(c, in, c->in_space, &(d2m_how){.tiled = false});
    if (!rows || !(f.operands[0] = rows_as_tiles(c, rows)))
        return false;
    ir_type flat = untiled(positions->type);
    if (!flat || !(f.operands[1] = rows_as_tiles(
                       c, d2m_to_new(c, positions, flat, (d2m_virtual_grid){0}))))
        return false;
    ir_value *found = build_argmax(c, &f);
    if (!found)
        return false;
    found = d2m_take_out(c, found, ir_tensor_type(i32, dims, 2, NULL));
    if (last)
        found = ttir_build_permute(&c->b, found, order);
    found = d2m_build_typecast(c, found, op->results[0].type);
    if (!found)
        return false;
    ir_value_replace_uses(&op->results[0], found);
    return true;
}

/* ---- embeddings --------------------------------------------------------------------- */

bool d2m_convert_embedding(d2m_conv *c, ir_op *op)
{
    ir_context *ctx = op->ctx;
    ir_value *indices = ir_op_operand(op, 0), *weight = ir_op_operand(op, 1);
    ir_type type = op->results[0].type, index_type = indices->type;
    d2m_how rows = {.tiled = false};
    if (index_type->count < 2)
        return d2m_refuse(c, "D2M embedding currently requires at least 2D indices");
    if (weight->type->count != 2)
        return d2m_refuse(c, "D2M embedding requires 2D weight");
    int64_t n = ir_type_num_elements(index_type);
    if (n < 0 || index_type->count > TTIR_MAX_DIMS)
        return d2m_refuse(c, "D2M embedding requires static index shape");
    d2m_frame f = {.n_ins = 2, .n_outs = 1, .thread = D2M_ThreadType_Datamovement};
    f.operands[1] = d2m_lay_out(c, weight, c->in_space, &rows);
    f.operands[0] = f.operands[1] ? d2m_lay_out(c, indices, c->in_space, &rows) : NULL;
    if (!f.operands[0])
        return false;
    if (c->in_space != TTCORE_MemorySpace_DeviceL1) {
        d2m_how staged = {.tiled = false, .logical = index_type};
        f.operands[0] = d2m_lay_out(c, f.operands[0], TTCORE_MemorySpace_DeviceL1, &staged);
    }
    f.operands[2] = f.operands[0] ? d2m_lay_out_result(c, type, &rows) : NULL;
    if (!f.operands[2])
        return false;
    if (d2m_frame_rank(&f) != 2)
        return d2m_refuse(c, "D2M embedding currently requires collapsed 2D layouts");
    f.maps[0] = d2m_map_without(ctx, 2, (bool[]){false, true});
    f.maps[1] = f.maps[2] = ir_affine_identity(ctx, 2);
    if (!d2m_frame_start(c, &f, NULL, 2))
        return false;
    ir_value *found =
        ir_build1(&f.b, D2M_OP(embedding), f.operands[2]->type, f.operands, 3,
                  IR_ATTRS({"numIndices", ir_i64_attr(ctx, n)},
                           {"embeddingDim", ir_i64_attr(ctx, weight->type->dims[1])},
                           {"indicesShape",
                            ir_dense_i64_array(ctx, index_type->dims, index_type->count)}));
    ir_build_op(&f.b, D2M_OP(yield), NULL, 0, &found, 1, NULL, 0, 0);
    ir_value_replace_uses(&op->results[0], d2m_frame_result(c, &f, 0, type));
    return true;
}

/* The value before reshapes, of two dimensions and as many elements; NULL if there is
 * none. */
static ir_value *unflattened_source(ir_value *v, int64_t elements, bool typecast)
{
    for (ir_op *reshape; (reshape = ttir_producer(v, TTIR_OP(reshape)));) {
        v = ir_op_operand(reshape, 0);
        if (v->type->count == 2 && ir_type_num_elements(v->type) == elements &&
            (!typecast || ttir_producer(v, TTIR_OP(typecast))))
            return v;
    }
    return NULL;
}

static void expand_embedding(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *in = ir_op_operand(op, 0), *weight = ir_op_operand(op, 1), *source;
    ir_type flat = in->type, type = op->results[0].type;
    int64_t n = ir_type_num_elements(flat);
    if (flat->count != 1 || n < 0 || !ir_type_has_static_shape(type) ||
        weight->type->count < 1)
        return;
    ir_op *cast = ttir_producer(in, TTIR_OP(typecast));
    source = unflattened_source(cast ? ir_op_operand(cast, 0) : in, n, !cast);
    if (!source || (!cast && source->type->element != flat->element))
        return;
    if (cast)
        source = ttir_build_like(&b, cast, &source,
                                 ir_tensor_type(flat->element, source->type->dims, 2,
                                                source->type->encoding))
                     ->results;
    int64_t dims[] = {source->type->dims[0], source->type->dims[1],
                      weight->type->dims[weight->type->count - 1]};
    ir_value *operands[] = {source, weight};
    ir_type expanded = ir_tensor_type(type->element, dims, 3, type->encoding);
    ir_value *found = ir_build1(&b, TTIR_OP(embedding), expanded, operands, 2, NULL, 0);
    ir_op *user = ir_value_has_one_use(op->results) ? op->results[0].uses->owner : NULL;
    if (ir_op_is(user, TTIR_OP(reshape)) &&
        ttir_same_shape(user->results[0].type, expanded)) {
        ir_value_replace_uses(&user->results[0], found);
        ir_op_erase(user);
    } else {
        ir_value_replace_uses(&op->results[0],
                              ttir_build_reshape(&b, found, type->dims, type->count));
    }
    ir_op_erase(op);
}

static bool is_embedding(const ir_op *op)
{
    return op->def == TTIR_OP(embedding);
}

void d2m_expand_embeddings(ir_op *module)
{
    ir_visit_ops(module, is_embedding, expand_embedding);
}
