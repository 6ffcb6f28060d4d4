/* generic.c: accessors and builders of d2m.generic (generic.h). */
#include "d2m/generic.h"

#include "d2m/tile_ops.h"
#include "mlir/affine/affine.h"
#include "mlir/affine/lower_affine.h"
#include "mlir/arith/arith.h"
#include "support/number.h"
#include "ttcore/ttcore.h"

#include <stdlib.h>

/* ---- reading ------------------------------------------------------------------------ */

static bool has_integers(ir_attr list)
{
    for (uint32_t i = 0; i < d2m_length(list); i++)
        if (!ir_attr_is(list->items[i], IR_ATTR_INTEGER))
            return false;
    return true;
}

/* One map for each input and output, with a dimension for each factor and without
 * symbols. */
static bool has_maps(const d2m_generic *g)
{
    if (d2m_length(g->maps) != g->n_io || g->n_io == 0)
        return false;
    for (uint32_t i = 0; i < g->n_io; i++) {
        ir_attr map = g->maps->items[i];
        if (!ir_attr_is(map, IR_ATTR_AFFINE_MAP) || map->map->n_dims != g->n_loops ||
            map->map->n_symbols || map->map->n_results > D2M_MAX_RANK)
            return false;
    }
    return true;
}

bool d2m_generic_of(const ir_op *op, d2m_generic *out)
{
    size_t first, n[3];
    if (!ir_op_is(op, D2M_OP(generic)))
        return false;
    for (size_t group = 0; group < 3; group++)
        if (!ir_op_operand_group(op, group, &first, &n[group]))
            return false;
    *out = (d2m_generic){
        .op = (ir_op *)op,
        .n_inputs = (uint32_t)n[0],
        .n_outputs = (uint32_t)n[1],
        .n_extra = (uint32_t)n[2],
        .n_io = (uint32_t)(n[0] + n[1]),
        .grid = ir_op_attr(op, "grid"),
        .factors = ir_op_attr(op, "block_factors"),
        .maps = ir_op_attr(op, "indexing_maps"),
        .iterators = ir_op_attr(op, "iterator_types"),
        .threads = ir_op_attr(op, "threads"),
    };
    if (!out->n_outputs)
        return false;
    if (d2m_generic_is_explicit(out))
        return true;
    out->n_loops = d2m_length(out->factors);
    return out->n_loops <= D2M_MAX_RANK && d2m_length(out->iterators) == out->n_loops &&
           has_integers(out->factors) && has_maps(out);
}

bool d2m_generic_read(ir_op *op, d2m_generic *out)
{
    return d2m_generic_of(op, out) ||
           ir_op_error(op, "expected one indexing map for each input and output, and as "
                           "many block factors and iterator types as their dimensions");
}

bool d2m_is_generic(const ir_op *op)
{
    return op->def == D2M_OP(generic);
}

ir_op_list d2m_generics_in(ir_op *root)
{
    return ir_ops_outside(root, d2m_is_generic, d2m_is_generic);
}

ir_op *d2m_generic_around(const ir_op *op)
{
    return d2m_enclosing(op, D2M_OP(generic));
}

int64_t d2m_generic_index_of(const d2m_generic *g, const ir_value *v)
{
    for (uint32_t i = 0; v && i < g->op->n_operands; i++)
        if (ir_op_operand(g->op, i) == v)
            return i;
    return -1;
}

static bool goes_along_parallel_loops(const d2m_generic *g, const ir_op *load,
                                      size_t operand)
{
    size_t first, n;
    if (operand >= d2m_length(g->maps) ||
        !ir_op_operand_group(load, ir_op_operand_index(load->def, "mcastDims"), &first, &n))
        return true;
    ir_affine_map map = g->maps->items[operand]->map;
    for (size_t i = first; i < first + n; i++) {
        int64_t dim;
        if (!arith_constant_int(ir_op_operand((ir_op *)load, i), &dim) || dim < 0 ||
            dim >= map->n_results)
            return false;
        ir_affine e = map->results[dim];
        if (e->kind == IR_AFFINE_DIM && d2m_generic_is_reduction_loop(g, (size_t)e->value))
            return false;
    }
    return true;
}

int64_t d2m_generic_loaded(const d2m_generic *g, const ir_op *load)
{
    const ir_value *memory = ir_op_operand_named(load, "memref");
    int64_t first = d2m_generic_index_of(g, memory);
    for (uint32_t i = 0; first >= 0 && i < g->op->n_operands; i++)
        if (ir_op_operand(g->op, i) == memory && goes_along_parallel_loops(g, load, i))
            return i;
    return first;
}

/* ---- loops -------------------------------------------------------------------------- */

bool d2m_generic_is_reduction_loop(const d2m_generic *g, size_t loop)
{
    return loop < d2m_length(g->iterators) &&
           ir_enum_value(g->iterators->items[loop], -1) == TTCORE_IteratorType_Reduction;
}

bool d2m_generic_has_reduction(const d2m_generic *g)
{
    for (uint32_t i = 0; i < g->n_loops; i++)
        if (d2m_generic_is_reduction_loop(g, i))
            return true;
    return false;
}

size_t d2m_generic_loops_of(const d2m_generic *g, size_t i, uint32_t out[D2M_MAX_RANK])
{
    size_t n = 0;
    ir_affine_map map = d2m_generic_map(g, i);
    for (uint32_t k = 0; k < map->n_results; k++)
        if (map->results[k]->kind == IR_AFFINE_DIM)
            out[n++] = (uint32_t)map->results[k]->value;
    return n;
}

int64_t d2m_map_result_of(ir_affine_map map, uint32_t dim)
{
    for (uint32_t k = 0; k < map->n_results; k++)
        if (map->results[k]->kind == IR_AFFINE_DIM && map->results[k]->value == dim)
            return k;
    return -1;
}

bool d2m_map_eval(ir_affine_map map, const int64_t *point, d2m_shape *out)
{
    if (map->n_symbols || map->n_results > D2M_MAX_RANK)
        return false;
    out->n = map->n_results;
    for (uint32_t k = 0; k < map->n_results; k++)
        if (!ir_affine_eval(map->results[k], point, NULL, &out->at[k]))
            return false;
    return true;
}

/* ---- forms -------------------------------------------------------------------------- */

int64_t d2m_generic_thread(const d2m_generic *g, size_t region)
{
    return region < d2m_length(g->threads)
               ? ir_attr_int(ir_attr_param(g->threads->items[region], "threadType"), -1)
               : -1;
}

bool d2m_generic_is_unified(const d2m_generic *g)
{
    return g->op->n_regions == 1 && d2m_generic_thread(g, 0) == D2M_ThreadType_Unified;
}

static bool is_blocked(const d2m_generic *g)
{
    return g->n_loops && d2m_length(g->maps) && d2m_generic_is_unified(g);
}

/* The blocking loops of a generic and whether each factor bounds one of them. */
typedef struct blocking_loops {
    size_t n;
    bool has[D2M_MAX_RANK];
} blocking_loops;

static ir_walk count_blocking_loop(ir_op *op, void *user)
{
    blocking_loops *loops = user;
    size_t first, n;
    if (op->def != AFFINE_OP(for) || !ir_op_attr(op, "d2m.blocking_loop"))
        return IR_WALK_ON;
    loops->n++;
    if (ir_op_operand_group(op, ir_op_operand_index(op->def, "upperBoundOperands"), &first,
                            &n) &&
        n == 1) {
        const ir_op *bound = ir_value_def(ir_op_operand(op, first));
        int64_t dim =
            ir_op_is(bound, D2M_OP(get_block_factor)) ? ir_op_int(bound, "dim", -1) : -1;
        if (dim >= 0 && dim < D2M_MAX_RANK)
            loops->has[dim] = true;
    }
    return IR_WALK_ON;
}

static blocking_loops blocking_loops_of(const d2m_generic *g)
{
    blocking_loops loops = {0};
    ir_walk_pre(g->op, count_blocking_loop, &loops);
    return loops;
}

bool d2m_generic_is_implicit_blocked(const d2m_generic *g)
{
    return is_blocked(g) && blocking_loops_of(g).n == 0;
}

bool d2m_generic_is_affine_blocked(const d2m_generic *g)
{
    if (!is_blocked(g))
        return false;
    blocking_loops loops = blocking_loops_of(g);
    for (uint32_t i = 0; i < g->n_loops; i++)
        if (!loops.has[i])
            return false;
    return loops.n == g->n_loops;
}

bool d2m_generic_is_of_tensors(const d2m_generic *g)
{
    return d2m_is_of_tensors(g->op);
}

/* ---- regions ------------------------------------------------------------------------ */

bool d2m_is_compute_op(const ir_op *op)
{
    return ir_def_has_interface(op->def, "D2M_GenericRegionComputeOpTrait");
}

static ir_walk stop_if(ir_op *op, void *user)
{
    ir_op_test **test = user;
    return (*test)(op) ? IR_WALK_STOP : IR_WALK_ON;
}

static bool any_in_region(const ir_region *region, ir_op_test *test)
{
    for (const ir_block *block = region->first; block; block = block->next)
        for (ir_op *op = block->first; op; op = op->next)
            if (ir_walk_pre(op, stop_if, &test) == IR_WALK_STOP)
                return true;
    return false;
}

static bool any_inside(const d2m_generic *g, ir_op_test *test)
{
    for (uint16_t r = 0; r < g->op->n_regions; r++)
        if (any_in_region(&g->op->regions[r], test))
            return true;
    return false;
}

bool d2m_generic_has_compute(const d2m_generic *g, size_t region)
{
    return region < g->op->n_regions &&
           any_in_region(&g->op->regions[region], d2m_is_compute_op);
}

bool d2m_generic_is_dma_only(const d2m_generic *g)
{
    return g->op->n_regions && !any_inside(g, d2m_is_compute_op);
}

bool d2m_generic_skips_fusion(const d2m_generic *g)
{
    return any_inside(g, d2m_skips_fusion);
}

bool d2m_generic_is_fused(const d2m_generic *g)
{
    return d2m_generic_is_all_parallel(g) && !d2m_generic_skips_fusion(g) &&
           g->op->n_operands > 3;
}

/* ---- extents ------------------------------------------------------------------------ */

void d2m_grid_shape(ir_attr grid, d2m_shape *out)
{
    int64_t n = ir_attr_ints(ir_attr_param(grid, "shape"), out->at, D2M_MAX_RANK);
    out->n = n < 0 ? 0 : (uint32_t)TW_MIN(n, (int64_t)D2M_MAX_RANK);
}

void d2m_loop_extents(const ir_affine_map *maps, const d2m_shape *shapes, size_t n,
                      bool reversed, d2m_shape *out)
{
    bool known[D2M_MAX_RANK] = {false};
    *out = (d2m_shape){.n = n ? TW_MIN(maps[0]->n_dims, (uint32_t)D2M_MAX_RANK) : 0};
    for (uint32_t d = 0; d < out->n; d++)
        out->at[d] = 1;
    for (size_t step = 0; step < n; step++) {
        size_t i = reversed ? n - 1 - step : step;
        for (uint32_t k = 0; k < TW_MIN(maps[i]->n_results, shapes[i].n); k++) {
            ir_affine e = maps[i]->results[k];
            if (e->kind == IR_AFFINE_DIM && e->value < out->n && !known[e->value]) {
                known[e->value] = true;
                out->at[e->value] = shapes[i].at[k];
            }
        }
    }
}

void d2m_generic_shard_extents(const d2m_generic *g, d2m_shape *out)
{
    d2m_shape *shards = tw_xmalloc((g->n_io + 1) * sizeof *shards);
    ir_affine_map *maps = tw_xmalloc((g->n_io + 1) * sizeof *maps);
    size_t n = g->n_loops ? g->n_io : 0;
    for (uint32_t i = 0; i < n; i++) {
        maps[i] = d2m_generic_map(g, i);
        d2m_operand_shard(d2m_generic_operand(g, i), &shards[i]);
    }
    d2m_loop_extents(maps, shards, n, false, out);
    free(shards);
    free(maps);
}

void d2m_generic_full_factors(const d2m_generic *g, d2m_shape *out)
{
    d2m_generic_shard_extents(g, out);
    for (uint32_t d = 0; d < TW_MIN(out->n, g->n_loops); d++)
        out->at[d] = tw_saturating_product(out->at[d], d2m_generic_factor(g, d));
}

bool d2m_generic_operand_grid(const d2m_generic *g, size_t i, const d2m_shape *grid,
                              const d2m_shape *factors, d2m_shape *out)
{
    d2m_shape totals = {.n = g->n_loops};
    ir_affine_map output = d2m_generic_output_map(g);
    if (factors->n != g->n_loops || g->n_loops == 0)
        return false;
    for (uint32_t k = 0; k < TW_MIN(output->n_results, grid->n); k++)
        if (output->results[k]->kind == IR_AFFINE_DIM)
            totals.at[output->results[k]->value] = grid->at[k];
    for (uint32_t d = 0; d < totals.n; d++)
        if (!totals.at[d])
            totals.at[d] = factors->at[d];
        else if (__builtin_mul_overflow(totals.at[d], factors->at[d], &totals.at[d]))
            return false;
    if (!d2m_map_eval(d2m_generic_map(g, i), totals.at, out))
        return false;
    for (uint32_t k = 0; k < out->n; k++)
        if (out->at[k] == 0)
            out->at[k] = 1;
    return true;
}
