/* reblock.c: rebuilds a d2m.generic over another grid or in other blocks. */
#include "d2m/reblock.h"

#include "d2m/metal_layout.h"
#include "mlir/memref/memref.h"
#include "mlir/tensor/tensor.h"

enum { MAX_OPERANDS = 256 };

ir_value *d2m_build_reblock_view(ir_builder *b, ir_value *value, ir_type type)
{
    d2m_shape from, to;
    if (value->type == type)
        return value;
    if (!d2m_shape_of(value->type, &from) || !d2m_shape_of(type, &to))
        return NULL;
    ir_affine_map map = d2m_reblock_map(b->ctx, &from, &to);
    return map ? ir_build1(b, D2M_OP(view_layout), type, &value, 1,
                           IR_ATTRS({"remapping", ir_affine_map_attr(b->ctx, map)}))
               : NULL;
}

/* ---- types in regions --------------------------------------------------------------- */

/* The buffer type with another shape; memrefs stay in their memory. */
static ir_type reshaped(ir_type t, const d2m_shape *shape)
{
    return t->kind == IR_TYPE_TENSOR
               ? ir_tensor_type(t->element, shape->at, shape->n, NULL)
               : ir_memref_type(t->element, shape->at, shape->n, NULL, t->space);
}

/* The type of a buffer in a region: the shard of its operand, or, for what a computation
 * leaves to another, the extents of the loops in its map. */
static ir_type buffer_type(const d2m_generic *g, ir_op *alloc)
{
    ir_type old = alloc->results[0].type;
    const ir_value *operand = d2m_buffer_operand(&alloc->results[0], NULL);
    ir_attr blocking = ir_op_attr(alloc, "d2m.blocking_map");
    d2m_shape shape, extents;
    if (operand && d2m_is_remote(operand->type)) {
        d2m_operand_shard(operand, &shape);
        return reshaped(old, &shape);
    }
    if (operand || !ir_attr_is(blocking, IR_ATTR_AFFINE_MAP) || old->kind != IR_TYPE_MEMREF)
        return old;
    ir_affine_map map = blocking->map;
    d2m_generic_shard_extents(g, &extents);
    if (map->n_dims != extents.n || map->n_results > D2M_MAX_RANK)
        return old;
    shape = (d2m_shape){.n = map->n_results};
    for (uint32_t i = 0; i < map->n_results; i++)
        if (map->results[i]->kind == IR_AFFINE_CONSTANT)
            shape.at[i] = 1; /* a broadcast */
        else if (!ir_affine_eval(map->results[i], extents.at, NULL, &shape.at[i]))
            return old;
    return reshaped(old, &shape);
}

static void retype(const d2m_generic *g, ir_op *op)
{
    if (op->def == MEMREF_OP(alloc) || op->def == TENSOR_OP(empty)) {
        op->results[0].type = buffer_type(g, op);
    } else if (op->def == D2M_OP(remote_load)) {
        ir_value *buffer = ir_op_operand_named(op, "localBuffer");
        if (op->n_results && buffer)
            op->results[0].type = buffer->type;
    } else if (op->def == D2M_OP(remote_store)) {
        if (op->n_results)
            op->results[0].type = ir_op_operand_named(op, "memref")->type;
    } else if (op->def == D2M_OP(embedding)) {
        op->results[0].type = ir_op_operand(op, 2)->type;
    } else if (op->n_results && op->n_results <= op->n_operands &&
               ir_def_has(op->def, "DestinationStyleOpInterface")) {
        for (uint32_t i = 0; i < op->n_results; i++)
            op->results[i].type =
                ir_op_operand(op, op->n_operands - op->n_results + i)->type;
    }
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *inner = b->first; inner; inner = inner->next)
                retype(g, inner);
}

/* ---- the operation ------------------------------------------------------------------ */

typedef struct operands {
    ir_value *old[MAX_OPERANDS], *made[MAX_OPERANDS];
    ir_type types[MAX_OPERANDS];
} operands;

/* The types of all operands over the grid; false after an error. */
static bool reblocked_types(const d2m_generic *g, const d2m_shape *grid,
                            const d2m_shape *factors, operands *o)
{
    for (uint32_t i = 0; i < g->n_io; i++) {
        d2m_shape own;
        if (!d2m_generic_operand_grid(g, i, grid, factors, &own) ||
            !(o->types[i] = d2m_reblocked(d2m_generic_operand(g, i)->type, &own)))
            return ir_op_error(g->op,
                               "withParallelization failed to compute reblocked grid shape "
                               "for operand %u",
                               i);
    }
    return true;
}

/* The grid attribute of another shape with the same maps. */
static ir_attr with_shape(ir_attr grid, const d2m_shape *shape)
{
    ir_attr dims[D2M_MAX_RANK];
    for (uint32_t i = 0; i < shape->n; i++)
        dims[i] = ir_raw_int(grid->ctx, shape->at[i]);
    ir_attr params[] = {ir_array_attr(grid->ctx, dims, shape->n), grid->params[1],
                        grid->params[2]};
    return ir_dialect_attr(grid->ctx, TTCORE_ATTR(grid), params, TW_COUNT(params));
}

/* Moves the regions, whose uses of the old operands become uses of the new ones. */
static void move_regions(const d2m_generic *g, ir_op *to, const operands *o)
{
    for (uint16_t r = 0; r < g->op->n_regions; r++)
        ir_region_take(&to->regions[r], &g->op->regions[r]);
    ir_op_list inside = ir_ops_in(to, NULL);
    for (size_t i = 1; i < inside.n; i++)
        for (uint32_t k = 0; k < inside.at[i]->n_operands; k++)
            for (uint32_t n = 0; n < g->n_io; n++)
                if (ir_op_operand(inside.at[i], k) == o->old[n]) {
                    ir_op_set_operand(inside.at[i], k, o->made[n]);
                    break;
                }
    ir_op_list_free(&inside);
}

static bool build_operands(ir_builder *b, const d2m_generic *g, operands *o)
{
    for (uint32_t i = 0; i < g->n_io; i++) {
        o->old[i] = d2m_generic_operand(g, i);
        o->made[i] = d2m_build_reblock_view(b, o->old[i], o->types[i]);
        if (!o->made[i])
            return ir_op_error(g->op, "operand %u cannot be viewed over another grid", i);
    }
    return true;
}

/* Replaces results, through views of the old types if asked for. */
static void replace_results(const d2m_generic *g, ir_op *made, ir_value **view)
{
    ir_builder b = ir_builder_after(made);
    for (uint32_t i = 0; i < g->op->n_results; i++) {
        ir_value *v = &made->results[i];
        if (view)
            v = d2m_build_reblock_view(&b, v, g->op->results[i].type);
        if (view && i == 0)
            *view = v;
        ir_value_replace_uses(&g->op->results[i], v);
    }
    if (view && g->op->n_results == 0)
        *view = d2m_build_reblock_view(&b, ir_op_operand(made, g->n_inputs),
                                       d2m_generic_output(g, 0)->type);
}

ir_op *d2m_reblock_generic(const d2m_generic *g, ir_attr grid, const d2m_shape *factors,
                           ir_value **view)
{
    ir_builder b = ir_builder_before(g->op);
    d2m_shape shape, own, derived;
    operands o;
    d2m_grid_shape(grid ? grid : g->grid, &shape);
    own = (d2m_shape){.n = g->n_loops};
    for (uint32_t i = 0; i < g->n_loops; i++)
        own.at[i] = d2m_generic_factor(g, i);
    if (!factors)
        factors = &own;
    if (g->n_io > MAX_OPERANDS || factors->n != g->n_loops) {
        ir_op_error(g->op, "withParallelization failed to derive reblocked types");
        return NULL;
    }
    if (!reblocked_types(g, &shape, factors, &o))
        return NULL;
    d2m_half_of(o.types[g->n_inputs], false, &derived);
    if (grid && derived.n == shape.n && !d2m_shape_equal(&derived, &shape)) {
        grid = with_shape(grid, &derived); /* the output's blocks decide */
        if (!reblocked_types(g, &derived, factors, &o))
            return NULL;
    }
    if (!build_operands(&b, g, &o))
        return NULL;
    d2m_generic with = *g;
    with.grid = grid ? grid : g->grid;
    with.factors = ir_i64_array_attr(b.ctx, factors->at, factors->n);
    ir_op *made = d2m_generic_rebuild(&b, &with, o.made, o.made + g->n_inputs);
    move_regions(g, made, &o);
    if (d2m_generic_of(made, &with))
        for (uint16_t r = 0; r < made->n_regions; r++)
            for (ir_block *block = made->regions[r].first; block; block = block->next)
                for (ir_op *op = block->first; op; op = op->next)
                    retype(&with, op);
    replace_results(g, made, view);
    ir_op_erase(g->op);
    return made;
}
