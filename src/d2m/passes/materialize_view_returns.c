/* materialize_view_returns.c: d2m-materialize-view-returns: copies views that leave the
 * device, to a caller or to the host, since a view moves nothing. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "d2m/region_build.h"
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "mlir/memref/memref.h"
#include "ttnn/layout.h"

static bool is_view(const ir_value *v)
{
    const ir_op *op = ir_value_def(v);
    return ir_op_is(op, D2M_OP(view_layout)) || ir_op_is(op, D2M_OP(composite_view));
}

/* ---- tensors ------------------------------------------------------------------------ */

static ir_value *copy_tensor(ir_builder *b, ir_value *view)
{
    d2m_layout l;
    d2m_shape grid;
    if (!d2m_layout_of(view->type, &l))
        return NULL;
    d2m_half_of(view->type, false, &grid);
    ir_value *out = d2m_build_empty(b, view->type, (d2m_virtual_grid){0});
    ir_affine_map map = ir_affine_identity(b->ctx, grid.n);
    ir_affine_map maps[] = {map, map};
    int64_t ones[D2M_MAX_RANK];
    for (uint32_t i = 0; i < grid.n; i++)
        ones[i] = 1;
    ir_op *generic = d2m_build_generic(
        b, &(d2m_generic_parts){.inputs = &view,
                                .n_inputs = 1,
                                .outputs = &out,
                                .n_outputs = 1,
                                .grid = d2m_grid_attr(b->ctx, &grid, (d2m_virtual_grid){0}),
                                .factors = ir_i64_array_attr(b->ctx, ones, grid.n),
                                .maps = d2m_maps_attr(b->ctx, maps, 2),
                                .iterators = d2m_iterators_attr(b->ctx, NULL, grid.n)});
    ir_builder in = ir_builder_at_end(b->ctx, ir_op_body(generic, 0), b->loc);
    ir_value *indices[D2M_MAX_RANK];
    ir_value *buffer = d2m_build_shard(&in, view);
    d2m_build_shard(&in, out); /* every operand has a buffer */
    d2m_build_grid_indices(&in, map, indices);
    ir_value *loaded = d2m_build_load(&in, buffer, view, indices, grid.n, NULL, 0);
    ir_value *stored = d2m_build_store(&in, out, indices, grid.n, loaded);
    ir_build_op(&in, D2M_OP(yield), NULL, 0, &stored, 1, NULL, 0, 0);
    return ir_op_result(generic, 0);
}

/* ---- memrefs ------------------------------------------------------------------------ */

/* The virtual grid that the cores of the device need for the grid, if any; false after an
 * error. */
static bool virtual_maps(ir_op *at, const d2m_shape *grid, d2m_virtual_grid *out)
{
    int64_t device[2], physical[2];
    *out = (d2m_virtual_grid){0};
    if (!ttnn_device_grid(at, false, device) || !d2m_needs_virtual_grid(grid, device))
        return true;
    if (!d2m_physical_grid(d2m_volume(grid), device, physical))
        return ir_error_at_op(
            at,
            "Unable to fit virtual grid %s onto device grid %lldx%lld for "
            "view materialization",
            d2m_shape_text(at->ctx, grid), (long long)device[0], (long long)device[1]);
    *out = d2m_virtual_maps(at->ctx, grid, physical);
    return true;
}

static ir_value *alloc(ir_builder *b, ir_type type)
{
    return ir_op_result(
        ir_build_op(b, MEMREF_OP(alloc), &type, 1, NULL, 0,
                    IR_ATTRS({"operandSegmentSizes",
                              ir_dense_i32_array(b->ctx, (int64_t[]){0, 0}, 2)}),
                    0),
        0);
}

static void copy_shard(ir_op *generic, ir_value *from, ir_value *to, uint32_t rank)
{
    ir_type t = from->type;
    ir_builder b = ir_builder_at_end(generic->ctx, ir_op_body(generic, 0), generic->loc);
    ir_value *load[2 + D2M_MAX_RANK], *store[2 + D2M_MAX_RANK];
    load[0] = alloc(&b, ir_memref_type(t->element, t->dims + rank, rank, NULL, t->space));
    load[1] = from;
    store[0] = to;
    for (uint32_t i = 0; i < rank; i++)
        load[2 + i] = store[1 + i] = d2m_build_dim_query(&b, D2M_OP(core_index), i);
    store[1 + rank] = load[0];
    int64_t load_sizes[] = {1, 1, rank, 0, 0, 0, 0};
    int64_t store_sizes[] = {1, rank, 1, 0, 0, 0, 0, 0};
    ir_build_op(&b, D2M_OP(remote_load), NULL, 0, load, 2 + rank,
                IR_ATTRS({"operandSegmentSizes",
                          ir_dense_i32_array(b.ctx, load_sizes, TW_COUNT(load_sizes))}),
                0);
    ir_build_op(&b, D2M_OP(remote_store), NULL, 0, store, 2 + rank,
                IR_ATTRS({"operandSegmentSizes",
                          ir_dense_i32_array(b.ctx, store_sizes, TW_COUNT(store_sizes))}),
                0);
}

static ir_value *copy_memref(ir_builder *b, ir_op *at, ir_value *view)
{
    ir_context *ctx = b->ctx;
    ir_type t = view->type;
    d2m_shape grid, shard;
    d2m_virtual_grid maps;
    d2m_half_of(t, false, &grid);
    d2m_half_of(t, true, &shard);
    if (!virtual_maps(at, &grid, &maps))
        return NULL;
    ir_value *out =
        alloc(b, ir_memref_type(t->element, t->dims, t->count,
                                d2m_shard_attr(t->element, &shard, 1), t->space));
    if (maps.forward) {
        ir_op *made = ir_value_def(out);
        ir_op_set_attr(made, "d2m.virtualGridForwardMapping",
                       ir_affine_map_attr(ctx, maps.forward));
        ir_op_set_attr(made, "d2m.virtualGridInverseMapping",
                       ir_affine_map_attr(ctx, maps.inverse));
    }
    ir_op *generic =
        d2m_build_generic(b, &(d2m_generic_parts){.inputs = &view,
                                                  .n_inputs = 1,
                                                  .outputs = &out,
                                                  .n_outputs = 1,
                                                  .grid = d2m_grid_attr(ctx, &grid, maps),
                                                  .is_explicit = true});
    copy_shard(generic, view, out, grid.n);
    return out;
}

/* ---- the pass ----------------------------------------------------------------------- */

/* Copies the operand before the operation if it is a view; false after an error. */
static bool materialize(ir_op *op, size_t operand)
{
    ir_value *v = ir_op_operand(op, operand), *copy;
    ir_builder b = ir_builder_before(op);
    if (!is_view(v))
        return true;
    if (v->type->kind == IR_TYPE_MEMREF) {
        if (ir_value_def(v)->def != D2M_OP(view_layout))
            return true;
        if (v->type->count % 2 || v->type->count > 2 * D2M_MAX_RANK)
            return ir_error_at_op(op, "the returned view has no grid and shard");
        copy = copy_memref(&b, op, v);
    } else {
        copy = copy_tensor(&b, v);
        if (!copy)
            return ir_error_at_op(op, "Expected MetalLayoutAttr pre-bufferization");
    }
    if (!copy)
        return false;
    ir_op_set_operand(op, operand, copy);
    return true;
}

/* True for a d2m.to_layout from the device to the host. */
static bool leaves_device(const ir_op *op)
{
    return op->def == D2M_OP(to_layout) && d2m_is_remote(ir_op_operand(op, 0)->type) &&
           !d2m_is_remote(ir_op_operand(op, 1)->type);
}

static bool is_return(const ir_op *op)
{
    return op->def == FUNC_OP(return ) || op->def == D2M_OP(to_host) || leaves_device(op);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list all = ir_ops_outside(module, is_return, d2m_is_generic);
    bool fine = true;
    for (size_t i = 0; fine && i < all.n; i++) {
        ir_op *op = all.at[i];
        size_t n = op->def == FUNC_OP(return ) ? op->n_operands : 1;
        for (size_t k = 0; fine && k < n; k++)
            fine = materialize(op, k);
    }
    ir_op_list_free(&all);
    return fine;
}

const pass_def d2m_materialize_view_returns_pass = {
    .name = "d2m-materialize-view-returns",
    .title = "D2MMaterializeViewReturns",
    .summary = "Copy views that are returned or moved to the host",
    .anchor = "builtin.module",
    .run = run,
};
