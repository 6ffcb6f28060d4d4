/* grid_analysis.c: chooses the grid of every operand of a generic, so that they fit each
 * other. */
#include "d2m/passes/grid_choice.h"
#include "d2m/passes/grid_selection.h"
#include "ttcore/ttcore_tile.h"
#include "ttir/ttir.h"

#include <stdlib.h>

/* ---- questions ---------------------------------------------------------------------- */

/* The producer behind views. */
static ir_op *behind_views(const ir_value *v)
{
    ir_op *op = ir_value_def(v);
    for (int steps = 0; steps < 1000 && ir_op_is(op, D2M_OP(view_layout)); steps++)
        op = ir_value_def(ir_op_operand(op, 0));
    return op;
}

bool d2m_is_ttnn_operand(const ir_value *v)
{
    const ir_op *op = behind_views(v);
    return ir_op_is(op, TTIR_OP(ttnn_metal_layout_cast));
}

ir_op *d2m_to_layout_behind_views(const ir_value *v)
{
    if (!ir_op_is(ir_value_def(v), D2M_OP(view_layout)))
        return NULL;
    ir_op *op = behind_views(v);
    return ir_op_is(op, D2M_OP(to_layout)) ? op : NULL;
}

d2m_cores d2m_cores_of(const ir_op *generic, const int64_t device[2])
{
    static const char *const ends[] = {"start_coord", "end_coord"};
    static const char *const axes[] = {"y", "x"};
    d2m_cores cores = {{device[0], device[1]}, {0, 0}};
    const ir_op *spatial = ir_op_parent(generic);
    if (!ir_op_is(spatial, D2M_OP(spatial)))
        return cores;
    ir_attr ranges = ir_op_attr(spatial, "grid_ranges");
    size_t region = (size_t)(generic->block->region - spatial->regions);
    if (!ir_attr_is(ranges, IR_ATTR_ARRAY) || region >= ranges->count)
        return cores;
    int64_t at[2][2];
    for (int end = 0; end < 2; end++)
        for (int axis = 0; axis < 2; axis++)
            at[end][axis] = ir_attr_int(
                ir_attr_param(ir_attr_param(ranges->items[region], ends[end]), axes[axis]),
                0);
    for (int axis = 0; axis < 2; axis++) {
        cores.shape[axis] = at[1][axis] - at[0][axis] + 1;
        cores.offset[axis] = at[0][axis];
    }
    return cores;
}

/* True if tiles are made of the value somewhere after views, masks and other layouts; at
 * most `budget` uses are followed. */
static bool becomes_tiles(const ir_value *v, int *budget)
{
    for (const ir_operand *use = v->uses; use && --*budget > 0; use = use->next_use) {
        const ir_op *user = use->owner;
        if (!user->n_results ||
            (user->def != D2M_OP(to_layout) && user->def != D2M_OP(view_layout) &&
             user->def != D2M_OP(mask)))
            continue;
        if (user->def == D2M_OP(to_layout) && d2m_is_tiled(user->results[0].type))
            return true;
        if (becomes_tiles(&user->results[0], budget))
            return true;
    }
    return false;
}

/* ---- targets ------------------------------------------------------------------------ */

static bool uses_dim_at(ir_affine_map map, uint32_t dim, uint32_t at)
{
    return at < map->n_results && map->results[at]->kind == IR_AFFINE_DIM &&
           map->results[at]->value == dim;
}

/* True if the loop dimension at this position of an operand is at another position of one
 * (the inner dimension of a matmul): both then take the smaller side of the cores. */
static bool is_crossed(const d2m_generic *g, uint32_t dim)
{
    int64_t first = -1;
    for (uint32_t i = 0; i < d2m_length(g->maps); i++)
        for (uint32_t k = 0; k < d2m_generic_map(g, i)->n_results; k++) {
            if (!uses_dim_at(d2m_generic_map(g, i), dim, k))
                continue;
            if (first >= 0 && first != k)
                return true;
            first = k;
        }
    return false;
}

static void set_target(const d2m_generic *g, uint32_t operand, const d2m_cores *cores,
                       int64_t target[2])
{
    ir_affine_map map = d2m_generic_map(g, operand);
    int64_t rank = d2m_generic_operand(g, operand)->type->count / 2;
    memcpy(target, cores->shape, 2 * sizeof *target);
    for (uint32_t k = 0; k < map->n_results; k++)
        if (map->results[k]->kind == IR_AFFINE_DIM && k + 2 >= rank && k < rank &&
            is_crossed(g, (uint32_t)map->results[k]->value))
            target[k + 2 - rank] = TW_MIN(cores->shape[0], cores->shape[1]);
}

/* ---- grids that fit each other ------------------------------------------------------- */

/* The largest factor up to `most` that divides the dimension in all inputs that have it. */
static int64_t common_factor(const d2m_generic *g, uint32_t dim, const d2m_shape *physical,
                             int64_t most)
{
    for (int64_t f = most; f > 1; f--) {
        bool divides = true;
        for (uint32_t i = 0; divides && i < g->n_inputs; i++)
            for (uint32_t k = 0; k < physical[i].n; k++)
                if (uses_dim_at(d2m_generic_map(g, i), dim, k))
                    divides &= physical[i].at[k] % f == 0;
        if (divides)
            return f;
    }
    return 1;
}

static void share_factors(const d2m_generic *g, const d2m_shape *physical, d2m_shape *grids)
{
    for (uint32_t dim = 0; dim < g->n_loops; dim++) {
        uint32_t uses = 0;
        int64_t most = 0;
        for (uint32_t i = 0; i < g->n_inputs; i++)
            for (uint32_t k = 0; k < grids[i].n; k++)
                if (uses_dim_at(d2m_generic_map(g, i), dim, k)) {
                    uses++;
                    most = TW_MAX(most, grids[i].at[k]);
                }
        if (uses < 2)
            continue;
        int64_t factor = common_factor(g, dim, physical, most);
        for (uint32_t i = 0; i < g->n_inputs; i++)
            for (uint32_t k = 0; k < grids[i].n; k++)
                if (uses_dim_at(d2m_generic_map(g, i), dim, k))
                    grids[i].at[k] = factor;
    }
}

/* The largest divisor of `wanted` that divides the size, too. */
static int64_t shared_divisor(int64_t size, int64_t wanted)
{
    int64_t f = wanted;
    while (size % f != 0 || wanted % f != 0)
        f--;
    return f;
}

/* True if no view of the tensor has that many shards along the dimension. */
static bool cannot_divide(ir_type type, uint32_t k, int64_t wanted)
{
    uint32_t n = type->count / 2;
    int64_t whole;
    return k >= n || __builtin_mul_overflow(type->dims[k], type->dims[n + k], &whole) ||
           whole % wanted != 0;
}

/* Inputs take the output's extents of shared loops, or parts of them; where an input cannot
 * be divided by these, the output takes what divides it. */
static void follow_output(const d2m_generic *g, const d2m_shape *physical,
                          d2m_shape *output, d2m_shape *grids)
{
    ir_affine_map out = d2m_generic_output_map(g);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < g->n_inputs; i++)
            for (uint32_t k = 0; k < grids[i].n; k++) {
                ir_affine_map map = d2m_generic_map(g, i);
                if (k >= map->n_results || map->results[k]->kind != IR_AFFINE_DIM)
                    continue;
                int64_t at = d2m_map_result_of(out, (uint32_t)map->results[k]->value);
                if (at < 0 || at >= output->n || output->at[at] <= 0)
                    continue;
                int64_t f = shared_divisor(physical[i].at[k], output->at[at]);
                grids[i].at[k] = f;
                if (f != output->at[at] &&
                    cannot_divide(d2m_generic_operand(g, i)->type, k, output->at[at]))
                    output->at[at] = f;
            }
    grids[g->n_inputs] = *output;
}

/* ---- composite views ---------------------------------------------------------------- */

static int64_t interval_with(const d2m_layout *l, int64_t dim)
{
    d2m_intervals intervals;
    d2m_layout_intervals(l, &intervals);
    for (uint32_t i = 0; i < intervals.n; i++)
        if (dim >= intervals.at[i][0] && dim < intervals.at[i][1])
            return i;
    return -1;
}

/* The grid of one input of rows: the composite's, but along the joined dimension no finer
 * than the input's tiles. */
static void rows_grid(const d2m_layout *l, int64_t dim, const int64_t target[2],
                      d2m_shape *grid)
{
    d2m_intervals intervals;
    int64_t at = interval_with(l, dim), cores[2];
    int64_t unit = dim + 2 >= l->logical.n ? D2M_TILE : 1;
    if (at < 0 || at >= grid->n)
        return;
    d2m_layout_intervals(l, &intervals);
    int64_t size = d2m_interval_size(l, intervals.at[at]);
    int64_t f = TW_MIN(grid->at[at], (l->logical.at[dim] + unit - 1) / unit);
    for (; f > 1; f--) {
        grid->at[at] = f;
        if (size % f == 0 && d2m_physical_grid(d2m_volume(grid), target, cores))
            return;
    }
    grid->at[at] = 1;
}

/* The type of one input of a composite view whose result is `out`. */
static ir_type part_type(ir_type in, ir_type out, int64_t dim, const d2m_grid_info *info)
{
    d2m_layout l, whole;
    d2m_shape grid = info->grid, physical;
    bool tiled = ttcore_is_tile(in->element);
    if (!d2m_layout_of(in, &l) || !d2m_layout_of(out, &whole) ||
        l.align.n != whole.align.n || dim < 0 || dim >= l.align.n)
        return NULL;
    l.align = whole.align;
    l.align.at[dim] = dim + 2 >= l.align.n ? D2M_TILE : 1;
    if (!tiled)
        rows_grid(&l, dim, info->target, &grid);
    else if (!d2m_physical_shape(&l, true, &physical) ||
             !d2m_choose_grid(in, &physical, info->target, &grid))
        return NULL;
    return d2m_device_tensor(in->element, &l, &grid);
}

static bool plan_parts(ir_op *view, d2m_grid_info *info, bool ttnn)
{
    ir_type out = view->results[0].type;
    ir_type whole = d2m_tensor_on_grid(out, &info->grid, ttnn, true);
    info->parts = tw_xmalloc((view->n_operands + 1) * sizeof *info->parts);
    for (uint32_t i = 0; i < view->n_operands; i++) {
        ir_type in = ir_op_operand(view, i)->type;
        d2m_layout l;
        info->parts[i] = NULL;
        if (!d2m_layout_of(in, &l))
            continue;
        info->parts[i] =
            whole ? part_type(in, whole, ir_op_int(view, "dim", 0), info) : NULL;
        if (!info->parts[i])
            return ir_op_error(view, "input %u has no grid that fits the composite's", i);
    }
    return true;
}

/* ---- the whole generic -------------------------------------------------------------- */

static bool choose(const d2m_generic *g, uint32_t i, bool ttnn, d2m_grid_info *info,
                   d2m_shape *physical)
{
    ir_value *v = d2m_generic_operand(g, i);
    int budget = 1000;
    d2m_layout l;
    if (!d2m_layout_of(v->type, &l))
        return ir_op_error(g->op, "GridSelection expects GenericOp inputs/outputs to have "
                                  "MetalLayoutAttr");
    if (!d2m_shape_to_divide(v->type, info->target, ttnn, physical) ||
        !d2m_choose_grid(v->type, physical, info->target, &info->grid) ||
        2 * info->grid.n != v->type->count)
        return ir_op_error(g->op, "no grid divides operand %u of type %s", i,
                           ir_type_text(g->op->ctx, v->type));
    if (d2m_generic_is_output(g, i) && !d2m_is_tiled(v->type) &&
        i - g->n_inputs < g->op->n_results)
        info->tiles = becomes_tiles(&g->op->results[i - g->n_inputs], &budget);
    const ir_op *source = d2m_to_layout_behind_views(v);
    if (source && !ir_op_is(ir_value_def(ir_op_operand(source, 0)),
                            TTIR_OP(ttnn_metal_layout_cast))) {
        d2m_shape behind;
        ir_type type = source->results[0].type;
        info->has_source = d2m_shape_to_divide(type, info->target, ttnn, &behind) &&
                           d2m_choose_grid(type, &behind, info->target, &info->source_grid);
    }
    return true;
}

/* Scalars beside tiles are padded like tiles, so that sizes stay multiples of them. */
static void share_padding(const d2m_generic *g, d2m_grid_info *infos)
{
    bool any = false;
    for (uint32_t i = 0; i < g->n_io; i++) {
        const ir_value *v = d2m_generic_operand(g, i);
        any |= infos[i].tiles || (!d2m_is_tiled(v->type) &&
                                  ir_op_is(ir_value_def(v), D2M_OP(composite_view)));
    }
    for (uint32_t i = 0; any && i < g->n_io; i++)
        if (!d2m_is_tiled(d2m_generic_operand(g, i)->type))
            infos[i].tiles = true;
}

static bool follows_others(const ir_value *v)
{
    const ir_op *op = ir_value_def(v);
    return !d2m_is_ttnn_operand(v) && ir_op_is(op, D2M_OP(view_layout)) &&
           !ir_op_bool(op, "reinterpretLayout");
}

bool d2m_plan_grids(const d2m_generic *g, const int64_t device[2], bool ttnn,
                    d2m_grid_plan *out)
{
    *out = (d2m_grid_plan){.generic = g->op,
                           .cores = d2m_cores_of(g->op, device),
                           .n = g->n_io,
                           .infos = calloc(g->n_io, sizeof *out->infos),
                           .normalized = calloc(g->n_io, sizeof *out->normalized)};
    d2m_shape *physical = calloc(g->n_io, sizeof *physical);
    bool fine = true;
    for (uint32_t i = 0; fine && i < g->n_io; i++) {
        set_target(g, i, &out->cores, out->infos[i].target);
        fine = choose(g, i, ttnn, &out->infos[i], &physical[i]);
        out->normalized[i] = out->infos[i].grid;
    }
    if (fine) {
        share_padding(g, out->infos);
        share_factors(g, physical, out->normalized);
        follow_output(g, physical, &out->infos[g->n_inputs].grid, out->normalized);
    }
    for (uint32_t i = 0; fine && i < g->n_io; i++) {
        ir_op *def = ir_value_def(d2m_generic_operand(g, i));
        if (follows_others(d2m_generic_operand(g, i)))
            out->infos[i].grid = out->normalized[i];
        if (ir_op_is(def, D2M_OP(composite_view)))
            fine = plan_parts(def, &out->infos[i], ttnn);
    }
    free(physical);
    return fine;
}

void d2m_grid_plan_free(d2m_grid_plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        free(plan->infos[i].parts);
    free(plan->infos);
    free(plan->normalized);
}
