/* topk_plan.c: plans how topk is divided: bands of the reduced dimension, whose results are
 * merged in steps, and slices of the other one, within the memory of a core. */
#include "d2m/generic.h"
#include "d2m/passes/grid_selection.h"
#include "d2m/topk.h"
#include "support/number.h"
#include "ttcore/ttcore_tile.h"
#include "ttnn/layout.h"

#include <stdlib.h>

enum { BUFFERS = 2, MAX_STEPS = 16 };

/* ---- memory ------------------------------------------------------------------------- */

typedef struct budget {
    int64_t usable, fixed, per_leaf_tile, per_merge_tile; /* bytes */
} budget;

static bool is_constant_map(ir_affine_map map)
{
    for (uint32_t i = 0; i < map->n_results; i++)
        if (map->results[i]->kind != IR_AFFINE_CONSTANT)
            return false;
    return true;
}

static bool read_budget(const d2m_generic *g, budget *out)
{
    *out = (budget){.usable = ttnn_chip_int(g->op, "l1Size", 0) -
                              ttnn_chip_int(g->op, "l1UnreservedBase", 0)};
    for (uint32_t i = 0; i < g->n_io; i++) {
        ir_type t = d2m_generic_operand(g, i)->type;
        int64_t bytes = d2m_element_bytes(t->element) * BUFFERS;
        d2m_shape shard;
        d2m_half_of(t, true, &shard);
        /* The planned chain has a leaf of its own, so fixed buffers count twice. */
        if (is_constant_map(d2m_generic_map(g, i)))
            out->fixed += 2 * bytes * d2m_volume(&shard);
        else
            out->per_leaf_tile += bytes;
        if (d2m_generic_is_output(g, i))
            out->per_merge_tile += bytes;
    }
    return out->per_leaf_tile > 0 && out->per_merge_tile > 0;
}

/* ---- the split ---------------------------------------------------------------------- */

typedef struct topk_split {
    int64_t bands, slices;
    int64_t kept;            /* tiles of the reduced dimension that a result has */
    int64_t reduced, others; /* tiles with padding */
    int64_t steps[MAX_STEPS];
    uint32_t n_steps;
} topk_split;

typedef struct topk_search {
    budget memory;
    int64_t reduced, others; /* tiles */
    int64_t device[2];
    int64_t most_per_core, band_limit, slice_limit;
    topk_split found;
} topk_search;

static int64_t tiles(int64_t elements)
{
    return elements / D2M_TILE + (elements % D2M_TILE != 0);
}

static bool is_placeable(const topk_search *s, int64_t cores)
{
    int64_t grid[2];
    return d2m_physical_grid(cores, s->device, grid);
}

/* The counts of groups that merge the bands step by step, each with at most `cap` bands
 * in a group; false if a step has none. */
static bool plan_steps(topk_search *s, int64_t bands, int64_t cap)
{
    s->found.n_steps = 0;
    while (bands > 1) {
        int64_t groups = 1;
        while (groups < bands &&
               (bands % groups || bands / groups > cap || !is_placeable(s, groups)))
            groups++;
        if (groups == bands || s->found.n_steps == MAX_STEPS)
            return false;
        s->found.steps[s->found.n_steps++] = groups;
        bands = groups;
    }
    return true;
}

static bool accept(topk_search *s, int64_t bands, int64_t slices)
{
    int64_t band = bands == 1 ? TW_MAX(s->reduced, 2) : tw_ceil_div(s->reduced, bands);
    int64_t slice = tw_ceil_div(s->others, slices), held;
    s->found.n_steps = 0;
    if ((bands > 1 && band < 2) || __builtin_mul_overflow(band, slice, &held) ||
        held > s->most_per_core)
        return false;
    if (bands > 1 && slices > 1 ? bands > s->band_limit || slices > s->slice_limit
                                : !is_placeable(s, bands * slices))
        return false;
    if (bands > 1) {
        int64_t rest = s->memory.usable - s->memory.fixed - held * s->memory.per_leaf_tile;
        if (!plan_steps(s, bands,
                        rest / (s->memory.per_merge_tile * s->found.kept * slice)))
            return false;
    }
    s->found.bands = bands;
    s->found.slices = slices;
    s->found.reduced = bands * band;
    s->found.others = slices * slice;
    return true;
}

/* Powers of two first: their merges take the fewest steps. */
static bool scan_bands(topk_search *s, int64_t last, int64_t last_slice)
{
    for (int pass = 0; pass < 2; pass++)
        for (int64_t bands = 2; bands <= last; bands++) {
            if (pass == 0 && (bands & (bands - 1)))
                continue;
            for (int64_t slices = last_slice > 1 ? 2 : 1; slices <= last_slice; slices++)
                if (accept(s, bands, slices))
                    return true;
        }
    return false;
}

static bool find_split(topk_search *s)
{
    int64_t cores = s->device[0] * s->device[1];
    if (accept(s, 1, 1) || scan_bands(s, cores, 1))
        return true;
    for (int64_t slices = TW_MIN(s->others, cores); slices >= 2; slices--)
        if (accept(s, 1, slices))
            return true;
    return s->slice_limit > 1 && scan_bands(s, s->band_limit, s->slice_limit);
}

/* ---- buffers ------------------------------------------------------------------------ */

typedef struct buffer_list {
    ir_attr at[8 + 6 * MAX_STEPS];
    uint32_t n;
} buffer_list;

typedef struct planning {
    ir_op *leaf;
    d2m_cores cores;
    ir_type value, index, user_index; /* tiles */
    int64_t space, dim;
    buffer_list buffers;
} planning;

/* #d2m.topk_placement of a device tensor; NULL after an error. */
static ir_attr placement(planning *p, ir_type type)
{
    ir_context *ctx = type->ctx;
    d2m_shape grid;
    d2m_virtual_grid maps;
    d2m_half_of(type, false, &grid);
    if (!d2m_grid_maps(p->leaf, &grid, &p->cores, &maps))
        return NULL;
    ir_attr params[] = {ir_type_attr(type), d2m_grid_attr(ctx, &grid, maps),
                        maps.forward ? ir_affine_map_attr(ctx, maps.forward) : NULL,
                        maps.inverse ? ir_affine_map_attr(ctx, maps.inverse) : NULL};
    return ir_dialect_attr(ctx, D2M_ATTR(topk_placement), params, TW_COUNT(params));
}

static bool add(planning *p, ir_type element, const int64_t shape[4], const d2m_layout *l)
{
    ir_type type = ir_tensor_type(element, shape, 4, d2m_layout_attr(element->ctx, l));
    ir_attr made = placement(p, type);
    p->buffers.at[p->buffers.n++] = made;
    return made != NULL;
}

static bool add_pair(planning *p, const int64_t shape[4], const d2m_layout *l)
{
    return add(p, p->value, shape, l) && add(p, p->index, shape, l);
}

/* A layout whose dimension i is padded to that many tiles. */
static d2m_layout tile_layout(const planning *p, const d2m_shape *logical,
                              const int64_t counts[2])
{
    d2m_layout l = d2m_layout_make(p->value->ctx, logical, p->space,
                                   TTCORE_TensorMemoryLayout_Sharded, true);
    for (int i = 0; i < 2; i++)
        l.align.at[i] = counts[i] * D2M_TILE;
    return l;
}

/* The logical shape of a narrower result is what its tiles hold. */
static void fit_logical(d2m_layout *l, const int64_t shape[4])
{
    for (int i = 0; i < 2; i++)
        l->logical.at[i] = shape[i] * shape[2 + i] * D2M_TILE;
}

/* The device shape of a layout over a grid. */
static bool device_shape(const planning *p, const d2m_layout *l, const int64_t grid[2],
                         int64_t out[4])
{
    d2m_shape g = {{grid[0], grid[1]}, 2};
    ir_type t = d2m_device_tensor(p->value, l, &g);
    if (t)
        memcpy(out, t->dims, 4 * sizeof *out);
    return t || ir_op_error(p->leaf, "topk cannot be divided over a grid of %lldx%lld",
                            (long long)grid[0], (long long)grid[1]);
}

static bool plan_merges(planning *p, const topk_split *s, int64_t level[4], d2m_layout *l)
{
    int64_t bands = s->bands;
    for (uint32_t r = 0; r < s->n_steps; r++) {
        int64_t groups = s->steps[r];
        level[p->dim] = groups;
        level[2 + p->dim] = bands / groups * s->kept;
        fit_logical(l, level);
        /* What is gathered, then what is merged: a generic reads one composite view. */
        for (int pair = 0; pair < 2; pair++)
            if (!add_pair(p, level, l))
                return false;
        level[2 + p->dim] = s->kept;
        fit_logical(l, level);
        if (!add_pair(p, level, l))
            return false;
        bands = groups;
    }
    return true;
}

static bool plan_extract(planning *p, const topk_split *s, const d2m_shape *input,
                         int64_t k)
{
    d2m_shape logical = *input;
    int64_t grid[2] = {1, 1}, counts[2], shape[4];
    bool sliced = s->slices > 1, casts = p->dim == 0;
    logical.at[p->dim] = k;
    grid[1 - p->dim] = sliced ? s->slices : 1;
    counts[p->dim] = s->kept;
    counts[1 - p->dim] = sliced ? s->others : tiles(input->at[1 - p->dim]);
    d2m_layout l = tile_layout(p, &logical, counts);
    return device_shape(p, &l, grid, shape) && add(p, p->value, shape, &l) &&
           add(p, casts ? p->user_index : p->index, shape, &l) &&
           (casts || add(p, p->user_index, shape, &l));
}

/* All buffers in the order in which d2m-build-topk-chain makes them; the type of the leaf's
 * input goes to *type. */
static bool plan_buffers(planning *p, const topk_split *s, const d2m_shape *input,
                         int64_t k, ir_type *type)
{
    int64_t grid[2], counts[2], shape[4];
    grid[p->dim] = s->bands;
    grid[1 - p->dim] = s->slices;
    counts[p->dim] = s->reduced;
    counts[1 - p->dim] = s->others;
    d2m_layout l = tile_layout(p, input, counts);
    d2m_shape one = {{1, 1}, 2};
    d2m_layout scratch = d2m_layout_make(p->value->ctx, &one, TTCORE_MemorySpace_DeviceL1,
                                         TTCORE_TensorMemoryLayout_Sharded, true);
    int64_t scratch_shape[] = {grid[0], grid[1], 1, 1};
    if (!device_shape(p, &l, grid, shape))
        return false;
    *type = ir_tensor_type(p->value, shape, 4, d2m_layout_attr(p->value->ctx, &l));
    if ((p->dim == 1 && !add(p, p->value, shape, &l)) ||
        !add(p, p->index, scratch_shape, &scratch) || !add_pair(p, shape, &l))
        return false;
    if (s->bands > 1) {
        shape[2 + p->dim] = s->kept;
        fit_logical(&l, shape);
        if (!add_pair(p, shape, &l))
            return false;
    }
    return plan_merges(p, s, shape, &l) && plan_extract(p, s, input, k);
}

/* ---- the leaf ----------------------------------------------------------------------- */

/* Lays out and, if there is padding, masks the input as planned. */
static bool place_input(planning *p, ir_value *input, ir_type type)
{
    ir_context *ctx = type->ctx;
    ir_builder b = ir_builder_before(p->leaf);
    d2m_virtual_grid maps;
    d2m_shape grid;
    d2m_layout l;
    bool padded = false;
    d2m_half_of(type, false, &grid);
    if (!d2m_grid_maps(p->leaf, &grid, &p->cores, &maps) || !d2m_layout_of(type, &l))
        return false;
    ir_value *operands[] = {input, d2m_build_empty(&b, type, maps)};
    ir_value *made = ir_build1(&b, D2M_OP(to_layout), type, operands, 2, NULL, 0);
    for (int i = 0; i < 2; i++)
        padded |= type->dims[i] * type->dims[2 + i] * D2M_TILE > l.logical.at[i];
    if (padded) {
        ir_value *masked[] = {made, d2m_build_empty(&b, type, maps)};
        made =
            ir_build1(&b, D2M_OP(mask), type, masked, 2,
                      IR_ATTRS({"logicalShape", ir_dense_i64_array(ctx, l.logical.at, 2)},
                               {"fill_value", ir_enum_attr(ctx, TTCORE_ATTR(oob_val),
                                                           TTCORE_OOBVal_NegInf)}));
    }
    ir_op_set_attr(ir_value_def(made), D2M_TOPK_INPUT, ir_unit_attr(ctx));
    return true;
}

static bool plan_leaf(ir_op *leaf, const int64_t device[2])
{
    ir_context *ctx = leaf->ctx;
    ir_op *block = d2m_topk_block_of(leaf);
    d2m_generic g;
    planning p = {.leaf = leaf,
                  .cores = d2m_cores_of(leaf, device),
                  .dim = ir_op_int(block, "dim", 0)};
    ir_attr user_index = ir_op_attr(leaf, D2M_TOPK_INDEX_TYPE);
    int64_t k = ir_op_int(block, "k", 1);
    d2m_layout l;
    d2m_shape shape;
    ir_value *input = d2m_topk_input_of(leaf);
    if (!d2m_generic_read(leaf, &g))
        return false;
    if (!input || !d2m_shape_of(input->type, &shape) || shape.n != 2 ||
        !d2m_layout_of(ir_op_operand(leaf, 0)->type, &l) || p.dim < 0 || p.dim > 1 ||
        k < 1 || d2m_volume(&shape) <= 0 || d2m_length(g.maps) != g.n_io)
        return ir_op_error(block, "reads no laid out matrix");
    if (!ir_attr_is(user_index, IR_ATTR_TYPE))
        return ir_op_error(leaf, "topk leaf carries no " D2M_TOPK_INDEX_TYPE);
    p.space = l.space;
    p.value = ttcore_tile_of(input->type->element);
    p.index = ttcore_tile_of(ir_integer_type(ctx, 32, IR_SIGNLESS));
    p.user_index = ttcore_tile_of(user_index->type);
    topk_search s = {.reduced = tiles(shape.at[p.dim]),
                     .others = tiles(shape.at[1 - p.dim]),
                     .device = {device[0], device[1]},
                     .band_limit = p.dim == 1 ? device[1] : TW_MIN(device[0], device[1]),
                     .slice_limit = p.dim == 1 ? device[0] : device[1],
                     .found = {.kept = tiles(k)}};
    if (!p.value || !p.user_index || !read_budget(&g, &s.memory))
        return ir_op_error(block, "topk leaf has no shard-sized operand");
    s.most_per_core =
        TW_MAX((s.memory.usable - s.memory.fixed) / s.memory.per_leaf_tile, 1);
    if (!find_split(&s))
        return ir_op_error(block, "D2M topk: no split of the reduction and non-target "
                                  "dimensions fits the per-core tile budget with a merge "
                                  "tree this worker grid can hold");
    ir_type type;
    if (!plan_buffers(&p, &s.found, &shape, k, &type) || !place_input(&p, input, type))
        return false;
    ir_attr steps[MAX_STEPS];
    for (uint32_t i = 0; i < s.found.n_steps; i++)
        steps[i] = ir_raw_int(ctx, s.found.steps[i]);
    ir_attr params[] = {ir_raw_int(ctx, s.found.bands), ir_raw_int(ctx, s.found.slices),
                        ir_array_attr(ctx, steps, s.found.n_steps),
                        ir_array_attr(ctx, p.buffers.at, p.buffers.n)};
    ir_op_set_attr(leaf, D2M_TOPK_PLAN,
                   ir_dialect_attr(ctx, D2M_ATTR(topk_plan), params, TW_COUNT(params)));
    return true;
}

bool d2m_plan_topk(ir_op *module, const int64_t device[2])
{
    ir_op_list leaves = ir_ops_outside(module, d2m_is_topk_leaf, d2m_is_generic);
    bool fine = true;
    for (size_t i = 0; fine && i < leaves.n; i++)
        fine = plan_leaf(leaves.at[i], device);
    ir_op_list_free(&leaves);
    return fine;
}
