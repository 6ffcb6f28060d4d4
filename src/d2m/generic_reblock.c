/* generic_reblock.c: replaces a d2m.generic by one with another grid or other block
 * factors. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "mlir/memref/memref.h"
#include "mlir/tensor/tensor.h"

#include <stdlib.h>

ir_value *d2m_build_view(ir_builder *b, ir_value *v, ir_type type)
{
    d2m_shape from, to;
    ir_affine_map map = d2m_shape_of(v->type, &from) && d2m_shape_of(type, &to)
                            ? d2m_reblock_map(b->ctx, &from, &to)
                            : NULL;
    if (!map)
        return NULL;
    return ir_build1(b, D2M_OP(view_layout), type, &v, 1,
                     IR_ATTRS({"remapping", ir_affine_map_attr(b->ctx, map)}));
}

ir_affine_map d2m_map_of_extents(ir_context *ctx, ir_affine_map map)
{
    ir_affine results[D2M_MAX_RANK];
    uint32_t n = TW_MIN(map->n_results, (uint32_t)D2M_MAX_RANK);
    for (uint32_t k = 0; k < n; k++) {
        ir_affine e = map->results[k];
        bool broadcast = e->kind == IR_AFFINE_CONSTANT && e->value == 0;
        results[k] = broadcast ? ir_affine_constant(ctx, 1) : e;
    }
    return ir_affine_map_get(ctx, map->n_dims, map->n_symbols, results, n);
}

/* ---- types inside ------------------------------------------------------------------- */

static ir_type with_shard(ir_type buffer, const d2m_shape *shard)
{
    return buffer->kind == IR_TYPE_TENSOR
               ? ir_tensor_type(buffer->element, shard->at, shard->n, NULL)
               : ir_memref_type(buffer->element, shard->at, shard->n, NULL, buffer->space);
}

/* Gives a buffer the shard of its operand, or the extents that its blocking map says. */
static void retype_buffer(const d2m_shape *extents, ir_op *alloc)
{
    d2m_shape shard;
    ir_value *buffer = ir_op_result(alloc, 0);
    const ir_value *operand = d2m_buffer_operand(buffer, NULL);
    ir_attr map = ir_op_attr(alloc, "d2m.blocking_map");
    if (operand && d2m_is_remote(operand->type)) {
        d2m_operand_shard(operand, &shard);
        buffer->type = with_shard(buffer->type, &shard);
    } else if (alloc->def == MEMREF_OP(alloc) && ir_attr_is(map, IR_ATTR_AFFINE_MAP) &&
               map->map->n_dims == extents->n &&
               d2m_map_eval(d2m_map_of_extents(alloc->ctx, map->map), extents->at,
                            &shard)) {
        buffer->type = with_shard(buffer->type, &shard);
    }
}

static void retype_results(ir_op *op)
{
    if (op->def == D2M_OP(remote_load) || op->def == D2M_OP(remote_store)) {
        const ir_value *like = ir_op_operand_named(
            op, op->def == D2M_OP(remote_load) ? "localBuffer" : "memref");
        if (like && op->n_results == 1)
            op->results[0].type = like->type;
        return;
    }
    size_t first = op->def == D2M_OP(embedding) ? 2 : d2m_first_destination(op);
    for (uint32_t i = 0; first != SIZE_MAX && i < op->n_results; i++)
        if (first + i < op->n_operands)
            op->results[i].type = ir_op_operand(op, first + i)->type;
}

static ir_walk retype(ir_op *op, void *user)
{
    if (op->def == MEMREF_OP(alloc) || op->def == TENSOR_OP(empty))
        retype_buffer(user, op);
    else if (op->def != D2M_OP(generic))
        retype_results(op);
    return IR_WALK_ON;
}

/* ---- the operation ------------------------------------------------------------------ */

/* The type of every input and output on the new grid; false after an error. */
static bool new_types(const d2m_generic *g, const d2m_shape *grid, const d2m_shape *factors,
                      ir_type *out)
{
    for (uint32_t i = 0; i < g->n_io; i++) {
        d2m_shape wanted;
        out[i] = d2m_generic_operand_grid(g, i, grid, factors, &wanted)
                     ? d2m_reblocked(d2m_generic_operand(g, i)->type, &wanted)
                     : NULL;
        if (!out[i])
            return ir_op_error(g->op,
                               "withParallelization failed to compute reblocked grid shape "
                               "for operand %u",
                               i);
    }
    return true;
}

/* The grid that the first output gets replaces one that was asked for and differs. */
static bool adjust(const d2m_generic *g, ir_attr *grid, const d2m_shape *factors,
                   ir_type *types)
{
    d2m_shape asked, derived;
    ir_context *ctx = g->op->ctx;
    d2m_grid_shape(*grid, &asked);
    d2m_half_of(types[g->n_inputs], false, &derived);
    if (derived.n != asked.n || d2m_shape_equal(&derived, &asked))
        return true;
    ir_attr dims[D2M_MAX_RANK];
    for (uint32_t i = 0; i < derived.n; i++)
        dims[i] = ir_raw_int(ctx, derived.at[i]);
    ir_attr params[] = {ir_array_attr(ctx, dims, derived.n),
                        ir_attr_param(*grid, "virtToPhysicalMap"),
                        ir_attr_param(*grid, "physicalToVirtMap")};
    *grid = ir_dialect_attr(ctx, TTCORE_ATTR(grid), params, TW_COUNT(params));
    return new_types(g, &derived, factors, types);
}

static void replace_inside(ir_op *op, ir_value *from, ir_value *to)
{
    for (ir_operand *use = from->uses, *next; use; use = next) {
        next = use->next_use;
        if (use->owner != op && ir_op_is_ancestor(op, use->owner))
            ir_op_set_operand(use->owner, ir_operand_number(use), to);
    }
}

static void rebuild(const d2m_generic *g, ir_attr grid, const d2m_shape *factors,
                    const ir_type *types, bool restores, d2m_reblocking *out)
{
    ir_context *ctx = g->op->ctx;
    ir_builder b = ir_builder_before(g->op);
    ir_value **operands = tw_xmalloc((g->n_io + 1) * sizeof *operands);
    d2m_generic made;
    d2m_shape extents;
    for (uint32_t i = 0; i < g->n_io; i++) {
        ir_value *v = d2m_generic_operand(g, i);
        out->views[i] = types[i] == v->type ? NULL : d2m_build_view(&b, v, types[i]);
        operands[i] = out->views[i] ? out->views[i] : v;
    }
    out->op = d2m_generic_rebuild(&b, g, operands, operands + g->n_inputs);
    ir_op_set_attr(out->op, "grid", grid);
    ir_op_set_attr(out->op, "block_factors",
                   ir_i64_array_attr(ctx, factors->at, factors->n));
    for (uint16_t r = 0; r < g->op->n_regions; r++)
        ir_region_take(&out->op->regions[r], &g->op->regions[r]);
    for (uint32_t i = 0; i < g->n_io; i++)
        if (out->views[i])
            replace_inside(out->op, d2m_generic_operand(g, i), out->views[i]);
    free(operands);
    if (d2m_generic_of(out->op, &made))
        d2m_generic_shard_extents(&made, &extents);
    else
        extents.n = 0;
    ir_walk_pre(out->op, retype, &extents);
    b = ir_builder_after(out->op);
    b.loc = g->op->loc;
    ir_value *first =
        g->op->n_results ? ir_op_result(out->op, 0) : ir_op_operand(out->op, g->n_inputs);
    if (restores)
        out->restored = d2m_build_view(&b, first, d2m_generic_output(g, 0)->type);
}

bool d2m_generic_reblock(ir_op *op, ir_attr grid, const d2m_shape *factors, bool restores,
                         d2m_reblocking *out)
{
    d2m_generic g;
    d2m_shape shape, kept;
    *out = (d2m_reblocking){0};
    if (!d2m_generic_read(op, &g) || g.n_loops == 0)
        return g.n_loops == 0 ? ir_op_error(op, "has no block factors to change") : false;
    if (!factors) {
        kept = (d2m_shape){.n = g.n_loops};
        for (uint32_t d = 0; d < g.n_loops; d++)
            kept.at[d] = d2m_generic_factor(&g, d);
        factors = &kept;
    }
    ir_attr wanted = grid ? grid : g.grid;
    ir_type *types = tw_xmalloc((g.n_io + 1) * sizeof *types);
    d2m_grid_shape(wanted, &shape);
    bool ok = new_types(&g, &shape, factors, types) &&
              (!grid || adjust(&g, &wanted, factors, types));
    if (ok) {
        out->views = tw_xmalloc((g.n_io + 1) * sizeof(ir_value *));
        rebuild(&g, wanted, factors, types, restores, out);
        for (uint32_t i = 0; i < op->n_results; i++)
            ir_value_replace_uses(ir_op_result(op, i), restores && i == 0
                                                           ? out->restored
                                                           : ir_op_result(out->op, i));
        ir_op_erase(op);
    }
    free(types);
    return ok;
}
