/* lower_multicast_loads.c: d2m-lower-multicast-loads: a d2m.remote_load that names the grid
 * dimensions of its multicast gets the first core and the extent of each, or becomes a
 * plain load where a multicast is not possible or has a single receiver. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "ttnn/layout.h"

enum { GRID_RANK = 2 };

/* Operand groups of d2m.remote_load. */
static void set_group(ir_op *load, const char *name, ir_value *const *values, size_t n)
{
    ir_op_set_operand_group(load, ir_op_operand_index(load->def, name), values, n);
}

static bool is_multicast(const ir_op *op)
{
    return op->def == D2M_OP(remote_load) && d2m_group_size(op, "mcastDims") > 0;
}

/* The loop that a result of the map is, or -1. */
static int64_t loop_at(ir_affine_map map, int64_t result)
{
    if (result < 0 || result >= map->n_results ||
        map->results[result]->kind != IR_AFFINE_DIM)
        return -1;
    return map->results[result]->value;
}

/* Marks the loops that the load's multicast dimensions are. */
static bool multicast_loops(ir_op *load, ir_affine_map map, bool *out)
{
    size_t first, n;
    if (!ir_op_operand_group(load, ir_op_operand_index(load->def, "mcastDims"), &first, &n))
        return false;
    for (size_t i = first; i < first + n; i++) {
        int64_t dim;
        if (!arith_constant_int(ir_op_operand(load, i), &dim))
            return false;
        int64_t loop = loop_at(map, dim);
        if (loop >= 0)
            out[loop] = true;
    }
    return true;
}

/* True if every parallel dimension of the operand is fixed by the multicast, and the cores
 * across it are several. */
static bool can_multicast(const d2m_generic *g, ir_affine_map map, const bool *chosen,
                          const d2m_shape *grid)
{
    for (uint32_t k = 0; k < map->n_results; k++) {
        int64_t loop = loop_at(map, k);
        if (loop < 0 || (!d2m_generic_is_reduction_loop(g, (size_t)loop) && !chosen[loop]))
            return false;
    }
    ir_affine_map output = d2m_generic_output_map(g);
    if (output->n_results < GRID_RANK || loop_at(output, 0) < 0 || loop_at(output, 1) < 0)
        return false;
    for (uint32_t loop = 0; loop < g->n_loops; loop++) {
        int64_t at = d2m_map_result_of(map, loop);
        if (at >= 0 && at == d2m_map_result_of(output, loop) && grid->at[at == 0] < 2)
            return false;
    }
    return true;
}

/* The extents on the cores: those of a virtual grid go through its map. */
static bool physical_extents(const d2m_generic *g, const d2m_shape *grid, d2m_shape *extent)
{
    ir_context *ctx = g->op->ctx;
    ir_affine_map forward = d2m_virtual_grid_of(d2m_generic_output(g, 0)).forward;
    ir_attr inverse = ir_attr_param(g->grid, "physicalToVirtMap");
    int64_t device[2], cores[2];
    if (!forward && ir_attr_is(inverse, IR_ATTR_AFFINE_MAP) && inverse->map->n_results) {
        if (!ttnn_device_grid(g->op, false, device) ||
            !d2m_physical_grid(d2m_volume(grid), device, cores))
            return false;
        forward = d2m_virtual_maps(ctx, grid, cores).forward;
    }
    if (!forward)
        return true;
    ir_affine dims[2 * D2M_MAX_RANK], zero = ir_affine_constant(ctx, 0);
    if (forward->n_results < GRID_RANK || forward->n_dims > 2 * D2M_MAX_RANK)
        return false;
    for (uint32_t i = 0; i < forward->n_dims; i++)
        dims[i] = i < GRID_RANK ? NULL : zero;
    ir_affine results[GRID_RANK];
    for (uint32_t k = 0; k < GRID_RANK; k++)
        results[k] = ir_affine_replace(ctx, forward->results[k], dims, NULL);
    d2m_shape from = *extent;
    return d2m_map_shape(ir_affine_map_get(ctx, GRID_RANK, 0, results, GRID_RANK), &from,
                         extent);
}

static bool lower(ir_op *load)
{
    d2m_generic g;
    d2m_shape grid, extent = {.n = GRID_RANK};
    ir_value *start[GRID_RANK], *shape[GRID_RANK];
    bool chosen[D2M_MAX_RANK] = {false};
    ir_op *around = d2m_generic_around(load);
    if (!around || !d2m_generic_read(around, &g))
        return around == NULL;
    int64_t operand = d2m_generic_loaded(&g, load);
    d2m_grid_shape(g.grid, &grid);
    if (g.n_loops == 0)
        return true; /* its dimensions mean nothing without maps */
    bool possible = grid.n == GRID_RANK && operand >= 0 && operand < g.n_io &&
                    multicast_loops(load, d2m_generic_map(&g, (size_t)operand), chosen) &&
                    can_multicast(&g, d2m_generic_map(&g, (size_t)operand), chosen, &grid);
    set_group(load, "mcastDims", NULL, 0);
    if (!possible)
        return true;
    ir_builder b = ir_builder_before(load);
    ir_value *zero = arith_index(&b, 0);
    for (uint32_t k = 0; k < GRID_RANK; k++) {
        bool fixed = chosen[loop_at(d2m_generic_output_map(&g), k)];
        start[k] = fixed ? d2m_build_dim_query(&b, D2M_OP(core_index), k) : zero;
        extent.at[k] = fixed ? 1 : grid.at[k];
    }
    if (!physical_extents(&g, &grid, &extent))
        return ir_op_error(load, "the virtual grid of the output has no map to the cores");
    for (uint32_t k = 0; k < GRID_RANK; k++)
        shape[k] = arith_index(&b, extent.at[k]);
    set_group(load, "mcastStartIndex", start, GRID_RANK);
    set_group(load, "mcastShape", shape, GRID_RANK);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    return ir_each_op(module, is_multicast, lower);
}

const pass_def d2m_lower_multicast_loads_pass = {
    .name = "d2m-lower-multicast-loads",
    .title = "D2MLowerMulticastLoads",
    .summary = "Give multicast loads the cores that they send to",
    .anchor = "builtin.module",
    .run = run,
};
