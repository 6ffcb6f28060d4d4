/* layouts.c: moves tensors of a ttir program to the device's layouts and back. */
#include "d2m/from_ttir/from_ttir.h"
#include "ttcore/ttcore_tile.h"
#include "ttnn/layout.h"

static ir_attr map_or_null(ir_context *ctx, ir_affine_map map)
{
    return map ? ir_affine_map_attr(ctx, map) : NULL;
}

ir_value *d2m_conv_view(d2m_conv *c, ir_value *value, ir_type type, ir_affine_map map,
                        bool reinterpret)
{
    d2m_shape from, to;
    if (!reinterpret && d2m_shape_of(type, &from) && d2m_shape_of(value->type, &to))
        map = d2m_map_within(c->b.ctx, map, &from, &to);
    return ir_build1(&c->b, D2M_OP(view_layout), type, &value, 1,
                     IR_ATTRS({"remapping", ir_affine_map_attr(c->b.ctx, map)},
                              {"reinterpretLayout", ir_bool_attr(c->b.ctx, reinterpret)}));
}

/* ---- tensors with layouts of ttnn --------------------------------------------------- */

static bool has_nd_layout(ir_type t)
{
    return ir_attr_is(t->encoding, IR_ATTR_DIALECT) &&
           t->encoding->def == TTNN_ATTR(ttnn_nd_layout);
}

bool d2m_is_ttnn_tensor(ir_type t)
{
    return ir_type_is_tensor(t) && ir_attr_is(t->encoding, IR_ATTR_DIALECT) &&
           (t->encoding->def == TTNN_ATTR(ttnn_layout) || has_nd_layout(t));
}

/* The grid of cores of a tensor that is sharded over more than two dimensions. */
static bool nd_grid(ir_type t, ir_type shard, d2m_shape *out)
{
    if (shard->count != t->count || t->count > D2M_MAX_RANK)
        return false;
    *out = (d2m_shape){.n = t->count};
    for (uint32_t i = 0; i < t->count; i++) {
        if (shard->dims[i] <= 0 || t->dims[i] % shard->dims[i] != 0)
            return false;
        out->at[i] = t->dims[i] / shard->dims[i] / (i + 2 >= t->count ? D2M_TILE : 1);
    }
    return true;
}

/* The memory of the tensor, and the grid that its shards form. */
static bool placement(ir_type t, int64_t *buffer, bool *interleaved, d2m_shape *grid)
{
    ttnn_layout l;
    ir_type memref = ir_attr_param(t->encoding, "memref")
                         ? ir_attr_param(t->encoding, "memref")->type
                         : NULL;
    if (!memref || memref->kind != IR_TYPE_MEMREF)
        return false;
    if (has_nd_layout(t)) {
        *buffer = ir_enum_value(memref->space, -1);
        *interleaved = ir_enum_value(ir_attr_param(t->encoding, "mem_layout"), -1) ==
                       TTNN_TensorMemoryLayout_Interleaved;
        return nd_grid(t, memref, grid);
    }
    if (!ttnn_layout_of(t, &l))
        return false;
    *buffer = l.buffer;
    *interleaved = l.memory == TTNN_TensorMemoryLayout_Interleaved;
    *grid = (d2m_shape){{l.grid[0], l.grid[1]}, 2};
    if (l.memory == TTNN_TensorMemoryLayout_HeightSharded)
        *grid = (d2m_shape){{l.grid[0] * l.grid[1], 1}, 2};
    if (l.memory == TTNN_TensorMemoryLayout_WidthSharded)
        *grid = (d2m_shape){{1, l.grid[0] * l.grid[1]}, 2};
    return true;
}

ir_type d2m_metal_of_ttnn(d2m_conv *c, ir_type t)
{
    int64_t buffer;
    bool interleaved;
    d2m_shape grid, logical;
    if (!placement(t, &buffer, &interleaved, &grid) || !d2m_shape_of(t, &logical)) {
        d2m_refuse(c, "the ttnn layout of a tensor cannot be read");
        return NULL;
    }
    ir_type element = ir_attr_param(t->encoding, "memref")->type->element;
    if (buffer != TTNN_BufferType_DRAM && buffer != TTNN_BufferType_L1) {
        d2m_refuse(c, "Must be a device tensor");
        return NULL;
    }
    if (!ttcore_is_tile(element)) {
        d2m_refuse(c, "Row major TTNN layouts are not supported yet");
        return NULL;
    }
    d2m_layout l = {.logical = logical,
                    .align = {.n = logical.n},
                    .intervals = has_nd_layout(t)
                                     ? d2m_no_intervals(t->ctx)
                                     : d2m_default_intervals(t->ctx, logical.n),
                    .space = buffer == TTNN_BufferType_DRAM ? TTCORE_MemorySpace_DeviceDRAM
                                                            : TTCORE_MemorySpace_DeviceL1,
                    .memory = interleaved ? TTCORE_TensorMemoryLayout_Interleaved
                                          : TTCORE_TensorMemoryLayout_Sharded};
    for (uint32_t i = 0; i < logical.n; i++)
        l.align.at[i] = i + 2 >= logical.n ? D2M_TILE : 1;
    ir_type metal = d2m_device_tensor(element, &l, &grid);
    if (!metal)
        d2m_refuse(c, "the grid of a ttnn layout does not divide the tensor");
    return metal;
}

/* The maps of a tensor whose shards fill the cores of its grid one after another. */
static d2m_virtual_grid maps_of_ttnn(ir_type t)
{
    ttnn_layout l;
    if (!ttnn_layout_of(t, &l) || (l.memory != TTNN_TensorMemoryLayout_HeightSharded &&
                                   l.memory != TTNN_TensorMemoryLayout_WidthSharded))
        return (d2m_virtual_grid){0};
    bool height = l.memory == TTNN_TensorMemoryLayout_HeightSharded;
    int64_t cores = l.grid[0] * l.grid[1];
    d2m_shape grid = {{height ? cores : 1, height ? 1 : cores}, 2};
    return d2m_virtual_maps(t->ctx, &grid, l.grid);
}

ir_value *d2m_cast_from_ttnn(d2m_conv *c, ir_value *value, ir_type metal)
{
    d2m_virtual_grid maps = maps_of_ttnn(value->type);
    return ir_build1(
        &c->b, TTIR_OP(ttnn_metal_layout_cast), metal, &value, 1,
        IR_ATTRS({"virtual_grid_inverse_mapping", map_or_null(c->b.ctx, maps.inverse)},
                 {"virtual_grid_forward_mapping", map_or_null(c->b.ctx, maps.forward)}));
}

static ir_value *lay_out_ttnn(d2m_conv *c, ir_value *value)
{
    if (!c->ttnn) {
        d2m_refuse(c, "Unexpected TTNN tensor as op operand");
        return NULL;
    }
    ir_type metal = d2m_metal_of_ttnn(c, value->type);
    d2m_layout l;
    if (!metal || !d2m_layout_of(metal, &l))
        return NULL;
    ir_value *cast = d2m_cast_from_ttnn(c, value, metal);
    if (l.space != TTCORE_MemorySpace_DeviceL1)
        return cast;
    /* A view over one core, like all other operands; d2m-grid-selection removes it. */
    d2m_shape unit = d2m_unit_grid(&l), from, to;
    ir_type type = d2m_reblocked(metal, &unit);
    d2m_shape_of(metal, &from);
    d2m_shape_of(type, &to);
    return d2m_conv_view(c, cast, type, d2m_reblock_map(c->b.ctx, &from, &to), false);
}

/* The tile that holds such elements; wide ones are narrowed to 32 bits. */
static ir_type tile_for(ir_type element)
{
    if (element->kind == IR_TYPE_INTEGER && element->width == 64)
        element = ir_integer_type(element->ctx, 32, element->sign);
    return ttcore_tile_of(element);
}

/* ---- other tensors ------------------------------------------------------------------ */

ir_value *d2m_to_new(d2m_conv *c, ir_value *value, ir_type type, d2m_virtual_grid maps)
{
    ir_value *operands[] = {value, d2m_build_empty(&c->b, type, maps)};
    return ir_build1(&c->b, D2M_OP(to_layout), type, operands, 2, NULL, 0);
}

ir_type d2m_laid_out_type(d2m_conv *c, ir_type logical, int64_t space, const d2m_how *how)
{
    d2m_shape shape;
    bool collapse = c->collapse && !how->no_collapse;
    if (c->last.logical == logical && c->last.space == space &&
        c->last.tiled == how->tiled && c->last.collapse == collapse)
        return c->last.type;
    ir_type element = how->tiled ? tile_for(logical->element) : ir_type_element(logical);
    if (!d2m_shape_of(logical, &shape) || shape.n > D2M_MAX_RANK / 2) {
        d2m_refuse(c, "only tensors of a static shape can be on the device");
        return NULL;
    }
    if (!element) {
        d2m_refuse(c, "no tile holds the tensor's elements");
        return NULL;
    }
    for (uint32_t i = 0; i < shape.n; i++)
        if (shape.at[i] == 0) {
            d2m_refuse(c, "a tensor without elements cannot be on the device");
            return NULL;
        }
    d2m_layout l = d2m_layout_make(c->b.ctx, &shape, space,
                                   TTCORE_TensorMemoryLayout_Sharded, collapse);
    d2m_shape unit = d2m_unit_grid(&l);
    ir_type type = d2m_device_tensor(element, &l, &unit);
    if (!type) {
        d2m_refuse(c, "the tensor is too large for the device");
        return NULL;
    }
    c->last.logical = logical;
    c->last.type = type;
    c->last.space = space;
    c->last.tiled = how->tiled;
    c->last.collapse = collapse;
    return type;
}

static ir_value *masked(d2m_conv *c, ir_value *value, d2m_virtual_grid maps, int64_t fill)
{
    d2m_layout l;
    ir_context *ctx = c->b.ctx;
    d2m_layout_of(value->type, &l);
    ir_value *operands[] = {value, d2m_build_empty(&c->b, value->type, maps)};
    return ir_build1(
        &c->b, D2M_OP(mask), value->type, operands, 2,
        IR_ATTRS({"logicalShape", ir_dense_i64_array(ctx, l.logical.at, l.logical.n)},
                 {"fill_value", ir_enum_attr(ctx, TTCORE_ATTR(oob_val), fill)}));
}

ir_value *d2m_lay_out(d2m_conv *c, ir_value *value, int64_t space, const d2m_how *how)
{
    static const int64_t one_core[] = {1, 1};
    if (!ir_type_is_tensor(value->type)) {
        d2m_refuse(c, "only ranked tensors can be on the device");
        return NULL;
    }
    if (d2m_is_ttnn_tensor(value->type))
        return lay_out_ttnn(c, value);
    ir_type logical = how->logical ? how->logical : value->type;
    ir_type type = d2m_laid_out_type(c, logical, space, how);
    d2m_virtual_grid maps = {0};
    if (!type)
        return NULL;
    if (logical->count > 2) {
        d2m_shape grid;
        d2m_half_of(type, false, &grid);
        maps = d2m_virtual_maps(c->b.ctx, &grid, one_core);
    }
    ir_value *out = d2m_to_new(c, value, type, maps);
    return how->fill == TTCORE_OOBVal_Undef || !how->tiled
               ? out
               : masked(c, out, maps, how->fill);
}

ir_value *d2m_take_out(d2m_conv *c, ir_value *value, ir_type type)
{
    if (d2m_is_ttnn_tensor(type))
        return ir_build1(&c->b, TTIR_OP(ttnn_metal_layout_cast), type, &value, 1, NULL, 0);
    return d2m_to_new(c, value, type, (d2m_virtual_grid){0});
}

ir_value *d2m_lay_out_result(d2m_conv *c, ir_type type, const d2m_how *how)
{
    d2m_how plain = *how;
    plain.fill = TTCORE_OOBVal_Undef;
    return d2m_lay_out(c, d2m_build_empty(&c->b, type, (d2m_virtual_grid){0}), c->out_space,
                       &plain);
}
