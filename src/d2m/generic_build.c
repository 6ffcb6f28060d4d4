/* generic_build.c: builders of d2m.generic and of the indices in its regions. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "mlir/affine/lower_affine.h"
#include "ttcore/ttcore.h"

#include <assert.h>
#include <stdlib.h>

/* ---- attributes --------------------------------------------------------------------- */

ir_attr d2m_threads_attr(ir_context *ctx, int64_t thread_type)
{
    ir_attr params[] = {ir_raw_int(ctx, thread_type), NULL, ir_raw_int(ctx, -1)};
    ir_attr thread = ir_dialect_attr(ctx, D2M_ATTR(thread), params, TW_COUNT(params));
    return ir_array_attr(ctx, &thread, 1);
}

ir_attr d2m_iterators_attr(ir_context *ctx, const bool *is_reduction, size_t n)
{
    ir_attr items[D2M_MAX_RANK];
    assert(n <= D2M_MAX_RANK);
    for (size_t i = 0; i < n; i++)
        items[i] =
            ir_enum_attr(ctx, TTCORE_ATTR(iterator_type),
                         is_reduction && is_reduction[i] ? TTCORE_IteratorType_Reduction
                                                         : TTCORE_IteratorType_Parallel);
    return ir_array_attr(ctx, items, n);
}

ir_attr d2m_maps_attr(ir_context *ctx, const ir_affine_map *maps, size_t n)
{
    ir_attr *items = tw_xmalloc((n + 1) * sizeof *items);
    for (size_t i = 0; i < n; i++)
        items[i] = ir_affine_map_attr(ctx, maps[i]);
    ir_attr list = ir_array_attr(ctx, items, n);
    free(items);
    return list;
}

/* ---- the operation ------------------------------------------------------------------ */

/* The operands of all groups in a row. */
typedef struct operand_list {
    ir_value **at;
    size_t n, n_io;
} operand_list;

static void add_operands(operand_list *list, ir_value *const *values, size_t n)
{
    if (n)
        memcpy(list->at + list->n, values, n * sizeof *values);
    list->n += n;
}

/* Fills in the attributes that follow from the operands. */
static void complete(ir_context *ctx, d2m_generic_parts *p, const operand_list *operands)
{
    d2m_shape grid, factors;
    d2m_operand_grid(p->outputs[0], &grid);
    if (!p->grid)
        p->grid = d2m_grid_for_output(p->outputs[0]);
    if (!p->threads)
        p->threads = d2m_threads_attr(ctx, D2M_ThreadType_Unified);
    if (p->is_explicit) {
        p->factors = p->maps = p->iterators = ir_array_attr(ctx, NULL, 0);
        return;
    }
    size_t n = operands->n_io;
    ir_affine_map *maps = tw_xmalloc(n * sizeof *maps);
    d2m_shape *grids = tw_xmalloc(n * sizeof *grids);
    for (size_t i = 0; i < n; i++) {
        maps[i] = p->maps ? p->maps->items[i]->map : ir_affine_identity(ctx, grid.n);
        d2m_operand_grid(operands->at[i], &grids[i]);
    }
    if (!p->maps)
        p->maps = d2m_maps_attr(ctx, maps, n);
    if (!p->iterators)
        p->iterators = d2m_iterators_attr(ctx, NULL, grid.n);
    if (!p->factors) {
        d2m_grid_shape(p->grid, &grid);
        if (!d2m_derive_factors(maps, grids, n, &grid, &factors))
            assert(!"the grid divides the outputs' grids");
        p->factors = ir_i64_array_attr(ctx, factors.at, factors.n);
    }
    free(maps);
    free(grids);
}

static ir_op *create(ir_builder *b, const d2m_generic_parts *p, size_t n_regions)
{
    size_t n_io = p->n_inputs + p->n_outputs, n_results = 0;
    operand_list operands = {tw_xmalloc((n_io + p->n_extra) * sizeof(ir_value *)), 0, n_io};
    ir_type *results = tw_xmalloc(p->n_outputs * sizeof *results);
    d2m_generic_parts full = *p;
    add_operands(&operands, p->inputs, p->n_inputs);
    add_operands(&operands, p->outputs, p->n_outputs);
    add_operands(&operands, p->extra, p->n_extra);
    for (size_t i = 0; i < p->n_outputs; i++)
        if (ir_type_is_tensor(p->outputs[i]->type))
            results[n_results++] = p->outputs[i]->type;
    complete(b->ctx, &full, &operands);
    ir_op *op = ir_build_op(
        b, D2M_OP(generic), results, n_results, operands.at, operands.n,
        IR_ATTRS(
            {"grid", full.grid}, {"block_factors", full.factors},
            {"indexing_maps", full.maps}, {"iterator_types", full.iterators},
            {"threads", full.threads}, {"fabricConnectionConfig", full.fabric},
            {"operandSegmentSizes",
             ir_dense_i32_array(b->ctx,
                                (int64_t[]){(int64_t)p->n_inputs, (int64_t)p->n_outputs,
                                            (int64_t)p->n_extra},
                                3)}),
        n_regions);
    free(operands.at);
    free(results);
    return op;
}

ir_op *d2m_build_generic(ir_builder *b, const d2m_generic_parts *parts)
{
    assert(parts->n_outputs > 0);
    ir_op *op = create(b, parts, parts->n_regions ? parts->n_regions : 1);
    for (uint16_t r = 0; r < op->n_regions; r++)
        ir_region_append(&op->regions[r], ir_block_create(b->ctx));
    return op;
}

ir_op *d2m_generic_rebuild(ir_builder *b, const d2m_generic *g, ir_value *const *inputs,
                           ir_value *const *outputs)
{
    ir_value **extra = tw_xmalloc((g->n_extra + 1) * sizeof *extra);
    for (uint32_t i = 0; i < g->n_extra; i++)
        extra[i] = ir_op_operand(g->op, g->n_io + i);
    ir_op *op = create(b,
                       &(d2m_generic_parts){
                           .inputs = inputs,
                           .n_inputs = g->n_inputs,
                           .outputs = outputs,
                           .n_outputs = g->n_outputs,
                           .extra = extra,
                           .n_extra = g->n_extra,
                           .grid = g->grid,
                           .factors = g->factors,
                           .maps = g->maps,
                           .iterators = g->iterators,
                           .threads = g->threads,
                           .fabric = ir_op_attr(g->op, "fabricConnectionConfig"),
                       },
                       g->op->n_regions);
    free(extra);
    op->attrs = g->op->attrs;
    return op;
}

/* ---- indices ------------------------------------------------------------------------ */

ir_value *d2m_build_dim_query(ir_builder *b, const ir_op_def *def, int64_t dim)
{
    return ir_build1(b, def, ir_index_type(b->ctx), NULL, 0,
                     IR_ATTRS({"dim", ir_i64_attr(b->ctx, dim)}));
}

void d2m_build_grid_indices(ir_builder *b, ir_affine_map map, ir_value **out)
{
    ir_value *dims[D2M_MAX_RANK];
    assert(map->n_dims <= D2M_MAX_RANK);
    for (uint32_t d = 0; d < map->n_dims; d++)
        dims[d] = d2m_build_dim_query(b, D2M_OP(block_index), d);
    for (uint32_t k = 0; k < map->n_results; k++)
        out[k] = lower_expression_of(b, dims, map->results[k]);
}
