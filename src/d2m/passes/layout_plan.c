/* layout_plan.c: plans the steps from one layout of a tensor to another. */
#include "d2m/passes/layout_plan.h"

#include "ttcore/ttcore_tile.h"

/* ---- states ------------------------------------------------------------------------- */

d2m_layout_state d2m_layout_state_of(const ir_value *v)
{
    const ir_op *op = ir_value_def(v);
    ir_attr map = ir_op_is(op, D2M_OP(view_layout)) ? ir_op_attr(op, "remapping") : NULL;
    return (d2m_layout_state){.type = v->type,
                              .remapping =
                                  ir_attr_is(map, IR_ATTR_AFFINE_MAP) ? map->map : NULL,
                              .maps = d2m_virtual_grid_of(v)};
}

static bool has_layout(const d2m_layout_state *s)
{
    return d2m_is_metal_layout(s->type->encoding);
}

static bool is_in(const d2m_layout_state *s, int64_t space)
{
    d2m_layout l;
    return d2m_layout_of(s->type, &l) && l.space == space;
}

static bool is_in_dram(const d2m_layout_state *s)
{
    return is_in(s, TTCORE_MemorySpace_DeviceDRAM);
}

static bool is_in_l1(const d2m_layout_state *s)
{
    return is_in(s, TTCORE_MemorySpace_DeviceL1);
}

static bool is_on_host(const d2m_layout_state *s)
{
    return !has_layout(s) || is_in(s, TTCORE_MemorySpace_System);
}

static bool has_map(ir_affine_map map)
{
    return map && map->n_results > 0;
}

static bool same_maps(const d2m_layout_state *a, const d2m_layout_state *b)
{
    return a->maps.forward == b->maps.forward && a->maps.inverse == b->maps.inverse;
}

/* Which parts of two layouts are equal. */
typedef struct comparison {
    bool grid, logical, align, intervals, space, memory;
} comparison;

static comparison compare(ir_type a, ir_type b)
{
    d2m_layout x, y;
    d2m_shape g, h;
    if (!d2m_layout_of(a, &x) || !d2m_layout_of(b, &y))
        return (comparison){0};
    d2m_half_of(a, false, &g);
    d2m_half_of(b, false, &h);
    return (comparison){.grid = d2m_shape_equal(&g, &h),
                        .logical = d2m_shape_equal(&x.logical, &y.logical),
                        .align = d2m_shape_equal(&x.align, &y.align),
                        .intervals = x.intervals == y.intervals,
                        .space = x.space == y.space,
                        .memory = x.memory == y.memory};
}

bool d2m_only_reblocks(ir_type from, ir_type to)
{
    comparison c = compare(from, to);
    return c.logical && c.align && c.intervals &&
           ir_type_num_elements(from) == ir_type_num_elements(to);
}

/* True if the buffer of one, as it is, is one of the other. */
static bool is_retagged(ir_type from, ir_type to)
{
    comparison c = compare(from, to);
    return from->element == to->element && from->count == to->count &&
           memcmp(from->dims, to->dims, from->count * sizeof *from->dims) == 0 && c.grid &&
           c.logical && c.align && c.space && c.memory;
}

/* A generic that only moves data cannot read DRAM and write DRAM: the tensor goes by way of
 * L1, unless nothing moves or each core converts its own shard. */
static bool needs_bounce(const d2m_layout_state *from, const d2m_layout_state *to)
{
    if (!is_in_dram(from) || !is_in_dram(to))
        return false;
    comparison c = compare(from->type, to->type);
    bool maps = same_maps(from, to), view = from->remapping == to->remapping;
    bool type = from->type == to->type || is_retagged(from->type, to->type);
    bool unmoved = c.grid && c.logical && c.intervals && c.align && c.memory;
    if (maps && view && type)
        return false;
    if (maps && view && unmoved && d2m_is_tiled(from->type) != d2m_is_tiled(to->type))
        return false;
    return !(maps && !has_map(from->remapping) && has_map(to->remapping) && type);
}

/* ---- types -------------------------------------------------------------------------- */

/* The elements that tiles of a type are made from; of block floats the nearest format. */
static ir_type scalar_of(ir_type element)
{
    ir_context *ctx = element->ctx;
    switch (ttcore_tile_data_type(element)) {
    case TTCORE_DataType_BFP_Float8:
    case TTCORE_DataType_BFP_Float4:
    case TTCORE_DataType_BFP_Float2:
        return ir_float_type(ctx, IR_F32);
    case TTCORE_DataType_BFP_BFloat8:
    case TTCORE_DataType_BFP_BFloat4:
    case TTCORE_DataType_BFP_BFloat2:
        return ir_float_type(ctx, IR_BF16);
    case -1:
        return element;
    default:
        return element->def->element(element);
    }
}

/* The device tensor with the layout of one and a memory, the grid of another, and other
 * elements; NULL if it does not divide. */
static ir_type variant(ir_type layout_of, int64_t space, ir_type grid_of, ir_type element)
{
    d2m_layout l;
    d2m_shape grid;
    if (!element || !d2m_layout_of(layout_of, &l))
        return NULL;
    l.space = space;
    d2m_half_of(grid_of, false, &grid);
    return d2m_device_tensor(element, &l, &grid);
}

/* The device tensor in another memory with other elements, in its own shape: in elements
 * where it was in tiles. */
static ir_type elsewhere(ir_type t, int64_t space, ir_type element)
{
    d2m_layout l;
    int64_t dims[2 * D2M_MAX_RANK];
    if (!element || !d2m_layout_of(t, &l) || t->count > TW_COUNT(dims) || t->count < 2)
        return NULL;
    l.space = space;
    memcpy(dims, t->dims, t->count * sizeof *dims);
    for (uint32_t k = 1; k <= 2 && d2m_is_tiled(t) && !ttcore_is_tile(element); k++)
        if (__builtin_mul_overflow(dims[t->count - k], D2M_TILE, &dims[t->count - k]))
            return NULL;
    return ir_tensor_type(element, dims, t->count, d2m_layout_attr(t->ctx, &l));
}

static int64_t space_of(ir_type t)
{
    d2m_layout l;
    return d2m_layout_of(t, &l) ? l.space : -1;
}

/* ---- steps -------------------------------------------------------------------------- */

typedef struct planner {
    d2m_layout_plan *plan;
    d2m_layout_state at;
    const d2m_layout_state *to;
    bool failed;
} planner;

/* Adds a step into a buffer; `view`: the result is still seen by that map. */
static void add(planner *p, d2m_step_kind kind, ir_type type, d2m_virtual_grid maps,
                ir_affine_map view)
{
    if (!type || p->failed || p->plan->n == D2M_MAX_STEPS) {
        p->failed = true;
        return;
    }
    d2m_step *step = &p->plan->at[p->plan->n++];
    *step = (d2m_step){kind, p->at.type, {type, NULL, maps}};
    p->at = (d2m_layout_state){type, view, maps};
}

static void enter_device(planner *p)
{
    const d2m_layout_state *to = p->to;
    if (!has_layout(&p->at) && has_layout(to))
        add(p, D2M_STEP_HOST_TO_DEVICE,
            variant(to->type, space_of(to->type), to->type, scalar_of(p->at.type->element)),
            to->maps, NULL);
}

static void enter_l1(planner *p)
{
    const d2m_layout_state *to = p->to;
    d2m_layout l;
    if (needs_bounce(&p->at, to))
        add(p, D2M_STEP_DRAM_TO_L1,
            variant(p->at.type, TTCORE_MemorySpace_DeviceL1, p->at.type,
                    p->at.type->element),
            p->at.maps, p->at.remapping);
    if (is_in_dram(&p->at) && has_layout(to) && !is_in_dram(to) &&
        d2m_layout_of(p->at.type, &l)) {
        bool interleaved = l.memory == TTCORE_TensorMemoryLayout_Interleaved;
        add(p, D2M_STEP_DRAM_TO_L1,
            variant(to->type, TTCORE_MemorySpace_DeviceL1,
                    interleaved ? to->type : p->at.type, p->at.type->element),
            to->maps, NULL);
    }
}

static void convert_format(planner *p)
{
    const d2m_layout_state *to = p->to;
    bool tiled = d2m_is_tiled(to->type);
    if (!p->failed && has_layout(&p->at) && d2m_is_tiled(p->at.type) != tiled)
        add(p, tiled ? D2M_STEP_TILIZE : D2M_STEP_UNTILIZE,
            variant(p->at.type, space_of(p->at.type), p->at.type, to->type->element),
            p->at.maps, p->at.remapping);
}

static void leave_l1(planner *p, bool any_size)
{
    const d2m_layout_state *to = p->to;
    if (has_layout(&p->at) && !is_in_dram(&p->at) && is_in_dram(to) &&
        (any_size || ir_type_num_elements(p->at.type) == ir_type_num_elements(to->type)))
        add(p, D2M_STEP_L1_TO_DRAM, to->type, to->maps, NULL);
}

/* Another padding of tiles: the rows of elements move, so tiles become rows first. */
static void reshard_tiles(planner *p)
{
    const d2m_layout_state *to = p->to;
    const int64_t l1 = TTCORE_MemorySpace_DeviceL1;
    ir_type scalar = scalar_of(p->at.type->element);
    add(p, D2M_STEP_UNTILIZE, elsewhere(p->at.type, space_of(p->at.type), scalar),
        p->at.maps, NULL);
    add(p, D2M_STEP_RESHARD, variant(to->type, l1, to->type, scalar), to->maps, NULL);
    add(p, D2M_STEP_TILIZE, variant(to->type, l1, to->type, to->type->element), to->maps,
        NULL);
}

static void reshard(planner *p)
{
    const d2m_layout_state *to = p->to;
    if (!has_layout(to) || !is_in_l1(&p->at) ||
        d2m_is_tiled(p->at.type) != d2m_is_tiled(to->type))
        return;
    comparison c = compare(p->at.type, to->type);
    if (c.grid && c.logical && c.intervals && c.align)
        return;
    if (d2m_is_tiled(to->type) && !d2m_only_reblocks(p->at.type, to->type))
        reshard_tiles(p);
    else
        add(p, D2M_STEP_RESHARD,
            elsewhere(to->type, TTCORE_MemorySpace_DeviceL1, p->at.type->element), to->maps,
            NULL);
}

static void finish(planner *p)
{
    const d2m_layout_state *to = p->to;
    bool stale = has_map(p->at.remapping) && p->at.remapping != to->remapping;
    /* On the way to the host the view and the virtual grid are used as they are. */
    if (!is_on_host(to) && (!same_maps(&p->at, to) || stale))
        add(p, D2M_STEP_REBUFFER, p->at.type, to->maps, NULL);
    if (!p->failed && p->at.remapping != to->remapping && has_map(to->remapping)) {
        add(p, D2M_STEP_REMAP, p->at.type, p->at.maps, to->remapping);
        if (!p->failed)
            p->plan->at[p->plan->n - 1].to.remapping = to->remapping;
    }
    if (!p->failed && has_layout(&p->at) && !has_layout(to))
        add(p, D2M_STEP_DEVICE_TO_HOST, to->type, (d2m_virtual_grid){0}, NULL);
}

/* ---- fewer steps -------------------------------------------------------------------- */

/* Tiles made and unmade, or the reverse, if the type is the same as before. */
static bool cancels(const d2m_step *a, const d2m_step *b)
{
    return ((a->kind == D2M_STEP_TILIZE && b->kind == D2M_STEP_UNTILIZE) ||
            (a->kind == D2M_STEP_UNTILIZE && b->kind == D2M_STEP_TILIZE)) &&
           a->input == b->to.type;
}

static void drop(d2m_layout_plan *plan, size_t at, size_t n)
{
    memmove(&plan->at[at], &plan->at[at + n], (plan->n - at - n) * sizeof *plan->at);
    plan->n -= n;
}

static void minimize(d2m_layout_plan *plan)
{
    for (size_t i = 0; i + 1 < plan->n;) {
        const d2m_step *a = &plan->at[i], *b = &plan->at[i + 1];
        bool both = cancels(a, b);
        if (both || (a->kind == D2M_STEP_RESHARD && b->kind == D2M_STEP_RESHARD)) {
            drop(plan, i, both ? 2 : 1);
            i = 0;
        } else {
            i++;
        }
    }
}

bool d2m_plan_layouts(const d2m_layout_state *from, const d2m_layout_state *to,
                      d2m_layout_plan *out)
{
    planner p = {.plan = out, .at = *from, .to = to};
    out->n = 0;
    enter_device(&p);
    enter_l1(&p);
    convert_format(&p);
    leave_l1(&p, false);
    if (!p.failed && is_retagged(p.at.type, to->type))
        p.at.type = to->type;
    if (!p.failed)
        reshard(&p);
    if (!p.failed)
        leave_l1(&p, true);
    if (!p.failed)
        finish(&p);
    minimize(out);
    return !p.failed;
}
