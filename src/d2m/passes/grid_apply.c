/* grid_apply.c: rebuilds layouts, views, masks and generics over the grids chosen. */
#include "d2m/passes/grid_choice.h"
#include "d2m/passes/grid_selection.h"
#include "ttcore/ttcore_tile.h"
#include "ttir/ttir.h"

#include <stdlib.h>

typedef struct applying {
    const d2m_grid_plan *plan;
    bool ttnn;
} applying;

/* The value as that type, by a view if it has another one; NULL if there is none. */
static ir_value *view_as(ir_builder *b, ir_value *v, ir_type type)
{
    return v->type == type ? v : d2m_build_view(b, v, type);
}

/* ---- grids on cores ----------------------------------------------------------------- */

/* The maps moved by the first core of a region. */
static d2m_virtual_grid moved(ir_context *ctx, d2m_virtual_grid maps,
                              const int64_t offset[2])
{
    ir_affine results[2 + D2M_MAX_RANK], dims[2];
    for (uint32_t i = 0; i < maps.forward->n_results; i++)
        results[i] = i < 2 ? ir_affine_binary(ctx, IR_AFFINE_ADD, maps.forward->results[i],
                                              ir_affine_constant(ctx, offset[i]))
                           : maps.forward->results[i];
    ir_affine_map forward =
        ir_affine_map_get(ctx, maps.forward->n_dims, 0, results, maps.forward->n_results);
    for (int i = 0; i < 2; i++)
        dims[i] = ir_affine_binary(ctx, IR_AFFINE_ADD, ir_affine_dim(ctx, i),
                                   ir_affine_constant(ctx, -offset[i]));
    for (uint32_t i = 0; i < maps.inverse->n_results; i++)
        results[i] = ir_affine_replace(ctx, maps.inverse->results[i], dims, NULL);
    return (d2m_virtual_grid){
        forward, ir_affine_map_get(ctx, 2, 0, results, maps.inverse->n_results)};
}

bool d2m_grid_maps(ir_op *at, const d2m_shape *grid, const d2m_cores *cores,
                   d2m_virtual_grid *out)
{
    ir_context *ctx = at->ctx;
    bool has_offset = cores->offset[0] || cores->offset[1];
    *out = (d2m_virtual_grid){0};
    if (d2m_needs_virtual_grid(grid, cores->shape)) {
        int64_t physical[2];
        if (!d2m_physical_grid(d2m_volume(grid), cores->shape, physical))
            return ir_op_error(at,
                               "Unable to find 2D rect that can fit virtual grid %s within "
                               "device grid %lldx%lld",
                               d2m_shape_text(ctx, grid), (long long)cores->shape[0],
                               (long long)cores->shape[1]);
        *out = d2m_virtual_maps(ctx, grid, physical);
    } else if (has_offset) {
        ir_affine inverse[] = {ir_affine_constant(ctx, 0), ir_affine_dim(ctx, 0),
                               ir_affine_dim(ctx, 1)};
        *out = (d2m_virtual_grid){ir_affine_identity(ctx, 4),
                                  ir_affine_map_get(ctx, 2, 0, inverse, 3)};
    }
    if (has_offset && out->forward)
        *out = moved(ctx, *out, cores->offset);
    return true;
}

/* A new d2m.empty of the type over the grid, at the builder. */
static ir_value *build_empty(const applying *a, ir_builder *b, ir_type type,
                             const d2m_shape *grid)
{
    d2m_virtual_grid maps;
    if (!d2m_grid_maps(a->plan->generic, grid, &a->plan->cores, &maps))
        return NULL;
    return d2m_build_empty(b, type, maps);
}

static void erase_if_unused(ir_op *op)
{
    if (op && op->def == D2M_OP(empty) && ir_op_is_unused(op))
        ir_op_erase(op);
}

static bool cannot(const applying *a, ir_type type, const d2m_shape *grid)
{
    return ir_op_error(a->plan->generic, "%s cannot be divided over the grid %s",
                       ir_type_text(type->ctx, type), d2m_shape_text(type->ctx, grid));
}

static bool is_ones(const d2m_shape *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i] > 1)
            return false;
    return true;
}

/* ---- producers ---------------------------------------------------------------------- */

/* True if the value came from tiles through layouts and views. */
static bool was_tiles(const ir_value *v)
{
    for (int steps = 0; steps < 1000 && ir_type_is_tensor(v->type); steps++) {
        const ir_op *op = ir_value_def(v);
        if (d2m_is_tiled(v->type))
            return true;
        if (!ir_op_is(op, D2M_OP(view_layout)) && !ir_op_is(op, D2M_OP(to_layout)))
            return false;
        v = ir_op_operand(op, 0);
    }
    return false;
}

static ir_value *build_to_layout(ir_builder *b, ir_value *in, ir_value *out)
{
    ir_value *operands[] = {in, out};
    return ir_build1(b, D2M_OP(to_layout), out->type, operands, 2, NULL, 0);
}

/* Lays the tensor out over the grid, with a view of the old grid for its users. */
static bool regrid_to_layout(const applying *a, ir_op *op, const d2m_shape *grid)
{
    ir_op *empty = ir_value_def(ir_op_operand(op, 1));
    ir_type type = op->results[0].type;
    d2m_shape old;
    if (!ir_op_is(empty, D2M_OP(empty)) || !d2m_is_metal_layout(type->encoding) ||
        is_ones(grid))
        return true;
    d2m_half_of(type, false, &old);
    if (d2m_shape_equal(&old, grid))
        return true;
    bool tiles = !d2m_is_tiled(type) && was_tiles(ir_op_operand(op, 0));
    ir_type made = d2m_tensor_on_grid(type, grid, a->ttnn, tiles);
    ir_type viewed = made ? d2m_reblocked(made, &old) : NULL;
    if (!viewed)
        return cannot(a, type, grid);
    ir_builder before_empty = ir_builder_before(empty), b = ir_builder_before(op);
    ir_value *out = build_empty(a, &before_empty, made, grid);
    if (!out)
        return false;
    ir_value *laid_out = build_to_layout(&b, ir_op_operand(op, 0), out);
    ir_value_replace_uses(&op->results[0], view_as(&b, laid_out, viewed));
    ir_op_erase(op);
    erase_if_unused(empty);
    return true;
}

static bool regrid_mask(const applying *a, ir_op *op, const d2m_grid_info *info)
{
    ir_op *producer = ir_value_def(ir_op_operand(op, 0));
    ir_op *old_empty = ir_value_def(ir_op_operand(op, 1));
    ir_type old = op->results[0].type;
    if (ir_op_is(producer, D2M_OP(view_layout)))
        producer = ir_value_def(ir_op_operand(producer, 0));
    if (ir_op_is(producer, D2M_OP(to_layout)) &&
        !regrid_to_layout(a, producer, &info->grid))
        return false;
    ir_type type = d2m_tensor_on_grid(old, &info->grid, a->ttnn, info->tiles);
    if (!type)
        return cannot(a, old, &info->grid);
    if (type == old)
        return true;
    ir_builder b = ir_builder_before(op);
    ir_value *in = view_as(&b, ir_op_operand(op, 0), type);
    if (!in)
        return cannot(a, old, &info->grid);
    ir_value *operands[] = {in, build_empty(a, &b, type, &info->grid)};
    if (!operands[1])
        return false;
    ir_value *made = ir_build1(&b, D2M_OP(mask), type, operands, 2,
                               IR_ATTRS({"logicalShape", ir_op_attr(op, "logicalShape")},
                                        {"fill_value", ir_op_attr(op, "fill_value")}));
    ir_value_replace_uses(&op->results[0], made);
    ir_op_erase(op);
    erase_if_unused(old_empty);
    return true;
}

static bool regrid_empty(const applying *a, ir_op *op, const d2m_grid_info *info)
{
    ir_builder b = ir_builder_before(op);
    ir_type old = op->results[0].type;
    ir_type type = d2m_tensor_on_grid(old, &info->grid, a->ttnn, info->tiles);
    if (!type)
        return cannot(a, old, &info->grid);
    ir_value *made = build_empty(a, &b, type, &info->grid);
    if (!made)
        return false;
    ir_value_replace_uses(&op->results[0], made);
    ir_op_erase(op);
    return true;
}

/* An input of a composite view as that type: its only producer rebuilt, or a view. */
static ir_value *regrid_part(const applying *a, ir_op *view, ir_value *in, ir_type type)
{
    ir_op *op = ir_value_def(in);
    ir_op *empty =
        ir_op_is(op, D2M_OP(to_layout)) ? ir_value_def(ir_op_operand(op, 1)) : NULL;
    d2m_shape grid;
    ir_builder b = ir_builder_before(view);
    if (!ir_value_has_one_use(in) || !ir_op_is(empty, D2M_OP(empty)))
        return view_as(&b, in, type);
    d2m_half_of(type, false, &grid);
    ir_builder before_empty = ir_builder_before(empty);
    b = ir_builder_before(op);
    ir_value *out = build_empty(a, &before_empty, type, &grid);
    if (!out)
        return NULL;
    ir_value *made = build_to_layout(&b, ir_op_operand(op, 0), out);
    ir_value_replace_uses(in, made);
    ir_op_erase(op);
    erase_if_unused(empty);
    return made;
}

static bool regrid_composite(const applying *a, ir_op *op, const d2m_grid_info *info)
{
    ir_type old = op->results[0].type;
    ir_type type = d2m_tensor_on_grid(old, &info->grid, a->ttnn, info->tiles);
    uint32_t n = op->n_operands;
    bool fine = type != NULL;
    ir_value **parts = tw_xmalloc((n + 1) * sizeof *parts);
    for (uint32_t i = 0; fine && i < n; i++) {
        ir_value *in = ir_op_operand(op, i);
        parts[i] = info->parts[i] ? regrid_part(a, op, in, info->parts[i]) : in;
        fine = parts[i] != NULL;
    }
    if (fine) {
        ir_builder b = ir_builder_before(op);
        ir_value *made =
            ir_build1(&b, D2M_OP(composite_view), type, parts, n,
                      IR_ATTRS({"dim", ir_op_attr(op, "dim")},
                               {"logicalSizes", ir_op_attr(op, "logicalSizes")}));
        ir_value_replace_uses(&op->results[0], made);
        ir_op_erase(op);
    }
    free(parts);
    return fine || cannot(a, old, &info->grid);
}

/* ---- tensors of ttnn ---------------------------------------------------------------- */

/* Replaces the uses of a value but that of one operation. */
static void replace_uses_but(ir_value *from, ir_value *to, const ir_op *but)
{
    for (ir_operand *use = from->uses, *next; use; use = next) {
        next = use->next_use;
        if (use->owner != but)
            ir_op_set_operand(use->owner, ir_operand_number(use), to);
    }
}

/* Drops the views over a cast and returns the cast. */
static ir_op *cast_without_views(ir_value *v)
{
    ir_op *op = ir_value_def(v);
    while (ir_op_is(op, D2M_OP(view_layout))) {
        ir_value *in = ir_op_operand(op, 0);
        ir_value_replace_uses(&op->results[0], in);
        ir_op_erase(op);
        op = ir_value_def(in);
    }
    return op;
}

/* A tensor in DRAM has one grid cell: it is read through a view of the grid. */
static bool view_dram(const applying *a, ir_op *cast, const d2m_shape *grid)
{
    ir_value *v = &cast->results[0];
    ir_op *before = ir_value_def(ir_op_operand(cast, 0));
    d2m_layout l;
    d2m_shape unit = {{1, 1}, 2};
    if (ir_op_is(before, TTIR_OP(ttnn_metal_layout_cast))) {
        /* The result of another generic is viewed already. */
        replace_uses_but(v, ir_op_operand(before, 0), before);
        return true;
    }
    if (!d2m_layout_of(v->type, &l))
        return cannot(a, v->type, grid);
    ir_type whole = d2m_device_tensor(v->type->element, &l, &unit);
    l.space = TTCORE_MemorySpace_DeviceDRAM;
    l.memory = TTCORE_TensorMemoryLayout_Interleaved;
    ir_type type = d2m_device_tensor(v->type->element, &l, grid);
    d2m_shape from, to;
    if (!whole || !type || !d2m_shape_of(whole, &from) || !d2m_shape_of(type, &to))
        return cannot(a, v->type, grid);
    ir_builder b = ir_builder_after(cast);
    ir_affine_map map = d2m_reblock_map(cast->ctx, &from, &to);
    ir_value *view = ir_build1(&b, D2M_OP(view_layout), type, &v, 1,
                               IR_ATTRS({"remapping", ir_affine_map_attr(cast->ctx, map)}));
    replace_uses_but(v, view, ir_value_def(view));
    return true;
}

/* A tensor in L1 is viewed over the grid, and as it was for its users. */
static bool view_l1(const applying *a, ir_op *cast, const d2m_shape *grid)
{
    ir_value *v = &cast->results[0];
    d2m_shape old;
    d2m_half_of(v->type, false, &old);
    if (d2m_shape_equal(&old, grid))
        return true;
    ir_type type = d2m_reblocked(v->type, grid);
    if (!type)
        return cannot(a, v->type, grid);
    ir_builder b = ir_builder_after(cast);
    ir_value *view = view_as(&b, v, type);
    ir_value *back = view_as(&b, view, v->type);
    replace_uses_but(v, back, ir_value_def(view));
    return true;
}

static bool regrid_ttnn(const applying *a, ir_value *v, const d2m_shape *grid)
{
    d2m_layout l;
    if (!d2m_layout_of(v->type, &l))
        return cannot(a, v->type, grid);
    ir_op *cast = cast_without_views(v);
    return l.space == TTCORE_MemorySpace_DeviceDRAM ? view_dram(a, cast, grid)
                                                    : view_l1(a, cast, grid);
}

/* ---- views -------------------------------------------------------------------------- */

static bool regrid_view(const applying *a, ir_op *op, const d2m_grid_info *info)
{
    ir_context *ctx = op->ctx;
    ir_type old = op->results[0].type;
    ir_type type = d2m_tensor_on_grid(old, &info->grid, a->ttnn, info->tiles);
    ir_attr remapping = ir_op_attr(op, "remapping");
    ir_value *in = ir_op_operand(op, 0);
    d2m_layout l;
    d2m_shape from, to, grid;
    d2m_half_of(old, false, &grid);
    if (!type || !d2m_layout_of(type, &l) || !ir_attr_is(remapping, IR_ATTR_AFFINE_MAP))
        return cannot(a, old, &info->grid);
    /* The old grid with the new padding. */
    ir_type padded = d2m_device_tensor(old->element, &l, &grid);
    if (!padded || !d2m_shape_of(padded, &from) || !d2m_shape_of(type, &to))
        return cannot(a, old, &info->grid);
    ir_affine_map map = remapping->map, reblock = d2m_reblock_map(ctx, &from, &to);
    if (!d2m_shape_equal(&from, &to)) {
        if (!reblock || map->n_dims != from.n)
            return cannot(a, old, &info->grid);
        map = d2m_compose(ctx, map, reblock);
    }
    d2m_shape source;
    if (!ir_op_bool(op, "reinterpretLayout") && d2m_shape_of(in->type, &source))
        map = d2m_map_within(ctx, map, &to, &source);
    ir_builder b = ir_builder_before(op);
    ir_value *made =
        ir_build1(&b, D2M_OP(view_layout), type, &in, 1,
                  IR_ATTRS({"remapping", ir_affine_map_attr(ctx, map)},
                           {"reinterpretLayout", ir_op_attr(op, "reinterpretLayout")}));
    ir_value_replace_uses(&op->results[0], made);
    ir_op_erase(op);
    return true;
}

/* ---- the generic -------------------------------------------------------------------- */

static bool rebuild(const d2m_grid_plan *plan)
{
    d2m_generic g;
    d2m_shape factors;
    ir_affine_map *maps = tw_xmalloc((plan->n + 1) * sizeof *maps);
    if (!d2m_generic_read(plan->generic, &g)) {
        free(maps);
        return false;
    }
    for (uint32_t i = 0; i < g.n_io; i++)
        maps[i] = d2m_generic_map(&g, i);
    const d2m_shape *grid = &plan->normalized[g.n_inputs];
    bool derived = d2m_derive_factors(maps, plan->normalized, plan->n, grid, &factors);
    free(maps);
    if (!derived)
        return ir_op_error(g.op, "grid selection failed to recreate generic op");
    ir_attr attr = d2m_grid_for_shape(d2m_generic_output(&g, 0), grid);
    d2m_reblocking made;
    bool fine = d2m_generic_reblock(g.op, attr, &factors, false, &made);
    free(made.views);
    return fine && d2m_normalize_spatial(made.op);
}

typedef enum operand_kind {
    SKIP,
    TTNN,
    VIEW,
    COMPOSITE,
    TO_LAYOUT,
    MASK,
    EMPTY
} operand_kind;

static operand_kind kind_of(const ir_value *v)
{
    const ir_op *op = ir_value_def(v);
    if (d2m_is_ttnn_operand(v))
        return TTNN;
    if (ir_op_is(op, D2M_OP(view_layout)))
        return ir_op_bool(op, "reinterpretLayout") ? SKIP : VIEW;
    return ir_op_is(op, D2M_OP(composite_view)) ? COMPOSITE
           : ir_op_is(op, D2M_OP(to_layout))    ? TO_LAYOUT
           : ir_op_is(op, D2M_OP(mask))         ? MASK
           : ir_op_is(op, D2M_OP(empty))        ? EMPTY
                                                : SKIP;
}

static bool regrid(const applying *a, size_t i, operand_kind kind)
{
    const d2m_grid_info *info = &a->plan->infos[i];
    ir_value *v = ir_op_operand(a->plan->generic, i);
    ir_op *op = ir_value_def(v);
    switch (kind) {
    case TTNN:
        return regrid_ttnn(a, v, &info->grid);
    case COMPOSITE:
        return !ir_op_is(op, D2M_OP(composite_view)) || regrid_composite(a, op, info);
    case TO_LAYOUT:
        return !ir_op_is(op, D2M_OP(to_layout)) || regrid_to_layout(a, op, &info->grid);
    case MASK:
        return !ir_op_is(op, D2M_OP(mask)) || regrid_mask(a, op, info);
    case EMPTY:
        return !ir_op_is(op, D2M_OP(empty)) || regrid_empty(a, op, info);
    case VIEW:
    case SKIP:
        break;
    }
    return true;
}

bool d2m_apply_grids(const d2m_grid_plan *plan, bool ttnn)
{
    applying a = {plan, ttnn};
    operand_kind *kinds = tw_xmalloc((plan->n + 1) * sizeof *kinds);
    bool fine = true;
    /* Producers that two operands share are gone after the first of them, so kinds are
     * read before. */
    for (size_t i = 0; i < plan->n; i++)
        kinds[i] = kind_of(ir_op_operand(plan->generic, i));
    for (size_t i = 0; fine && i < plan->n; i++) {
        const d2m_grid_info *info = &plan->infos[i];
        fine = regrid(&a, i, kinds[i]);
        ir_op *source = fine && info->has_source
                            ? d2m_to_layout_behind_views(ir_op_operand(plan->generic, i))
                            : NULL;
        if (source)
            fine = regrid_to_layout(&a, source, &info->source_grid);
    }
    for (size_t i = 0; fine && i < plan->n; i++) {
        ir_op *view = ir_value_def(ir_op_operand(plan->generic, i));
        if (kinds[i] == VIEW && ir_op_is(view, D2M_OP(view_layout)))
            fine = regrid_view(&a, view, &plan->infos[i]);
    }
    free(kinds);
    return fine && rebuild(plan);
}
