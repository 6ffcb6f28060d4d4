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

/* ---- tensors of ttnn as operands ---------------------------------------------------- */

/* True if the operation sees each dimension for itself, or elements: the pages of a tensor
 * of ttnn are tiles of its rows and columns. */
static bool sees_more(const d2m_conv *c, ir_type t, const d2m_how *how)
{
    return !how->tiled || how->is_view ||
           (t->count > 2 && (how->no_collapse || !c->collapse));
}

static bool fills_tiles(ir_type t)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (i + 2 >= t->count && t->dims[i] % D2M_TILE)
            return false;
    return t->count > 1;
}

/* The tiles of a tensor whose matrices lie below each other on one core, seen with all its
 * dimensions. */
static ir_value *with_all_dims(d2m_conv *c, ir_value *rows, ir_type type)
{
    ir_context *ctx = c->b.ctx;
    uint32_t rank = type->count / 2;
    ir_affine row = ir_affine_constant(ctx, 0), zero = row;
    for (uint32_t i = rank; i + 1 < type->count; i++) {
        ir_affine size = ir_affine_constant(ctx, type->dims[i]);
        row = ir_affine_binary(ctx, IR_AFFINE_ADD,
                               ir_affine_binary(ctx, IR_AFFINE_MUL, row, size),
                               ir_affine_dim(ctx, i));
    }
    ir_affine results[] = {zero, zero, row, ir_affine_dim(ctx, type->count - 1)};
    return d2m_conv_view(c, rows, type, ir_affine_map_get(ctx, type->count, 0, results, 4),
                         false);
}

/* A view over one core, like all other operands; d2m-grid-selection removes it. */
static ir_value *over_one_core(d2m_conv *c, ir_value *cast, const d2m_layout *l)
{
    d2m_shape unit = d2m_unit_grid(l), from, to;
    ir_type type = d2m_reblocked(cast->type, &unit);
    d2m_shape_of(cast->type, &from);
    d2m_shape_of(type, &to);
    return d2m_conv_view(c, cast, type, d2m_reblock_map(c->b.ctx, &from, &to), false);
}

/* The virtual grid on one core of what a tensor of more than two dimensions becomes. */
static d2m_virtual_grid one_core_maps(d2m_conv *c, ir_type tensor, ir_type type)
{
    static const int64_t one_core[] = {1, 1};
    d2m_shape grid;
    if (tensor->count <= 2)
        return (d2m_virtual_grid){0};
    d2m_half_of(type, false, &grid);
    return d2m_virtual_maps(c->b.ctx, &grid, one_core);
}

/* The tiles of a device tensor on one core as an operation sees them that needs each
 * dimension, elements, or padding of a value. */
static ir_value *seen_as(d2m_conv *c, ir_value *value, ir_type tensor, int64_t space,
                         const d2m_how *how)
{
    d2m_layout l, own;
    d2m_layout_of(value->type, &own);
    l = d2m_layout_make(c->b.ctx, &own.logical, own.space, own.memory,
                        c->collapse && !how->no_collapse);
    d2m_shape unit = d2m_unit_grid(&l);
    ir_type type = d2m_device_tensor(value->type->element, &l, &unit);
    if (type && type->count != value->type->count)
        value = with_all_dims(c, value, type);
    if (how->tiled && how->fill == TTCORE_OOBVal_Undef &&
        (!how->is_view || own.space == space))
        return value;
    ir_type to = d2m_laid_out_type(c, tensor, space, how);
    if (!type || !to)
        return NULL;
    d2m_virtual_grid maps = one_core_maps(c, tensor, to);
    value = d2m_to_new(c, value, to, maps);
    return how->tiled && how->fill != TTCORE_OOBVal_Undef
               ? masked(c, value, maps, how->fill)
               : value;
}

static ir_value *lay_out_ttnn(d2m_conv *c, ir_value *value, int64_t space,
                              const d2m_how *how)
{
    if (!c->ttnn) {
        d2m_refuse(c, "Unexpected TTNN tensor as op operand");
        return NULL;
    }
    ir_type metal = d2m_metal_of_ttnn(c, value->type);
    d2m_layout l;
    if (!metal || !d2m_layout_of(metal, &l))
        return NULL;
    const bool more = sees_more(c, value->type, how);
    if (more && ir_op_is(ir_value_def(value), D2M_OP(empty))) { /* a result */
        ir_type made = d2m_laid_out_type(c, value->type, space, how);
        return made ? d2m_build_empty(&c->b, made, one_core_maps(c, value->type, made))
                    : NULL;
    }
    const bool fill = how->fill != TTCORE_OOBVal_Undef && !fills_tiles(value->type);
    ir_value *cast = d2m_cast_from_ttnn(c, value, metal);
    if (l.space == TTCORE_MemorySpace_DeviceL1)
        cast = over_one_core(c, cast, &l);
    if (!more && !fill)
        return cast;
    d2m_how seen = *how;
    seen.fill = fill ? how->fill : TTCORE_OOBVal_Undef;
    return seen_as(c, cast, value->type, space, &seen);
}

ir_value *d2m_lay_out(d2m_conv *c, ir_value *value, int64_t space, const d2m_how *how)
{
    if (!ir_type_is_tensor(value->type)) {
        d2m_refuse(c, "only ranked tensors can be on the device");
        return NULL;
    }
    if (d2m_is_ttnn_tensor(value->type))
        return lay_out_ttnn(c, value, space, how);
    ir_type logical = how->logical ? how->logical : value->type;
    ir_type type = d2m_laid_out_type(c, logical, space, how);
    if (!type)
        return NULL;
    d2m_virtual_grid maps = one_core_maps(c, logical, type);
    ir_value *out = d2m_to_new(c, value, type, maps);
    return how->fill == TTCORE_OOBVal_Undef || !how->tiled
               ? out
               : masked(c, out, maps, how->fill);
}

ir_value *d2m_into_ttnn(d2m_conv *c, ir_value *value, ir_type type)
{
    ir_type metal = d2m_metal_of_ttnn(c, type);
    if (!metal)
        return NULL;
    ir_value *empty = d2m_build_empty(&c->b, type, (d2m_virtual_grid){0});
    ir_value *operands[] = {value, d2m_cast_from_ttnn(c, empty, metal)};
    value = ir_build1(&c->b, D2M_OP(to_layout), metal, operands, 2, NULL, 0);
    return ir_build1(&c->b, TTIR_OP(ttnn_metal_layout_cast), type, &value, 1, NULL, 0);
}

ir_value *d2m_take_out(d2m_conv *c, ir_value *value, ir_type type)
{
    if (!d2m_is_ttnn_tensor(type))
        return d2m_to_new(c, value, type, (d2m_virtual_grid){0});
    /* What an operation saw otherwise, or is a view, moves; else it is that tensor. */
    const ir_op *def = ir_value_def(value);
    if (!d2m_is_tiled(value->type) || value->type->count / 2 > 2 ||
        ir_op_is(def, D2M_OP(view_layout)) || ir_op_is(def, D2M_OP(composite_view)))
        return d2m_into_ttnn(c, value, type);
    return ir_build1(&c->b, TTIR_OP(ttnn_metal_layout_cast), type, &value, 1, NULL, 0);
}

ir_value *d2m_lay_out_result(d2m_conv *c, ir_type type, const d2m_how *how)
{
    d2m_how plain = *how;
    plain.fill = TTCORE_OOBVal_Undef;
    return d2m_lay_out(c, d2m_build_empty(&c->b, type, (d2m_virtual_grid){0}), c->out_space,
                       &plain);
}
