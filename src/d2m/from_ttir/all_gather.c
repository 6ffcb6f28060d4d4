/* all_gather.c: ttir.all_gather: every device of a ring stores its shards on all of them.
 */
#include "d2m/from_ttir/from_ttir.h"
#include "mlir/affine/affine.h"
#include "ttcore/ttcore_tile.h"
#include "ttnn/layout.h"

typedef struct gather {
    int64_t axis, dim; /* of the mesh, of the tensor */
    int64_t devices, mesh[2], cores[2];
    uint32_t rank, split; /* the dimension that the cores divide */
} gather;

enum { GATHER_CORES = 2 }; /* one for each direction of the ring */

/* The tensor on the largest grid of cores that divides it. */
static ir_value *on_grid(d2m_conv *c, ir_value *v, const gather *g)
{
    d2m_shape logical, physical;
    ir_type tile = ttcore_tile_of(v->type->element);
    if (!tile || !d2m_shape_of(v->type, &logical))
        return NULL;
    d2m_layout l = d2m_layout_make(c->b.ctx, &logical, c->in_space,
                                   TTCORE_TensorMemoryLayout_Sharded, true);
    if (!d2m_physical_shape(&l, true, &physical) || physical.n != 2)
        return NULL;
    d2m_shape grid = {.n = 2};
    for (int i = 0; i < 2; i++)
        for (grid.at[i] = TW_MAX(g->cores[i], 1); physical.at[i] % grid.at[i] != 0;)
            grid.at[i]--;
    ir_type type = d2m_device_tensor(tile, &l, &grid);
    return type ? d2m_to_new(c, v, type, (d2m_virtual_grid){0}) : NULL;
}

static ir_value *semaphore(d2m_conv *c, const gather *g)
{
    ir_context *ctx = c->b.ctx;
    ir_type ui32 = ir_integer_type(ctx, 32, IR_UNSIGNED);
    d2m_shape grid = {{g->cores[0], g->cores[1]}, 2};
    d2m_layout l =
        d2m_layout_make(ctx, &grid, c->in_space, TTCORE_TensorMemoryLayout_Sharded, true);
    l.align.at[0] = l.align.at[1] = 1;
    ir_type type = d2m_device_tensor(ui32, &l, &grid);
    if (!type)
        return NULL;
    ir_value *buffer = d2m_build_empty(&c->b, type, (d2m_virtual_grid){0});
    return ir_build1(&c->b, D2M_OP(create_global_semaphore),
                     ir_dialect_type(ctx, D2M_TYPE(global_semaphore), NULL, 0), &buffer, 1,
                     IR_ATTRS({"value", ir_integer_attr(ui32, 0)}));
}

static ir_value *view_on(d2m_conv *c, ir_value *v, const d2m_shape *grid)
{
    d2m_shape from, to;
    ir_type type = d2m_reblocked(v->type, grid);
    if (!type || !d2m_shape_of(v->type, &from) || !d2m_shape_of(type, &to))
        return NULL;
    return d2m_conv_view(c, v, type, d2m_reblock_map(c->b.ctx, &from, &to), false);
}

static bool read_gather(d2m_conv *c, ir_op *op, gather *g)
{
    ir_type in = ir_op_operand(op, 0)->type;
    ir_attr device = ttnn_device_of(op), topology;
    d2m_shape logical, physical;
    *g = (gather){.axis = ir_op_int(op, "cluster_axis", 0),
                  .dim = ir_op_int(op, "all_gather_dim", 0)};
    if (!device || !ttnn_device_grid(op, false, g->cores))
        return d2m_refuse(c, "all gather needs a device");
    int64_t n = ir_attr_ints(ir_attr_param(device, "meshShape"), g->mesh, 2);
    topology = ir_attr_param(device, "meshTopology");
    if (n != 2)
        return d2m_refuse(c, "Mesh shape must be 2D");
    if (g->axis < 0 || g->axis > 1)
        return d2m_refuse(c, "Cluster axis must be one of the mesh dimensions");
    if (!topology || topology->count <= (uint32_t)g->axis ||
        ir_attr_int(topology->items[g->axis], -1) != TTCORE_Topology_Ring)
        return d2m_refuse(c, "Only ring topology is supported for all gather");
    g->devices = g->mesh[g->axis];
    if (!d2m_shape_of(in, &logical) || logical.n != 2 || g->dim < 0 || g->dim > 1)
        return d2m_refuse(c, "all gather takes tensors of two dimensions");
    d2m_layout l = d2m_layout_make(op->ctx, &logical, c->in_space,
                                   TTCORE_TensorMemoryLayout_Sharded, true);
    g->rank = 2;
    if (!d2m_physical_shape(&l, true, &physical))
        return d2m_refuse(c, "the tensor is too large for the device");
    while (g->split < 2 && physical.at[g->split] % GATHER_CORES != 0)
        g->split++;
    return g->split < 2 || d2m_refuse(c, "No dim found for worker core split");
}

static ir_value *mesh_position(ir_builder *b, int64_t dim)
{
    return d2m_build_dim_query(b, D2M_OP(mesh_position), dim);
}

static void synchronize(ir_builder *b, const gather *g, ir_value *start,
                        ir_value *const *first, ir_value *const *extent)
{
    ir_value *operands[1 + 6] = {start, first[0], first[1], extent[0], extent[1]};
    for (uint32_t i = 0; i < 2; i++)
        operands[5 + i] = d2m_build_dim_query(b, D2M_OP(core_index), i);
    int64_t segments[] = {1, 2, 2, 2};
    ir_build_op(b, D2M_OP(device_synchronize), NULL, 0, operands, 7,
                IR_ATTRS({"numReceivers", ir_i32_attr(b->ctx, g->devices - 1)},
                         {"operandSegmentSizes", ir_dense_i32_array(b->ctx, segments, 4)}),
                0);
}

/* Where the shard goes in the result: after those of the devices before. */
static void output_indices(ir_builder *b, const gather *g, const d2m_shape *grid,
                           ir_value *const *indices, ir_value **out)
{
    ir_context *ctx = b->ctx;
    ir_value *dims[] = {mesh_position(b, g->axis), indices[0], indices[1]};
    for (uint32_t i = 0; i < 2; i++) {
        ir_affine e = ir_affine_dim(ctx, i + 1);
        if (i == g->dim)
            e = ir_affine_binary(
                ctx, IR_AFFINE_ADD,
                ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_dim(ctx, 0),
                                 ir_affine_constant(ctx, grid->at[i] / g->devices)),
                e);
        ir_affine_map map = ir_affine_map_get(ctx, 3, 0, &e, 1);
        out[i] = ir_build1(b, AFFINE_OP(apply), ir_index_type(ctx), dims, 3,
                           IR_ATTRS({"map", ir_affine_map_attr(ctx, map)}));
    }
}

static void fill_region(ir_op *op, ir_builder *b, const gather *g, ir_value *in,
                        ir_value *out, ir_value *const *semaphores, const d2m_shape *grid)
{
    ir_value *first[2], *extent[2], *indices[2], *to[2];
    for (int64_t d = 0; d < 2; d++) {
        bool axis = d == g->axis;
        first[d] = axis ? d2m_build_index_constant(b, 0) : mesh_position(b, d);
        extent[d] = d2m_build_index_constant(b, axis ? g->devices : 1);
    }
    synchronize(b, g, semaphores[0], first, extent);
    for (uint32_t i = 0; i < 2; i++)
        indices[i] = i == g->split ? d2m_build_dim_query(b, D2M_OP(core_index), i)
                                   : d2m_build_index_constant(b, 0);
    ir_value *shard = d2m_build_load(b, d2m_build_shard(b, in), in, indices, 2, NULL, 0);
    output_indices(b, g, grid, indices, to);
    ir_value *store[] = {out,           to[0],      to[1],     shard,
                         first[0],      first[1],   extent[0], extent[1],
                         semaphores[1], indices[0], indices[1]};
    int64_t segments[] = {1, 2, 1, 0, 2, 2, 1, 2};
    ir_op *stored = ir_build_op(
        b, D2M_OP(remote_store), &out->type, 1, store, TW_COUNT(store),
        IR_ATTRS({"operandSegmentSizes", ir_dense_i32_array(op->ctx, segments, 8)}), 0);
    ir_value *wait[] = {semaphores[1], d2m_build_index_constant(b, g->devices - 1), NULL};
    ir_build_op(b, D2M_OP(semaphore_wait), NULL, 0, wait, 3, NULL, 0, 0);
    ir_value *result = ir_op_result(stored, 0);
    ir_build_op(b, D2M_OP(yield), NULL, 0, &result, 1, NULL, 0, 0);
}

bool d2m_convert_all_gather(d2m_conv *c, ir_op *op)
{
    ir_context *ctx = op->ctx;
    ir_type type = op->results[0].type;
    gather g;
    if (!read_gather(c, op, &g))
        return false;
    ir_value *semaphores[] = {semaphore(c, &g), semaphore(c, &g)};
    ir_value *placeholder = d2m_build_empty(&c->b, type, (d2m_virtual_grid){0});
    ir_value *in = on_grid(c, ir_op_operand(op, 0), &g), *out = on_grid(c, placeholder, &g);
    d2m_shape in_grid = {{1, 1}, 2}, out_grid = {{1, 1}, 2};
    in_grid.at[g.split] = out_grid.at[g.split] = GATHER_CORES;
    out_grid.at[g.dim] *= g.devices;
    if (!semaphores[0] || !in || !out || !(in = view_on(c, in, &in_grid)) ||
        !(out = view_on(c, out, &out_grid)))
        return d2m_refuse(c, "the tensor cannot be divided between the devices");
    ir_attr fabric[] = {
        ir_raw_int(ctx, 0), ir_raw_int(ctx, TTCORE_Topology_Ring), ir_raw_int(ctx, g.axis),
        ir_raw_int(ctx, TTCORE_RoutingMode_UnidirRingTorus), ir_raw_int(ctx, 1)};
    ir_op *generic = d2m_build_generic(
        &c->b, &(d2m_generic_parts){
                   .inputs = &in,
                   .n_inputs = 1,
                   .outputs = &out,
                   .n_outputs = 1,
                   .extra = semaphores,
                   .n_extra = 2,
                   .grid = d2m_grid_attr(ctx, &in_grid, (d2m_virtual_grid){0}),
                   .fabric = ir_dialect_attr(ctx, TTCORE_ATTR(fabric_connection_config),
                                             fabric, TW_COUNT(fabric)),
                   .is_explicit = true});
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(generic, 0), c->b.loc);
    fill_region(op, &b, &g, in, out, semaphores, &out_grid);
    ir_value_replace_uses(&op->results[0], d2m_take_out(c, ir_op_result(generic, 0), type));
    return true;
}
