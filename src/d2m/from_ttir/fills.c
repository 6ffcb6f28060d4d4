/* fills.c: tensors that depend on no other: constants, random numbers, counts. */
#include "d2m/from_ttir/from_ttir.h"
#include "mlir/arith/arith.h"
#include "ttcore/ttcore_tile.h"

/* A frame of one linalg.generic without inputs; its block gets what makes a tile. */
static ir_op *begin_fill(d2m_conv *c, d2m_frame *f, ir_type type)
{
    if (!d2m_frame_operands(c, f, NULL, 0, &type, 1, &(d2m_how){.tiled = true}))
        return NULL;
    uint32_t rank = d2m_frame_rank(f);
    f->maps[0] = ir_affine_identity(c->b.ctx, rank);
    return d2m_frame_start(c, f, NULL, rank) ? d2m_frame_linalg(f) : NULL;
}

static ir_value *end_fill(d2m_conv *c, d2m_frame *f, ir_op *linalg, ir_builder *b,
                          ir_value *tile, ir_type type)
{
    d2m_linalg_yield(b, &tile, 1);
    d2m_frame_end(f, (ir_value *[]){ir_op_result(linalg, 0)});
    return d2m_frame_result(c, f, 0, type);
}

/* The scalar that fills a tile: integers have no sign in arith. */
static ir_attr fill_scalar(ir_type element, ir_attr fill)
{
    if (element->kind == IR_TYPE_FLOAT)
        return ir_attr_is(fill, IR_ATTR_FLOAT) ? ir_float_attr(element, fill->real) : NULL;
    if (element->kind != IR_TYPE_INTEGER || !ir_attr_is(fill, IR_ATTR_INTEGER))
        return NULL;
    return ir_integer_attr(ir_integer_type(element->ctx, element->width, IR_SIGNLESS),
                           fill->value);
}

ir_value *d2m_build_filled(d2m_conv *c, ir_type type, ir_attr fill)
{
    d2m_frame f;
    ir_type tile = ttcore_tile_of(ir_type_element(type));
    ir_type element = tile && tile->def->element ? tile->def->element(tile) : NULL;
    ir_attr scalar = element ? fill_scalar(element, fill) : NULL;
    if (!scalar) {
        d2m_refuse(c, "the fill value is not of the kind of the tensor's elements");
        return NULL;
    }
    ir_op *linalg = begin_fill(c, &f, type);
    if (!linalg)
        return NULL;
    ir_builder b = d2m_linalg_body(linalg, c->b.loc);
    ir_value *value = ir_build1(&b, ARITH_OP(constant), scalar->type, NULL, 0,
                                IR_ATTRS({"value", scalar}));
    ir_value *filled =
        ir_build1(&b, D2M_OP(tile_fill), f.shards[0]->type->element, &value, 1, NULL, 0);
    return end_fill(c, &f, linalg, &b, filled, type);
}

bool d2m_convert_fill(d2m_conv *c, ir_op *op)
{
    ir_type type = op->results[0].type, element = ir_type_element(type);
    bool ones = op->def == TTIR_OP(ones);
    ir_attr fill = op->def == TTIR_OP(full)           ? ir_op_attr(op, "fill_value")
                   : element->kind == IR_TYPE_FLOAT   ? ir_float_attr(element, ones)
                   : element->kind == IR_TYPE_INTEGER ? ir_integer_attr(element, ones)
                                                      : NULL;
    ir_value *filled = d2m_build_filled(c, type, fill);
    if (filled)
        ir_value_replace_uses(&op->results[0], filled);
    return filled != NULL;
}

ir_value *d2m_build_typecast(d2m_conv *c, ir_value *value, ir_type type)
{
    d2m_frame f;
    if (!d2m_frame_operands(c, &f, &value, 1, &type, 1, &(d2m_how){.tiled = true}))
        return NULL;
    uint32_t rank = d2m_frame_rank(&f);
    f.maps[0] = f.maps[1] = ir_affine_identity(c->b.ctx, rank);
    if (!d2m_frame_start(c, &f, NULL, rank))
        return NULL;
    ir_op *linalg = d2m_frame_linalg(&f);
    ir_builder b = d2m_linalg_body(linalg, c->b.loc);
    ir_value *cast = ir_build1(&b, D2M_OP(tile_typecast), f.shards[1]->type->element,
                               ir_op_body(linalg, 0)->args, 1, NULL, 0);
    return end_fill(c, &f, linalg, &b, cast, type);
}

bool d2m_convert_rand(d2m_conv *c, ir_op *op)
{
    ir_context *ctx = op->ctx;
    ir_type type = op->results[0].type, f32 = ir_float_type(ctx, IR_F32);
    double low = ir_op_real(op, "low", 0), scale = (float)ir_op_real(op, "high", 1);
    d2m_frame f;
    scale = (float)(scale - low);
    if (!(scale > 0))
        return d2m_refuse(c, "ttir.rand requires high > low for TTMetal lowering");
    /* Tiles of random numbers are f32; others are converted. */
    ir_type made = ir_tensor_type(f32, type->dims, type->count, type->encoding);
    ir_op *linalg = begin_fill(c, &f, made);
    if (!linalg)
        return false;
    ir_builder b = d2m_linalg_body(linalg, c->b.loc);
    ir_value *tile = ir_build1(&b, D2M_OP(tile_rand), f.shards[0]->type->element, NULL, 0,
                               IR_ATTRS({"seed", ir_op_attr(op, "seed")},
                                        {"from", ir_f32_attr(ctx, low)},
                                        {"scale", ir_f32_attr(ctx, scale)}));
    ir_value *result = end_fill(c, &f, linalg, &b, tile, made);
    if (type->element != f32 && !(result = d2m_build_typecast(c, result, type)))
        return false;
    ir_value_replace_uses(&op->results[0], result);
    return true;
}

ir_value *d2m_build_index_tile(d2m_conv *c, ir_type device)
{
    d2m_shape one = {{1, 1}, 2}, grid;
    d2m_half_of(device, false, &grid);
    if (grid.n != 2)
        return NULL;
    d2m_layout l = d2m_layout_make(c->b.ctx, &one, TTCORE_MemorySpace_DeviceL1,
                                   TTCORE_TensorMemoryLayout_Sharded, true);
    int64_t dims[] = {grid.at[0], grid.at[1], 1, 1};
    ir_type type = ir_tensor_type(device->element, dims, 4, d2m_layout_attr(c->b.ctx, &l));
    return d2m_build_empty(&c->b, type, (d2m_virtual_grid){0});
}

bool d2m_convert_arange(d2m_conv *c, ir_op *op)
{
    ir_context *ctx = op->ctx;
    ir_type type = op->results[0].type;
    d2m_frame f;
    if (type->count < 1 || type->count > 2)
        return d2m_refuse(c,
                          "D2M arange requires 1D or 2D tensor; decomposition pass should "
                          "have handled other cases");
    if (!d2m_frame_operands(c, &f, NULL, 0, &type, 1, &(d2m_how){.tiled = true}))
        return false;
    uint32_t rank = d2m_frame_rank(&f);
    bool all[D2M_MAX_RANK];
    memset(all, true, sizeof all);
    f.operands[1] = f.operands[0];
    f.operands[0] = d2m_build_index_tile(c, f.operands[1]->type);
    if (!f.operands[0])
        return d2m_refuse(c, "D2M arange requires a layout of two dimensions");
    f.n_ins = 1;
    f.maps[0] = d2m_map_without(ctx, rank, all);
    f.maps[1] = ir_affine_identity(ctx, rank);
    if (!d2m_frame_start(c, &f, NULL, rank))
        return false;
    ir_value *block =
        ir_build1(&f.b, D2M_OP(arange_block), f.shards[1]->type, f.shards, 2,
                  IR_ATTRS({"num_elements", ir_i64_attr(ctx, type->dims[type->count - 1])},
                           {"start", ir_i64_attr(ctx, ir_op_int(op, "start", 0))},
                           {"step", ir_i64_attr(ctx, ir_op_int(op, "step", 1))}));
    d2m_frame_end(&f, &block);
    ir_value_replace_uses(&op->results[0], d2m_frame_result(c, &f, 0, type));
    return true;
}
