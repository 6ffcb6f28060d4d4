/* lower_to_layout.c: d2m-lower-to-layout: replaces d2m.to_layout by transfers between host
 * and device, and by generics that copy, tilize and untilize. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "d2m/passes/layout_plan.h"
#include "d2m/region_build.h"
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttnn/layout.h"

typedef struct lowering {
    int64_t device[2];
    bool failed;
} lowering;

/* One to_layout that is lowered. */
typedef struct emission {
    ir_op *op;
    ir_builder *b;
    const lowering *pass;
} emission;

static ir_value *no_value(const emission *e, const char *why, ir_type from, ir_type to)
{
    ir_context *ctx = e->op->ctx;
    ir_op_error(e->op, "cannot be lowered: %s (%s to %s)", why, ir_type_text(ctx, from),
                ir_type_text(ctx, to));
    return NULL;
}

/* ---- buffers and views -------------------------------------------------------------- */

/* A buffer for a step's result: the operation's own where it fits. */
static ir_value *build_output(const emission *e, const d2m_layout_state *to)
{
    ir_value *own = ir_op_operand(e->op, 1);
    d2m_layout_state have = d2m_layout_state_of(own);
    d2m_virtual_grid maps = to->maps;
    d2m_shape grid;
    int64_t cores[2];
    d2m_half_of(to->type, false, &grid);
    if (!maps.forward && d2m_is_metal_layout(to->type->encoding) &&
        d2m_needs_virtual_grid(&grid, e->pass->device)) {
        if (!d2m_physical_grid(d2m_volume(&grid), e->pass->device, cores))
            return no_value(e, "no rectangle of cores holds the virtual grid",
                            ir_op_operand(e->op, 0)->type, to->type);
        maps = d2m_virtual_maps(e->op->ctx, &grid, cores);
    }
    if (have.type == to->type && !have.remapping && have.maps.forward == maps.forward &&
        have.maps.inverse == maps.inverse)
        return own;
    return d2m_build_empty(e->b, to->type, maps);
}

static ir_value *build_mapped_view(const emission *e, ir_value *v, ir_type type,
                                   ir_affine_map map)
{
    return ir_build1(e->b, D2M_OP(view_layout), type, &v, 1,
                     IR_ATTRS({"remapping", ir_affine_map_attr(e->op->ctx, map)},
                              {"reinterpretLayout", ir_bool_attr(e->op->ctx, false)}));
}

/* The value in the shape of another type, in its own layout. */
static ir_value *view_in_shape(const emission *e, ir_value *v, ir_type like)
{
    d2m_shape from, to;
    if (!d2m_shape_of(v->type, &from) || !d2m_shape_of(like, &to))
        return no_value(e, "the shape is not static", v->type, like);
    ir_affine_map map = d2m_reblock_map(e->op->ctx, &from, &to);
    if (!map)
        map = d2m_layout_map(v->type, like);
    if (!map)
        return no_value(e, "the layouts hold different elements", v->type, like);
    return build_mapped_view(
        e, v, ir_tensor_type(like->element, like->dims, like->count, v->type->encoding),
        map);
}

/* ---- generics ----------------------------------------------------------------------- */

/* A generic that loads a shard, lets `make` (may be NULL) change its format, stores it. */
static ir_value *build_copy(const emission *e, ir_value *in, ir_value *out, ir_attr grid,
                            const ir_op_def *make)
{
    uint32_t rank = out->type->count / 2;
    ir_value *indices[D2M_MAX_RANK], *shard;
    if (in->type->count != out->type->count)
        return no_value(e, "the layouts have different ranks", in->type, out->type);
    ir_op *generic = d2m_build_generic(
        e->b, &(d2m_generic_parts){.inputs = &in,
                                   .n_inputs = 1,
                                   .outputs = &out,
                                   .n_outputs = 1,
                                   .grid = grid ? grid : d2m_grid_for_output(out)});
    ir_builder b = ir_builder_at_end(e->op->ctx, ir_op_body(generic, 0), e->b->loc);
    b.created = e->b->created;
    b.user = e->b->user;
    d2m_build_grid_indices(&b, ir_affine_identity(e->op->ctx, rank), indices);
    shard = d2m_build_load(&b, d2m_build_shard(&b, in), in, indices, rank, NULL, 0);
    if (make) {
        ir_value *operands[] = {shard, d2m_build_shard(&b, out)};
        shard = ir_build1(&b, make, operands[1]->type, operands, 2, NULL, 0);
    }
    ir_value *stored = d2m_build_store(&b, out, indices, rank, shard);
    ir_build_op(&b, D2M_OP(yield), NULL, 0, &stored, 1, NULL, 0, 0);
    return ir_op_result(generic, 0);
}

static ir_value *move_to_host_or_device(const emission *e, ir_value *in, ir_value *out,
                                        bool to_device)
{
    ir_value *operands[] = {in, out};
    return ir_op_result(
        ir_build_op(e->b, to_device ? D2M_OP(to_device) : D2M_OP(to_host), &out->type, 1,
                    operands, 2,
                    IR_ATTRS({"layout", (to_device ? out : in)->type->encoding}), 0),
        0);
}

static bool is_in_dram(ir_type t)
{
    d2m_layout l;
    return d2m_layout_of(t, &l) && l.space == TTCORE_MemorySpace_DeviceDRAM;
}

/* The grid that a generic over the shards of a virtual input has; NULL if it has none. */
static ir_attr virtual_grid_for(const ir_value *in)
{
    d2m_shape grid;
    d2m_half_of(in->type, false, &grid);
    ir_attr attr = d2m_grid_attr(in->type->ctx, &grid, d2m_virtual_grid_of(in));
    ir_attr map = ir_attr_param(attr, "virtToPhysicalMap");
    return ir_attr_is(map, IR_ATTR_AFFINE_MAP) && map->map->n_results ? attr : NULL;
}

/* The side in DRAM is seen in the shape of the other one, whose cores copy. */
static ir_value *copy(const emission *e, ir_value *in, ir_value *out)
{
    d2m_shape from, to;
    d2m_half_of(in->type, false, &from);
    d2m_half_of(out->type, false, &to);
    bool into_dram = is_in_dram(out->type);
    if (is_in_dram(in->type) && into_dram)
        return no_value(e, "input and output cannot both be remote", in->type, out->type);
    if (is_in_dram(in->type) || (!into_dram && !d2m_shape_equal(&from, &to)))
        in = view_in_shape(e, in, out->type);
    ir_value *viewed = in && into_dram ? view_in_shape(e, out, in->type) : out;
    if (!in || !viewed)
        return NULL;
    ir_value *result =
        build_copy(e, in, viewed, into_dram ? virtual_grid_for(in) : NULL, NULL);
    return result && into_dram && result->type != out->type
               ? view_in_shape(e, result, out->type)
               : result;
}

static ir_value *reshard(const emission *e, ir_value *in, ir_value *out)
{
    d2m_shape from, to;
    ir_affine_map map = NULL;
    if (d2m_only_reblocks(in->type, out->type) && d2m_is_tiled(in->type) &&
        d2m_is_tiled(out->type) && d2m_shape_of(in->type, &from) &&
        d2m_shape_of(out->type, &to))
        map = d2m_reblock_map(e->op->ctx, &from, &to);
    if (!map)
        map = d2m_layout_map(in->type, out->type);
    if (!map)
        return no_value(e, "the layouts hold different elements", in->type, out->type);
    return build_copy(e, build_mapped_view(e, in, out->type, map), out, NULL, NULL);
}

/* ---- steps -------------------------------------------------------------------------- */

static ir_value *emit_step(const emission *e, const d2m_step *step, ir_value *in)
{
    if (step->kind == D2M_STEP_REMAP)
        return build_mapped_view(e, in, step->to.type, step->to.remapping);
    ir_value *out = build_output(e, &step->to);
    if (!out)
        return NULL;
    switch (step->kind) {
    case D2M_STEP_HOST_TO_DEVICE:
    case D2M_STEP_DEVICE_TO_HOST:
        return move_to_host_or_device(e, in, out, step->kind == D2M_STEP_HOST_TO_DEVICE);
    case D2M_STEP_TILIZE:
        return build_copy(e, in, out, NULL, D2M_OP(tile_tilize_block));
    case D2M_STEP_UNTILIZE:
        return build_copy(e, in, out, NULL, D2M_OP(tile_untilize_block));
    case D2M_STEP_RESHARD:
        return reshard(e, in, out);
    default:
        return copy(e, in, out);
    }
}

/* A mask has the type of its input; its output buffer follows. */
static void repair_mask(ir_op *mask, rw_rewriter *rw)
{
    ir_value *in = ir_op_operand(mask, 0), *old = ir_op_operand(mask, 1);
    if (old->type == in->type)
        return;
    ir_builder b = ir_builder_before(mask);
    b.created = rw->b.created;
    b.user = rw->b.user;
    d2m_virtual_grid maps = ir_op_is(ir_value_def(old), D2M_OP(empty))
                                ? d2m_virtual_grid_of(old)
                                : (d2m_virtual_grid){0};
    ir_value *operands[] = {in, d2m_build_empty(&b, in->type, maps)};
    rw_replace1(rw, mask,
                ir_build1(&b, D2M_OP(mask), in->type, operands, 2,
                          IR_ATTRS({"logicalShape", ir_op_attr(mask, "logicalShape")},
                                   {"fill_value", ir_op_attr(mask, "fill_value")})));
}

static bool is_device_to_device(const ir_op *op)
{
    return d2m_is_metal_layout(ir_op_operand(op, 0)->type->encoding) &&
           d2m_is_metal_layout(ir_op_operand(op, 1)->type->encoding);
}

static bool lower(ir_op *op, rw_rewriter *rw)
{
    lowering *pass = rw->user;
    ir_value *v = ir_op_operand(op, 0);
    const ir_op *producer = ir_value_def(v);
    if (pass->failed || op->n_results != 1 || v->type->kind != IR_TYPE_TENSOR ||
        ir_op_operand(op, 1)->type->kind != IR_TYPE_TENSOR)
        return false;
    if (ir_op_is(producer, D2M_OP(to_layout)) && producer != op &&
        is_device_to_device(producer))
        return false; /* it is lowered first */
    emission e = {op, &rw->b, pass};
    d2m_layout_state from = d2m_layout_state_of(v);
    d2m_layout_state to = d2m_layout_state_of(ir_op_operand(op, 1));
    d2m_layout_plan plan;
    if (!d2m_plan_layouts(&from, &to, &plan)) {
        no_value(&e, "a grid does not divide the tensor", from.type, to.type);
        pass->failed = true;
        return false;
    }
    for (size_t i = 0; v && i < plan.n; i++)
        v = emit_step(&e, &plan.at[i], v);
    if (!v) {
        pass->failed = true;
        return false;
    }
    ir_op_list masks = {0};
    for (ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (use->owner->def == D2M_OP(mask) && ir_operand_number(use) == 0)
            TW_PUSH(masks.at, masks.n, masks.capacity, use->owner);
    rw_replace1(rw, op, v);
    while (masks.n-- > 0)
        repair_mask(masks.at[masks.n], rw);
    ir_op_list_free(&masks);
    return true;
}

static bool is_to_layout(const ir_op *op)
{
    return op->def == D2M_OP(to_layout);
}

static bool run(ir_op *module, pass_run *run)
{
    static const rw_pattern patterns[] = {{D2M_OP(to_layout), lower, NULL}};
    lowering state = {0};
    (void)run;
    ir_op_list all = ir_ops_outside(module, is_to_layout, d2m_is_generic);
    bool any = all.n > 0;
    ir_op_list_free(&all);
    if (any && !ttnn_device_grid(module, false, state.device)) {
        ir_error(module->ctx, module->loc, "Device not found");
        ir_help(module->ctx, "run --ttcore-register-device before");
        return false;
    }
    rw_greedy(module, patterns, TW_COUNT(patterns), &(rw_options){.user = &state});
    return !state.failed;
}

const pass_def d2m_lower_to_layout_pass = {
    .name = "d2m-lower-to-layout",
    .title = "D2MLowerToLayout",
    .summary = "Lower changes of layout to transfers, copies and conversions",
    .anchor = "builtin.module",
    .run = run,
};
